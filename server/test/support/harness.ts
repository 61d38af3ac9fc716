/**
 * The whole service on a database of its own, with a clock that the test moves. Each answer is
 * checked against its contract.
 */
import { randomBytes } from "node:crypto";
import type pg from "pg";
import { type Level, type Logger, pino } from "pino";
import { inject } from "vitest";
import WebSocket from "ws";
import { type App, type AppParts, buildApp } from "../../src/app.ts";
import { createLocalUser } from "../../src/areas/accounts/sign-in/create-local-users.ts";
import { warnUnverified } from "../../src/areas/fabrics/driver-log.ts";
import { DEFAULT_RATES, type Rates } from "../../src/core/http/throttle.ts";
import { createPasswords } from "../../src/core/system/argon2.ts";
import { systemClock } from "../../src/core/system/clock.ts";
import { createIds } from "../../src/core/system/ids.ts";
import { createControllerDriver } from "../../src/integrations/apic/index.ts";
import { createAutomationDriver } from "../../src/integrations/awx/index.ts";
import { openModelSource } from "../../src/open.ts";
import {
	openAutomationPool,
	openCheckPool,
	openJudgePool,
	openModelPools,
	openPipelinePool,
	openQueryFilePool,
	openTimeMachinePool,
} from "../../src/open-pools.ts";
import { startPgBoss } from "../../src/storage/jobs/pg-boss.ts";
import { createMemoryCache } from "../../src/storage/memory/cache.ts";
import { createMemoryPubSub } from "../../src/storage/memory/pubsub.ts";
import { createAnnouncements } from "../../src/storage/postgres/announcements.ts";
import { createPostgresStore } from "../../src/storage/postgres/store.ts";
import { createRedisCache, createRedisPubSub } from "../../src/storage/redis/redis.ts";
import { createSecrets } from "../../src/storage/secrets/secrets.ts";
import { runAdminStatement, runInDatabase } from "./database.ts";
import { failOnDeadlocks } from "./deadlocks.ts";
import { createFakeClock, type FakeClock } from "./fake-clock.ts";

export interface Answer {
	readonly status: number;
	// The tests say what they expect of it; a type here would be a second, unchecked contract.
	// biome-ignore lint/suspicious/noExplicitAny: see above
	readonly body: any;
	readonly headers: Record<string, string | string[] | number | undefined>;
	readonly text: string;
}

export interface Api {
	get(path: string, headers?: Record<string, string>): Promise<Answer>;
	post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
	put(path: string, body?: unknown): Promise<Answer>;
	patch(path: string, body?: unknown): Promise<Answer>;
	del(path: string): Promise<Answer>;
	/** Any method and any body, as it is. */
	send(method: string, path: string, payload?: string | Buffer, headers?: Record<string, string>): Promise<Answer>;
	/** A connected WebSocket with its frames so far; needs `listen`. */
	open(path: string): Promise<TestSocket>;
}

interface TestSocket {
	readonly frames: { type: string; timestamp: string; data: Record<string, unknown> }[];
	readonly closed: Promise<{ code: number; reason: string }>;
	send(text: string): void;
	close(): void;
}

export interface TestUser {
	readonly id: number;
	readonly username: string;
	readonly password: string;
	readonly api: Api;
}

export interface TestApp {
	readonly app: App;
	readonly deps: AppParts;
	readonly clock: FakeClock;
	readonly pool: pg.Pool;
	/** Calls without a token. */
	readonly anonymous: Api;
	/** A superuser. */
	readonly admin: TestUser;
	/** A user of the named groups, besides `Users`. */
	user(username: string, groups?: string[]): Promise<TestUser>;
	/** Makes a user a member of exactly the named groups, as an administrator would. */
	setGroups(user: Pick<TestUser, "id">, names: readonly string[]): Promise<void>;
	/** An API client for a token. */
	as(token: string): Api;
	close(): Promise<void>;
}

