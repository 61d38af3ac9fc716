/**
 * Binds contracts to handlers. From the contract come routing, 405, throttling, authentication, the permission check,
 * validation of every input, and - where `checkAnswers` is set, in tests - the check that each answer is declared.
 */
import { isUtf8 } from "node:buffer";
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Answers, RawAnswer, RouteContract, ThrottleScope } from "@weft/contracts";
import { isRaw } from "@weft/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type * as z from "zod";
import type { Caller, Identity, Origin } from "../caller.ts";
import { isAllowed } from "../caller.ts";
import { AppError, forbidden, invalid, notFound } from "../errors.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import { addressOf, clientAddress, type TrustedProxies } from "./client-address.ts";
import { hostileText, parseJson, pathOf, validationErrors } from "./input.ts";
import { createSender, type SendOptions, type SendSoon, type Sent } from "./sender.ts";
import { acceptForms, readUpload } from "./upload.ts";

type Output<C, Part extends "params" | "query" | "body"> = C extends { readonly [P in Part]: infer S extends z.ZodType }
	? z.output<S>
	: undefined;

/** What a handler gets. `caller` is there on routes with `auth: "bearer"`. */
export interface Input<C extends RouteContract> {
	readonly params: Output<C, "params">;
	readonly query: Output<C, "query">;
	readonly body: C extends { readonly rawBody: true } ? undefined : Output<C, "body">;
	readonly caller: C["auth"] extends "bearer" ? Caller : undefined;
	readonly origin: Origin;
	/** The body as it came, on routes with `rawBody`; the file, on routes with `upload`. */
	readonly bytes: Buffer;
	/** The address that was asked for, from which `next` and `previous` links are made. */
	readonly url: string;
	/** Its path and query as they came. */
	readonly path: string;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	/** Aborted when the client goes away. */
	readonly signal: AbortSignal;
}

type BodyOf<T> = T extends RawAnswer ? unknown : T extends z.ZodType ? z.input<T> : never;

/** One of the answers that the contract declares: a value of its shape, or that shape's text as it is written. */
export type Answer<R extends Answers> = {
	[Status in keyof R & number]:
		| ({ readonly status: Status; readonly body: BodyOf<R[Status]> } & SendOptions)
		| ((Streamed | Encoded) & { readonly status: Status });
}[keyof R & number];

/** The text of a declared shape, where it lies ready or is kept. */
interface Encoded {
	readonly body: Buffer | string;
	readonly headers: Record<string, string>;
	readonly sendAsIs: true;
}

interface Streamed {
	readonly body: Readable;
	readonly headers: Record<string, string>;
	readonly sendAsIs: true;
}

export type Handler<C extends RouteContract> = ((input: Input<C>) => Promise<Answer<C["answers"]>>) & {
	/** The answer, where it is kept: it stands for this path and query and is the same for all who may ask. */
	readonly kept?: (asked: Asked) => Answer<C["answers"]> | undefined;
};

/** A request as it came, of which nothing has been checked but who asks. */
export type Asked = Pick<Input<RouteContract>, "path" | "headers">;

/** A contract with its handler, ready to be mounted. */
export interface BoundRoute {
	readonly contract: RouteContract;
	readonly handler: ((input: never) => Promise<Sent>) & { readonly kept?: (asked: Asked) => Sent | undefined };
}

/** An answer with its status as a literal, so that the compiler can hold it against the contract. */
export function reply<const Status extends number, Body>(status: Status, body: Body, options: SendOptions = {}) {
	return { status, body, ...options };
}

/**
 * An answer that is sent while it is made, at the pace of who reads it. Waits for the first piece, so that what fails
 * before that is answered with its status; what fails later cuts the connection off.
 */
export async function streamed<const Status extends number>(
	status: Status,
	contentType: string,
	pieces: AsyncIterator<Buffer | string, void>,
): Promise<Streamed & { readonly status: Status }> {
	const first = await pieces.next();
	async function* all() {
		try {
			for (let piece = first; !piece.done; piece = await pieces.next()) if (piece.value.length > 0) yield piece.value;
		} finally {
			await pieces.return?.();
		}
	}
	return {
		status,
		// Without objectMode it is bytes that are counted: one piece at a time is asked for.
		body: Readable.from(all(), { objectMode: false }),
		headers: { "content-type": contentType },
		sendAsIs: true,
	};
}

/** 204. */
export const noContent = { status: 204, body: undefined } as const;

