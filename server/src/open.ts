/**
 * Opens the adapters that the settings ask for: store, jobs, cache, fan-out, secrets. Closes them
 * in the reverse order.
 */
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { DemoLogin } from "@weft/contracts";
import type pg from "pg";
import { pino } from "pino";
import { createAutomationDriver } from "./adapters/automation/index.ts";
import { createControllerDriver } from "./adapters/controller/index.ts";
import { type ControllerPool, controllerWorkerUrl, createInspect } from "./adapters/controller/workers/work.ts";
import { createLdapDirectory } from "./adapters/directory/ldap.ts";
import { attachEmbeddedPostgres, startEmbeddedPostgres } from "./adapters/embedded-postgres/index.ts";
import { startPgBoss } from "./adapters/jobs/pg-boss.ts";
import { createSmtpMailer } from "./adapters/mail/smtp.ts";
import { createMemoryCache } from "./adapters/memory/cache.ts";
import { createMemoryPubSub } from "./adapters/memory/pubsub.ts";
import { createMetrics } from "./adapters/metrics/prometheus.ts";
import { createModelSource } from "./adapters/model-source/index.ts";
import { createPasswords } from "./adapters/passwords/argon2.ts";
import { createAnnouncements } from "./adapters/postgres/announcements.ts";
import { checkMigrated, migrateSchema, readMigrations } from "./adapters/postgres/migrate.ts";
import { createPostgresStore, type PostgresStore } from "./adapters/postgres/store.ts";
import { systemClock } from "./adapters/system/clock.ts";
import { createEventLoop } from "./adapters/system/event-loop.ts";
import { createIds } from "./adapters/system/ids.ts";
import { createOutgoingTargets, type OutgoingTargets } from "./adapters/system/outgoing.ts";
import type { OutgoingProxy } from "./adapters/system/outgoing-proxy.ts";
import { openTrustedProxies } from "./adapters/system/trusted-proxies.ts";
import { createWebhookSender } from "./adapters/webhooks/sender.ts";
import type { AppDeps } from "./app.ts";
import type { Config } from "./config.ts";
import { type AutomationPool, automationWorkerUrl } from "./features/automation/index.ts";
import { type CheckPool, checksWorkerUrl } from "./features/checks/index.ts";
import { noteFailover, warnUnverified } from "./features/connections/driver-log.ts";
import { type ModelPools, modelWorkerUrl } from "./features/model/index.ts";
import { type PipelinePool, pipelineWorkerUrl } from "./features/pipelines/workers/work.ts";
import { type QueryFilePool, queryFilesWorkerUrl } from "./features/query-files/index.ts";
import { type TimeMachinePool, type TimeMachineThread, timeMachineWorkerUrl } from "./features/time-machine/index.ts";
import { checkKeys, openKeys, openSecrets } from "./open-keys.ts";
import { type HelpFiles, readHelpFiles } from "./platform/http/help.ts";
import { readWebFiles, type WebFiles } from "./platform/http/web-files.ts";
import { createRequestPriority } from "./platform/request-priority.ts";
import { getWorkShare, runInShare } from "./platform/work-share.ts";
import { createSharedPool, createWorkerPool, type SharedPoolOptions } from "./platform/workers/pool.ts";
import type { Clock } from "./ports/clock.ts";

export interface Opened {
	readonly deps: AppDeps;
	/** Resolves with a sentence when the embedded store is lost. */
	readonly storeLost: Promise<string>;
	/** Waits up to `graceMs` for background jobs, then closes everything. */
	close(graceMs: number): Promise<void>;
}

/** What a program that starts the service in its own process gives it; no setting can. */
export interface Composition {
	/** The system's clock where absent. Queues and timers of adapters follow the system's. */
	readonly clock?: Clock;
	/** Closes everything that was opened; `openDependencies` rejects with the reason. */
	readonly signal?: AbortSignal;
	/** Logins that the sign-in page offers to everybody who sees it, for a demonstration. */
	readonly demoLogins?: readonly DemoLogin[];
}

const CONNECTIONS_KEPT = 12;
/** Too few to be divided. */
const FEW_CONNECTIONS = 6;
/** The index of two million rows, in the making, fits. */
const WORKER_HEAP_MB = 2048;

