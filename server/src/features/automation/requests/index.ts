/**
 * Automation requests: rows that become one job, through approval and schedule. An approved request
 * cannot be changed.
 */
import type { BoundRoute } from "../../../platform/http/binder.ts";
import { type Repeating, repeatWork } from "../../../platform/repeating.ts";
import type { BoundChannel } from "../../../platform/ws/hub.ts";
import { createChannel } from "./channels.ts";
import { createInputChecks } from "./checking.ts";
import type { RequestDependencies } from "./dependencies.ts";
import { createRoutes } from "./routes.ts";
import { createRequests } from "./service.ts";
import { createCopies } from "./service-copy.ts";
import { createDecisions } from "./service-decide.ts";
import { createHistory } from "./service-history.ts";
import { createLaunches } from "./service-launch.ts";
import { createSourcing } from "./sourcing.ts";
import type { RequestState } from "./state.ts";

export { secretsContext } from "./content.ts";
export type { RequestDependencies } from "./dependencies.ts";
export { createRequestState, type RequestState } from "./state.ts";

export interface AutomationRequests {
	readonly routes: BoundRoute[];
	readonly channel: BoundChannel;
	/** Starts the timers of a process that takes jobs. */
	work(): Repeating;
}

const DUE_MS = 1_000;
const DUE_BATCH = 20;

export function createAutomationRequests(
	dependencies: RequestDependencies & { readonly state: RequestState },
): AutomationRequests {
	const { notices } = dependencies.state;
	const all = {
		...dependencies,

		notices,
		checks: createInputChecks(dependencies),
		rowsFrom: createSourcing(dependencies),
	};
	const service = createRequests(all);
	const launches = createLaunches({ ...all, service });
	return {
		routes: createRoutes({
			requests: service,
			decisions: createDecisions({ ...all, service }),
			launches,
			copies: createCopies({ ...all, service }),
			history: createHistory({ ...all, service }),
		}),
		channel: createChannel({ ...all, visible: service.visible }),
		work: () =>
			repeatWork(dependencies, [
				{
					everyMs: DUE_MS,
					failure: "due automation requests could not be launched",
					work: () => launches.due(DUE_BATCH),
				},
			]),
	};
}