export interface TestOptions {
	/** Takes background jobs too. */
	readonly work?: boolean;
	/** Throttles are off where absent. */
	readonly rates?: Partial<Rates>;
	readonly poolSize?: number;
	/** Keeps cache and fan-out in memory, where they follow the test's clock, even with a Redis. */
	readonly inProcess?: boolean;
	/** Leads the service's own connections to the store elsewhere, such as through a proxy. */
	readonly through?: (connection: pg.ClientConfig) => pg.ClientConfig;
	/** Replaces parts of the service, such as an integration. */
	readonly deps?: Partial<AppParts>;
}

const OFF = Object.fromEntries(Object.keys(DEFAULT_RATES).map((scope) => [scope, null])) as unknown as Rates;
export const TEST_PASSWORD = "correct horse battery";
const TEST_KEY = "a secret key that only tests use";
export const TEST_WEBHOOK_SECRET = "a webhook secret that only tests use, of some length";

export async function startTestApp(options: TestOptions = {}): Promise<TestApp> {
	const connection = inject("connection");
	const database = `weft_test_${randomBytes(8).toString("hex")}`;
	// Quicker than through the log, where files lie in memory.
	const strategy = connection.connectionString === undefined ? "strategy file_copy" : "";
	await runAdminStatement(connection, `create database ${database} template ${inject("template")} ${strategy}`);
	const clock = createFakeClock();
	const redisUrl = options.inProcess ? undefined : process.env.WEFT_TEST_REDIS_URL;
	const violations: string[] = [];
	const logger = options.deps?.logger ?? createSearchedLog(violations);
	const direct = runInDatabase(connection, database);
	const target = options.through?.(direct) ?? direct;
	const openStore = (poolSize: number, beforeConnect?: () => Promise<void>, connection = target) =>
		createPostgresStore({
			connection,
			poolSize,
			// A clock that is moved by an hour starts at once what an hour of timers would have started.
			...(options.through ? {} : { acquireMs: 60_000 }),
			log: logger,
			...(beforeConnect && { beforeConnect }),
			checkSchema: async (pool) => void (await pool.query("select 1")),
		});
	const store = failOnDeadlocks(openStore, options.poolSize ?? 8, violations);
	// The tests' own, so that what a test holds open is never what the service waits for.
	const aside = openStore(4, undefined, direct);
	const deps: AppParts = {
		store,
		jobs: await startPgBoss({ connection: target, log: logger }),
		cache: redisUrl ? await createRedisCache(redisUrl, logger, `${database}:`) : createMemoryCache(clock),
		localCache: createMemoryCache(clock),
		pubsub: redisUrl ? await createRedisPubSub(redisUrl, logger, `${database}:`) : createMemoryPubSub(),
		announcements: await createAnnouncements({ connection: target, log: logger, clock: systemClock }),
		secrets: createSecrets([TEST_KEY]),
		passwords: createPasswords({ memoryCost: 64, timeCost: 1 }),
		timeMachinePool: openTimeMachinePool(target),
		modelPools: openModelPools(),
		modelSource: openModelSource(),
		modelSettings: { versions: [], folder: null, concurrency: 4 },
		controllers: createControllerDriver({ clock: systemClock, onUnverified: warnUnverified(logger, "a controller") }),
		automation: createAutomationDriver({ pace: 0 }),
		automationPool: openAutomationPool(),
		pipelinePool: openPipelinePool(),
		queryFilePool: openQueryFilePool(),
		checkPool: openCheckPool(),
		judgePool: openJudgePool(),
		webhookSecrets: [TEST_WEBHOOK_SECRET],
		automationRunningMax: 500,
		mailer: null,
		metrics: null,
		eventLoop: { takeDelays: () => ({ p50: 0, p99: 0, max: 0 }) },
		webhooks: null,
		directory: null,
		identityProvider: null,
		clock,
		ids: createIds(systemClock),
		logger,
		version: "0.0.0-test",
		node: { host: "machine.example.com", roles: ["web", "worker"] },
		rates: { ...OFF, ...options.rates },
		trustedProxies: "loopback",
		docs: true,
		readWeb: async () => null,
		readHelp: async () => null,
		basePath: "/",
		frontendUrl: "",
		tokenMaxDays: null,
		accountRecheckDays: null,
		requireMfa: new Set(),
		mailDomains: ["example.com"],
		resultDays: 7,
		changesDays: 90,
		checkAnswers: (violation) => violations.push(violation),
		...options.deps,
	};
	const app = await buildApp(deps);
	await app.server.listen({ host: "127.0.0.1", port: 0 });
	await (options.work ? app.work() : app.declareQueues());

	async function sendRequest(
		method: string,
		path: string,
		payload: string | Buffer | undefined,
		headers: Record<string, string>,
	) {
		const response = await app.server.inject({
			method: method as "GET",
			url: path,
			headers,
			...(payload === undefined ? {} : { payload }),
		});
		if (violations.length > 0) throw new Error(violations.splice(0).join("\n"));
		const text = response.body;
		const isJson = String(response.headers["content-type"] ?? "").startsWith("application/json");
		return {
			status: response.statusCode,
			body: isJson ? JSON.parse(text) : undefined,
			headers: response.headers,
			text,
		};
	}

	function buildApi(token: string | null | (() => Promise<string>)): Api {
		const authorization = async (): Promise<Record<string, string>> =>
			token === null ? {} : { authorization: `Bearer ${typeof token === "string" ? token : await token()}` };
		const json = async (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
			sendRequest(method, path, body === undefined ? undefined : JSON.stringify(body), {
				...(await authorization()),
				...(body === undefined ? {} : { "content-type": "application/json" }),
				...headers,
			});
		return {
			get: (path, headers) => json("GET", path, undefined, headers),
			post: (path, body, headers) => json("POST", path, body, headers),
			put: (path, body) => json("PUT", path, body),
			patch: (path, body) => json("PATCH", path, body),
			del: (path) => json("DELETE", path, undefined),
			send: async (method, path, payload, headers) =>
				sendRequest(method, path, payload, { ...(await authorization()), ...headers }),
			async open(path) {
				const { body } = await this.post("/api/ws-ticket/");
				return openSocket(app, `${path}?ticket=${body?.ticket ?? "none"}`);
			},
		};
	}

	/** Signs in again when the clock has been moved past the token's life. */
	function signedIn(username: string, id: number): TestUser {
		let access = "";
		let until = 0;
		const token = async () => {
			if (clock.now() < until) return access;
			const { status, body } = await buildApi(null).post("/api/auth/login/", { username, password: TEST_PASSWORD });
			if (status !== 200) throw new Error(`sign-in of ${username} answered ${status}`);
			access = body.access;
			until = clock.now() + 14 * 60_000;
			return access;
		};
		return { id, username, password: TEST_PASSWORD, api: buildApi(token) };
	}

	const adminId = await createLocalUser(app.context, { username: "root", password: TEST_PASSWORD, superuser: true });
	const admin = signedIn("root", adminId);
	return {
		app,
		deps,
		clock,
		pool: aside.pool,
		anonymous: buildApi(null),
		admin,
		as: buildApi,
		async user(username, groups = []) {
			const id = await createLocalUser(app.context, { username, password: TEST_PASSWORD, superuser: false });
			for (const group of groups) {
				await aside.pool.query("insert into user_groups select $1, id from groups where name = $2", [id, group]);
			}
			return signedIn(username, id);
		},
		async setGroups({ id }, names) {
			const { body: groups } = await admin.api.get("/api/auth/groups/?page_size=500");
			const group_ids = names.map((name) => groups.results.find((group: { name: string }) => group.name === name).id);
			const { status, text } = await admin.api.patch(`/api/auth/management/${id}/`, { group_ids });
			if (status !== 200) throw new Error(`The groups of user ${id} could not be set: ${text}`);
		},
		async close() {
			await app.close();
			await deps.jobs.stop(2_000);
			await deps.timeMachinePool.close();
			await Promise.all([deps.modelPools.importing.close(), deps.modelPools.comparing.close()]);
			const { automationPool, pipelinePool, queryFilePool, checkPool, judgePool } = deps;
			for (const pool of [automationPool, pipelinePool, queryFilePool, checkPool, judgePool]) await pool.close();
			await deps.controllers.close();
			await deps.automation.close();
			await Promise.all([deps.announcements.close(), deps.cache.close(), deps.pubsub.close()]);
			await store.close();
			await aside.close();
			await runAdminStatement(connection, `drop database if exists ${database} with (force)`);
			if (violations.length > 0) throw new Error(violations.join("\n"));
		},
	};
}

/** A log that is searched for the tests' secrets. It is shown from level `WEFT_TEST_LOG` on. */
function createSearchedLog(violations: string[]): Logger {
	const secrets = [TEST_PASSWORD, TEST_WEBHOOK_SECRET, TEST_KEY];
	const token = /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\./;
	const shown = process.env.WEFT_TEST_LOG;
	const search = {
		write(line: string): void {
			if (secrets.some((secret) => line.includes(secret)) || token.test(line))
				violations.push(`a secret was logged: ${line}`);
		},
	};
	return pino(
		{ level: "debug" },
		pino.multistream([
			{ level: "debug", stream: search },
			...(shown === undefined ? [] : [{ level: shown as Level, stream: process.stdout }]),
		]),
	);
}

async function openSocket(app: App, path: string): Promise<TestSocket> {
	const address = app.server.server.address();
	const port = typeof address === "object" ? address?.port : undefined;
	const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
	const frames: TestSocket["frames"] = [];
	socket.on("message", (data) => frames.push(JSON.parse(String(data))));
	const closed = new Promise<{ code: number; reason: string }>((resolve) => {
		socket.on("close", (code, reason) => resolve({ code, reason: String(reason) }));
	});
	await new Promise<void>((resolve, reject) => {
		socket.once("open", () => resolve());
		socket.once("error", reject);
	});
	return { frames, closed, send: (text) => socket.send(text), close: () => socket.close() };
}

/**
 * Waits until a condition returns something truthy, and returns it. Pauses 10 ms between checks at
 * first, and up to 200 ms in a long wait: checks cost processor time. Throws after `timeoutMs`.
 */
export function waitUntil<T>(
	what: string,
	condition: () => Promise<T> | T,
	timeoutMs = 60_000,
): Promise<NonNullable<T>> {
	return pollUntil(what, condition, timeoutMs, (elapsedMs) => Math.min(200, 10 + elapsedMs / 10));
}

/**
 * Moves the clock on by `stepMs` before each check of a condition, until it holds. Work in flight
 * does not see the clock leap.
 */
export function waitUntilAfter<T>(
	clock: FakeClock,
	stepMs: number,
	what: string,
	condition: () => Promise<T> | T,
): Promise<NonNullable<T>> {
	const advanceAndAsk = async () => {
		await clock.advance(stepMs);
		return condition();
	};
	return pollUntil(what, advanceAndAsk, 60_000, () => 20);
}

async function pollUntil<T>(
	what: string,
	condition: () => Promise<T> | T,
	timeoutMs: number,
	pauseMs: (elapsedMs: number) => number,
): Promise<NonNullable<T>> {
	const start = performance.now();
	for (;;) {
		const value = await condition();
		if (value) return value;
		const elapsedMs = performance.now() - start;
		if (elapsedMs > timeoutMs) throw new Error(`Waited in vain until ${what}.`);
		await new Promise((resolve) => setTimeout(resolve, pauseMs(elapsedMs)));
	}
}
