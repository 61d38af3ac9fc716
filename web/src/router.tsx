/** Every route of the UI. Pages are chunks that are fetched when the pointer reaches their link. */
import { createRootRoute, createRoute, createRouter, Outlet, redirect } from "@tanstack/react-router";
import { parseSearch, pickTextParams, stringifySearch } from "./platform/search.ts";
import { basePath, session } from "./platform/weft.ts";
import { lazyPage } from "./shell/lazy-page.tsx";
import { Shell } from "./shell/shell.tsx";
import { Unreachable } from "./shell/unreachable.tsx";
import { ProblemBanner } from "./ui/page.tsx";

const root = createRootRoute({ component: Root });

function Root() {
	return session.state().status === "unreachable" ? <Unreachable /> : <Outlet />;
}

// --- before signing in ---

const outside = createRoute({ getParentRoute: () => root, id: "outside" });
/** By itself: inside the route its type would not be inferred. */
const loginSearch = pickTextParams("next", "email_verified", "oidc_error");
const login = createRoute({
	getParentRoute: () => outside,
	path: "/login",
	validateSearch: loginSearch,
	beforeLoad: ({ search, location: { hash } }) => {
		// A one-time code renews the sign-in of a session that goes on.
		if (session.state().status === "in" && !hash.startsWith("oidc="))
			throw redirect({ href: getLocalPath(search.next) });
	},
	component: lazyPage(() => import("./areas/accounts/sign-in/login.tsx"), "LoginPage"),
});
const terminal = createRoute({
	getParentRoute: () => outside,
	path: "/login/terminal",
	component: lazyPage(() => import("./areas/accounts/sign-in/outside.ts"), "TerminalPage"),
});
const invitation = createRoute({
	getParentRoute: () => outside,
	path: "/invitation",
	component: lazyPage(() => import("./areas/accounts/sign-in/outside.ts"), "InvitationPage"),
});
const firstSteps = createRoute({
	getParentRoute: () => outside,
	path: "/first-steps",
	component: lazyPage(() => import("./areas/accounts/sign-in/outside.ts"), "FirstStepsPage"),
});
const reset = createRoute({
	getParentRoute: () => outside,
	path: "/reset",
	component: lazyPage(() => import("./areas/accounts/sign-in/outside.ts"), "ResetPage"),
});
const resetPassword = createRoute({
	getParentRoute: () => outside,
	path: "/reset-password",
	validateSearch: pickTextParams("token"),
	component: lazyPage(() => import("./areas/accounts/sign-in/outside.ts"), "NewPasswordPage"),
});

/** Only addresses of this UI are gone to after signing in. */
function getLocalPath(next: string | undefined): string {
	return next !== undefined && /^\/(?![/\\])/.test(next) ? next : "/";
}

// --- signed in ---

const app = createRoute({
	getParentRoute: () => root,
	id: "app",
	beforeLoad: ({ location }) => {
		const state = session.state();
		if (state.status !== "out") return;
		const next = location.href === "/" || state.why === "left" ? {} : { next: location.href };
		throw redirect({ to: "/login", search: next, replace: true });
	},
	component: Shell,
});

