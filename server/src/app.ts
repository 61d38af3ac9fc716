/** Builds the service from its adapters: the same function in production and in tests. Reads no environment and opens nothing. */
import { allRoutes, systemRoutes } from "@weft/contracts";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { createAudit } from "./features/audit/index.ts";
import { createAuth } from "./features/auth/index.ts";
import { type AutomationPool, createAutomation } from "./features/automation/index.ts";
import { createBackgroundRunsFeature } from "./features/background-runs/index.ts";
import { createConnections } from "./features/connections/index.ts";
import { createDashboard } from "./features/dashboard/index.ts";
import { createModel, type ModelPools } from "./features/model/index.ts";
import { createModelRegistry, type RegistrySettings } from "./features/model-registry/index.ts";
import { createNotifications } from "./features/notifications/index.ts";
import { createPipelineFeature } from "./features/pipelines/index.ts";
import { createSavedQueriesFeature } from "./features/saved-queries/index.ts";
import { createSchedules } from "./features/schedules/index.ts";
import { createTimeMachine, type TimeMachinePool } from "./features/time-machine/index.ts";
import { createQuotas, createUsersFeature } from "./features/users/index.ts";
import { unavailable } from "./platform/errors.ts";
import { createEvents } from "./platform/events.ts";
import { type BoundRoute, bindAll, mount, reply } from "./platform/http/binder.ts";
import { createBodyMemory } from "./platform/http/body-memory.ts";
import type { TrustedProxies } from "./platform/http/client-address.ts";
import { DOCS_CSP, mountDocsAssets, REDOC_PAGE, SWAGGER_PAGE } from "./platform/http/docs.ts";
import { mountMetrics } from "./platform/http/metrics.ts";
import { openApiDocument } from "./platform/http/openapi.ts";
import { createHttpServer } from "./platform/http/server.ts";
import { createThrottle, type Rates } from "./platform/http/throttle.ts";
import { mountWeb, type WebFiles } from "./platform/http/web-files.ts";
import type { RightOfWay } from "./platform/right-of-way.ts";
import { type Hub, mountChannels } from "./platform/ws/hub.ts";
import type { Announcements } from "./ports/announcements.ts";
import type { AutomationDriver } from "./ports/automation-server.ts";
import type { Cache } from "./ports/cache.ts";
import type { CurrentModel } from "./ports/class-model.ts";
import type { Clock } from "./ports/clock.ts";
import type { ControllerDriver } from "./ports/controller.ts";
import type { Directory, DirectoryRules } from "./ports/directory.ts";
import type { Ids } from "./ports/ids.ts";
import type { JobQueue, Jobs } from "./ports/jobs.ts";
import type { Mailer } from "./ports/mailer.ts";
import type { Metrics } from "./ports/metrics.ts";
import type { ModelSource } from "./ports/model-source.ts";
import type { Passwords } from "./ports/passwords.ts";
import type { PubSub } from "./ports/pubsub.ts";
import type { Secrets } from "./ports/secrets.ts";
import { isStoreDown, type Store } from "./ports/store.ts";
import type { WebhookSender } from "./ports/webhooks.ts";

