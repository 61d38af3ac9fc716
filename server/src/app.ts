/**
 * Builds the service from its parts, in production and in tests: areas, routes, sockets,
 * queues. Reads no environment and opens nothing.
 */
import { allRoutes, systemRoutes } from "@weft/contracts";
import type { FastifyInstance } from "fastify";
import { authenticateToken, renewIdentity } from "./areas/accounts/sign-in/authenticate-token.ts";
import { redeemTicket } from "./areas/accounts/sign-in/manage-own-account.ts";
import { createObjectRoutes } from "./areas/answers/objects/routes.ts";
import { createPictureRoutes } from "./areas/answers/pictures/routes.ts";
import { createContext, type ServiceParts } from "./compose.ts";
import type { Context } from "./context.ts";
import { buildUnavailableError } from "./core/errors.ts";
import { type BoundRoute, bindAll, buildReply, mountRoutes } from "./core/http/binder.ts";
import { createBodyPool } from "./core/http/body-pool.ts";
import type { TrustedProxies } from "./core/http/client-address.ts";
import { DOCS_CSP, mountDocsAssets, REDOC_PAGE, SWAGGER_PAGE } from "./core/http/docs.ts";
import { type HelpFiles, mountHelp } from "./core/http/help.ts";
import { mountMetrics } from "./core/http/metrics.ts";
import { openApiDocument } from "./core/http/openapi.ts";
import { createHttpServer } from "./core/http/server.ts";
import { createThrottle, type Rates } from "./core/http/throttle.ts";
import { mountWeb, type WebFiles } from "./core/http/web-files.ts";
import type { Cache } from "./core/ports/cache.ts";
import type { Clock } from "./core/ports/clock.ts";
import type { EventLoop } from "./core/ports/event-loop.ts";
import type { JobQueue } from "./core/ports/jobs.ts";
import type { Metrics } from "./core/ports/metrics.ts";
import { isStoreDown } from "./core/ports/store.ts";
import type { Repeating } from "./core/repeating.ts";
import type { RequestPriority } from "./core/request-priority.ts";
import { type Hub, mountChannels } from "./core/ws/hub.ts";

export interface AppParts extends ServiceParts {
	/** Null: off. With a token, `/metrics` is served on the service's port. */
	readonly metrics: (Metrics & { readonly token: string | null }) | null;
	readonly eventLoop: EventLoop;
	/** Counts requests while the cache is down. */
	readonly localCache: Cache;
	readonly rates: Rates;
	readonly trustedProxies: TrustedProxies;
	readonly docs: boolean;
	/** Reads the web UI; null if it was not built. */
	readonly readWeb: () => Promise<WebFiles | null>;
	readonly readHelp: () => Promise<HelpFiles | null>;
	/** Where the service is published, with a slash at both ends. */
	readonly basePath: string;
	/** Bytes of all request bodies at the same time; 128 MiB where absent. */
	readonly bodyPoolBytes?: number;
	/** Informed of each request, so that background work lets requests go first. */
	readonly requestPriority?: Pick<RequestPriority, "begin">;
	/** Called for each answer that its contract does not declare; set in tests. */
	readonly checkAnswers?: (violation: string) => void;
}

export interface App {
	readonly server: FastifyInstance;
	readonly context: Context;
	/** Starts taking background jobs. */
	work(): Promise<void>;
	/** Makes the queues known in a process that takes no jobs itself. */
	declareQueues(): Promise<void>;
	/** Stops accepting, ends sockets, and lets requests under way finish. */
	close(): Promise<void>;
}

export async function buildApp(deps: AppParts): Promise<App> {
	const { cache, clock, logger, metrics } = deps;
	const server = createHttpServer({
		logger,
		isUnavailable: isStoreDown,
		basePath: deps.basePath,
		requestPriority: deps.requestPriority,
		...(metrics ? { onAnswer: metrics.request } : {}),
	});
	const bodies = createBodyPool({ clock, bytes: deps.bodyPoolBytes });
	const context = createContext(deps);
	const areas = context.areas;
	const { audit, automation, model, modelImports, notifications, pipelines, runGroups, windows } = areas;
	const log = logger;

	const throttle = createThrottle({ rates: deps.rates, cache, fallback: deps.localCache });
	mountRoutes(server, listRoutes(context, deps), {
		authenticate: (token, ip) => authenticateToken(context, token, ip),
		throttle,
		trustedProxies: deps.trustedProxies,
		bodies,
		recordAccess: audit.recordAccess,
		basePath: deps.basePath,
		...(deps.checkAnswers ? { checkAnswers: deps.checkAnswers } : {}),
	});
	if (metrics?.token) mountMetrics(server, metrics, metrics.token);
	if (deps.docs) mountDocsAssets(server);
	mountHelp(server, deps.readHelp, deps.basePath);
	mountWeb(server, deps.readWeb, deps.basePath);
	const channels = [pipelines, runGroups, notifications, modelImports, automation, windows].flatMap(
		(area) => area.channels,
	);
	const hub: Hub = await mountChannels(server, channels, {
		clock,
		pubsub: deps.pubsub,
		log,
		redeem: (ticket) => redeemTicket(context, ticket),
		renew: (identity) => renewIdentity(context, identity),
		takePlace: areas.sockets.takePlace,
		throttle,
		trustedProxies: deps.trustedProxies,
	});
	const queues = listQueues(areas).map((queue) => (metrics ? meterQueue(queue, metrics, clock) : queue));
	if (metrics) registerGauges(metrics, deps, areas, hub);
	let background: Repeating[] = [];
	// A process that answers requests has the model at hand when the first one comes.
	server.addHook("onListen", async () => model.loaded.warm());

	return {
		context,
		server,
		async work() {
			await deps.jobs.work(queues);
			background = startBackground(areas);
		},
		async declareQueues() {
			await deps.jobs.declare(queues);
			background = [areas.overview.work()];
		},
		async close() {
			const ended = background.map((work) => work.stop());
			hub.close();
			await server.close();
			await Promise.all([...ended, areas.sockets.close()]);
			bodies.close();
		},
	};
}

