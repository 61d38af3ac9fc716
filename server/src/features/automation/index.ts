/** Automation as a whole: its parts, put together. */
import type { Context } from "../../context.ts";
import type { Identity } from "../../platform/caller.ts";
import type { Events } from "../../platform/events.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { Quotas } from "../../platform/quotas.ts";
import type { Repeating } from "../../platform/repeating.ts";
import type { BoundChannel } from "../../platform/ws/hub.ts";
import type { AutomationDriver } from "../../ports/automation-server.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { JobQueue, Jobs } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { PubSub } from "../../ports/pubsub.ts";
import type { SealedColumn, Secrets } from "../../ports/secrets.ts";
import type { Db, Store } from "../../ports/store.ts";
import { automationConnectionSecrets, createAutomationConnections, presentFailure } from "./connections/index.ts";
import {
	createAutomationExecutions,
	type ExecutionDependencies,
	findLaunchGaps,
	findUnaskedPrompts,
} from "./executions/index.ts";
import { hasOpenExecutions } from "./executions/repo.ts";
import { restartPolls } from "./executions/repo-polls.ts";
import { countConnections, countReferences, countTemplates } from "./owned-counts.ts";
import {
	createAutomationRequests,
	createRequestState,
	type RequestDependencies,
	secretsContext,
} from "./requests/index.ts";
import { countRunningRequests } from "./requests/repo.ts";
import {
	type AutomationPool,
	type AutomationTemplateDeps,
	createAutomationTemplates,
	rowsContext,
} from "./templates/index.ts";
import { countTemplateOutcome } from "./templates/repo.ts";

export { type AutomationPool, automationWorkerUrl } from "./templates/index.ts";

export const automationSecrets: readonly SealedColumn[] = [
	...automationConnectionSecrets,
	{ table: "automation_requests", key: "id", column: "secrets_sealed", context: secretsContext },
	{ table: "automation_validations", key: "id", column: "rows_sealed", context: rowsContext },
];

export interface AutomationDeps {
	readonly ctx: Context;
	readonly store: Store;
	readonly jobs: Jobs;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Log;
	readonly secrets: Secrets;
	readonly events: Events;
	readonly pubsub: PubSub;
	readonly quotas: Quotas;
	readonly automation: AutomationDriver;
	/** Threads that check rows. */
	readonly automationPool: Pick<AutomationPool, "run">;
	/** Of the receiver of the automation server's notifications, the current one first. */
	readonly webhookSecrets: readonly string[];
	/** Jobs of all users that may be open at the same time. */
	readonly automationRunningMax: number;
	/** A user as they are now, for work on their behalf; null when gone or not active. */
	getIdentity(userId: number, db?: Db): Promise<Identity | null>;
	findController(identity: Identity, id: string): Promise<{ id: string; name: string; isActive: boolean } | null>;
	readonly queryRuns: ExecutionDependencies["queryRuns"];
	/** How a run stands; null where it does not exist. */
	readonly runState: AutomationTemplateDeps["runState"];
	/** The rows of a completed run. 404, 409 */
	readonly runDocument: RequestDependencies["runDocument"];
	readonly compareSnapshots: RequestDependencies["compareSnapshots"];
}

export interface Automation {
	readonly routes: BoundRoute[];
	readonly channels: readonly BoundChannel[];
	readonly queues: readonly JobQueue[];
	/** Requests of a user that run. */
	runningCount(db: Db, userId: number): Promise<number>;
	/** The number of categories that a user made. */
	ownedCategoryCount(db: Db, userId: number): Promise<number>;
	countConnections(db: Db, userId: number): Promise<number>;
	countTemplates(db: Db, userId: number): Promise<number>;
	/** Column templates, validation lists and regex patterns of a user. */
	countReferences(db: Db, userId: number): Promise<number>;
	/** Starts the timers of a process that takes jobs. */
	work(): Repeating;
}

export function createAutomation(deps: AutomationDeps): Automation {
	const state = createRequestState({
		...deps,

		countOutcome: countTemplateOutcome,
	});
	const connections = createAutomationConnections({
		...deps,
		inUse: hasOpenExecutions,
		approvalChanged: state.approvalChanged,
		reconnected: (tx, id) => restartPolls(tx, id, new Date(deps.clock.now())),
	});
	const templates = createAutomationTemplates({
		...deps,
		namedConnection: connections.named,
		defaultConnection: connections.findDefault,
		serverTemplate: connections.template,
		findLaunchGaps,
		findUnaskedPrompts,
		approvalNeeded: state.approvalNeeded,
	});
	const executions = createAutomationExecutions({
		...deps,
		content: state.content,
		visible: state.visible,
		owns: state.owns,
		runAgain: state.runAgain,
		launched: state.launched,
		ended: state.ended,
		warn: state.warn,
		requestTopic: state.requestTopic,
		connection: connections.target,
		connectionsByHost: connections.byHost,
	});
	const requests = createAutomationRequests({
		...deps,
		state,
		templates,
		executions,

		namedConnection: connections.named,
		connection: connections.target,
		presentFailure,
		anyTemplate: templates.findAny,
	});
	return {
		routes: [...connections.routes, ...templates.routes, ...requests.routes, ...executions.routes],
		channels: [requests.channel, executions.channel],
		queues: [...templates.queues, ...executions.queues],
		runningCount: countRunningRequests,
		ownedCategoryCount: templates.ownedCategoryCount,
		countConnections,
		countTemplates,
		countReferences,
		work() {
			const parts = [connections.work(), templates.work(), requests.work(), executions.work()];
			return {
				async stop() {
					await Promise.all(parts.map((part) => part.stop()));
				},
			};
		},
	};
}
