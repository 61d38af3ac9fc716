import type { FastifyBaseLogger } from "fastify";
import type { Context, Parts } from "./context.ts";
import { type Audit, createAudit } from "./features/audit/index.ts";
import { type Auth, createAuth } from "./features/auth/index.ts";
import { findLastLogin } from "./features/auth/repo.ts";
import { countTokens } from "./features/auth/repo-api-tokens.ts";
import { issueTicket, readProfile } from "./features/auth/service.ts";
import { findIdentity } from "./features/auth/service-sessions.ts";
import { type Automation, createAutomation } from "./features/automation/index.ts";
import { type ChecksFeature, createChecksFeature } from "./features/checks/index.ts";
import { type Connections, createConnections } from "./features/connections/index.ts";
import { createDashboard } from "./features/dashboard/index.ts";
import { createGroupRunsFeature, type GroupRunsFeature } from "./features/group-runs/index.ts";
import { createModel, type ModelFeature } from "./features/model/index.ts";
import { createModelRegistry, type ModelRegistryFeature } from "./features/model-registry/index.ts";
import { createNotifications, type Notifications } from "./features/notifications/index.ts";
import { createPipelineFeature, type PipelineFeature } from "./features/pipelines/index.ts";
import { listRuns } from "./features/pipelines/service.ts";
import { findRunStanding, readRunDocument } from "./features/pipelines/service-standing.ts";
import { createQueryFilesFeature } from "./features/query-files/index.ts";
import { createQueryRunsFeature, type QueryRunsFeature } from "./features/query-runs/index.ts";
import { createSavedQueriesFeature, type SavedQueriesFeature } from "./features/saved-queries/index.ts";
import { createSchedules, type Schedules } from "./features/schedules/index.ts";
import { createTimeMachine, type TimeMachine } from "./features/time-machine/index.ts";
import {
	createQuotas,
	createSockets,
	createUsersFeature,
	type SocketPlaces,
	type UsersFeature,
} from "./features/users/index.ts";
import { createEvents, type Events } from "./platform/events.ts";
import type { CurrentModel } from "./ports/class-model.ts";
import type { Store } from "./ports/store.ts";

/** What the service is made of. */
export interface ServiceParts extends Parts {
	readonly logger: FastifyBaseLogger;
	/** Replaces the installed class model; set in tests. */
	readonly classModel?: CurrentModel;
	/**
	 * The store for background work, with connections of its own, so that requests are not delayed.
	 */
	readonly jobStore?: Store;
}

export interface Features {
	readonly events: Events;
	readonly sockets: SocketPlaces;
	readonly audit: Audit;
	readonly auth: Auth;
	readonly automation: Automation;
	readonly checks: ChecksFeature;
	readonly connections: Connections;
	readonly dashboard: ReturnType<typeof createDashboard>;
	readonly groupRuns: GroupRunsFeature;
	readonly model: ModelFeature;
	readonly modelRegistry: ModelRegistryFeature;
	readonly notifications: Notifications;
	readonly pipelines: PipelineFeature;
	readonly queryFiles: ReturnType<typeof createQueryFilesFeature>;
	readonly queryRuns: QueryRunsFeature;
	readonly savedQueries: SavedQueriesFeature;
	readonly schedules: Schedules;
	readonly timeMachine: TimeMachine;
	readonly users: UsersFeature;
}

declare module "./context.ts" {
	interface Areas extends Features {}
}