export interface AppDeps {
	readonly store: Store;
	readonly jobs: Jobs;
	readonly cache: Cache;
	/** Counts requests while the cache is down. */
	readonly localCache: Cache;
	readonly pubsub: PubSub;
	readonly announcements: Announcements;
	readonly secrets: Secrets;
	readonly passwords: Passwords;
	/** Threads that read, pack and compare snapshots. */
	readonly timeMachinePool: TimeMachinePool;
	/** Threads that read the documents of the class model and build it. */
	readonly modelPools: ModelPools;
	readonly modelSource: ModelSource;
	readonly modelSettings: RegistrySettings;
	readonly controllers: ControllerDriver;
	readonly automation: AutomationDriver;
	/** Threads that check rows. */
	readonly automationPool: AutomationPool;
	/** Of the receiver of automation servers' notifications, the current one first; none: nothing is received. */
	readonly webhookSecrets: readonly string[];
	/** Automation jobs of all users that may be open at the same time. */
	readonly automationRunningMax: number;
	/** Null: nobody signs in through one. */
	readonly directory: (Directory & { readonly rules: DirectoryRules }) | null;
	/** Null: no mail is sent. */
	readonly mailer: Mailer | null;
	/** Null: nothing is counted. With a token, `/metrics` is served beside the interface. */
	readonly metrics: (Metrics & { readonly token: string | null }) | null;
	/** Null: nothing is sent to webhooks. */
	readonly webhooks: WebhookSender | null;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly logger: FastifyBaseLogger;
	readonly version: string;
	readonly rates: Rates;
	readonly trustedProxies: TrustedProxies;
	readonly docs: boolean;
	/** The web UI; null where it was not built. */
	readonly web: WebFiles | null;
	/** Where the service is published, with a slash at both ends. */
	readonly basePath: string;
	/** Address of a web front end, for links and redirects; empty where there is none. */
	readonly frontendUrl: string;
	/** Replaces the installed class model that canvases are checked and planned with; given in tests. */
	readonly classModel?: CurrentModel;
	/** The store as background work uses it: over connections of its own, so that it does not crowd out requests. */
	readonly jobStore?: Store;
	/** Where requests are told of, for whatever lets them go first. */
	readonly rightOfWay?: Pick<RightOfWay, "enter">;
	/** Days for which the rows of runs are kept. */
	readonly resultDays: number;
	/** Told of each answer that its contract does not declare; given in tests. */
	readonly checkAnswers?: (violation: string) => void;
}

export interface App {
	readonly server: FastifyInstance;
	readonly users: ReturnType<typeof createAuth>["users"];
	/** Starts taking background jobs. */
	work(): Promise<void>;
	/** Makes the queues known in a process that takes no jobs itself. */
	declareQueues(): Promise<void>;
	/** Stops accepting, ends sockets, and lets requests under way finish. */
	close(): Promise<void>;
}

