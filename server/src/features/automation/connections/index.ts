/**
 * Connections to automation servers: stored tokens, their test, discovery, and targets for
 * launches.
 */
import { createRoutes } from "./routes.ts";
import { type ConnectionDeps, createConnectionService } from "./service.ts";

export type { UnusableConnection } from "../../connections/index.ts";
export { presentFailure, readOnlyToken } from "./present.ts";
export { automationConnectionSecrets, type UsableConnection } from "./service.ts";

export function createAutomationConnections(deps: ConnectionDeps) {
	const connections = createConnectionService(deps);
	return { ...connections, routes: createRoutes(connections) };
}
