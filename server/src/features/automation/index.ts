/** Automation as a whole: its parts, put together. */
import type { Identity } from "../../platform/caller.ts";
import type { Events } from "../../platform/events.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { Quotas } from "../../platform/quotas.ts";
import type { BoundChannel } from "../../platform/ws/hub.ts";
import type { AutomationDriver } from "../../ports/automation-server.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { JobQueue, Jobs } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { PubSub } from "../../ports/pubsub.ts";
import type { SealedColumn, Secrets } from "../../ports/secrets.ts";
import type { Db, Store } from "../../ports/store.ts";
import { createAutomationConnections, presentFailure, tokenContext } from "../automation-connections/index.ts";
import {
	type AutomationExecutions,
	createAutomationExecutions,
	type ExecutionNeeds,
} from "../automation-executions/index.ts";
import {
	type AutomationRequests,
	createAutomationRequests,
	type RequestNeeds,
	secretsContext,
} from "../automation-requests/index.ts";
import { type AutomationPool, createAutomationTemplates, rowsContext } from "../automation-templates/index.ts";
import { createQueryRuns, NotRunnable, type QueryRunDeps } from "./query-runs.ts";

export { warnUnverifiedServer } from "../automation-connections/index.ts";
export { type AutomationPool, automationWorkerUrl } from "../automation-templates/index.ts";

export const automationSecrets: readonly SealedColumn[] = [
	{ table: "automation_connections", key: "id", column: "token_sealed", context: tokenContext },
	{ table: "automation_requests", key: "id", column: "secrets_sealed", context: secretsContext },
	{ table: "automation_validations", key: "id", column: "rows_sealed", context: rowsContext },
];

export interface AutomationDeps<Program> {
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
	identityOf(userId: number, db?: Db): Promise<Identity | null>;
	findController(identity: Identity, id: string): Promise<{ id: string; name: string; isActive: boolean } | null>;
	readonly findRunnable: QueryRunDeps<Program>["findRunnable"];
	readonly startRun: QueryRunDeps<Program>["startRun"];
	readonly runState: ExecutionNeeds["runState"];
	readonly runDocument: ExecutionNeeds["runDocument"];
	/** Keeps rows as a snapshot. */
	readonly capture: ExecutionNeeds["capture"];
	readonly compareSnapshots: RequestNeeds["compareSnapshots"];
}

export interface Automation {
	readonly routes: BoundRoute[];
	readonly channels: readonly BoundChannel[];
	readonly queues: readonly JobQueue[];
	/** Requests of a user that run. */
	runningCount(db: Db, userId: number): Promise<number>;
	/** Requests made since: the caller's, or all of them for administrators. */
	requestsSince: AutomationRequests["countSince"];
	/** Starts the timers of a process that takes jobs. */
	work(): { stop(): void };
}

export function createAutomation<Program>(deps: AutomationDeps<Program>): Automation {
	const queries = {
		prepareQuery: createQueryRuns(deps).prepare,
		isNotRunnable: (error: unknown): error is Error => error instanceof NotRunnable,
	};
	// Called when something happens: by then all parts are there.
	const connections = createAutomationConnections({
		...deps,
		inUse: (db, id) => executions.inUse(db, id),
	});
	const templates = createAutomationTemplates({
		...deps,
		namedConnection: connections.named,
		defaultConnection: connections.ofDefault,
		serverTemplate: connections.template,
		approvalNeeded: (tx, id) => requests.approvalNeeded(tx, id),
		...queries,
	});
	const requests: AutomationRequests = createAutomationRequests({
		...deps,
		...queries,
		templates,
		namedConnection: connections.named,
		connection: connections.target,
		presentFailure,
		anyTemplate: templates.findAny,
		executions: {
			open: (tx, opening) => executions.open(tx, opening),
			problems: (...given) => executions.problems(...given),
			cancelIn: (tx, row) => executions.cancelIn(tx, row),
			ofRequest: (db, id) => executions.ofRequest(db, id),
			lock: (tx, id) => executions.lock(tx, id),
			openCount: (db) => executions.openCount(db),
		},
	});
	const executions: AutomationExecutions = createAutomationExecutions({
		...deps,
		...queries,
		...requests.forExecutions,
		connection: connections.target,
		connectionsByHost: connections.byHost,
	});
	return {
		routes: [...connections.routes, ...templates.routes, ...requests.routes, ...executions.routes],
		channels: [requests.channel, executions.channel],
		queues: [...templates.queues, ...executions.queues],
		runningCount: requests.runningCount,
		requestsSince: requests.countSince,
		work() {
			const timers = [templates.work(), requests.work(), executions.work()];
			return {
				stop() {
					for (const timer of timers) timer.stop();
				},
			};
		},
	};
}
