/**
 * Opens what the settings ask for: store, jobs, cache, fan-out, secrets. Closes them
 * in the reverse order.
 */
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";
import type { DemoLogin } from "@weft/contracts";
import type { AppParts } from "./app.ts";
import { noteFailover, warnUnverified } from "./areas/fabrics/driver-log.ts";
import type { Config } from "./config.ts";
import { type HelpFiles, readHelpFiles } from "./core/http/help.ts";
import { readWebFiles, type WebFiles } from "./core/http/web-files.ts";
import { getPackageFile } from "./core/package-files.ts";
import type { Clock } from "./core/ports/clock.ts";
import { createRequestPriority } from "./core/request-priority.ts";
import { createPasswords } from "./core/system/argon2.ts";
import { systemClock } from "./core/system/clock.ts";
import { createEventLoop } from "./core/system/event-loop.ts";
import { createIds } from "./core/system/ids.ts";
import { createOutgoingTargets, type OutgoingTargets } from "./core/system/outgoing.ts";
import type { OutgoingProxy } from "./core/system/outgoing-proxy.ts";
import type { createMetrics } from "./core/system/prometheus.ts";
import { openTrustedProxies } from "./core/system/trusted-proxies.ts";
import { createControllerDriver } from "./integrations/apic/index.ts";
import { type ControllerPool, createInspect } from "./integrations/apic/workers/work.ts";
import { createAutomationDriver } from "./integrations/awx/index.ts";
import { createModelSource } from "./integrations/class-documents/index.ts";
import { checkKeys, openSecrets } from "./open-keys.ts";
import { listPoolClosers, openPools } from "./open-pools.ts";
import { checkReachable, divideConnections, openStore } from "./open-store.ts";
import { type StartedStore, startStore } from "./start-store.ts";
import { startPgBoss } from "./storage/jobs/pg-boss.ts";
import { createMemoryCache } from "./storage/memory/cache.ts";
import { createMemoryPubSub } from "./storage/memory/pubsub.ts";
import { createAnnouncements } from "./storage/postgres/announcements.ts";
import { migrateSchema, readMigrations } from "./storage/postgres/migrate.ts";

interface Opened {
	readonly deps: AppParts;
	/** Resolves with a sentence when the embedded store is lost. */
	readonly storeLost: Promise<string>;
	/** Waits up to `graceMs` for background jobs, then closes everything. */
	close(graceMs: number): Promise<void>;
}

/** What a program that starts the service in its own process gives it; no setting can. */
export interface Composition {
	/** The system's clock where absent. Queues and timers of the storage follow the system's. */
	readonly clock?: Clock;
	/** Closes everything that was opened; `openDependencies` rejects with the reason. */
	readonly signal?: AbortSignal;
	/** The store of these settings, if it is started already. The service closes it. */
	readonly startedStore?: StartedStore;
	/** Logins that the sign-in page offers to everybody who sees it, for a demonstration. */
	readonly demoLogins?: readonly DemoLogin[];
}