export async function openDependencies(
	config: Config,
	{ clock = systemClock, demoLogins, signal }: Composition = {},
): Promise<Opened> {
	const logger = openLog(config.logLevel);
	const { closers, close } = collectClosers(logger);
	try {
		const keyFile = await openKeys(config);
		const { connection, lost } = await openDatabase(config, closers, logger, startEmbeddedPostgres, signal);
		const requestPriority = createRequestPriority();
		const [forRequests, forJobs] = divideConnections(config);
		const store = openStore(connection, forRequests, logger);
		closers.push(() => store.close());
		const jobStore = forJobs === 0 ? store : openStore(connection, forJobs, logger, requestPriority.whenIdle);
		if (jobStore !== store) closers.push(() => jobStore.close());
		await checkReachable(config, store);
		signal?.throwIfAborted();
		await migrateSchema(store.pool, await readMigrations(new URL("../migrations/", import.meta.url)));
		signal?.throwIfAborted();
		await checkKeys(keyFile, store);
		// The client is loaded only where it is used: loading it delays the start.
		const redis =
			config.redisUrl === null ? null : { url: config.redisUrl, ...(await import("./adapters/redis/redis.ts")) };
		const { secrets } = openSecrets(config, keyFile);
		const [jobs, announcements, cache, pubsub] = await Promise.all([
			startPgBoss({ connection, log: logger }),
			createAnnouncements({ connection, log: logger, clock: systemClock }),
			redis === null ? createMemoryCache(clock) : redis.createRedisCache(redis.url, logger),
			redis === null ? createMemoryPubSub() : redis.createRedisPubSub(redis.url, logger),
		]);
		const timeMachinePool = openTimeMachinePool(connection);
		const automationPool = openAutomationPool();
		const pipelinePool = openPipelinePool();
		const queryFilePool = openQueryFilePool();
		const checkPool = openCheckPool();
		const modelPools = openModelPools();
		const version = await readVersion();
		const metrics = config.metrics === null ? null : createMetrics(version);
		metrics?.gauge("weft_store_connections", "Connections of this process to the store.", ["state"], () => [
			{ labels: { state: "open" }, value: store.pool.totalCount },
			{ labels: { state: "idle" }, value: store.pool.idleCount },
			{ labels: { state: "wanted" }, value: store.pool.waitingCount },
		]);
		const controllerPool = openControllerPool();
		const controllerTargets = createOutgoingTargets(config.controllerTargets);
		const controllers = createControllerDriver({
			inspect: createInspect(controllerPool),
			targets: controllerTargets,
			clock,
			onUnverified: warnUnverified(logger, "a controller"),
			onRequest: (outcome, ms) => metrics?.controllerRequest({ outcome }, ms / 1_000),
			onFailover: noteFailover(logger, metrics),
			sleep: systemClock.sleep,
		});
		const automation = createAutomationDriver({
			targets: createOutgoingTargets(config.automationTargets),
			onUnverified: warnUnverified(logger, "an automation server"),
		});
		const identityProvider = await openIdentityProvider(config, logger);
		const mailer = config.smtp === null ? null : createSmtpMailer(config.smtp);
		const webhooks =
			config.webhookTargets === null
				? null
				: createWebhookSender(config.webhookTargets, { proxy: config.outgoingProxy });
		closers.push(
			async () => mailer?.close(),
			async () => webhooks?.close(),
			async () => identityProvider?.close(),
			() => timeMachinePool.close(),
			() => modelPools.unpacking.close(),
			() => modelPools.importing.close(),
			() => modelPools.comparing.close(),
			() => automationPool.close(),
			() => pipelinePool.close(),
			() => queryFilePool.close(),
			() => checkPool.close(),
			() => controllers.close(),
			() => controllerPool.close(),
			() => automation.close(),
			() => announcements.close(),
			() => cache.close(),
			() => pubsub.close(),
			(graceMs) => jobs.stop(graceMs),
		);
		const proxies = await openTrustedProxies(config.trustedProxies, { clock: systemClock, log: logger });
		closers.push(() => proxies.close());
		const deps: AppDeps = {
			store,
			jobStore,
			requestPriority,
			jobs,
			cache,
			localCache: createMemoryCache(clock),
			pubsub,
			announcements,
			secrets,
			passwords: createPasswords(),
			timeMachinePool,
			modelPools,
			modelSource: openModelSource(controllerTargets, config.outgoingProxy),
			modelSettings: config.model,
			controllers,
			automation,
			automationPool,
			pipelinePool,
			queryFilePool,
			checkPool,
			webhookSecrets: config.webhookSecrets,
			automationRunningMax: config.automationRunningMax,
			mailer,
			webhooks,
			directory: await openDirectory(config, logger),
			identityProvider,
			clock,
			ids: createIds(systemClock),
			logger,
			eventLoop: createEventLoop(),
			metrics: metrics && { ...metrics, token: config.metrics?.token ?? null },
			version,
			rates: config.rates,
			trustedProxies: proxies.trusted,
			docs: config.docs,
			web: await readWeb(),
			help: await readHelp(),
			basePath: config.basePath,
			frontendUrl: config.frontendUrl,
			tokenMaxDays: config.tokenMaxDays,
			accountRecheckDays: config.accountRecheckDays,
			requireMfa: config.requireMfa,
			mailDomains: config.mailDomains,
			resultDays: config.resultDays,
			demoLogins,
		};
		return { deps, storeLost: lost, close };
	} catch (error) {
		await close(0);
		throw error;
	}
}