/** Binds all routes of an area; a route without a handler, a missing field and an undeclared status do not compile. */
export function bindAll<Area extends Record<string, RouteContract>>(
	area: Area,
	handlers: { [Name in keyof Area]: Handler<Area[Name]> },
): BoundRoute[] {
	return Object.entries(area).map(([name, contract]) => ({
		contract,
		handler: handlers[name as keyof Area] as BoundRoute["handler"],
	}));
}

export interface BinderDeps {
	/** Who a bearer token belongs to; null when it is not valid (any more). */
	authenticate(token: string): MaybePromise<Identity | null>;
	/** Counts one request; throws `tooMany` over the rate. */
	throttle(scope: ThrottleScope, key: string): MaybePromise<void>;
	readonly trustedProxies: TrustedProxies;
	/** Told of each call of a signed-in user once it has its answer, and before that is sent. Must not reject. */
	recordAccess?(caller: Caller, call: Access): MaybePromise<void>;
	/** Where the service is published, with a slash at both ends. */
	readonly basePath: string;
	/** Called with each answer that its contract does not declare; given in tests. */
	readonly checkAnswers?: (violation: string) => void;
}

/** A call as the audit log may keep it. The query string is left out: it may hold what was searched for. */
export interface Access {
	readonly routeId: string;
	readonly method: string;
	readonly path: string;
	readonly status: number;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const DEFAULT_BODY_LIMIT = 1024 * 1024;
const LARGE_BODY = 256 * 1024;

/** Mounts routes on a server, and a 405 for every other method of their paths. */
export function mount(server: FastifyInstance, routes: readonly BoundRoute[], deps: BinderDeps): void {
	const byPath = new Map<string, BoundRoute[]>();
	for (const route of routes) byPath.set(route.contract.path, [...(byPath.get(route.contract.path) ?? []), route]);
	const sendSoon = createSender();
	for (const [path, bound] of byPath) {
		for (const route of bound) mountOne(server, route, deps, sendSoon);
		const offered = bound.map((route) => route.contract.method as string);
		const allow = [...offered, ...(offered.includes("GET") ? ["HEAD"] : [])].sort().join(", ");
		server.route({
			method: METHODS.filter((method) => !offered.includes(method)),
			url: path,
			handler: (_request, reply) =>
				reply
					.status(405)
					.header("allow", allow)
					.send({ detail: `Only ${allow} can be used here.` }),
		});
	}
}

/** Routes that take a file have a parser for forms to themselves: everywhere else a form is refused. */
function mountOne(server: FastifyInstance, route: BoundRoute, deps: BinderDeps, sendSoon: SendSoon): void {
	if (route.contract.upload === undefined) mountRoute(server, route, deps, sendSoon);
	else {
		server.register(async (scope) => {
			acceptForms(scope);
			mountRoute(scope, route, deps, sendSoon);
		});
	}
}

function mountRoute(server: FastifyInstance, route: BoundRoute, deps: BinderDeps, sendSoon: SendSoon): void {
	const { contract } = route;
	server.route({
		method: contract.method,
		url: contract.path,
		bodyLimit: contract.bodyLimit ?? DEFAULT_BODY_LIMIT,
		handler: (request, reply) => {
			respond(route, request, reply, deps).then(
				(answer) => sendSoon(reply, answer),
				(error) => reply.send(error),
			);
		},
	});
}

async function respond(
	route: BoundRoute,
	request: FastifyRequest,
	reply: FastifyReply,
	deps: BinderDeps,
): Promise<Sent> {
	const { contract } = route;
	const origin = originOf(request, contract, deps.trustedProxies);
	request.who = { ip: origin.ip };
	// Only what is not there yet is waited for: each wait costs as much as a check.
	const identified = identify(request, contract, origin, deps);
	const caller = identified instanceof Promise ? await identified : identified;
	if (caller !== undefined) request.who = { ip: origin.ip, user: caller.userId };
	let answer: Sent;
	try {
		const admitted = admit(contract, caller, origin, deps);
		if (admitted instanceof Promise) await admitted;
		const kept = route.handler.kept?.({ path: request.url, headers: request.headers });
		answer = kept ?? (await carryOut(route, request, reply, caller, origin, deps));
	} catch (error) {
		await record(contract, request, caller, error instanceof AppError ? error.status : 500, deps);
		throw error;
	}
	const recorded = record(contract, request, caller, answer.status, deps);
	if (recorded instanceof Promise) await recorded;
	if (deps.checkAnswers) {
		checkAnswer(contract, answer, deps.checkAnswers);
		if ("category" in contract.audit && answer.status < 300 && !origin.trail?.settled) {
			deps.checkAnswers(`${contract.id} answered ${answer.status} without an audit entry`);
		}
	}
	return answer;
}

async function carryOut(
	{ contract, handler }: BoundRoute,
	request: FastifyRequest,
	reply: FastifyReply,
	caller: Caller | undefined,
	origin: Origin,
	deps: BinderDeps,
): Promise<Sent> {
	const call = new Call(request, reply, deps, caller, origin);
	if (contract.upload) call.bytes = await readUpload(request, contract.upload.maxBytes);
	else if (Buffer.isBuffer(request.body)) call.bytes = request.body;
	await readInput(request, contract, call);
	return handler(call as never);
}

function originOf(request: FastifyRequest, contract: RouteContract, trusted: TrustedProxies): Origin {
	return {
		requestId: request.id,
		ip: clientAddress(request.socket.remoteAddress, request.headers["x-forwarded-for"], trusted),
		userAgent: String(request.headers["user-agent"] ?? "").slice(0, 512),
		audit: contract.audit,
		trail: { settled: false },
	};
}

/** Who calls; undefined on routes that ask for no token. */
function identify(
	request: FastifyRequest,
	contract: RouteContract,
	origin: Origin,
	deps: BinderDeps,
): MaybePromise<Caller | undefined> {
	if (contract.auth !== "bearer") return undefined;
	const token = tokenOf(request.headers.authorization ?? "");
	const identity = token === undefined ? null : deps.authenticate(token);
	if (identity instanceof Promise) {
		return identity.then((found) => (found === null ? refuse(token, origin, deps) : callerOf(found, origin)));
	}
	return identity === null ? refuse(token, origin, deps) : callerOf(identity, origin);
}

const SCHEME = "bearer ";
const LONGEST_TOKEN = 4096;

/** Which characters a token has is checked with its signature: it is known at once or looked at in full. */
function tokenOf(authorization: string): string | undefined {
	const length = authorization.length - SCHEME.length;
	if (length < 1 || length > LONGEST_TOKEN) return undefined;
	return authorization.slice(0, SCHEME.length).toLowerCase() === SCHEME
		? authorization.slice(SCHEME.length)
		: undefined;
}

/** Field by field: spreading both costs more than all that is checked of a token. */
const callerOf = (identity: Identity, origin: Origin): Caller => ({
	userId: identity.userId,
	username: identity.username,
	sessionId: identity.sessionId,
	isSuperuser: identity.isSuperuser,
	isAdmin: identity.isAdmin,
	permissions: identity.permissions,
	requestId: origin.requestId,
	ip: origin.ip,
	userAgent: origin.userAgent,
	audit: origin.audit,
	...(origin.trail === undefined ? {} : { trail: origin.trail }),
});

async function refuse(token: string | undefined, origin: Origin, deps: BinderDeps): Promise<never> {
	await deps.throttle("anon", origin.ip);
	throw new AppError(
		401,
		{
			detail: token === undefined ? "A bearer token is needed." : "The token is not valid or its session has ended.",
		},
		{ "www-authenticate": "Bearer" },
	);
}

/** Throttles and checks the permission; in an order that tells strangers nothing. */
function admit(
	contract: RouteContract,
	caller: Caller | undefined,
	origin: Origin,
	deps: BinderDeps,
): MaybePromise<void> {
	if (caller === undefined) return deps.throttle(contract.throttle, origin.ip);
	const counted = count(contract, caller, deps);
	return counted instanceof Promise ? counted.then(() => allow(contract, caller)) : allow(contract, caller);
}

/** Routes with a tighter scope count in both; the exempt ones in neither. */
function count({ throttle, id }: RouteContract, { userId }: Caller, deps: BinderDeps): MaybePromise<void> {
	if (throttle === "none") return;
	const counted = deps.throttle("user", String(userId));
	if (throttle === "user") return counted;
	const tighter = () => deps.throttle(throttle, `${userId}:${id}`);
	return counted instanceof Promise ? counted.then(tighter) : tighter();
}

function allow({ permission }: RouteContract, caller: Caller): void {
	if (!isAllowed(caller, permission)) throw forbidden(`You need the permission ${permission} for this.`);
}

/** Tells the audit log of the call. */
function record(
	{ id }: RouteContract,
	{ method, url }: FastifyRequest,
	caller: Caller | undefined,
	status: number,
	deps: BinderDeps,
): MaybePromise<void> {
	if (caller === undefined || deps.recordAccess === undefined) return;
	return deps.recordAccess(caller, { routeId: id, method, path: pathOf(url), status });
}

const NO_BYTES = Buffer.alloc(0);

/**
 * What a handler gets; the parts that few ask for are made when they are. A class, so that all calls have one shape: an object with getters of its
 * own has a shape of its own too, which keeps the whole request in memory until the next full garbage collection.
 */
class Call {
	params: unknown;
	query: unknown;
	body: unknown;
	bytes: Buffer = NO_BYTES;
	readonly caller: Caller | undefined;
	readonly origin: Origin;
	readonly headers: FastifyRequest["headers"];
	readonly path: string;
	readonly #request: FastifyRequest;
	readonly #reply: FastifyReply;
	readonly #deps: BinderDeps;
	#controller: AbortController | undefined;

