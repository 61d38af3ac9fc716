/** Running saved queries in the background. */
import { backgroundRunRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, reply } from "../../platform/http/binder.ts";
import type { QueryRuns } from "./service.ts";

export function createRoutes(runs: Pick<QueryRuns, "startInBackground">): BoundRoute[] {
	return bindAll(backgroundRunRoutes, {
		start: async ({ caller, params, body }) => reply(202, await runs.startInBackground(caller, params.id, body)),
	});
}