export async function buildApp(deps: AppDeps): Promise<App> {
	const { store, cache, clock, logger, version, metrics } = deps;
	const bodyMemory = createBodyMemory();
	const server = createHttpServer({
		logger,
		isUnavailable: isStoreDown,
		basePath: deps.basePath,
		rightOfWay: deps.rightOfWay,
		bodyMemory,
		...(metrics ? { onAnswer: metrics.request } : {}),
	});
	const jobStore = deps.jobStore ?? store;
	const events = createEvents(deps.jobs);
	const log = logger;

	const audit = createAudit({ ...deps, log, events });
	const notifications = createNotifications({ ...deps, log, events });
	const quotas = createQuotas({
		store,
		clock,
		// Called when somebody adds one: by then the features are there.
		counts: {
			queries_max: (db, userId) => savedQueries.ownedCount(db, userId),
			connections_max: (db, userId) => connections.ownedCount(db, userId),
			scheduled_tasks_max: async (db, userId) => (await schedules.ownedCounts(db, userId)).all,
			automation_concurrent: (db, userId) => automation.runningCount(db, userId),
		},
	});
	const model = createModel({
		...deps,
		log,
		events,
		// Called when somebody checks one: by then the feature is there.
		findQuery: (identity, id) => savedQueries.findVisible(identity, id),
	});
	const classModel = deps.classModel ?? model.graph;
	const savedQueries = createSavedQueriesFeature({ ...deps, events, quotas, classModel });
	const auth = createAuth({ ...deps, log, events, queryCounts: savedQueries.queryCounts });
	const connections = createConnections({ ...deps, log, events, quotas });
	const pipelines = createPipelineFeature({
		...deps,
		jobStore,
		log,
		events,
		classModel,
		driver: deps.controllers,
		usableConnection: connections.targetOf,
		target: connections.target,
		findQuery: savedQueries.findVisible,
		quotas,
		async rowLimit(userId) {
			const owner = await auth.identityOf(userId);
			return owner && quotas.limit(owner, "result_rows_max");
		},
	});
	const timeMachine = createTimeMachine({
		...deps,
		log,
		events,
		bodyMemory,
		queries: {
			find: savedQueries.findVisible,
			sees: savedQueries.sees,
			enabled: savedQueries.withTimeMachine,
		},
		connections,
		assertQuota: (identity) => quotas.check(identity, "can_use_time_machine"),
	});
	const schedules = createSchedules({
		...deps,
		jobStore,
		log,
		events,
		identityOf: auth.identityOf,
		findQuery: savedQueries.findVisible,
		findConnection: connections.find,
		program: (query, variable_values) =>
			pipelines.readProgram({
				flow_data: query.flowData,
				post_processors: query.postProcessors,
				variables: query.variables,
				variable_values,
			}),
		startJobs: pipelines.startAll,
		jobState: pipelines.stateOf,
		recordExecution: savedQueries.recordExecution,
		timeMachine: { documentOf: pipelines.documentOf, capture: timeMachine.capture },
		quotas,
	});
	const users = createUsersFeature({
		...deps,
		events,
		quotas,
		accounts: auth.accounts,
		queryCounts: savedQueries.queryCountsOf,
		stats: async (userId) => ({
			queries_run: await savedQueries.executionCount(store.db, userId),
			schedules_active: (await schedules.ownedCounts(store.db, userId)).active,
			notifications_unread: await notifications.unreadCount(store.db, userId),
		}),
	});
	const backgroundRuns = createBackgroundRunsFeature({
		...deps,
		jobStore,
		log,
		events,
		pipelines,
		quotas,
		findQuery: savedQueries.findVisible,
		usableConnection: connections.targetOf,
		identityOf: auth.identityOf,
		recordExecution: savedQueries.recordExecution,
		capture: timeMachine.capture,
	});

	const automation = createAutomation({
		...deps,
		log,
		events,
		quotas,
		identityOf: auth.identityOf,
		findController: connections.find,
		async findRunnable(identity, id) {
			const query = await savedQueries.findVisible(identity, id);
			if (query === null) return null;
			const { flowData: flow_data, postProcessors: post_processors, variables } = query;
			return {
				...query,
				program: pipelines.readProgram({ flow_data, post_processors, variables, variable_values: undefined }),
			};
		},
		startRun: pipelines.start,
		runState: pipelines.stateOf,
		runDocument: pipelines.documentOf,
		capture: timeMachine.capture,
		compareSnapshots: (identity, { fromId, toId }, signal) => {
			const body = { snapshot_from_id: fromId, snapshot_to_id: toId, ignore: [], ignore_volatile: false };
			return timeMachine.compare(identity, { body, format: "json" }, signal);
		},
	});
	const dashboard = createDashboard({
		...deps,
		log,
		savedQueries: savedQueries.ownedCount,
		scheduledTasks: schedules.ownedCounts,
		snapshotsSince: timeMachine.countSince,
		unreadNotifications: notifications.unreadCount,
		lastLogin: auth.lastLogin,
		profile: auth.account.profile,
		ticket: auth.account.ticket,
		connections: connections.list,
		pipelineExecutions: pipelines.list,
		automation,
		model: model.state,
	});
	const modelRegistry = createModelRegistry({
		...deps,
		log,
		events,
		model,
		sources: deps.modelSource,
		settings: deps.modelSettings,
		usableConnection: connections.targetOf,
		target: connections.target,
	});

	const routes = [
		...auth.routes,
		...users.routes,
		...connections.routes,
		...savedQueries.routes,
		...pipelines.routes,
		...backgroundRuns.routes,
		...schedules.routes,
		...timeMachine.routes,
		...notifications.routes,
		...dashboard.routes,
		...audit.routes,
		...model.routes,
		...modelRegistry.routes,
		...automation.routes,
		...systemRoutesOf(deps),
	];
	mount(server, routes, {
		authenticate: auth.authenticate,
		throttle: createThrottle({ rates: deps.rates, cache, fallback: deps.localCache }),
		trustedProxies: deps.trustedProxies,
		recordAccess: audit.recordAccess,
		basePath: deps.basePath,
		...(deps.checkAnswers ? { checkAnswers: deps.checkAnswers } : {}),
	});
	if (metrics?.token) mountMetrics(server, metrics, metrics.token);
	if (deps.docs) mountDocsAssets(server);
	mountWeb(server, deps.web, deps.basePath);
	const channels = [pipelines, notifications, modelRegistry, automation].flatMap((feature) => feature.channels);
	const hub: Hub = await mountChannels(server, channels, {
		...deps,
		log,
		redeem: auth.redeem,
		isLive: auth.isLive,
	});
	const queues = [
		...events.queues(),
		...auth.queues,
		...pipelines.queues,
		...backgroundRuns.queues,
		...schedules.queues,
		...timeMachine.queues,
		...automation.queues,
		...modelRegistry.queues,
		...notifications.queues,
	].map((queue) => (metrics ? metered(queue, metrics, clock) : queue));
	metrics?.gauge("weft_websockets_open", "Open WebSockets of this process.", [], () => [{ value: hub.count() }]);
	metrics?.gauge("weft_jobs", "Background jobs in the store, by queue and state.", ["queue", "state"], async () =>
		(await deps.jobs.stats()).flatMap(({ queue, waiting, active }) => [
			{ labels: { queue, state: "waiting" }, value: waiting },
			{ labels: { queue, state: "active" }, value: active },
		]),
	);
	let timers: { stop(): void }[] = [];
	// A process that answers requests has the model at hand when the first one comes.
	server.addHook("onListen", async () => model.warm());

	return {
		server,
		users: auth.users,
		async work() {
			await deps.jobs.work(queues);
			timers = [
				auth.work(),
				pipelines.work(),
				schedules.work(),
				timeMachine.work(),
				notifications.work(),
				audit.work(),
				modelRegistry.work(),
				automation.work(),
			];
		},
		declareQueues: () => deps.jobs.declare(queues),
		async close() {
			for (const timer of timers) timer.stop();
			hub.close();
			await server.close();
		},
	};

	function systemRoutesOf({ docs }: AppDeps): BoundRoute[] {
		const bound = bindAll(systemRoutes, {
			health: async () => {
				try {
					await store.healthy();
					return reply(200, { status: "ok" as const, version });
				} catch (error) {
					log.warn({ err: error }, "not healthy");
					throw unavailable("The store cannot be reached, or its schema is not this version's.");
				}
			},
			schema: async () => {
				schemaText ??= JSON.stringify(openApiDocument(allRoutes, version));
				return reply(200, schemaText, { headers: JSON_HEADERS, sendAsIs: true });
			},
			docs: async () => htmlAnswer(SWAGGER_PAGE),
			redoc: async () => htmlAnswer(REDOC_PAGE),
		});
		return docs ? bound : bound.filter(({ contract }) => contract.id === "system.health");
	}
}

/** Times every job of a queue. */
function metered(queue: JobQueue, metrics: Metrics, clock: Clock): JobQueue {
	return {
		...queue,
		async handler(data, signal) {
			const began = clock.now();
			let outcome: "done" | "failed" = "failed";
			try {
				await queue.handler(data, signal);
				outcome = "done";
			} finally {
				metrics.job({ queue: queue.name, outcome }, (clock.now() - began) / 1_000);
			}
		},
	};
}

/** Made at the first request; it is the same for every app of the process. */
let schemaText: string | undefined;

const JSON_HEADERS = { "content-type": "application/json; charset=utf-8" };
const HTML_HEADERS = { "content-type": "text/html; charset=utf-8", "content-security-policy": DOCS_CSP };

const htmlAnswer = (page: string) => reply(200, page, { headers: HTML_HEADERS, sendAsIs: true });
