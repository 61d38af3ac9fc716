/**
 * One connection to an automation server: where its API is, how it wants the token, requests within
 * bounds, GETs that are repeated.
 */
import { createMask } from "../../core/mask.ts";
import { computeBackoff } from "../../core/system/backoff.ts";
import type { OutgoingTargets } from "../../core/system/outgoing.ts";
import { linkSignals, sleepByTimer } from "../../core/system/signals.ts";
import type { Limiter } from "../apic/limiter.ts";
import { createLimiter } from "../apic/limiter.ts";
import { getError, getJson, isObject, type Json, readAnswer } from "./classify.ts";
import { AutomationError, type AutomationTarget } from "./port.ts";
import type { Transport } from "./transport.ts";
import { buildAutomationCancelledError, createTransport, type RawAnswer } from "./transport.ts";

interface Session {
	/** Path with slashes at both ends. */
	readonly root: string;
	readonly authorization: string;
	readonly version: string | null;
	readonly username: string;
	readonly product: string;
	/** Capacity of all instances; null if the server does not report it. */
	readonly capacity: number | null;
}

export interface Get {
	/** Under the API's root: `jobs/9/`. */
	readonly path: string;
	readonly query?: Readonly<Record<string, string | number | undefined>>;
	readonly accept?: string;
	readonly maxBytes?: number;
	readonly signal?: AbortSignal | undefined;
}

export interface Connection {
	readonly revision: string;
	/** Finds root and credentials once. @throws AutomationError */
	session(): Promise<Session>;
	/** Resolves with a 2xx answer. Retries transient failures. @throws AutomationError */
	get(request: Get): Promise<RawAnswer>;
	/** The same as JSON. */
	json(request: Get): Promise<Json>;
	/** Sends once, without retries. Resolves with any answer; rejects only without one. */
	post(path: string, body: unknown, how: { readonly timeoutMs: number; readonly launch?: boolean }): Promise<RawAnswer>;
	/** Lets in-flight requests finish. */
	close(): Promise<void>;
	destroy(): Promise<void>;
}

const MB = 1_048_576;
const MAX_BYTES = 64 * MB;
const RETRIES = 3;
const FIRST_MS = 250;
const LONGEST_MS = 4_000;
const LONGEST_WAIT_MS = 20_000;
/** Concurrent launches. */
const LAUNCHES = 4;
const ROOTS = ["/api/v2/", "/api/controller/v2/", "/api/v1/"];

interface ConnectionOptions {
	readonly concurrency: number;
	readonly random: () => number;
	/** Multiplies the retry delays; tests shorten them. */
	readonly pace: number;
	readonly targets?: OutgoingTargets | undefined;
}

/** A connection to an automation server: its sockets, its limits and the session. */
interface ConnectionState {
	readonly target: AutomationTarget;
	readonly options: ConnectionOptions;
	readonly base: URL;
	readonly transport: Transport;
	readonly limiter: Limiter;
	// A launch may take two minutes: hanging launches must not block other requests.
	readonly launches: Limiter;
	readonly ending: AbortController;
	found: Promise<Session> | null;
}

async function sendRequest(
	connection: ConnectionState,
	method: "GET" | "POST",
	path: string,
	authorization: string | null,
	more: Partial<{
		accept: string;
		body: string;
		timeoutMs: number;
		maxBytes: number;
		signal: AbortSignal | undefined;
		launch: boolean;
	}>,
): Promise<RawAnswer> {
	const release = await (more.launch ? connection.launches : connection.limiter).acquire(more.signal).catch(() => {
		throw buildAutomationCancelledError();
	});
	try {
		return await connection.transport.send({
			method,
			path,
			authorization,
			accept: more.accept ?? "application/json",
			...(more.body === undefined ? {} : { body: more.body }),
			timeoutMs: more.timeoutMs ?? connection.target.timeoutMs,
			maxBytes: more.maxBytes ?? MAX_BYTES,
			signal: more.signal,
		});
	} finally {
		release();
	}
}

async function findRoot(connection: ConnectionState): Promise<{ root: string; ping: Json; product: string }> {
	let last: AutomationError | null = null;
	for (const root of listRoots(connection.base)) {
		const answer = await sendRequest(connection, "GET", `${root}ping/`, null, {});
		const body = answer.status === 200 ? getJson(answer) : undefined;
		if (isObject(body) && "version" in body) {
			return { root, ping: body, product: answer.header("x-api-product-name") ?? "" };
		}
		// The server is there but failing: trying other roots would not help.
		const error = answer.status === 200 ? null : getError(answer);
		if (error?.retryable) throw error;
		last = error ?? last;
	}
	throw new AutomationError(
		"not_an_automation_server",
		`There is no automation server at ${connection.base.origin}${connection.base.pathname.replace(/\/$/, "")}: none of ${ROOTS.join(", ")} answers as one.`,
		{ status: last?.status ?? null },
	);
}