export interface StoreAddress {
	readonly connection: pg.ClientConfig;
	readonly keys: readonly string[];
	close(): Promise<void>;
}

/**
 * The bare store, for backup and restore. `shared` uses the server of a running service or starts
 * one; otherwise the data folder is claimed, which fails with a sentence while a service runs on
 * it.
 */
export async function openStoreAddress(config: Config, use: "shared" | "alone"): Promise<StoreAddress> {
	const logger = openLog("warn");
	const { closers, close } = collectClosers(logger);
	const embed = use === "shared" ? attachEmbeddedPostgres : startEmbeddedPostgres;
	const signal = closeOnSignals(closers, close);
	const keyFile = await openKeys(config);
	const { connection } = await openDatabase(config, closers, logger, embed, signal);
	return {
		connection,
		keys: keyFile === null ? config.secretKeys : keyFile.keys(),
		close: () => closeSoon(close),
	};
}

/**
 * What a command beside the service needs: the store as it is, without migrations and without
 * taking jobs.
 */
export async function openForCommand(config: Config) {
	const logger = openLog("warn");
	const { closers, close } = collectClosers(logger);
	const signal = closeOnSignals(closers, close);
	try {
		const keyFile = await openKeys(config);
		const { connection } = await openDatabase(config, closers, logger, attachEmbeddedPostgres, signal);
		const store = openStore(connection, listConnections(config), logger);
		closers.push(() => store.close());
		await store.healthy().catch((error: Error) => {
			throw new Error(`The store is not ready: ${error.message} Start the service once first.`);
		});
		await checkKeys(keyFile, store);
		const announcements = await createAnnouncements({ connection, log: logger, clock: systemClock });
		closers.push(() => announcements.close());
		return {
			store,
			announcements,
			...openSecrets(config, keyFile),
			passwords: createPasswords(),
			clock: systemClock,
			ids: createIds(systemClock),
			log: logger,
			close: () => closeSoon(close),
		};
	} catch (error) {
		await closeSoon(close);
		throw error;
	}
}

/** Milliseconds that a command waits for its connections to end; the process ends anyway. */
const CLOSE_MS = 5_000;

/** A store that stands still ends no connection. */
async function closeSoon(close: (graceMs: number) => Promise<void>): Promise<void> {
	await Promise.race([close(0), sleep(CLOSE_MS, undefined, { ref: false })]);
}

/** Exit code of a command that a signal ended, as shells report SIGTERM. */
const ENDED_BY_SIGNAL = 143;

/**
 * SIGTERM and SIGINT end a command with everything that it has opened, so that no server of its own
 * stays. Returns a signal that ends a start of the server which is under way.
 */
function closeOnSignals(closers: readonly Closer[], close: (graceMs: number) => Promise<void>): AbortSignal {
	const stopping = new AbortController();
	for (const name of ["SIGTERM", "SIGINT"] as const) {
		process.once(name, () => {
			if (closers.length === 0) return stopping.abort(new Error(`The command was ended by ${name}.`));
			void closeSoon(close).finally(() => process.exit(ENDED_BY_SIGNAL));
		});
	}
	return stopping.signal;
}

/** Logs go to standard error: standard output is for the line that says "ready". */
function openLog(level: Config["logLevel"]) {
	return pino(
		{ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: describeError } },
		pino.destination(2),
	);
}

/**
 * Only what says what happened: drivers hang connections, and with them credentials, onto their
 * errors.
 */
