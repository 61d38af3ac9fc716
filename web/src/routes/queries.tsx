/** Pages of queries, runs, history, checks, the class model and schedules. */
import { createRoute } from "@tanstack/react-router";
import { pickTextParams } from "../platform/search.ts";
import { loadPage } from "../shell/lazy-page.tsx";
import { app } from "./root.tsx";

export const overview = createRoute({
	getParentRoute: () => app,
	path: "/",
	component: loadPage(() => import("../areas/overview/overview.tsx"), "OverviewPage"),
});
const importBuilder = () => import("../areas/queries/builder/builder.tsx");
export const builderNew = createRoute({
	getParentRoute: () => app,
	path: "/builder",
	validateSearch: pickTextParams("view", "node", "class"),
	component: loadPage(importBuilder, "NewQueryPage"),
});
export const builder = createRoute({
	getParentRoute: () => app,
	path: "/builder/$id",
	validateSearch: pickTextParams("view", "node", "version"),
	component: loadPage(importBuilder, "BuilderPage"),
});
export const library = createRoute({
	getParentRoute: () => app,
	path: "/library",
	validateSearch: pickTextParams("q", "category", "view", "order", "page"),
	component: loadPage(() => import("../areas/queries/library/library.tsx"), "LibraryPage"),
});
export const gallery = createRoute({
	getParentRoute: () => app,
	path: "/gallery",
	validateSearch: pickTextParams("q", "category", "key", "run", "filter", "sort", "group"),
	component: loadPage(() => import("../areas/answers/gallery/gallery.tsx"), "GalleryPage"),
});
export const runs = createRoute({
	getParentRoute: () => app,
	path: "/runs",
	validateSearch: pickTextParams("q", "status", "controller", "from", "to", "page"),
	component: loadPage(() => import("../areas/runs/runs.tsx"), "RunsPage"),
});
export const run = createRoute({
	getParentRoute: () => app,
	path: "/runs/$id",
	validateSearch: pickTextParams("tab", "q", "sort", "group", "stage"),
	component: loadPage(() => import("../areas/runs/run.tsx"), "RunPage"),
});
export const groupRuns = createRoute({
	getParentRoute: () => app,
	path: "/runs/groups",
	validateSearch: pickTextParams("q", "status", "page", "new"),
	component: loadPage(() => import("../areas/fabrics/groups/executions.tsx"), "GroupRunsPage"),
});
export const groupRun = createRoute({
	getParentRoute: () => app,
	path: "/runs/groups/$id",
	validateSearch: pickTextParams("tab", "q", "sort", "group", "key", "page", "a", "b", "ids", "show"),
	component: loadPage(() => import("../areas/fabrics/groups/execution.tsx"), "GroupRunPage"),
});
export const changes = createRoute({
	getParentRoute: () => app,
	path: "/changes",
	validateSearch: pickTextParams("q", "fabric", "tenant", "class", "person", "severity", "hours", "by"),
	component: loadPage(() => import("../areas/answers/changes/changes.tsx"), "ChangesPage"),
});
export const timeMachine = createRoute({
	getParentRoute: () => app,
	path: "/time-machine",
	component: loadPage(() => import("../areas/history/queries.tsx"), "TimeMachinePage"),
});
export const history = createRoute({
	getParentRoute: () => app,
	path: "/time-machine/$queryId",
	validateSearch: pickTextParams("date", "year", "from", "to", "dn", "controller"),
	component: loadPage(() => import("../areas/history/history.tsx"), "HistoryPage"),
});
export const trends = createRoute({
	getParentRoute: () => app,
	path: "/time-machine/$queryId/trends",
	validateSearch: pickTextParams("value", "field", "group", "step", "controller"),
	component: loadPage(() => import("../areas/history/trends.tsx"), "TrendsPage"),
});
export const snapshot = createRoute({
	getParentRoute: () => app,
	path: "/time-machine/snapshots/$id",
	validateSearch: pickTextParams("q", "sort", "group"),
	component: loadPage(() => import("../areas/history/snapshot.tsx"), "SnapshotPage"),
});
export const compare = createRoute({
	getParentRoute: () => app,
	path: "/time-machine/compare",
	validateSearch: pickTextParams(
		"from",
		"to",
		"query",
		"show",
		"q",
		"dn",
		"rules",
		"attribution",
		"match",
		"identity",
		"reverse",
	),
	component: loadPage(() => import("../areas/history/compare.tsx"), "ComparePage"),
});
export const compareFabrics = createRoute({
	getParentRoute: () => app,
	path: "/time-machine/fabrics",
	validateSearch: pickTextParams("query", "a", "b", "ids", "show", "q", "page"),
	component: loadPage(() => import("../areas/history/fabrics.tsx"), "FabricsPage"),
});
export const track = createRoute({
	getParentRoute: () => app,
	path: "/time-machine/track",
	validateSearch: pickTextParams("query", "dn", "limit", "controller"),
	component: loadPage(() => import("../areas/history/track.tsx"), "TrackPage"),
});
export const checks = createRoute({
	getParentRoute: () => app,
	path: "/checks",
	validateSearch: pickTextParams("q", "state", "severity", "query", "connection", "page"),
	component: loadPage(() => import("../areas/checks/list.tsx"), "ChecksPage"),
});
export const checkTemplates = createRoute({
	getParentRoute: () => app,
	path: "/checks/templates",
	validateSearch: pickTextParams("q", "severity", "install"),
	component: loadPage(() => import("../areas/checks/templates.tsx"), "CheckTemplatesPage"),
});
const importEditor = () => import("../areas/checks/editor.tsx");
export const checkNew = createRoute({
	getParentRoute: () => app,
	path: "/checks/new",
	validateSearch: pickTextParams("query", "type"),
	component: loadPage(importEditor, "NewCheckPage"),
});
export const check = createRoute({
	getParentRoute: () => app,
	path: "/checks/$id",
	validateSearch: pickTextParams("connection", "q", "sort", "group", "page"),
	component: loadPage(() => import("../areas/checks/check.tsx"), "CheckPage"),
});
export const checkEdit = createRoute({
	getParentRoute: () => app,
	path: "/checks/$id/edit",
	component: loadPage(importEditor, "EditCheckPage"),
});
const importExplorer = () => import("../areas/model/explorer.tsx");
export const model = createRoute({
	getParentRoute: () => app,
	path: "/model",
	validateSearch: pickTextParams("q", "type", "package"),
	component: loadPage(importExplorer, "ModelPage"),
});
export const modelStart = createRoute({
	getParentRoute: () => model,
	path: "/",
	component: loadPage(importExplorer, "ModelStart"),
});
export const modelClass = createRoute({
	getParentRoute: () => model,
	path: "$name",
	validateSearch: pickTextParams("tab", "p", "only", "as"),
	component: loadPage(() => import("../areas/model/class.tsx"), "ClassPage"),
});
export const calendar = createRoute({
	getParentRoute: () => app,
	path: "/calendar",
	validateSearch: pickTextParams("q", "kind", "page", "view", "month", "edit"),
	component: loadPage(() => import("../areas/calendar/calendar.tsx"), "CalendarPage"),
});
export const schedules = createRoute({
	getParentRoute: () => app,
	path: "/schedules",
	validateSearch: pickTextParams("q", "status", "page", "new"),
	component: loadPage(() => import("../areas/schedules/schedules.tsx"), "SchedulesPage"),
});
export const schedule = createRoute({
	getParentRoute: () => app,
	path: "/schedules/$id",
	validateSearch: pickTextParams("page"),
	component: loadPage(() => import("../areas/schedules/schedule.tsx"), "SchedulePage"),
});
