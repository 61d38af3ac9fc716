/**
 * Sends generated requests to a service of its own, and collects what breaks a promise: a 5xx, an
 * answer that the contract does not declare, an event loop that is held, memory that grows.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allRoutes, errorDetail, errorUpstream, isRaw, type RouteContract } from "@weft/contracts";
import fc from "fast-check";
import { startEmbeddedPostgres } from "../../src/storage/embedded-postgres/index.ts";
import { TEST_PASSWORD } from "../support/harness.ts";
import { type RunningService, startService } from "../support/process.ts";
import { type FuzzRequest, type KnownIds, requestTo } from "./fuzz-inputs.ts";
import { createObjects } from "./fuzz-objects.ts";

/** Longest time that the event loop may be held, in seconds. */
const LOOP_MAX = 0.25;
/** Resident memory of the process in bytes. */
const MEMORY_MAX = 1024 ** 3;
/** Characters of an error's answer. */
const ERROR_CHARS = 64 * 1024;
const BATCH = 20;
/** How often a request must hold the event loop to count. */
const REPEATS = 5;
const METRICS_TOKEN = "a token for the metrics of fuzz tests";
/** Errors of every route: the contract names those with a body of their own. */
const COMMON_ERRORS = new Set([400, 401, 403, 404, 405, 408, 409, 413, 414, 415, 429, 431]);
/** It ends the session it is sent with. */
const ENDS_SESSION = "auth.logout";

export interface FuzzOptions {
	readonly seed: number;
	/** Requests to each route, unless the time is over. */
	readonly rounds: number;
	readonly until?: () => boolean;
}

export interface FuzzResult {
	readonly requests: number;
	/** How often each status was answered. */
	readonly statuses: Readonly<Record<number, number>>;
	readonly slowest: number;
	readonly memory: number;
	/** Descriptions of broken promises. */
	readonly failures: readonly string[];
}

export async function fuzzService({ seed, rounds, until = () => false }: FuzzOptions): Promise<FuzzResult> {
	const dataDir = await mkdtemp(join(tmpdir(), "weft-fuzz-"));
	const service = await startService(dataDir, {
		WEFT_METRICS_TOKEN: METRICS_TOKEN,
		WEFT_MODEL_SOURCE_URL: "http://127.0.0.1:9",
		WEFT_LOG_LEVEL: "error",
	});
	try {
		return await createFuzzer(service, seed).run(rounds, until);
	} finally {
		service.child.kill("SIGTERM");
		await service.ended;
		await (await startEmbeddedPostgres({ dataDir, log: () => {} })).stop();
		await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
	}
}