function describeError(error: unknown): unknown {
	if (!(error instanceof Error)) return String(error);
	const { name, message, stack, cause } = error;
	const { code } = error as { code?: unknown };
	return { type: name, message, code, stack, ...(cause === undefined ? {} : { cause: describeError(cause) }) };
}

type Closer = (graceMs: number) => Promise<unknown>;

function collectClosers(logger: ReturnType<typeof openLog>): {
	closers: Closer[];
	close: (graceMs: number) => Promise<void>;
} {
	const closers: Closer[] = [];
	return {
		closers,
		async close(graceMs) {
			for (const closer of closers.splice(0).reverse()) {
				await closer(graceMs).catch((error: unknown) => logger.warn({ err: error }, "a part did not close cleanly"));
			}
		},
	};
}

async function openDatabase(
	config: Config,
	closers: Closer[],
	logger: ReturnType<typeof openLog>,
	embed: typeof startEmbeddedPostgres,
	signal?: AbortSignal,
): Promise<{ connection: pg.ClientConfig; lost: Promise<string> }> {
	if (config.databaseUrl !== null) {
		return { connection: { connectionString: config.databaseUrl }, lost: new Promise(() => {}) };
	}
	const embedded = await embed({
		dataDir: config.dataDir,
		log: (line) => logger.info({}, line),
		...(signal ? { signal } : {}),
	});
	closers.push(() => embedded.stop());
	// Without this a PGSSLMODE of the environment would be obeyed on a socket that knows no TLS.
	return { connection: { ...embedded.connection, ssl: false }, lost: embedded.exited };
}

const listConnections = (config: Config): number =>
	config.databaseUrl === null ? CONNECTIONS_KEPT : config.databasePool;

/**
 * Divides the connections between requests and, in a process that does both, background work (a
 * quarter).
 */
function divideConnections(config: Config): readonly [forRequests: number, forJobs: number] {
	const all = listConnections(config);
	if (all < FEW_CONNECTIONS || !config.roles.has("web") || !config.roles.has("worker")) return [all, 0];
	const forJobs = Math.ceil(all / 4);
	return [all - forJobs, forJobs];
}

function openStore(
	connection: pg.ClientConfig,
	poolSize: number,
	log: AppDeps["logger"],
	beforeConnect?: () => Promise<void>,
): PostgresStore {
	const migrations = readMigrations(new URL("../migrations/", import.meta.url));
	return createPostgresStore({
		connection,
		poolSize,
		log,
		...(beforeConnect ? { beforeConnect } : {}),
		checkSchema: async (pool) => checkMigrated(pool, await migrations),
	});
}

/** Threads of a pool that record the results of runs. One core is left to requests. */
const RECORDING_THREADS = Math.min(2, Math.max(1, availableParallelism() - 1));
/** Time of a pool's threads that the requests of one user may take in any minute. */
const USER_MS_PER_MINUTE = 30_000;

/** Threads of a pool that users share. */
export type SharedThreads = Pick<SharedPoolOptions, "size" | "recordingSize" | "userMsPerMinute">;

/**
 * Sizes of a pool that users share. Requests have at least two threads, one of which is left to
 * others than the user whose tasks are running.
 */
const sharedThreads = (recordingSize: number): SharedThreads => ({
	size: Math.max(2, recordingSize),
	recordingSize,
	userMsPerMinute: USER_MS_PER_MINUTE,
});

/**
 * Threads start when there is work and stop when idle. Background work has a thread of its own with
 * the lowest priority.
 */
export function openTimeMachinePool(
	connection: pg.ClientConfig,
	threads = sharedThreads(Math.min(4, Math.max(1, availableParallelism() - 1))),
): TimeMachinePool {
	const options = (background: boolean) => ({
		url: timeMachineWorkerUrl(),
		data: { connection, background } satisfies TimeMachineThread,
		maxHeapMb: WORKER_HEAP_MB,
	});
	const shared: TimeMachinePool = createSharedPool({
		...options(false),
		...threads,
	});
	const background: TimeMachinePool = createWorkerPool({ ...options(true), size: 1 });
	return {
		run(task, input, options) {
			const run = () => (task === "verify" ? background : shared).run(task, input, options);
			// Snapshots that clients capture are recorded like those of runs.
			return task === "capture" ? runInShare({ ...getWorkShare(), lane: "recording" }, run) : run();
		},
		async close() {
			await Promise.all([shared.close(), background.close()]);
		},
	};
}

