/** The start page: counters that each area gives for itself, and the health of what the service builds on. */
import type { BoundRoute } from "../../platform/http/binder.ts";
import { createRoutes } from "./routes.ts";
import { createDashboardService, type DashboardDeps } from "./service.ts";

export type { AutomationCounts, ModelState } from "./service.ts";

export function createDashboard(deps: DashboardDeps): { readonly routes: BoundRoute[] } {
	return { routes: createRoutes(createDashboardService(deps)) };
}
