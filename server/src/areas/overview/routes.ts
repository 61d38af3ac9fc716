/** The start page. */
import { dashboardRoutes } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type BoundRoute, bindAll, buildReply } from "../../core/http/binder.ts";
import { readOpening, readPlatformInfo, readStats } from "./read-overview.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	const startedAt = ctx.clock.now();
	return bindAll(dashboardRoutes, {
		stats: async ({ caller }) => buildReply(200, await readStats(ctx, caller)),
		opening: async ({ caller, url }) => buildReply(200, await readOpening(ctx, caller, url)),
		platformInfo: async () => buildReply(200, await readPlatformInfo(ctx, startedAt)),
	});
}