/**
 * One thread reads the documents of an import and builds the image, and one unpacks them for it:
 * more that read would each have to be compiled for, and where cores are few they would have to be
 * waited for by all others.
 */
export function openModelPools(comparing = sharedThreads(1)): ModelPools {
	const threads = { url: modelWorkerUrl(), size: 1, idleMs: 5_000, maxHeapMb: WORKER_HEAP_MB, youngHeapMb: 64 };
	return {
		unpacking: createWorkerPool(threads),
		importing: createWorkerPool(threads),
		comparing: createSharedPool({ ...threads, ...comparing }),
	};
}

/**
 * @param targets addresses of controllers that may be connected to; every address where absent
 * @param proxy the web proxy to the publishing site; null: none
 */
export const openModelSource = (targets?: OutgoingTargets, proxy: OutgoingProxy | null = null) =>
	createModelSource({
		proxy,
		pacing: { ...systemClock, random: Math.random },
		...(targets === undefined ? {} : { targets }),
	});

/** Checks of rows; the same holds for its threads. */
export function openAutomationPool(threads = sharedThreads(RECORDING_THREADS)): AutomationPool {
	return createSharedPool({
		url: automationWorkerUrl(),
		...threads,
		maxHeapMb: WORKER_HEAP_MB,
	});
}

/** Large answers that are passed through. */
export const openControllerPool = (threads = sharedThreads(1)): ControllerPool =>
	createSharedPool({ url: controllerWorkerUrl(), ...threads, maxHeapMb: WORKER_HEAP_MB });

/** Post-processors; the same holds for their threads. */
export function openPipelinePool(threads = sharedThreads(RECORDING_THREADS)): PipelinePool {
	return createSharedPool({
		url: pipelineWorkerUrl(),
		...threads,
		maxHeapMb: WORKER_HEAP_MB,
	});
}

/** Checks; the same holds for their threads. */
export function openCheckPool(threads = sharedThreads(RECORDING_THREADS)): CheckPool {
	return createSharedPool({
		url: checksWorkerUrl(),
		...threads,
		maxHeapMb: WORKER_HEAP_MB,
	});
}

/** Files of queries; the same holds for their threads. */
export function openQueryFilePool(threads = sharedThreads(RECORDING_THREADS)): QueryFilePool {
	return createSharedPool({
		url: queryFilesWorkerUrl(),
		...threads,
		maxHeapMb: WORKER_HEAP_MB,
	});
}

async function openDirectory({ ldap }: Config, log: AppDeps["logger"]): Promise<AppDeps["directory"]> {
	if (ldap === null) return null;
	const { caFile, groupMap, adminGroup, ...options } = ldap;
	const ca =
		caFile === null
			? null
			: await readFile(caFile, "utf8").catch((error: Error) => {
					throw new Error(`WEFT_LDAP_CA_FILE cannot be read: ${error.message}`);
				});
	return { ...createLdapDirectory({ ...options, ca }, log), rules: { groupMap, adminGroup } };
}

/** The library is loaded only where it is used. */
async function openIdentityProvider({ oidc, outgoingProxy }: Config, log: AppDeps["logger"]) {
	if (oidc === null) return null;
	const { groupMap, adminGroup, label, ...options } = oidc;
	const { createOidcProvider } = await import("./adapters/identity-provider/oidc.ts");
	return { ...createOidcProvider(options, systemClock, log, outgoingProxy), rules: { groupMap, adminGroup }, label };
}

/** Throws a sentence that names the setting if an external PostgreSQL cannot be used. */
async function checkReachable({ databaseUrl }: Config, store: PostgresStore): Promise<void> {
	if (databaseUrl === null) return;
	await store.pool.query("select 1").catch(({ code, message }: NodeJS.ErrnoException) => {
		throw new Error(
			`The PostgreSQL of WEFT_DATABASE_URL cannot be used: ${message || code}. Check that it runs, and ` +
				"the address, user, password and database.",
		);
	});
}

export async function readVersion(): Promise<string> {
	return JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8")).version;
}

/** The web interface: inside the published package, in a clone beside it; null: not built. */
async function readWeb(): Promise<WebFiles | null> {
	return (await readWebFiles(getFolder("../web"))) ?? readWebFiles(getFolder("../../web/dist"));
}

/** The help site, from the same two places. */
async function readHelp(): Promise<HelpFiles | null> {
	return (await readHelpFiles(getFolder("../help"))) ?? readHelpFiles(getFolder("../../docs/.vitepress/dist"));
}

const getFolder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
