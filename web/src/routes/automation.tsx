/** Pages of requests, templates, servers and executions of automation. */
import { createRoute } from "@tanstack/react-router";
import { pickTextParams } from "../platform/search.ts";
import { loadPage } from "../shell/lazy-page.tsx";
import { app } from "./root.tsx";

/** Where the rows of a request come from: a run, or a comparison as its page has it. */
const ROWS_FROM = ["run", "from", "to", "show", "rules", "match", "reverse"] as const;
export const automationRequests = createRoute({
	getParentRoute: () => app,
	path: "/automation/requests",
	validateSearch: pickTextParams("q", "status", "mode", "mine", "page"),
	component: loadPage(() => import("../areas/automation/requests.tsx"), "RequestsPage"),
});
export const automationTemplates = createRoute({
	getParentRoute: () => app,
	path: "/automation/templates",
	validateSearch: pickTextParams("q", "page", ...ROWS_FROM),
	component: loadPage(() => import("../areas/automation/templates.tsx"), "TemplatesPage"),
});
const importTemplate = () => import("../areas/automation/template.tsx");
export const automationTemplateNew = createRoute({
	getParentRoute: () => app,
	path: "/automation/templates/new",
	validateSearch: pickTextParams("connection", "job", "kind"),
	component: loadPage(importTemplate, "NewTemplatePage"),
});
export const automationTemplate = createRoute({
	getParentRoute: () => app,
	path: "/automation/templates/$id",
	component: loadPage(importTemplate, "TemplatePage"),
});
export const automationRequestNew = createRoute({
	getParentRoute: () => app,
	path: "/automation/requests/new",
	validateSearch: pickTextParams("template", ...ROWS_FROM),
	component: loadPage(() => import("../areas/automation/new-request.tsx"), "NewRequestPage"),
});
export const automationServers = createRoute({
	getParentRoute: () => app,
	path: "/settings/automation",
	validateSearch: pickTextParams("edit"),
	component: loadPage(() => import("../areas/automation/servers.tsx"), "ServersPage"),
});
export const automationRequest = createRoute({
	getParentRoute: () => app,
	path: "/automation/requests/$id",
	component: loadPage(() => import("../areas/automation/request.tsx"), "RequestPage"),
});
export const automationRequestEdit = createRoute({
	getParentRoute: () => app,
	path: "/automation/requests/$id/edit",
	component: loadPage(() => import("../areas/automation/edit-request.tsx"), "EditRequestPage"),
});
export const automationExecution = createRoute({
	getParentRoute: () => app,
	path: "/automation/executions/$id",
	validateSearch: pickTextParams("tab", "node"),
	component: loadPage(() => import("../areas/automation/execution.tsx"), "ExecutionPage"),
});
