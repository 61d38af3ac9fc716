/** Pages of connections, settings, people and the audit log. */
import { createRoute, redirect } from "@tanstack/react-router";
import { pickTextParams } from "../platform/search.ts";
import { loadPage } from "../shell/lazy-page.tsx";
import { app } from "./root.tsx";

export const connections = createRoute({
	getParentRoute: () => app,
	path: "/settings/connections",
	validateSearch: pickTextParams("q", "edit"),
	component: loadPage(() => import("../areas/fabrics/connections/connections.tsx"), "ConnectionsPage"),
});
export const connectionGroups = createRoute({
	getParentRoute: () => app,
	path: "/settings/connection-groups",
	validateSearch: pickTextParams("page", "edit"),
	component: loadPage(() => import("../areas/fabrics/groups/groups.tsx"), "ConnectionGroupsPage"),
});
export const modelImport = createRoute({
	getParentRoute: () => app,
	path: "/settings/model",
	validateSearch: pickTextParams("run"),
	component: loadPage(() => import("../areas/model/imports/page.tsx"), "ModelImportPage"),
});
const importSettings = () => import("../areas/settings/pages.ts");
export const retention = createRoute({
	getParentRoute: () => app,
	path: "/settings/retention",
	component: loadPage(importSettings, "RetentionPage"),
});
export const taskDefaults = createRoute({
	getParentRoute: () => app,
	path: "/settings/tasks",
	component: loadPage(importSettings, "TaskDefaultsPage"),
});
const resourceSearch = pickTextParams("q", "page", "edit");
export const queryCategories = createRoute({
	getParentRoute: () => app,
	path: "/settings/categories/queries",
	validateSearch: resourceSearch,
	component: loadPage(importSettings, "QueryCategoriesPage"),
});
export const templateCategories = createRoute({
	getParentRoute: () => app,
	path: "/settings/categories/templates",
	validateSearch: resourceSearch,
	component: loadPage(importSettings, "TemplateCategoriesPage"),
});
export const valueLists = createRoute({
	getParentRoute: () => app,
	path: "/settings/reference/lists",
	validateSearch: resourceSearch,
	component: loadPage(importSettings, "ValueListsPage"),
});
export const patterns = createRoute({
	getParentRoute: () => app,
	path: "/settings/reference/patterns",
	validateSearch: resourceSearch,
	component: loadPage(importSettings, "PatternsPage"),
});
export const columnTemplates = createRoute({
	getParentRoute: () => app,
	path: "/settings/reference/columns",
	validateSearch: resourceSearch,
	component: loadPage(importSettings, "ColumnTemplatesPage"),
});
export const tableTemplates = createRoute({
	getParentRoute: () => app,
	path: "/settings/table-templates",
	validateSearch: resourceSearch,
	component: loadPage(importSettings, "TableTemplatesPage"),
});
export const channels = createRoute({
	getParentRoute: () => app,
	path: "/settings/notifications/channels",
	validateSearch: resourceSearch,
	component: loadPage(importSettings, "ChannelsPage"),
});
/** An address of earlier versions. */
export const webhooks = createRoute({
	getParentRoute: () => app,
	path: "/settings/webhooks",
	validateSearch: resourceSearch,
	beforeLoad({ search }) {
		throw redirect({ to: "/settings/notifications/channels", search, replace: true });
	},
});
const importPeople = () => import("../areas/accounts/people/pages.ts");
export const users = createRoute({
	getParentRoute: () => app,
	path: "/users",
	validateSearch: pickTextParams("q", "group", "state", "page", "edit"),
	component: loadPage(importPeople, "UsersPage"),
});
export const user = createRoute({
	getParentRoute: () => app,
	path: "/users/$id",
	component: loadPage(importPeople, "UserPage"),
});
export const groups = createRoute({
	getParentRoute: () => app,
	path: "/groups",
	validateSearch: pickTextParams("page", "edit"),
	component: loadPage(importPeople, "GroupsPage"),
});
export const group = createRoute({
	getParentRoute: () => app,
	path: "/groups/$id",
	component: loadPage(importPeople, "GroupPage"),
});
export const permissions = createRoute({
	getParentRoute: () => app,
	path: "/permissions",
	component: loadPage(importPeople, "PermissionsPage"),
});
export const tokens = createRoute({
	getParentRoute: () => app,
	path: "/tokens",
	validateSearch: pickTextParams("owner", "page"),
	component: loadPage(importPeople, "TokensPage"),
});
export const service = createRoute({
	getParentRoute: () => app,
	path: "/service",
	component: loadPage(() => import("../areas/overview/service.tsx"), "ServicePage"),
});
export const setup = createRoute({
	getParentRoute: () => app,
	path: "/setup",
	validateSearch: pickTextParams("step"),
	component: loadPage(() => import("../areas/overview/setup.tsx"), "SetupPage"),
});
/** Homes of the settings, which lead to their first pages. */
const HOMES = {
	"/settings": "/settings/connections",
	"/settings/people": "/users",
	"/settings/data": "/settings/retention",
	"/settings/service": "/service",
} as const;
const defineHome = (path: keyof typeof HOMES) =>
	createRoute({
		getParentRoute: () => app,
		path,
		beforeLoad: () => {
			throw redirect({ to: HOMES[path], replace: true });
		},
	});
export const settingsHome = defineHome("/settings");
export const peopleHome = defineHome("/settings/people");
export const dataHome = defineHome("/settings/data");
export const serviceHome = defineHome("/settings/service");
const auditPages = () => import("../areas/audit/pages.ts");
export const audit = createRoute({
	getParentRoute: () => app,
	path: "/audit",
	validateSearch: pickTextParams(
		"q",
		"category",
		"action",
		"username",
		"ip",
		"request",
		"from",
		"to",
		"window",
		"page",
		"entry",
	),
	component: loadPage(auditPages, "AuditPage"),
});
export const signIns = createRoute({
	getParentRoute: () => app,
	path: "/audit/sign-ins",
	validateSearch: pickTextParams("username", "ip", "result", "from", "to", "page"),
	component: loadPage(auditPages, "SignInsPage"),
});
export const auditSettings = createRoute({
	getParentRoute: () => app,
	path: "/audit/settings",
	component: loadPage(auditPages, "AuditSettingsPage"),
});