const overview = createRoute({
	getParentRoute: () => app,
	path: "/",
	component: lazyPage(() => import("./areas/overview/overview.tsx"), "OverviewPage"),
});
const builderNew = createRoute({
	getParentRoute: () => app,
	path: "/builder",
	validateSearch: pickTextParams("view", "node", "class"),
	component: lazyPage(() => import("./areas/queries/builder/builder.tsx"), "NewQueryPage"),
});
const builder = createRoute({
	getParentRoute: () => app,
	path: "/builder/$id",
	validateSearch: pickTextParams("view", "node", "version"),
	component: lazyPage(() => import("./areas/queries/builder/builder.tsx"), "BuilderPage"),
});
const library = createRoute({
	getParentRoute: () => app,
	path: "/library",
	validateSearch: pickTextParams("q", "category", "view", "order", "page"),
	component: lazyPage(() => import("./areas/queries/library/library.tsx"), "LibraryPage"),
});
const runs = createRoute({
	getParentRoute: () => app,
	path: "/runs",
	validateSearch: pickTextParams("q", "status", "controller", "from", "to", "page"),
	component: lazyPage(() => import("./areas/runs/runs.tsx"), "RunsPage"),
});
const run = createRoute({
	getParentRoute: () => app,
	path: "/runs/$id",
	validateSearch: pickTextParams("tab", "q", "sort", "stage"),
	component: lazyPage(() => import("./areas/runs/run.tsx"), "RunPage"),
});
const groupRuns = createRoute({
	getParentRoute: () => app,
	path: "/runs/groups",
	validateSearch: pickTextParams("q", "status", "page", "new"),
	component: lazyPage(() => import("./areas/fabrics/groups/executions.tsx"), "GroupRunsPage"),
});
const groupRun = createRoute({
	getParentRoute: () => app,
	path: "/runs/groups/$id",
	validateSearch: pickTextParams("tab", "q", "sort", "key", "page"),
	component: lazyPage(() => import("./areas/fabrics/groups/execution.tsx"), "GroupRunPage"),
});
const timeMachine = createRoute({
	getParentRoute: () => app,
	path: "/time-machine",
	component: lazyPage(() => import("./areas/history/queries.tsx"), "TimeMachinePage"),
});
const history = createRoute({
	getParentRoute: () => app,
	path: "/time-machine/$queryId",
	validateSearch: pickTextParams("date", "year", "from", "to", "dn", "controller"),
	component: lazyPage(() => import("./areas/history/history.tsx"), "HistoryPage"),
});
const snapshot = createRoute({
	getParentRoute: () => app,
	path: "/time-machine/snapshots/$id",
	validateSearch: pickTextParams("q", "sort"),
	component: lazyPage(() => import("./areas/history/snapshot.tsx"), "SnapshotPage"),
});
const compare = createRoute({
	getParentRoute: () => app,
	path: "/time-machine/compare",
	validateSearch: pickTextParams("from", "to", "query", "show", "q", "dn", "rules", "attribution", "match", "reverse"),
	component: lazyPage(() => import("./areas/history/compare.tsx"), "ComparePage"),
});
const track = createRoute({
	getParentRoute: () => app,
	path: "/time-machine/track",
	validateSearch: pickTextParams("query", "dn", "limit", "controller"),
	component: lazyPage(() => import("./areas/history/track.tsx"), "TrackPage"),
});
const checks = createRoute({
	getParentRoute: () => app,
	path: "/checks",
	validateSearch: pickTextParams("q", "state", "severity", "query", "connection", "page"),
	component: lazyPage(() => import("./areas/checks/list.tsx"), "ChecksPage"),
});
const checkTemplates = createRoute({
	getParentRoute: () => app,
	path: "/checks/templates",
	validateSearch: pickTextParams("q", "severity", "install"),
	component: lazyPage(() => import("./areas/checks/templates.tsx"), "CheckTemplatesPage"),
});
const checkNew = createRoute({
	getParentRoute: () => app,
	path: "/checks/new",
	validateSearch: pickTextParams("query", "type"),
	component: lazyPage(() => import("./areas/checks/editor.tsx"), "NewCheckPage"),
});
const check = createRoute({
	getParentRoute: () => app,
	path: "/checks/$id",
	validateSearch: pickTextParams("connection", "q", "sort", "page"),
	component: lazyPage(() => import("./areas/checks/check.tsx"), "CheckPage"),
});
const checkEdit = createRoute({
	getParentRoute: () => app,
	path: "/checks/$id/edit",
	component: lazyPage(() => import("./areas/checks/editor.tsx"), "EditCheckPage"),
});
const model = createRoute({
	getParentRoute: () => app,
	path: "/model",
	validateSearch: pickTextParams("q", "type", "package"),
	component: lazyPage(() => import("./areas/model/explorer.tsx"), "ModelPage"),
});
const modelStart = createRoute({
	getParentRoute: () => model,
	path: "/",
	component: lazyPage(() => import("./areas/model/explorer.tsx"), "ModelStart"),
});
const modelClass = createRoute({
	getParentRoute: () => model,
	path: "$name",
	validateSearch: pickTextParams("tab", "p", "only", "as"),
	component: lazyPage(() => import("./areas/model/class.tsx"), "ClassPage"),
});
const schedules = createRoute({
	getParentRoute: () => app,
	path: "/schedules",
	validateSearch: pickTextParams("q", "status", "page", "new"),
	component: lazyPage(() => import("./areas/schedules/schedules.tsx"), "SchedulesPage"),
});
const schedule = createRoute({
	getParentRoute: () => app,
	path: "/schedules/$id",
	validateSearch: pickTextParams("page"),
	component: lazyPage(() => import("./areas/schedules/schedule.tsx"), "SchedulePage"),
});
/** Where the rows of a request come from: a run, or a comparison as its page has it. */
const ROWS_FROM = ["run", "from", "to", "show", "rules", "match", "reverse"] as const;
const automationRequests = createRoute({
	getParentRoute: () => app,
	path: "/automation/requests",
	validateSearch: pickTextParams("q", "status", "mode", "mine", "page"),
	component: lazyPage(() => import("./areas/automation/requests.tsx"), "RequestsPage"),
});
const automationTemplates = createRoute({
	getParentRoute: () => app,
	path: "/automation/templates",
	validateSearch: pickTextParams("q", "page", ...ROWS_FROM),
	component: lazyPage(() => import("./areas/automation/templates.tsx"), "TemplatesPage"),
});
const automationTemplateNew = createRoute({
	getParentRoute: () => app,
	path: "/automation/templates/new",
	validateSearch: pickTextParams("connection", "job", "kind"),
	component: lazyPage(() => import("./areas/automation/template.tsx"), "NewTemplatePage"),
});
const automationTemplate = createRoute({
	getParentRoute: () => app,
	path: "/automation/templates/$id",
	component: lazyPage(() => import("./areas/automation/template.tsx"), "TemplatePage"),
});
const automationRequestNew = createRoute({
	getParentRoute: () => app,
	path: "/automation/requests/new",
	validateSearch: pickTextParams("template", ...ROWS_FROM),
	component: lazyPage(() => import("./areas/automation/new-request.tsx"), "NewRequestPage"),
});
const automationServers = createRoute({
	getParentRoute: () => app,
	path: "/settings/automation",
	validateSearch: pickTextParams("edit"),
	component: lazyPage(() => import("./areas/automation/servers.tsx"), "ServersPage"),
});
const automationRequest = createRoute({
	getParentRoute: () => app,
	path: "/automation/requests/$id",
	component: lazyPage(() => import("./areas/automation/request.tsx"), "RequestPage"),
});
const automationRequestEdit = createRoute({
	getParentRoute: () => app,
	path: "/automation/requests/$id/edit",
	component: lazyPage(() => import("./areas/automation/edit-request.tsx"), "EditRequestPage"),
});
const automationExecution = createRoute({
	getParentRoute: () => app,
	path: "/automation/executions/$id",
	validateSearch: pickTextParams("tab", "node"),
	component: lazyPage(() => import("./areas/automation/execution.tsx"), "ExecutionPage"),
});
const connections = createRoute({
	getParentRoute: () => app,
	path: "/settings/connections",
	validateSearch: pickTextParams("q", "edit"),
	component: lazyPage(() => import("./areas/fabrics/connections/connections.tsx"), "ConnectionsPage"),
});
const connectionGroups = createRoute({
	getParentRoute: () => app,
	path: "/settings/connection-groups",
	validateSearch: pickTextParams("page", "edit"),
	component: lazyPage(() => import("./areas/fabrics/groups/groups.tsx"), "ConnectionGroupsPage"),
});
const modelImport = createRoute({
	getParentRoute: () => app,
	path: "/settings/model",
	validateSearch: pickTextParams("run"),
	component: lazyPage(() => import("./areas/model/imports/page.tsx"), "ModelImportPage"),
});
const importSettings = () => import("./areas/settings/pages.ts");
const retention = createRoute({
	getParentRoute: () => app,
	path: "/settings/retention",
	component: lazyPage(importSettings, "RetentionPage"),
});
const taskDefaults = createRoute({
	getParentRoute: () => app,
	path: "/settings/tasks",
	component: lazyPage(importSettings, "TaskDefaultsPage"),
});
const resourceSearch = pickTextParams("q", "page", "edit");
const queryCategories = createRoute({
	getParentRoute: () => app,
	path: "/settings/categories/queries",
	validateSearch: resourceSearch,
	component: lazyPage(importSettings, "QueryCategoriesPage"),
});
const templateCategories = createRoute({
	getParentRoute: () => app,
	path: "/settings/categories/templates",
	validateSearch: resourceSearch,
	component: lazyPage(importSettings, "TemplateCategoriesPage"),
});
const valueLists = createRoute({
	getParentRoute: () => app,
	path: "/settings/reference/lists",
	validateSearch: resourceSearch,
	component: lazyPage(importSettings, "ValueListsPage"),
});
const patterns = createRoute({
	getParentRoute: () => app,
	path: "/settings/reference/patterns",
	validateSearch: resourceSearch,
	component: lazyPage(importSettings, "PatternsPage"),
});
const columnTemplates = createRoute({
	getParentRoute: () => app,
	path: "/settings/reference/columns",
	validateSearch: resourceSearch,
	component: lazyPage(importSettings, "ColumnTemplatesPage"),
});
const tableTemplates = createRoute({
	getParentRoute: () => app,
	path: "/settings/table-templates",
	validateSearch: resourceSearch,
	component: lazyPage(importSettings, "TableTemplatesPage"),
});
const webhooks = createRoute({
	getParentRoute: () => app,
	path: "/settings/webhooks",
	validateSearch: resourceSearch,
	component: lazyPage(importSettings, "WebhooksPage"),
});
const importPeople = () => import("./areas/accounts/people/pages.ts");
const users = createRoute({
	getParentRoute: () => app,
	path: "/users",
	validateSearch: pickTextParams("q", "group", "state", "page", "edit"),
	component: lazyPage(importPeople, "UsersPage"),
});
const user = createRoute({
	getParentRoute: () => app,
	path: "/users/$id",
	component: lazyPage(importPeople, "UserPage"),
});
const groups = createRoute({
	getParentRoute: () => app,
	path: "/groups",
	validateSearch: pickTextParams("page", "edit"),
	component: lazyPage(importPeople, "GroupsPage"),
});
const group = createRoute({
	getParentRoute: () => app,
	path: "/groups/$id",
	component: lazyPage(importPeople, "GroupPage"),
});
const permissions = createRoute({
	getParentRoute: () => app,
	path: "/permissions",
	component: lazyPage(importPeople, "PermissionsPage"),
});
const tokens = createRoute({
	getParentRoute: () => app,
	path: "/tokens",
	validateSearch: pickTextParams("owner", "page"),
	component: lazyPage(importPeople, "TokensPage"),
});
const auditPages = () => import("./areas/audit/pages.ts");
const audit = createRoute({
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
	component: lazyPage(auditPages, "AuditPage"),
});
const signIns = createRoute({
	getParentRoute: () => app,
	path: "/audit/sign-ins",
	validateSearch: pickTextParams("username", "ip", "result", "from", "to", "page"),
	component: lazyPage(auditPages, "SignInsPage"),
});
const auditSettings = createRoute({
	getParentRoute: () => app,
	path: "/audit/settings",
	component: lazyPage(auditPages, "AuditSettingsPage"),
});
const notifications = createRoute({
	getParentRoute: () => app,
	path: "/notifications",
	validateSearch: pickTextParams("category", "severity", "unread", "page"),
	component: lazyPage(() => import("./areas/notifications/notifications.tsx"), "NotificationsPage"),
});
const openedSearch = pickTextParams("link");
/** Where the links of mails lead: they name what the API calls it. */
const opened = createRoute({
	getParentRoute: () => app,
	path: "/open",
	validateSearch: openedSearch,
	beforeLoad: async ({ search }) => {
		const { findPlace } = await import("./areas/notifications/place.ts");
		throw redirect({ ...(findPlace(search.link ?? "") ?? { to: "/notifications", search: {} }), replace: true });
	},
});
const profile = createRoute({
	getParentRoute: () => app,
	path: "/me/profile",
	component: lazyPage(() => import("./areas/accounts/me/profile.tsx"), "ProfilePage"),
});
const security = createRoute({
	getParentRoute: () => app,
	path: "/me/security",
	component: lazyPage(() => import("./areas/accounts/me/security.tsx"), "SecurityPage"),
});
const ownTokens = createRoute({
	getParentRoute: () => app,
	path: "/me/tokens",
	validateSearch: pickTextParams("page", "edit"),
	component: lazyPage(() => import("./areas/accounts/me/tokens.tsx"), "OwnTokensPage"),
});
const notificationSettings = createRoute({
	getParentRoute: () => app,
	path: "/me/notifications",
	component: lazyPage(() => import("./areas/notifications/settings.tsx"), "NotificationSettingsPage"),
});
const appearance = createRoute({
	getParentRoute: () => app,
	path: "/me/appearance",
	component: lazyPage(() => import("./areas/accounts/me/appearance.tsx"), "AppearancePage"),
});

