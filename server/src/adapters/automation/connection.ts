/**
 * One connection to an automation server: where its API is, how it wants the token, requests within
 * bounds, GETs that are repeated.
 */
import { createMask } from "../../platform/mask.ts";
import { AutomationError, type AutomationTarget } from "../../ports/automation-server.ts";
import { createLimiter } from "../controller/limiter.ts";
import type { OutgoingTargets } from "../system/outgoing.ts";
import { linkSignals, timerSleep } from "../system/signals.ts";
import { getError, getJson, isObject, type Json, readAnswer } from "./classify.ts";
import { buildAutomationCancelledError, createTransport, type RawAnswer } from "./transport.ts";

export interface Session {
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
const BASE_MS = 250;
const LONGEST_MS = 4_000;
const LONGEST_WAIT_MS = 20_000;
/** Concurrent launches. */
const LAUNCHES = 4;
const ROOTS = ["/api/v2/", "/api/controller/v2/", "/api/v1/"];

export interface ConnectionOptions {
	readonly concurrency: number;
	readonly random: () => number;
	/** Multiplies the retry delays; tests shorten them. */
	readonly pace: number;
	readonly targets?: OutgoingTargets | undefined;
}

export function createConnection(target: AutomationTarget, options: ConnectionOptions): Connection {
	const base = new URL(target.url);
	const sockets = options.concurrency + LAUNCHES;
	const transport = createTransport(base, target.verifyTls, sockets, options.targets, createMask(getSecrets(target)));
	const limiter = createLimiter(options.concurrency);
	// A launch may take two minutes: hanging launches must not block other requests.
	const launches = createLimiter(LAUNCHES);
	const ending = new AbortController();
	let found: Promise<Session> | null = null;

	async function sendRequest(
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
		const release = await (more.launch ? launches : limiter).acquire(more.signal).catch(() => {
			throw buildAutomationCancelledError();
		});
		try {
			return await transport.send({
				method,
				path,
				authorization,
				accept: more.accept ?? "application/json",
				...(more.body === undefined ? {} : { body: more.body }),
				timeoutMs: more.timeoutMs ?? target.timeoutMs,
				maxBytes: more.maxBytes ?? MAX_BYTES,
				signal: more.signal,
			});
		} finally {
			release();
		}
	}

	async function findRoot(): Promise<{ root: string; ping: Json; product: string }> {
		let last: AutomationError | null = null;
		for (const root of listRoots(base)) {
			const answer = await sendRequest("GET", `${root}ping/`, null, {});
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
			`There is no automation server at ${base.origin}${base.pathname.replace(/\/$/, "")}: none of ${ROOTS.join(", ")} answers as one.`,
			{ status: last?.status ?? null },
		);
	}

	async function openSession(): Promise<Session> {
		const { root, ping, product } = await findRoot();
		const word = root.endsWith("/v1/") ? "Token" : "Bearer";
		const schemes = [`${word} ${target.token}`];
		// Servers without personal tokens accept username and password.
		if (target.username !== "") schemes.push(`Basic ${formatBasicCredentials(target)}`);
		let refused: AutomationError | null = null;
		for (const authorization of schemes) {
			const answer = await sendRequest("GET", `${root}me/`, authorization, {});
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

	function getSession(): Promise<Session> {
		const known = found;
		if (known !== null) return known;
		const opening = openSession();
		found = opening;
		opening.catch(() => {
			if (found === opening) found = null;
		});
		return opening;
	}

	/** One attempt. A refused token makes the next attempt sign in again. */
	async function attemptRequest(request: Get): Promise<RawAnswer> {
		const { root, authorization } = await getSession();
		const answer = await sendRequest("GET", root + request.path + formatSearch(request.query), authorization, request);
		if (answer.status === 401) found = null;
		if (answer.status < 200 || answer.status > 299) throw getError(answer);
		return answer;
	}

	async function getWithRetries(request: Get): Promise<RawAnswer> {
		for (let tries = 0; ; tries++) {
			try {
				return await attemptRequest(request);
			} catch (error) {
				if (!(error instanceof AutomationError) || !error.retryable || tries === RETRIES) throw error;
				const interval = Math.min(LONGEST_MS, BASE_MS * 2 ** tries) * (0.5 + options.random() / 2);
				const wait = Math.max(interval, Math.min(error.retryAfterMs ?? 0, LONGEST_WAIT_MS)) * options.pace;
				const { signal, done } = linkSignals(request.signal, ending.signal);
				await timerSleep(wait, signal)
					.catch(() => {
						throw buildAutomationCancelledError();
					})
					.finally(done);
			}
		}
	}

	return {
		revision: target.revision,
		session: getSession,
		get: getWithRetries,
		json: async (request) => readAnswer(await getWithRetries(request)),
		async post(path, body, how) {
			const { root, authorization } = await getSession();
			const answer = await sendRequest("POST", root + path, authorization, { body: JSON.stringify(body), ...how });
			if (answer.status === 401) found = null;
			return answer;
		},
		close() {
			ending.abort();
			return transport.close();
		},
		async destroy() {
			ending.abort();
			await transport.destroy();
		},
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
