import type { DemoLogin } from "@weft/contracts";
import type { FastifyBaseLogger } from "fastify";
import { createAudit } from "./features/audit/index.ts";
import { createAuth, type MfaRequirement } from "./features/auth/index.ts";
import { type AutomationPool, createAutomation } from "./features/automation/index.ts";
import { type CheckPool, createChecksFeature } from "./features/checks/index.ts";
import { createConnections } from "./features/connections/index.ts";
import { createDashboard } from "./features/dashboard/index.ts";
import { createGroupRunsFeature } from "./features/group-runs/index.ts";
import { createModel, type ModelPools } from "./features/model/index.ts";
import { createModelRegistry, type RegistrySettings } from "./features/model-registry/index.ts";
import { createNotifications } from "./features/notifications/index.ts";
import { createPipelineFeature, type PipelinePool } from "./features/pipelines/index.ts";
import { createQueryFilesFeature, type QueryFilePool } from "./features/query-files/index.ts";
import { createQueryRunsFeature } from "./features/query-runs/index.ts";
import { createSavedQueriesFeature } from "./features/saved-queries/index.ts";
import { createSchedules } from "./features/schedules/index.ts";
import { createTimeMachine, type TimeMachinePool } from "./features/time-machine/index.ts";
import { createQuotas, createSockets, createUsersFeature, type SocketPlaces } from "./features/users/index.ts";
import { createEvents } from "./platform/events.ts";
import type { Announcements } from "./ports/announcements.ts";
import type { AutomationDriver } from "./ports/automation-server.ts";
import type { Cache } from "./ports/cache.ts";
import type { CurrentModel } from "./ports/class-model.ts";
import type { Clock } from "./ports/clock.ts";
import type { ControllerDriver } from "./ports/controller.ts";
import type { Directory, DirectoryRules } from "./ports/directory.ts";
import type { IdentityProvider } from "./ports/identity-provider.ts";
import type { Ids } from "./ports/ids.ts";
import type { Jobs } from "./ports/jobs.ts";
import type { Mailer } from "./ports/mailer.ts";
import type { ModelSource } from "./ports/model-source.ts";
import type { Passwords } from "./ports/passwords.ts";
import type { PubSub } from "./ports/pubsub.ts";
import type { Secrets } from "./ports/secrets.ts";
import type { Store } from "./ports/store.ts";
import type { WebhookSender } from "./ports/webhooks.ts";

/** What the features need from outside. */
export interface FeatureDeps {
	readonly store: Store;
	readonly jobs: Jobs;
	readonly cache: Cache;
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
	readonly pipelinePool: PipelinePool;
	/** Threads that evaluate checks. */
	readonly checkPool: CheckPool;
	/** Threads that read and write files of queries. */
	readonly queryFilePool: QueryFilePool;
	/** Secrets of automation servers' notifications, the current one first; empty: not received. */
	readonly webhookSecrets: readonly string[];
	/** Upper bound of open automation jobs of all users. */
	readonly automationRunningMax: number;
	/** Null: not configured. */
	readonly directory: (Directory & { readonly rules: DirectoryRules }) | null;
	/** Null: not configured. */
	readonly identityProvider: (IdentityProvider & { readonly rules: DirectoryRules; readonly label: string }) | null;
	/** Null: not configured. */
	readonly mailer: Mailer | null;
	/** Null: off. */
	readonly webhooks: WebhookSender | null;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly logger: FastifyBaseLogger;
	readonly version: string;
	/** Address of the web interface, for links and redirects; empty if unknown. */
	readonly frontendUrl: string;
	/** Upper bound of the life of API tokens, in days; null: none. */
	readonly tokenMaxDays: number | null;
	/** Days between two checks whether an account's person is gone; null: off. */
	readonly accountRecheckDays: number | null;
	/** Accounts that need a second factor. */
	readonly requireMfa: ReadonlySet<MfaRequirement>;
	/** Domains that scheduled tasks may send mail to beside the addresses of users, in lower case. */
	readonly mailDomains: readonly string[];
	/** Replaces the installed class model; set in tests. */
	readonly classModel?: CurrentModel;
	/**
	 * The store for background work, with connections of its own, so that requests are not delayed.
	 */
	readonly jobStore?: Store;
	/** Retention of the rows of runs, in days. */
	readonly resultDays: number;
	/** Logins that the sign-in page offers; absent where the service is no demonstration. */
	readonly demoLogins?: readonly DemoLogin[] | undefined;
}

export type Features = ReturnType<typeof createFeatures>;