/** Every other address: the shell stays, so that there is a way on. */
const nowhere = createRoute({
	getParentRoute: () => app,
	path: "$",
	component: lazyPage(() => import("./shell/not-found.tsx"), "NotFound"),
});

const tree = root.addChildren([
	outside.addChildren([login, terminal, invitation, firstSteps, reset, resetPassword]),
	app.addChildren([
		overview,
		builderNew,
		builder,
		library,
		runs,
		run,
		groupRuns,
		groupRun,
		timeMachine,
		history,
		snapshot,
		compare,
		track,
		checks,
		checkTemplates,
		checkNew,
		check,
		checkEdit,
		model.addChildren([modelStart, modelClass]),
		schedules,
		schedule,
		automationRequests,
		automationRequest,
		automationRequestNew,
		automationRequestEdit,
		automationTemplates,
		automationTemplateNew,
		automationTemplate,
		automationServers,
		automationExecution,
		connections,
		connectionGroups,
		modelImport,
		retention,
		taskDefaults,
		queryCategories,
		templateCategories,
		valueLists,
		patterns,
		columnTemplates,
		tableTemplates,
		webhooks,
		users,
		user,
		groups,
		group,
		permissions,
		tokens,
		audit,
		signIns,
		auditSettings,
		notifications,
		opened,
		profile,
		security,
		ownTokens,
		notificationSettings,
		appearance,
		nowhere,
	]),
]);

export const router = createRouter({
	routeTree: tree,
	basepath: basePath,
	parseSearch,
	stringifySearch,
	defaultPreload: "intent",
	defaultPreloadDelay: 40,
	scrollRestoration: true,
	scrollToTopSelectors: ["#main"],
	defaultErrorComponent: ({ error }) => (
		<div className="p-5">
			<ProblemBanner error={error} onRetry={() => location.reload()} />
		</div>
	),
});

declare module "@tanstack/react-router" {
	interface Register {
		router: typeof router;
	}
}
