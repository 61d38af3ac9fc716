/** Pages of change windows and plans. */
import { createRoute } from "@tanstack/react-router";
import { pickTextParams } from "../platform/search.ts";
import { loadPage } from "../shell/lazy-page.tsx";
import { app } from "./root.tsx";

export const changeWindows = createRoute({
	getParentRoute: () => app,
	path: "/change-windows",
	validateSearch: pickTextParams("q", "state", "verdict", "fabric", "mine", "page", "new", "view", "month"),
	component: loadPage(() => import("../areas/windows/windows.tsx"), "WindowsPage"),
});
export const changeWindow = createRoute({
	getParentRoute: () => app,
	path: "/change-windows/$id",
	component: loadPage(() => import("../areas/windows/window.tsx"), "WindowPage"),
});
export const changePlans = createRoute({
	getParentRoute: () => app,
	path: "/change-plans",
	validateSearch: pickTextParams("page", "new", "edit"),
	component: loadPage(() => import("../areas/windows/plans.tsx"), "PlansPage"),
});