function createFuzzer(service: RunningService, seed: number) {
	const failures: string[] = [];
	const statuses: Record<number, number> = {};
	const routes = allRoutes;
	let authorization = service.authorization();
	const objects = createObjects({ call: callService });
	let requests = 0;
	let slowest = 0;
	let memory = 0;

	/** A call that makes or lists objects. Its session may have ended. */
	async function callService(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
		const ask = () =>
			fetch(service.url + path, {
				method,
				headers: { authorization, "content-type": "application/json" },
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
			});
		let answer = await ask();
		if (answer.status === 401) {
			authorization = await signIn();
			answer = await ask();
		}
		const text = await answer.text();
		return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
	}

	/** The authorization of a new session. */
	async function signIn(): Promise<string> {
		const body = JSON.stringify({ username: "admin", password: TEST_PASSWORD });
		const headers = { "content-type": "application/json" };
		const answer = await fetch(`${service.url}/api/auth/login/`, { method: "POST", headers, body });
		if (answer.status !== 200) throw new Error(`The administrator cannot sign in any more: ${answer.status}`);
		return `Bearer ${((await answer.json()) as { access: string }).access}`;
	}

	const knownTo = ({ path }: RouteContract): KnownIds => ({
		getIds: objects.getIds,
		idsFor: (field) => objects.idsFor(field, path),
	});

	async function readMetric(name: string): Promise<number> {
		const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
		const text = await (await fetch(`${service.url}/metrics`, { headers })).text();
		const line = text.split("\n").find((one) => one.startsWith(`${name} `));
		return Number(line?.split(" ").at(-1));
	}
	/** Since the previous call. */
	const longestHold = () => readMetric('weft_event_loop_delay_seconds{quantile="1"}');

	/** Answers the status. */
	async function sendFuzzRequest({ route, path, body, contentType }: FuzzRequest): Promise<number> {
		const { method, auth } = route;
		const session = route.id === ENDS_SESSION ? await signIn() : authorization;
		const headers: Record<string, string> = auth === "bearer" ? { authorization: session } : {};
		if (body !== null) headers["content-type"] = contentType;
		const answer = await fetch(service.url + path, {
			method,
			headers,
			redirect: "manual",
			...(body === null || method === "GET" ? {} : { body }),
		});
		const text = await answer.text();
		const problem = findProblem(route, answer, text);
		if (problem !== null) failures.push(`${describeRequest({ route, path, body, contentType })}: ${problem}`);
		if (answer.status === 401 && auth === "bearer") authorization = await signIn();
		const isJson = answer.headers.get("content-type")?.startsWith("application/json") ?? false;
		objects.learn(method, path.split("?")[0] ?? "", answer.status, isJson && text !== "" ? JSON.parse(text) : {});
		return answer.status;
	}

	/**
	 * Sends each request of a batch alone. One that holds the loop does so each time; other processes
	 * of a busy machine do not. Repeats are not counted: their object may be gone.
	 */
	async function findHolding(batch: readonly FuzzRequest[]): Promise<void> {
		for (const request of batch) {
			const holds: number[] = [];
			for (let turn = 0; turn < REPEATS; turn++) {
				await longestHold();
				await sendFuzzRequest(request);
				holds.push(await longestHold());
				if ((holds.at(-1) ?? 0) <= LOOP_MAX) break;
			}
			const hold = Math.min(...holds);
			slowest = Math.max(slowest, hold);
			if (hold > LOOP_MAX) failures.push(`${describeRequest(request)}: held the event loop for ${hold.toFixed(2)} s`);
		}
	}

	async function sendBatch(batch: readonly FuzzRequest[]): Promise<void> {
		await longestHold();
		for (const request of batch) {
			requests++;
			try {
				const status = await sendFuzzRequest(request);
				statuses[status] = (statuses[status] ?? 0) + 1;
			} catch (error) {
				failures.push(`${describeRequest(request)}: no answer (${error})`);
			}
		}
		const hold = await longestHold();
		if (hold > LOOP_MAX) await findHolding(batch);
		else slowest = Math.max(slowest, hold);
		memory = Math.max(memory, await readMetric("process_resident_memory_bytes"));
	}

	return {
		async run(rounds: number, until: () => boolean): Promise<FuzzResult> {
			for (let round = 0; round < rounds && !until(); round++) {
				for (let at = 0; at < routes.length && !until(); at += BATCH) {
					await objects.refill();
					const batch = routes.slice(at, at + BATCH).flatMap((route, index) =>
						fc.sample(requestTo(route, knownTo(route)), {
							numRuns: 1,
							seed: seed + round * routes.length + at + index,
						}),
					);
					await sendBatch(batch);
				}
			}
			if (memory > MEMORY_MAX) failures.push(`The process used ${Math.round(memory / 1024 ** 2)} MB.`);
			if (service.child.exitCode !== null) failures.push(`The service ended: ${service.output.stderr.slice(-500)}`);
			return { requests, statuses, slowest, memory, failures };
		},
	};
}

const describeRequest = ({ route, path, body }: FuzzRequest): string =>
	`${route.method} ${path.slice(0, 200)} ${body === null ? "" : `${body.slice(0, 300)} (${body.length} characters)`}`;

/** Which promise an answer breaks; null for none. */
function findProblem(route: RouteContract, answer: Response, text: string): string | null {
	const { status, headers } = answer;
	const said = `answered ${status} ${text.slice(0, 300)}`;
	if (headers.get("x-request-id") === null) return `${said} without a request id`;
	const isJson = headers.get("content-type")?.startsWith("application/json") ?? false;
	const body: unknown = isJson ? JSON.parse(text) : undefined;
	const declared = route.answers[status];
	if (status >= 500) {
		if (status === 503 && headers.has("retry-after")) return null;
		// A system behind the service could not be reached, where the route has one.
		return declared !== undefined && errorUpstream.safeParse(body).success ? null : said;
	}
	if (declared === undefined) {
		if (!COMMON_ERRORS.has(status)) return `${said}, which is not declared`;
		if (typeof body !== "object" || body === null) return `${said}, which is no error body`;
		return text.length > ERROR_CHARS ? `answered ${status} with ${text.length} characters` : null;
	}
	if (isRaw(declared) || !isJson) return null;
	// Every route may answer so, beside the body of its own that its contract declares.
	if (COMMON_ERRORS.has(status) && errorDetail.safeParse(body).success) return null;
	const parsed = declared.safeParse(body);
	return parsed.success ? null : `${said} with a body of another shape: ${parsed.error.message.slice(0, 300)}`;
}
