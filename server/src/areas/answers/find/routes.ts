/** Finds objects in snapshots and on controllers. */
import { findRoutes } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { type BoundRoute, bindAll, buildReply } from "../../../core/http/binder.ts";
import { readLiveFind, startLiveFind } from "./ask-controllers.ts";
import { findObjects } from "./find-objects.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	return bindAll(findRoutes, {
		search: async ({ caller, query }) => buildReply(200, await findObjects(ctx, caller, query)),
		startLive: async ({ caller, body }) => buildReply(202, await startLiveFind(ctx, caller, body)),
		live: async ({ caller, params, query }) => buildReply(200, await readLiveFind(ctx, caller, params.id, query)),
	});
}