/** Makes the context and, within it, each area in turn. */
export function createContext({
	logger: log,
	jobStore: ownJobStore,
	classModel: given,
	...deps
}: ServiceParts): Context {
	const { store, cache, clock } = deps;
	const jobStore = ownJobStore ?? store;
	const events = createEvents(deps.jobs);
	// Each area is added when it is made. What uses one that comes later runs later.
	const areas = {} as { -readonly [Name in keyof Features]: Features[Name] };
	const quotas = createQuotas({
		store,
		clock,
		// These run later, when all features exist.
		counts: {
			queries_max: (db, userId) => areas.savedQueries.ownedCount(db, userId),
			connections_max: (db, userId) => areas.connections.ownedCount(db, userId),
			scheduled_tasks_max: async (db, userId) => (await areas.schedules.ownedCounts(db, userId)).all,
			checks_max: (db, userId) => areas.checks.ownedCount(db, userId),
			connection_groups_max: (db, userId) => areas.connections.ownedGroupCount(db, userId),
			categories_max: async (db, userId) =>
				(await areas.savedQueries.ownedCategoryCount(db, userId)) +
				(await areas.automation.ownedCategoryCount(db, userId)),
			automation_concurrent: (db, userId) => areas.automation.runningCount(db, userId),
			sockets_max: (db, userId) => areas.sockets.countSockets(db, userId),
			webhooks_max: (db, userId) => areas.notifications.countWebhooks(db, userId),
			tokens_max: countTokens,
			automation_connections_max: (db, userId) => areas.automation.countConnections(db, userId),
			automation_templates_max: (db, userId) => areas.automation.countTemplates(db, userId),
			automation_references_max: (db, userId) => areas.automation.countReferences(db, userId),
		},
	});
	const classModel: CurrentModel = given ?? (() => areas.model.graph());
	const ctx: Context = { ...deps, log, events, quotas, classModel, areas };
	const background: Context = { ...ctx, store: jobStore };
	areas.events = events;
	areas.audit = createAudit(ctx);
	areas.sockets = createSockets({ store, clock, log, quotas });
	areas.notifications = createNotifications(ctx);
	areas.model = createModel({
		store,
		announcements: deps.announcements,
		clock,
		ids: deps.ids,
		version: deps.version,
		modelPools: deps.modelPools,
		log,
		events,
		// Runs later, when the feature exists.
		findQuery: (identity, id) => areas.savedQueries.findVisible(identity, id),
	});
	areas.savedQueries = createSavedQueriesFeature(ctx);
	areas.auth = createAuth(ctx);
	areas.connections = createConnections({
		controllers: deps.controllers,
		store,
		clock,
		ids: deps.ids,
		secrets: deps.secrets,
		log,
		events,
		quotas,
	});
	areas.pipelines = createPipelineFeature(ctx, background);
	areas.timeMachine = createTimeMachine(ctx);
	areas.queryRuns = createQueryRunsFeature(ctx, background);
	areas.groupRuns = createGroupRunsFeature(ctx);
	areas.schedules = createSchedules(ctx, background);
	areas.checks = createChecksFeature(ctx, background);
	areas.queryFiles = createQueryFilesFeature({
		store,
		ids: deps.ids,
		classModel,
		savedQueries: areas.savedQueries,
		schedules: areas.schedules,
		checks: areas.checks,
		connections: areas.connections,
		queryFilePool: deps.queryFilePool,
	});
	areas.users = createUsersFeature(ctx);
	areas.automation = createAutomation({
		store,
		jobs: deps.jobs,
		clock,
		ids: deps.ids,
		secrets: deps.secrets,
		pubsub: deps.pubsub,
		automation: deps.automation,
		automationPool: deps.automationPool,
		webhookSecrets: deps.webhookSecrets,
		automationRunningMax: deps.automationRunningMax,
		log,
		events,
		quotas,
		getIdentity: (userId) => findIdentity(ctx, userId),
		findController: areas.connections.find,
		queryRuns: areas.queryRuns,
		runState: (id) => findRunStanding(ctx, id),
		runDocument: (identity, id, maxBytes) => readRunDocument(ctx, identity, id, maxBytes),
		compareSnapshots: (identity, { fromId, toId }, signal) => {
			const sides = { snapshot_from_id: fromId, snapshot_to_id: toId };
			const body = { ...sides, ignore: [], ignore_volatile: false, match: "dn" as const };
			return areas.timeMachine.compare(
				identity,
				{ body, format: "json", withRules: false, withAttribution: false },
				signal,
			);
		},
	});
	areas.dashboard = createDashboard({
		store,
		cache,
		clock,
		version: deps.version,
		log,
		savedQueries: areas.savedQueries.ownedCount,
		scheduledTasks: areas.schedules.ownedCounts,
		snapshotsSince: areas.timeMachine.countSince,
		unreadNotifications: areas.notifications.unreadCount,
		lastLogin: findLastLogin,
		profile: (caller) => readProfile(ctx, caller),
		ticket: (caller) => issueTicket(ctx, caller),
		quotas,
		connections: areas.connections.list,
		pipelineExecutions: (caller, query, url) => listRuns(ctx, caller, query, url),
		automation: areas.automation,
		model: areas.model.state,
	});
	areas.modelRegistry = createModelRegistry(ctx);

	return ctx;
}