export function createFeatures(deps: FeatureDeps) {
	const { store, cache, clock, logger: log } = deps;
	const jobStore = deps.jobStore ?? store;
	const events = createEvents(deps.jobs);

	const audit = createAudit({
		store,
		clock,
		announcements: deps.announcements,
		ids: deps.ids,
		secrets: deps.secrets,
		log,
		events,
	});
	const quotas = createQuotas({
		store,
		clock,
		// These run later, when all features exist.
		counts: {
			queries_max: (db, userId) => savedQueries.ownedCount(db, userId),
			connections_max: (db, userId) => connections.ownedCount(db, userId),
			scheduled_tasks_max: async (db, userId) => (await schedules.ownedCounts(db, userId)).all,
			checks_max: (db, userId) => checks.ownedCount(db, userId),
			connection_groups_max: (db, userId) => connections.ownedGroupCount(db, userId),
			categories_max: async (db, userId) =>
				(await savedQueries.ownedCategoryCount(db, userId)) + (await automation.ownedCategoryCount(db, userId)),
			automation_concurrent: (db, userId) => automation.runningCount(db, userId),
			sockets_max: (db, userId) => sockets.countSockets(db, userId),
			webhooks_max: (db, userId) => notifications.countWebhooks(db, userId),
			tokens_max: (db, userId) => auth.countTokens(db, userId),
			automation_connections_max: (db, userId) => automation.countConnections(db, userId),
			automation_templates_max: (db, userId) => automation.countTemplates(db, userId),
			automation_references_max: (db, userId) => automation.countReferences(db, userId),
		},
	});
	const sockets: SocketPlaces = createSockets({ store, clock, log, quotas });
	const notifications = createNotifications({
		store,
		clock,
		ids: deps.ids,
		pubsub: deps.pubsub,
		jobs: deps.jobs,
		secrets: deps.secrets,
		mailer: deps.mailer,
		webhooks: deps.webhooks,
		frontendUrl: deps.frontendUrl,
		version: deps.version,
		log,
		events,
		quotas,
	});
	const model = createModel({
		store,
		announcements: deps.announcements,
		clock,
		ids: deps.ids,
		version: deps.version,
		modelPools: deps.modelPools,
		log,
		events,
		// Runs later, when the feature exists.
		findQuery: (identity, id) => savedQueries.findVisible(identity, id),
	});
	const classModel = deps.classModel ?? model.graph;
	const savedQueries = createSavedQueriesFeature({
		store,
		clock,
		ids: deps.ids,
		events,
		quotas,
		classModel,
		// Runs later, when the feature exists.
		findGroup: (db, identity, id) => connections.findGroup(db, identity, id),
	});
	const auth = createAuth({
		store,
		cache,
		clock,
		ids: deps.ids,
		secrets: deps.secrets,
		passwords: deps.passwords,
		announcements: deps.announcements,
		jobs: deps.jobs,
		mailer: deps.mailer,
		frontendUrl: deps.frontendUrl,
		tokenMaxDays: deps.tokenMaxDays,
		accountRecheckDays: deps.accountRecheckDays,
		requireMfa: deps.requireMfa,
		directory: deps.directory,
		demoLogins: deps.demoLogins,
		identityProvider: deps.identityProvider,
		log,
		events,
		queryCounts: savedQueries.queryCounts,
		quotas,
	});
	const connections = createConnections({
		controllers: deps.controllers,
		store,
		clock,
		ids: deps.ids,
		secrets: deps.secrets,
		log,
		events,
		quotas,
	});
	const pipelines = createPipelineFeature({
		pipelinePool: deps.pipelinePool,
		jobs: deps.jobs,
		pubsub: deps.pubsub,
		clock,
		resultDays: deps.resultDays,
		store,
		ids: deps.ids,
		jobStore,
		log,
		events,
		classModel,
		driver: deps.controllers,
		usableConnection: connections.buildTarget,
		target: connections.target,
		findQuery: savedQueries.findVisible,
		quotas,
		async rowLimit(userId) {
			const owner = await auth.getIdentity(userId);
			return owner && quotas.limit(owner, "result_rows_max");
		},
	});
	const timeMachine = createTimeMachine({
		store,
		clock,
		ids: deps.ids,
		jobs: deps.jobs,
		timeMachinePool: deps.timeMachinePool,
		log,
		events,
		queries: {
			find: savedQueries.findVisible,
			sees: savedQueries.sees,
			enabled: savedQueries.withTimeMachine,
			driftRules: savedQueries.driftRules,
		},
		connections,
		classModel,
		controllers: deps.controllers,
		buildTarget: connections.buildTarget,
		getIdentity: auth.getIdentity,
		assertQuota: (identity) => quotas.check(identity, "can_use_time_machine"),
		assertMayQuery: (identity) => quotas.check(identity, "can_execute_queries"),
	});
	const queryRuns = createQueryRunsFeature({
		store,
		jobStore,
		jobs: deps.jobs,
		clock,
		log,
		events,
		pipelines,
		findQuery: savedQueries.findVisible,
		findConnection: connections.find,
		usableConnection: connections.buildTarget,
		getIdentity: auth.getIdentity,
		recordExecution: savedQueries.recordExecution,
		capture: timeMachine.capture,
	});
	const groupRuns = createGroupRunsFeature({
		store,
		clock,
		ids: deps.ids,
		pubsub: deps.pubsub,
		events,
		quotas,
		pipelines,
		queryRuns,
		findQuery: savedQueries.findVisible,
		findConnection: connections.find,
		usableConnection: connections.buildTarget,
		findGroup: connections.findGroup,
	});
	const schedules = createSchedules({
		store,
		jobs: deps.jobs,
		clock,
		ids: deps.ids,
		mailer: deps.mailer,
		cache,
		mailDomains: deps.mailDomains,
		emailsOfUsers: auth.emailsOfUsers,
		jobStore,
		log,
		events,
		getIdentity: auth.getIdentity,
		findQuery: savedQueries.findVisible,
		findConnection: connections.find,
		findGroup: connections.findGroup,
		groupMembers: connections.groupMembers,
		queryRuns,
		quotas,
	});
	const checks = createChecksFeature({
		store,
		jobStore,
		clock,
		ids: deps.ids,
		log,
		jobs: deps.jobs,
		events,
		classModel,
		checkPool: deps.checkPool,
		getPackedRows: pipelines.getPackedRows,
		queryRuns,
		getIdentity: auth.getIdentity,
		findQuery: savedQueries.findVisible,
		queryFiles: savedQueries.files,
		quotas,
		findConnection: connections.find,
		findDefaultConnection: async (caller) =>
			(await auth.account.profile(caller)).preferences.default_controller_connection_id,
		baselines: timeMachine.baselines,
		getSnapshot: async (runId) => (await pipelines.getState(runId))?.snapshotId ?? null,
	});
	const queryFiles = createQueryFilesFeature({
		store,
		ids: deps.ids,
		classModel,
		savedQueries,
		schedules,
		checks,
		connections,
		queryFilePool: deps.queryFilePool,
	});
	const users = createUsersFeature({
		store,
		clock,
		log,
		events,
		quotas,
		accounts: auth.accounts,
		invitations: auth.invitations,
		queryCounts: savedQueries.countQueries,
		stats: async (userId) => ({
			queries_run: await savedQueries.executionCount(store.db, userId),
			schedules_active: (await schedules.ownedCounts(store.db, userId)).active,
			notifications_unread: await notifications.unreadCount(store.db, userId),
		}),
	});
	const automation = createAutomation({
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
		getIdentity: auth.getIdentity,
		findController: connections.find,
		queryRuns,
		runState: pipelines.getState,
		runDocument: pipelines.getDocument,
		compareSnapshots: (identity, { fromId, toId }, signal) => {
			const sides = { snapshot_from_id: fromId, snapshot_to_id: toId };
			const body = { ...sides, ignore: [], ignore_volatile: false, match: "dn" as const };
			return timeMachine.compare(identity, { body, format: "json", withRules: false, withAttribution: false }, signal);
		},
	});
	const dashboard = createDashboard({
		store,
		cache,
		clock,
		version: deps.version,
		log,
		savedQueries: savedQueries.ownedCount,
		scheduledTasks: schedules.ownedCounts,
		snapshotsSince: timeMachine.countSince,
		unreadNotifications: notifications.unreadCount,
		lastLogin: auth.lastLogin,
		profile: auth.account.profile,
		ticket: auth.account.ticket,
		quotas,
		connections: connections.list,
		pipelineExecutions: pipelines.list,
		automation,
		model: model.state,
	});
	const modelRegistry = createModelRegistry({
		store,
		jobs: deps.jobs,
		pubsub: deps.pubsub,
		clock,
		ids: deps.ids,
		controllers: deps.controllers,
		log,
		events,
		model,
		sources: deps.modelSource,
		settings: deps.modelSettings,
		usableConnection: connections.buildTarget,
		target: connections.target,
	});

	return {
		events,
		sockets,
		audit,
		auth,
		automation,
		checks,
		connections,
		dashboard,
		groupRuns,
		model,
		modelRegistry,
		notifications,
		pipelines,
		queryFiles,
		queryRuns,
		savedQueries,
		schedules,
		timeMachine,
		users,
	};
}
