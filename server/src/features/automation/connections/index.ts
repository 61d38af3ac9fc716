/**
 * Connections to automation servers: stored tokens, their test, discovery, and targets for
 * launches.
 */
import { type Repeating, repeatWork } from "../../../platform/repeating.ts";
import { reportOpenConnections } from "./approval.ts";
import { createRoutes } from "./routes.ts";
import { type ConnectionDeps, createConnectionService } from "./service.ts";

export type { UnusableConnection } from "../../connections/stored-kind.ts";
export { type ApprovalRules, readApprovalRules } from "./approval.ts";
export { presentFailure, readOnlyToken } from "./present.ts";
export { automationConnectionSecrets, type UsableConnection } from "./service.ts";

const REPORT_MS = 60_000;

export function createAutomationConnections(deps: ConnectionDeps) {
	const connections = createConnectionService(deps);
	return {
		...connections,
		routes: createRoutes(connections),
		/** Starts the timers of a process that takes jobs. */
		work: (): Repeating =>
			repeatWork(deps.ctx, [
				{
					everyMs: REPORT_MS,
					failure: "administrators could not be told of connections without approval",
					work: () => reportOpenConnections(deps.ctx),
				},
			]),
	};
}
