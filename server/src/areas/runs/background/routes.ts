/** Running saved queries in the background. */
import { backgroundRunRoutes } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { type BoundRoute, bindAll, buildReply } from "../../../core/http/binder.ts";
import { startInBackground } from "./start-background-runs.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	return bindAll(backgroundRunRoutes, {
		start: async ({ caller, params, body }) => buildReply(202, await startInBackground(ctx, caller, params.id, body)),
	});
}