	constructor(
		request: FastifyRequest,
		reply: FastifyReply,
		deps: BinderDeps,
		caller: Caller | undefined,
		origin: Origin,
	) {
		this.params = undefined;
		this.query = undefined;
		this.body = undefined;
		this.caller = caller;
		this.origin = origin;
		this.headers = request.headers;
		this.path = request.url;
		this.#request = request;
		this.#reply = reply;
		this.#deps = deps;
	}

	get url(): string {
		const { trustedProxies, basePath } = this.#deps;
		return addressOf(
			this.headers,
			basePath.slice(0, -1) + this.path,
			this.#request.socket.remoteAddress,
			trustedProxies,
		);
	}

	get signal(): AbortSignal {
		this.#controller ??= abortedWith(this.#reply);
		return this.#controller.signal;
	}
}

async function readInput(request: FastifyRequest, contract: RouteContract, call: Call): Promise<void> {
	if (contract.params) {
		const parsed = contract.params.safeParse(request.params);
		if (!parsed.success || hostileText(parsed.data) !== null) throw notFound();
		call.params = parsed.data;
	}
	if (contract.query) call.query = checked(contract.query, queryOf(request), "query");
	if (!contract.body || contract.rawBody) return;
	const { body } = request;
	const bytes = Buffer.isBuffer(body) ? body : NO_BYTES;
	const given = bodyOf(contract, bytes);
	// Others have their turn between reading a large body and checking it.
	if (bytes.length > LARGE_BODY) await nextTurn();
	call.body = checked(contract.body, given, "body");
}

function bodyOf(contract: RouteContract, bytes: Buffer): unknown {
	if (bytes.length === 0) {
		if (contract.bodyOptional) return {};
		throw new AppError(400, { detail: "A JSON body is needed." });
	}
	if (!isUtf8(bytes)) throw new AppError(400, { detail: "The body is not UTF-8." });
	return parseJson(bytes);
}

/** Query parameters; one that is given twice counts with its last value. */
function queryOf(request: FastifyRequest): Record<string, string> {
	const values: Record<string, string> = {};
	for (const [key, value] of Object.entries(request.query as Record<string, string | string[]>)) {
		values[key] = Array.isArray(value) ? (value.at(-1) ?? "") : value;
	}
	return values;
}

function checked(schema: z.ZodType, value: unknown, where: "query" | "body"): unknown {
	const hostile = hostileText(value);
	if (hostile !== null) {
		throw invalid({ [hostile || "non_field_errors"]: ["Must not contain NUL or unpaired surrogate characters."] });
	}
	const parsed = schema.safeParse(value);
	if (!parsed.success) throw invalid(validationErrors(parsed.error, where));
	return parsed.data;
}

/** Aborted when the connection ends before the answer is sent, now or later. */
function abortedWith({ raw }: FastifyReply): AbortController {
	const controller = new AbortController();
	const look = () => {
		if (!raw.writableFinished) controller.abort();
	};
	if (raw.closed) look();
	else raw.once("close", look);
	return controller;
}

const isText = ({ body, sendAsIs }: { body: unknown; sendAsIs?: boolean }): boolean =>
	Buffer.isBuffer(body) || (sendAsIs === true && typeof body === "string");

function checkAnswer(
	contract: RouteContract,
	answer: { status: number; body: unknown; sendAsIs?: boolean },
	report: (violation: string) => void,
): void {
	const declared = contract.answers[answer.status];
	if (declared === undefined) report(`${contract.id} answered ${answer.status}, which it does not declare`);
	if (declared === undefined || isRaw(declared) || answer.body instanceof Readable) return;
	const wire = JSON.parse(isText(answer) ? String(answer.body) : JSON.stringify(answer.body));
	const parsed = declared.safeParse(wire);
	if (!parsed.success) report(`${contract.id} answered ${answer.status} with a wrong body: ${parsed.error.message}`);
}