async function openSession(connection: ConnectionState): Promise<Session> {
	const { root, ping, product } = await findRoot(connection);
	const word = root.endsWith("/v1/") ? "Token" : "Bearer";
	const schemes = [`${word} ${connection.target.token}`];
	// Servers without personal tokens accept username and password.
	if (connection.target.username !== "") schemes.push(`Basic ${formatBasicCredentials(connection.target)}`);
	let refused: AutomationError | null = null;
	for (const authorization of schemes) {
		const answer = await sendRequest(connection, "GET", `${root}me/`, authorization, {});
		if (answer.status === 401) {
			refused = getError(answer);
			continue;
		}
		const { results } = readAnswer(answer);
		const me = Array.isArray(results) && isObject(results[0]) ? results[0] : {};
		return {
			root,
			authorization,
			product,
			username: String(me.username ?? ""),
			version: typeof ping.version === "string" ? ping.version : null,
			capacity: readCapacity(ping),
		};
	}
	throw refused ?? buildAutomationCancelledError();
}

function getSession(connection: ConnectionState): Promise<Session> {
	const known = connection.found;
	if (known !== null) return known;
	const opening = openSession(connection);
	connection.found = opening;
	opening.catch(() => {
		if (connection.found === opening) connection.found = null;
	});
	return opening;
}

/** One attempt. A refused token makes the next attempt sign in again. */
async function attemptRequest(connection: ConnectionState, request: Get): Promise<RawAnswer> {
	const { root, authorization } = await getSession(connection);
	const answer = await sendRequest(
		connection,
		"GET",
		root + request.path + formatSearch(request.query),
		authorization,
		request,
	);
	if (answer.status === 401) connection.found = null;
	if (answer.status < 200 || answer.status > 299) throw getError(answer);
	return answer;
}

async function getWithRetries(connection: ConnectionState, request: Get): Promise<RawAnswer> {
	for (let tries = 0; ; tries++) {
		try {
			return await attemptRequest(connection, request);
		} catch (error) {
			if (!(error instanceof AutomationError) || !error.retryable || tries === RETRIES) throw error;
			const { random } = connection.options;
			const interval = computeBackoff(tries, { firstMs: FIRST_MS, longestMs: LONGEST_MS, random });
			const wait = Math.max(interval, Math.min(error.retryAfterMs ?? 0, LONGEST_WAIT_MS)) * connection.options.pace;
			const { signal, done } = linkSignals(request.signal, connection.ending.signal);
			await sleepByTimer(wait, signal)
				.catch(() => {
					throw buildAutomationCancelledError();
				})
				.finally(done);
		}
	}
}

async function postJson(
	connection: ConnectionState,
	path: string,
	body: unknown,
	how: { readonly timeoutMs: number; readonly launch?: boolean },
): Promise<RawAnswer> {
	const { root, authorization } = await getSession(connection);
	const answer = await sendRequest(connection, "POST", root + path, authorization, {
		body: JSON.stringify(body),
		...how,
	});
	if (answer.status === 401) connection.found = null;
	return answer;
}

function closeConnection(connection: ConnectionState): Promise<void> {
	connection.ending.abort();
	return connection.transport.close();
}

async function destroyConnection(connection: ConnectionState): Promise<void> {
	connection.ending.abort();
	await connection.transport.destroy();
}

export function createConnection(target: AutomationTarget, options: ConnectionOptions): Connection {
	const base = new URL(target.url);
	const sockets = options.concurrency + LAUNCHES;
	const connection: ConnectionState = {
		target,
		options,
		base,
		transport: createTransport(base, target.verifyTls, sockets, options.targets, createMask(getSecrets(target))),
		limiter: createLimiter(options.concurrency),
		launches: createLimiter(LAUNCHES),
		ending: new AbortController(),
		found: null,
	};

	return {
		revision: target.revision,
		session: () => getSession(connection),
		get: (request) => getWithRetries(connection, request),
		json: async (request) => readAnswer(await getWithRetries(connection, request)),
		post: (path, body, how) => postJson(connection, path, body, how),
		close: () => closeConnection(connection),
		destroy: () => destroyConnection(connection),
	};
}

const formatBasicCredentials = ({ username, token }: AutomationTarget): string =>
	Buffer.from(`${username}:${token}`).toString("base64");

/** What a server that repeats the credentials would show. */
const getSecrets = (target: AutomationTarget): string[] => [target.token, formatBasicCredentials(target)];

/** Candidate API roots. The address may already end in a root, or in the beginning of one. */
export function listRoots(base: URL): string[] {
	const path = base.pathname.replace(/\/+$/, "");
	const [, prefix = path, api = ""] = /^(.*?)(\/api(?:\/controller)?(?:\/v[12])?)$/.exec(path) ?? [];
	if (/\/v[12]$/.test(api)) return [`${prefix}${api}/`];
	if (api === "/api/controller") return [`${prefix}/api/controller/v2/`];
	return ROOTS.map((root) => prefix + root);
}

function readCapacity(ping: Json): number | null {
	if (!Array.isArray(ping.instances)) return null;
	return ping.instances.reduce((sum: number, one) => sum + (isObject(one) ? Number(one.capacity ?? 0) : 0), 0);
}

function formatSearch(query: Get["query"]): string {
	const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
	if (pairs.length === 0) return "";
	return `?${new URLSearchParams(Object.fromEntries(pairs.map(([name, value]) => [name, String(value)])))}`;
}
