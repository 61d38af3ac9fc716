/** The feed of changes and its summary. */
import { changeRoutes } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { type BoundRoute, bindAll, buildReply } from "../../../core/http/binder.ts";
import { listObjectChanges } from "./list-changes.ts";
import { summarizeChanges } from "./summarize-changes.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	return bindAll(changeRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await listObjectChanges(ctx, caller, query, url)),
		summary: async ({ caller, query }) => buildReply(200, await summarizeChanges(ctx, caller, query)),
	});
}