type Areas = Context["areas"];

function listRoutes(context: Context, deps: AppParts): BoundRoute[] {
	const { areas } = context;
	return [
		...areas.signIn.routes,
		...areas.users.routes,
		...areas.fabrics.routes,
		...areas.calendar.routes,
		...areas.queries.routes,
		...areas.files.routes,
		...areas.pipelines.routes,
		...areas.backgroundRuns.routes,
		...areas.runGroups.routes,
		...areas.schedules.routes,
		...areas.checks.routes,
		...areas.gallery.routes,
		...areas.find.routes,
		...createObjectRoutes(context),
		...createPictureRoutes(context),
		...areas.history.routes,
		...areas.changes.routes,
		...areas.notifications.routes,
		...areas.overview.routes,
		...areas.audit.routes,
		...areas.model.routes,
		...areas.modelImports.routes,
		...areas.automation.routes,
		...areas.windows.routes,
		...createSystemRoutes(deps),
	];
}

function listQueues(areas: Areas): JobQueue[] {
	return [
		...areas.events.queues(),
		...areas.signIn.queues,
		...areas.recording.queues,
		...areas.schedules.queues,
		...areas.checks.queues,
		...areas.find.queues,
		...areas.history.queues,
		...areas.changes.queues,
		...areas.automation.queues,
		...areas.windows.queues,
		...areas.modelImports.queues,
		...areas.notifications.queues,
	];
}

function startBackground(areas: Areas): Repeating[] {
	return [
		areas.signIn.work(),
		areas.pipelines.work(),
		areas.recording.work(),
		areas.schedules.work(),
		areas.calendar.work(),
		areas.checks.work(),
		areas.find.work(),
		areas.history.work(),
		areas.changes.work(),
		areas.notifications.work(),
		areas.audit.work(),
		areas.modelImports.work(),
		areas.automation.work(),
		areas.windows.work(),
		areas.users.work(),
		areas.overview.work(),
	];
}

/** Registers the metrics that are read at a scrape. */
function registerGauges(
	metrics: Metrics,
	deps: AppParts,
	{ checks, fabrics, windows }: Pick<Areas, "checks" | "fabrics" | "windows">,
	hub: Hub,
): void {
	metrics.gauge("weft_change_windows", "Change windows by state.", ["state"], windows.readStateSamples);
	metrics.counter(
		"weft_change_verdicts_total",
		"Verdicts of change windows, each recheck counted.",
		["verdict"],
		windows.readVerdictSamples,
	);
	metrics.gauge("weft_websockets_open", "Open WebSockets of this process.", [], () => [{ value: hub.count() }]);
	metrics.quantiles(
		"weft_event_loop_delay_seconds",
		"How long this process's event loop kept work waiting since the previous scrape.",
		() => {
			const { p50, p99, max } = deps.eventLoop.takeDelays();
			return [
				{ labels: { quantile: "0.5" }, value: p50 },
				{ labels: { quantile: "0.99" }, value: p99 },
				{ labels: { quantile: "1" }, value: max },
			];
		},
	);
	metrics.gauge("weft_jobs", "Background jobs in the store, by queue and state.", ["queue", "state"], async () =>
		(await deps.jobs.stats()).flatMap(({ queue, waiting, active }) => [
			{ labels: { queue, state: "waiting" }, value: waiting },
			{ labels: { queue, state: "active" }, value: active },
		]),
	);
	metrics.gauge(
		"weft_check_state",
		"State of each check on each connection: 0 ok, 1 pending, 2 failing, 3 error, 4 unknown.",
		["check", "connection", "severity"],
		checks.metrics.states,
	);
	metrics.gauge(
		"weft_check_violations",
		"Violations that the last evaluation of a check found on a connection.",
		["check", "connection"],
		checks.metrics.violations,
	);
	metrics.gauge(
		"weft_connection_up",
		"Whether the last run or test of a connection reached a controller: 1, or 0.",
		["connection"],
		fabrics.metrics.up,
	);
	metrics.gauge(
		"weft_connection_last_success_timestamp_seconds",
		"When a run or test of a connection last reached a controller, to a minute.",
		["connection"],
		fabrics.metrics.lastSuccess,
	);
}

function createSystemRoutes({ docs, logger, store, version }: AppParts): BoundRoute[] {
	const bound = bindAll(systemRoutes, {
		health: async () => {
			try {
				await store.healthy();
				return buildReply(200, { status: "ok" as const, version });
			} catch (error) {
				logger.warn({ err: error }, "not healthy");
				throw buildUnavailableError("The store cannot be reached, or its schema is not this version's.");
			}
		},
		schema: async () => {
			schemaText ??= JSON.stringify(openApiDocument(allRoutes, version));
			return buildReply(200, schemaText, { headers: JSON_HEADERS, sendAsIs: true });
		},
		docs: async () => buildHtmlAnswer(SWAGGER_PAGE),
		redoc: async () => buildHtmlAnswer(REDOC_PAGE),
	});
	return docs ? bound : bound.filter(({ contract }) => contract.id === "system.health");
}

/** Times every job of a queue. */
function meterQueue(queue: JobQueue, metrics: Metrics, clock: Clock): JobQueue {
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

const buildHtmlAnswer = (page: string) => buildReply(200, page, { headers: HTML_HEADERS, sendAsIs: true });
