/**
 * Binds contracts to handlers and mounts them as routes: routing, 405, authentication, throttling,
 * permission, validated input, answer.
 */
import { Readable } from "node:stream";
import type { Answers, RawAnswer, RouteContract } from "@weft/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type * as z from "zod";
import type { Caller, Origin } from "../caller.ts";
import { AppError } from "../errors.ts";
import { keepWorkShare, runInShare } from "../work-share.ts";
import { type AdmissionParts, admitBody, admitCaller, getBodyLimit, recordAccess } from "./admission.ts";
import { checkAnswer, checkError } from "./check-answer.ts";
import { readInput } from "./read-input.ts";
import { logRefusal } from "./refusal-log.ts";
import { createSender, type SendOptions, type SendSoon, type Sent } from "./sender.ts";
import { acceptForms } from "./upload.ts";

type Output<C, Part extends "params" | "query" | "body"> = C extends { readonly [P in Part]: infer S extends z.ZodType }
	? z.output<S>
	: undefined;

/** What a handler gets. Routes with `auth: "bearer"` have a `caller`. */
interface Input<C extends RouteContract> {
	readonly params: Output<C, "params">;
	readonly query: Output<C, "query">;
	readonly body: C extends { readonly rawBody: true } ? undefined : Output<C, "body">;
	readonly caller: C["auth"] extends "bearer" ? Caller : undefined;
	readonly origin: Origin;
	/** The unparsed body on routes with `rawBody`; the file on routes with `upload`. */
	readonly bytes: Buffer;
	/** The absolute address of the request, the base of `next` and `previous` links. */
	readonly url: string;
	/** Path and query of the request, undecoded. */
	readonly path: string;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	/** Aborted when the client disconnects. */
	readonly signal: AbortSignal;
}

type BodyOf<T> = T extends RawAnswer ? unknown : T extends z.ZodType ? z.input<T> : never;

/**
 * One of the answers that the contract declares: a value of the declared shape, or its encoded
 * text.
 */
type Answer<R extends Answers> = {
	[Status in keyof R & number]:
		| ({ readonly status: Status; readonly body: BodyOf<R[Status]> } & SendOptions)
		| (Encoded & { readonly status: Status });
}[keyof R & number];

/** A body that is sent as it is; its content type is in `headers`. */
interface Encoded<Body extends Buffer | string | Readable = Buffer | string | Readable> {
	readonly body: Body;
	readonly headers: Record<string, string>;
	readonly sendAsIs: true;
}

type Handler<C extends RouteContract> = ((input: Input<C>) => Promise<Answer<C["answers"]>>) & {
	/**
	 * The cached answer to this path and query, if there is one. It is the same for every caller with
	 * the permission.
	 */
	readonly cached?: (request: UncheckedRequest) => Promise<Answer<C["answers"]> | undefined>;
};

/** A request whose caller is checked and whose input is not. */
export type UncheckedRequest = Pick<Input<RouteContract>, "path" | "headers">;

/** A contract with its handler, ready to be mounted. */
export interface BoundRoute {
	readonly contract: RouteContract;
	readonly handler: ((input: never) => Promise<Sent>) & {
		readonly cached?: (request: UncheckedRequest) => Promise<Sent | undefined>;
	};
}

/**
 * An answer with its status as a literal type, so that the compiler can check it against the
 * contract.
 */
export function buildReply<const Status extends number, Body>(status: Status, body: Body, options: SendOptions = {}) {
	return { status, body, ...options };
}

/**
 * An answer that is sent while it is generated, at the client's pace. Waits for the first piece: an
 * error before it is answered with its status, a later one ends the connection.
 */
export async function streamReply<const Status extends number>(
	status: Status,
	contentType: string,
	pieces: AsyncIterator<Buffer | string, void>,
): Promise<Encoded<Readable> & { readonly status: Status }> {
	const next = keepWorkShare(() => pieces.next());
	const first = await next();
	async function* generatePieces() {
		try {
			for (let piece = first; !piece.done; piece = await next()) if (piece.value.length > 0) yield piece.value;
		} finally {
			await pieces.return?.();
		}
	}
	return {
		status,
		// Without objectMode the high-water mark counts bytes, so that one piece is read at a time.
		body: Readable.from(generatePieces(), { objectMode: false }),
		headers: { "content-type": contentType },
		sendAsIs: true,
	};
}

