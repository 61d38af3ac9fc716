/** The start page: counters of each feature, and the health of the stores. */
import type { BoundRoute } from "../../platform/http/binder.ts";
import { createRoutes } from "./routes.ts";
import { createDashboardService, type DashboardDeps } from "./service.ts";

export type { AutomationCounts, ModelState } from "./service.ts";

export function createDashboard(deps: DashboardDeps): { readonly routes: BoundRoute[] } {
	return { routes: createRoutes(createDashboardService(deps)) };
}
