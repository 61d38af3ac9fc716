/** Automation requests: rows that become one job, through approval and schedule; what is approved cannot be changed. */
import type { Identity } from "../../platform/caller.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { BoundChannel } from "../../platform/ws/hub.ts";
import type { Db } from "../../ports/store.ts";
import type { ExecutionNeeds } from "../automation-executions/index.ts";
import { createChannel } from "./channels.ts";
import { createInputChecks } from "./checking.ts";
import { createContent } from "./content.ts";
import { type RequestNeeds, requestTopic } from "./needs.ts";
import { createNotices } from "./notices.ts";
import { owns } from "./policy.ts";
import { createRequestRepo, seenBy } from "./repo.ts";
import { createRoutes } from "./routes.ts";
import { createRequests } from "./service.ts";
import { createDecisions } from "./service-decide.ts";
import { createLaunches, type Launches } from "./service-launch.ts";
import { createSourcing } from "./sourcing.ts";

export { secretsContext } from "./content.ts";
export type { RequestNeeds } from "./needs.ts";

export interface AutomationRequests {
	readonly routes: BoundRoute[];
	readonly channel: BoundChannel;
	/** What executions ask of their requests, and tell them. */
	readonly forExecutions: Pick<
		ExecutionNeeds,
		"content" | "visible" | "owns" | "runAgain" | "launched" | "ended" | "requestTopic"
	>;
	approvalNeeded: Launches["approvalNeeded"];
	/** Requests of a user that run. */
	runningCount(db: Db, userId: number): Promise<number>;
	/** Requests made since: the caller's, or all of them for administrators. */
	countSince(db: Db, viewer: Pick<Identity, "userId" | "isAdmin">, since: Date): Promise<number>;
	/** Starts the timers of a process that takes jobs. */
	work(): { stop(): void };
}

const DUE_MS = 1_000;
const DUE_AT_ONCE = 20;

export function createAutomationRequests(needs: RequestNeeds): AutomationRequests {
	const requests = createRequestRepo();
	const notices = createNotices({ ...needs, requests });
	const all = { ...needs, requests, notices, checks: createInputChecks(needs), rowsFrom: createSourcing(needs) };
	const service = createRequests(all);
	const launches = createLaunches({ ...all, service });
	return {
		routes: createRoutes({ requests: service, decisions: createDecisions({ ...all, service }), launches }),
		channel: createChannel({ ...all, visible: service.visible }),
		forExecutions: {
			content: createContent(requests, needs.secrets),
			visible: seenBy,
			async owns(identity, id) {
				const row = await requests.row(needs.store.db, id);
				return row !== undefined && owns(identity, row);
			},
			runAgain: launches.runAgain,
			launched: launches.launched,
			ended: launches.ended,
			requestTopic,
		},
		approvalNeeded: launches.approvalNeeded,
		runningCount: requests.runningCount,
		countSince: requests.countSince,
		work() {
			const due = () =>
				void launches
					.due(DUE_AT_ONCE)
					.catch((error: unknown) => needs.log.warn({ err: error }, "due automation requests could not be launched"));
			due();
			return needs.clock.every(DUE_MS, due);
		},
	};
}
