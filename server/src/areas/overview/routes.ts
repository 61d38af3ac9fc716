/** The start page. */
import { dashboardRoutes } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type BoundRoute, bindAll, buildReply } from "../../core/http/binder.ts";
import { readOpening, readPlatformInfo, readStats } from "./read-overview.ts";
import { readProblems } from "./read-problems.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	const startedAt = ctx.clock.now();
	return bindAll(dashboardRoutes, {
		stats: async ({ caller }) => buildReply(200, await readStats(ctx, caller)),
		opening: async ({ caller, url }) => buildReply(200, await readOpening(ctx, caller, url)),
		problems: async ({ caller, url, signal }) => buildReply(200, await readProblems(ctx, caller, url, signal)),
		platformInfo: async () => buildReply(200, await readPlatformInfo(ctx, startedAt)),
	});
}