export async function openDependencies(
	config: Config,
	{ clock = systemClock, demoLogins, signal, startedStore }: Composition = {},
): Promise<Opened> {
	const { logger, closers, close, keyFile, connection, lost } = startedStore ?? (await startStore(config, signal));
	try {
		const migrations = await readMigrations(getPackageFile("migrations/"));
		const requestPriority = createRequestPriority();
		const [forRequests, forJobs] = divideConnections(config);
		const store = openStore(connection, migrations, forRequests, logger);
		closers.push(() => store.close());
		const jobStore =
			forJobs === 0 ? store : openStore(connection, migrations, forJobs, logger, requestPriority.whenIdle);
		if (jobStore !== store) closers.push(() => jobStore.close());
		await checkReachable(config, store);
		signal?.throwIfAborted();
		await migrateSchema(store.pool, migrations);
		signal?.throwIfAborted();
		await checkKeys(keyFile, store);
		// This client and the libraries below are loaded only where the settings ask for them.
		const redis =
			config.redisUrl === null ? null : { url: config.redisUrl, ...(await import("./storage/redis/redis.ts")) };
		const { secrets } = openSecrets(config, keyFile);
		const [jobs, announcements, cache, pubsub] = await Promise.all([
			startPgBoss({ connection, log: logger }),
			createAnnouncements({ connection, log: logger, clock: systemClock }),
			redis === null ? createMemoryCache(clock) : redis.createRedisCache(redis.url, logger),
			redis === null ? createMemoryPubSub() : redis.createRedisPubSub(redis.url, logger),
		]);
		const pools = openPools(connection);
		const version = await readVersion();
		const metrics =
			config.metrics === null ? null : (await import("./core/system/prometheus.ts")).createMetrics(version);
		metrics?.gauge("weft_store_connections", "Connections of this process to the store.", ["state"], () => [
			{ labels: { state: "open" }, value: store.pool.totalCount },
			{ labels: { state: "idle" }, value: store.pool.idleCount },
			{ labels: { state: "wanted" }, value: store.pool.waitingCount },
		]);
		const controllerTargets = createOutgoingTargets(config.controllerTargets);
		const { controllers, automation } = openDrivers(config, clock, logger, metrics, pools.controllerPool);
		const identityProvider = await openIdentityProvider(config, logger);
		const mailer = await openMailer(config);
		const webhooks = await openWebhooks(config);
		closers.push(
			async () => mailer?.close(),
			async () => webhooks?.close(),
			async () => identityProvider?.close(),
			...listPoolClosers(pools),
			() => controllers.close(),
			() => pools.controllerPool.close(),
			() => automation.close(),
			() => announcements.close(),
			() => cache.close(),
			() => pubsub.close(),
			(graceMs) => jobs.stop(graceMs),
		);
		const proxies = await openTrustedProxies(config.trustedProxies, { clock: systemClock, log: logger });
		closers.push(() => proxies.close());
		const deps: AppParts = {
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
			timeMachinePool: pools.timeMachinePool,
			modelPools: pools.modelPools,
			modelSource: openModelSource(controllerTargets, config.outgoingProxy),
			modelSettings: config.model,
			controllers,
			automation,
			automationPool: pools.automationPool,
			pipelinePool: pools.pipelinePool,
			queryFilePool: pools.queryFilePool,
			checkPool: pools.checkPool,
			judgePool: pools.judgePool,
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
			node: { host: hostname(), roles: [...config.roles] },
			rates: config.rates,
			trustedProxies: proxies.trusted,
			docs: config.docs,
			readWeb,
			readHelp,
			basePath: config.basePath,
			frontendUrl: config.frontendUrl,
			tokenMaxDays: config.tokenMaxDays,
			accountRecheckDays: config.accountRecheckDays,
			requireMfa: config.requireMfa,
			mailDomains: config.mailDomains,
			resultDays: config.resultDays,
			changesDays: config.changesDays,
			demoLogins,
		};
		return { deps, storeLost: lost, close };
	} catch (error) {
		await close(0);
		throw error;
	}
}

/** Drivers of controllers and of automation servers. */
function openDrivers(
	config: Config,
	clock: Clock,
	logger: StartedStore["logger"],
	metrics: ReturnType<typeof createMetrics> | null,
	pool: ControllerPool,
) {
	const controllers = createControllerDriver({
		inspect: createInspect(pool),
		targets: createOutgoingTargets(config.controllerTargets),
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
	return { controllers, automation };
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

async function openMailer({ smtp }: Config) {
	if (smtp === null) return null;
	const { createSmtpMailer } = await import("./integrations/smtp/smtp.ts");
	return createSmtpMailer(smtp);
}

async function openWebhooks({ webhookTargets, outgoingProxy }: Config) {
	if (webhookTargets === null) return null;
	const { createWebhookSender } = await import("./integrations/webhooks/sender.ts");
	return createWebhookSender(webhookTargets, { proxy: outgoingProxy });
}

async function openDirectory({ ldap }: Config, log: AppParts["logger"]): Promise<AppParts["directory"]> {
	if (ldap === null) return null;
	const { caFile, groupMap, adminGroup, ...options } = ldap;
	const ca =
		caFile === null
			? null
			: await readFile(caFile, "utf8").catch((error: Error) => {
					throw new Error(`WEFT_LDAP_CA_FILE cannot be read: ${error.message}`);
				});
	const { createLdapDirectory } = await import("./integrations/ldap/ldap.ts");
	return { ...createLdapDirectory({ ...options, ca }, log), rules: { groupMap, adminGroup } };
}

async function openIdentityProvider({ oidc, outgoingProxy }: Config, log: AppParts["logger"]) {
	if (oidc === null) return null;
	const { groupMap, adminGroup, label, ...options } = oidc;
	const { createOidcProvider } = await import("./integrations/oidc/oidc.ts");
	return { ...createOidcProvider(options, systemClock, log, outgoingProxy), rules: { groupMap, adminGroup }, label };
}

export async function readVersion(): Promise<string> {
	return JSON.parse(await readFile(getPackageFile("package.json"), "utf8")).version;
}

/** The web interface: inside the published package, in a clone beside it; null: not built. */
async function readWeb(): Promise<WebFiles | null> {
	return (await readWebFiles(getFolder("web"))) ?? readWebFiles(getFolder("../web/dist"));
}

/** The help site, from the same two places. */
async function readHelp(): Promise<HelpFiles | null> {
	return (await readHelpFiles(getFolder("help"))) ?? readHelpFiles(getFolder("../docs/.vitepress/dist"));
}

const getFolder = (path: string): string => fileURLToPath(getPackageFile(path));
