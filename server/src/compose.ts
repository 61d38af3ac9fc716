import type { FastifyBaseLogger } from "fastify";
import { createSignIn, type SignIn } from "./areas/accounts/sign-in/index.ts";
import { countTokens } from "./areas/accounts/sign-in/sql/api-tokens.ts";
import { createQuotaRules } from "./areas/accounts/users/check-quotas.ts";
import { createUsersArea, type UsersArea } from "./areas/accounts/users/index.ts";
import { createSocketPlaces, type SocketPlaces } from "./areas/accounts/users/limit-sockets.ts";
import { type Changes, createChanges } from "./areas/answers/changes/index.ts";
import { createFind, type FindArea } from "./areas/answers/find/index.ts";
import { createGallery, type Gallery } from "./areas/answers/gallery/index.ts";
import { type Audit, createAudit } from "./areas/audit/index.ts";
import { type Automation, createAutomation } from "./areas/automation/index.ts";
import { countRunningRequests } from "./areas/automation/jobs/sql/requests.ts";
import { countConnections, countReferences, countTemplates } from "./areas/automation/owned-counts.ts";
import { countOwnTemplateCategories } from "./areas/automation/templates/sql/categories.ts";
import { type Calendar, createCalendar } from "./areas/calendar/index.ts";
import { countOwnEntries } from "./areas/calendar/sql/entries.ts";
import { type ChecksArea, createChecks } from "./areas/checks/index.ts";
import { countOwnChecks } from "./areas/checks/sql/checks.ts";
import { createFabrics, type Fabrics } from "./areas/fabrics/index.ts";
import { countOwnGroups } from "./areas/fabrics/sql/groups.ts";
import { countOwnConnections } from "./areas/fabrics/sql/stored.ts";
import { createFiles } from "./areas/files/index.ts";
import { createHistory, type History } from "./areas/history/index.ts";
import { createModelImports, type ModelImports } from "./areas/model/imports/index.ts";
import { createModel, type ModelArea } from "./areas/model/index.ts";
import { createNotifications, type Notifications } from "./areas/notifications/index.ts";
import { createOverview } from "./areas/overview/index.ts";
import { createQueries, type QueriesArea } from "./areas/queries/saved/index.ts";
import { countOwnQueryCategories } from "./areas/queries/saved/sql/categories.ts";
import { countOwnQueries } from "./areas/queries/saved/sql/queries.ts";
import { createRecording, type Recording } from "./areas/recording/index.ts";
import { type BackgroundRuns, createBackgroundRuns } from "./areas/runs/background/index.ts";
import { createRunGroups, type RunGroups } from "./areas/runs/groups/index.ts";
import { createPipelines, type Pipelines } from "./areas/runs/pipelines/index.ts";
import { createSchedules, type Schedules } from "./areas/schedules/index.ts";
import { countOwnTasks } from "./areas/schedules/sql/tasks.ts";
import { createWindows, type Windows } from "./areas/windows/index.ts";
import { countOwnPlans } from "./areas/windows/sql/plans.ts";
import type { Context, Parts } from "./context.ts";
import { createEvents, type Events } from "./core/events.ts";
import type { CurrentModel } from "./core/ports/class-model.ts";
import type { Store } from "./core/ports/store.ts";

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

interface ComposedAreas {
	readonly events: Events;
	readonly sockets: SocketPlaces;
	readonly audit: Audit;
	readonly signIn: SignIn;
	readonly automation: Automation;
	readonly calendar: Calendar;
	readonly changes: Changes;
	readonly checks: ChecksArea;
	readonly gallery: Gallery;
	readonly find: FindArea;
	readonly fabrics: Fabrics;
	readonly overview: ReturnType<typeof createOverview>;
	readonly runGroups: RunGroups;
	readonly model: ModelArea;
	readonly modelImports: ModelImports;
	readonly notifications: Notifications;
	readonly pipelines: Pipelines;
	readonly files: ReturnType<typeof createFiles>;
	readonly backgroundRuns: BackgroundRuns;
	readonly queries: QueriesArea;
	readonly recording: Recording;
	readonly schedules: Schedules;
	readonly history: History;
	readonly users: UsersArea;
	readonly windows: Windows;
}

declare module "./context.ts" {
	interface Areas extends ComposedAreas {}
}

/** Makes the context and, within it, each area in turn. */
export function createContext({
	logger: log,
	jobStore: ownJobStore,
	classModel: given,
	...deps
}: ServiceParts): Context {
	const { store, clock } = deps;
	const jobStore = ownJobStore ?? store;
	const events = createEvents(deps.jobs);
	// Each area is added when it is made. What uses one that comes later runs later.
	const areas = {} as { -readonly [Name in keyof ComposedAreas]: ComposedAreas[Name] };
	const quotas = createQuotaRules({
		store,
		clock,
		// These run later, when all areas exist.
		counts: {
			queries_max: countOwnQueries,
			connections_max: countOwnConnections,
			scheduled_tasks_max: async (db, userId) => (await countOwnTasks(db, userId)).all,
			checks_max: countOwnChecks,
			connection_groups_max: countOwnGroups,
			calendar_entries_max: countOwnEntries,
			categories_max: async (db, userId) =>
				(await countOwnQueryCategories(db, userId)) + (await countOwnTemplateCategories(db, userId)),
			automation_concurrent: countRunningRequests,
			sockets_max: (db, userId) => areas.sockets.countSockets(db, userId),
			webhooks_max: (db, userId) => areas.notifications.countWebhooks(db, userId),
			tokens_max: countTokens,
			automation_connections_max: countConnections,
			automation_templates_max: countTemplates,
			automation_references_max: countReferences,
			change_plans_max: countOwnPlans,
		},
	});
	const classModel: CurrentModel = given ?? (() => areas.model.graph());
	const ctx: Context = { ...deps, log, events, quotas, classModel, areas };
	const background: Context = { ...ctx, store: jobStore };
	areas.events = events;
	areas.audit = createAudit(ctx);
	areas.sockets = createSocketPlaces({ store, clock, log, quotas });
	areas.notifications = createNotifications(ctx);
	areas.model = createModel(ctx);
	areas.queries = createQueries(ctx);
	areas.signIn = createSignIn(ctx);
	areas.fabrics = createFabrics(ctx);
	areas.calendar = createCalendar(ctx, background);
	areas.pipelines = createPipelines(ctx, background);
	areas.history = createHistory(ctx);
	areas.backgroundRuns = createBackgroundRuns(ctx);
	areas.runGroups = createRunGroups(ctx);
	areas.schedules = createSchedules(ctx, background);
	areas.checks = createChecks(ctx, background);
	areas.gallery = createGallery(ctx);
	areas.changes = createChanges(ctx, background);
	areas.find = createFind(ctx, background);
	areas.files = createFiles(ctx);
	areas.users = createUsersArea(ctx);
	areas.automation = createAutomation(ctx);
	areas.windows = createWindows(ctx, background);
	areas.recording = createRecording(ctx, background);
	areas.overview = createOverview(ctx);
	areas.modelImports = createModelImports(ctx);

	return ctx;
}