/** 204. */
export const noContent = { status: 204, body: undefined } as const;

/**
 * Binds all routes of an area. A missing handler, a missing field and an undeclared status do not
 * compile.
 */
export function bindAll<Area extends Record<string, RouteContract>>(
	area: Area,
	handlers: { [Name in keyof Area]: Handler<Area[Name]> },
): BoundRoute[] {
	return Object.entries(area).map(([name, contract]) => ({
		contract,
		handler: handlers[name as keyof Area] as BoundRoute["handler"],
	}));
}

export interface BinderParts extends AdmissionParts {
	/** Where the service is published, with a slash at both ends. */
	readonly basePath: string;
	/** Called with each answer that its contract does not declare; given in tests. */
	readonly checkAnswers?: (violation: string) => void;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Mounts routes on a server, and a 405 for every other method of their paths. */
export function mountRoutes(server: FastifyInstance, routes: readonly BoundRoute[], deps: BinderParts): void {
	const byPath = new Map<string, BoundRoute[]>();
	for (const route of routes) byPath.set(route.contract.path, [...(byPath.get(route.contract.path) ?? []), route]);
	const sendSoon = createSender();
	for (const [path, bound] of byPath) {
		for (const route of bound) {
			if (route.contract.upload === undefined) mountRoute(server, route, deps, sendSoon);
			else {
				// Only these routes parse forms: everywhere else a form is refused.
				server.register(async (scope) => {
					acceptForms(scope);
					mountRoute(scope, route, deps, sendSoon);
				});
			}
		}
		const offered = bound.map((route) => route.contract.method as string);
		const allow = [...offered, ...(offered.includes("GET") ? ["HEAD"] : [])].sort().join(", ");
		server.route({
			method: METHODS.filter((method) => !offered.includes(method)),
			url: path,
			// Answered before a body is read.
			onRequest: (_request, reply) => {
				reply
					.status(405)
					.header("allow", allow)
					.send({ detail: `Only ${allow} can be used here.` });
			},
			handler: failUnreachable,
		});
	}
}

function failUnreachable(): never {
	throw new Error("the request was answered before");
}

function mountRoute(server: FastifyInstance, route: BoundRoute, deps: BinderParts, sendSoon: SendSoon): void {
	const { contract } = route;
	server.route({
		method: contract.method,
		url: contract.path,
		bodyLimit: getBodyLimit(contract),
		onRequest: (request, _reply, done) => {
			admitCaller(request, contract, deps).then(() => done(), done);
		},
		preParsing: (request, reply, payload, done) => {
			try {
				admitBody(request, reply, contract, deps);
				done(null, payload);
			} catch (error) {
				done(error as AppError);
			}
		},
		handler: (request, reply) => {
			answerRequest(route, request, reply, deps).then(
				(answer) => sendSoon(reply, answer),
				(error) => reply.send(error),
			);
		},
	});
}

async function answerRequest(
	{ contract, handler }: BoundRoute,
	request: FastifyRequest,
	reply: FastifyReply,
	deps: BinderParts,
): Promise<Sent> {
	const { trustedProxies, basePath } = deps;
	if (request.admitted === null) throw new Error("a request was handled before its caller was known");
	const { caller, origin, tooSlow, giveBack } = request.admitted;
	const record = (status: number) => recordAccess(request, contract, caller, status, deps);
	const context = { caller, origin, tooSlow, trustedProxies, basePath };
	const handle = async (): Promise<Sent> =>
		(await handler.cached?.({ path: request.url, headers: request.headers })) ??
		(await handler((await readInput(request, reply, contract, context)) as never));
	let answer: Sent;
	try {
		answer = await runInShare({ userId: caller?.userId ?? null, lane: "interactive" }, handle);
	} catch (error) {
		const status = error instanceof AppError ? error.status : 500;
		logRefusal(request, contract, origin, error);
		await record(status);
		if (deps.checkAnswers) checkError(contract, status, deps.checkAnswers);
		throw error;
	}
	await giveBack?.();
	await record(answer.status);
	if (deps.checkAnswers) checkAnswer(contract, answer, origin, deps.checkAnswers);
	return answer;
}
