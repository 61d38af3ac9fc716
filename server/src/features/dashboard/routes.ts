/** The start page. */
import { dashboardRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, buildReply } from "../../platform/http/binder.ts";
import type { DashboardService } from "./service.ts";

export function createRoutes(dashboard: DashboardService): BoundRoute[] {
	return bindAll(dashboardRoutes, {
		stats: async ({ caller }) => buildReply(200, await dashboard.stats(caller)),
		opening: async ({ caller, url }) => buildReply(200, await dashboard.opening(caller, url)),
		platformInfo: async () => buildReply(200, await dashboard.platformInfo()),
	});
}
