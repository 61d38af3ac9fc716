/** Running saved queries in the background. */
import { backgroundRunRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, buildReply } from "../../platform/http/binder.ts";
import type { QueryRuns } from "./service.ts";

export function createRoutes(runs: Pick<QueryRuns, "startInBackground">): BoundRoute[] {
	return bindAll(backgroundRunRoutes, {
		start: async ({ caller, params, body }) => buildReply(202, await runs.startInBackground(caller, params.id, body)),
	});
}
