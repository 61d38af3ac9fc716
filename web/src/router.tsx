/** Every address of the UI. Pages are parts of their own, fetched when a link to them is pointed at. */
import {
	createRootRoute,
	createRoute,
	createRouter,
	Link,
	lazyRouteComponent,
	Outlet,
	redirect,
} from "@tanstack/react-router";
import { FileQuestion } from "lucide-react";
import { parseSearch, stringifySearch, texts } from "./platform/search.ts";
import { basePath, session } from "./platform/weft.ts";
import { Shell } from "./shell/shell.tsx";
import { Unreachable } from "./shell/unreachable.tsx";
import { Empty, PageHead, ProblemBanner } from "./ui/page.tsx";

const root = createRootRoute({ component: Root });

function Root() {
	return session.state().status === "unreachable" ? <Unreachable /> : <Outlet />;
}

// --- before signing in ---

const outside = createRoute({ getParentRoute: () => root, id: "outside" });
/** By itself: inside the route its type would not be inferred. */
const loginSearch = texts("next", "email_verified");
const login = createRoute({
	getParentRoute: () => outside,
	path: "/login",
	validateSearch: loginSearch,
	beforeLoad: ({ search }) => {
		if (session.state().status === "in") throw redirect({ href: inside(search.next) });
	},
	component: lazyRouteComponent(() => import("./features/auth/login.tsx"), "LoginPage"),
});
const reset = createRoute({
	getParentRoute: () => outside,
	path: "/reset",
	component: lazyRouteComponent(() => import("./features/auth/reset.tsx"), "ResetPage"),
});
const resetPassword = createRoute({
	getParentRoute: () => outside,
	path: "/reset-password",
	validateSearch: texts("token"),
	component: lazyRouteComponent(() => import("./features/auth/reset.tsx"), "NewPasswordPage"),
});

/** Only addresses of this UI are gone to after signing in. */
function inside(next: string | undefined): string {
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
	component: lazyRouteComponent(() => import("./features/overview/overview.tsx"), "OverviewPage"),
});
const builderNew = createRoute({
	getParentRoute: () => app,
	path: "/builder",
	validateSearch: texts("view", "node", "class"),
	component: lazyRouteComponent(() => import("./features/builder/builder.tsx"), "NewQueryPage"),
});
const builder = createRoute({
	getParentRoute: () => app,
	path: "/builder/$id",
	validateSearch: texts("view", "node", "version"),
	component: lazyRouteComponent(() => import("./features/builder/builder.tsx"), "BuilderPage"),
});
const library = createRoute({
	getParentRoute: () => app,
	path: "/library",
	validateSearch: texts("q", "category", "view", "order", "page"),
	component: lazyRouteComponent(() => import("./features/library/library.tsx"), "LibraryPage"),
});
const runs = createRoute({
	getParentRoute: () => app,
	path: "/runs",
	validateSearch: texts("status", "page"),
	component: lazyRouteComponent(() => import("./features/runs/runs.tsx"), "RunsPage"),
});
const run = createRoute({
	getParentRoute: () => app,
	path: "/runs/$id",
	validateSearch: texts("tab", "q", "sort", "stage"),
	component: lazyRouteComponent(() => import("./features/runs/run.tsx"), "RunPage"),
});
const timeMachine = createRoute({
	getParentRoute: () => app,
	path: "/time-machine",
	component: lazyRouteComponent(() => import("./features/time-machine/queries.tsx"), "TimeMachinePage"),
});
const history = createRoute({
	getParentRoute: () => app,
	path: "/time-machine/$queryId",
	validateSearch: texts("date", "year", "from", "to", "dn"),
	component: lazyRouteComponent(() => import("./features/time-machine/history.tsx"), "HistoryPage"),
});
const snapshot = createRoute({
	getParentRoute: () => app,
	path: "/time-machine/snapshots/$id",
	validateSearch: texts("q", "sort"),
	component: lazyRouteComponent(() => import("./features/time-machine/snapshot.tsx"), "SnapshotPage"),
});
const compare = createRoute({
	getParentRoute: () => app,
	path: "/time-machine/compare",
	validateSearch: texts("from", "to", "query", "show", "q", "dn"),
	component: lazyRouteComponent(() => import("./features/time-machine/compare.tsx"), "ComparePage"),
});
const track = createRoute({
	getParentRoute: () => app,
	path: "/time-machine/track",
	validateSearch: texts("query", "dn", "limit"),
	component: lazyRouteComponent(() => import("./features/time-machine/track.tsx"), "TrackPage"),
});
const model = createRoute({
	getParentRoute: () => app,
	path: "/model",
	validateSearch: texts("q", "type", "package"),
	component: lazyRouteComponent(() => import("./features/model/explorer.tsx"), "ModelPage"),
});
const modelStart = createRoute({
	getParentRoute: () => model,
	path: "/",
	component: lazyRouteComponent(() => import("./features/model/explorer.tsx"), "ModelStart"),
});
const modelClass = createRoute({
	getParentRoute: () => model,
	path: "$name",
	validateSearch: texts("tab", "p", "only", "as"),
	component: lazyRouteComponent(() => import("./features/model/class.tsx"), "ClassPage"),
});
const schedules = createRoute({
	getParentRoute: () => app,
	path: "/schedules",
	validateSearch: texts("q", "status", "page", "new"),
	component: lazyRouteComponent(() => import("./features/schedules/schedules.tsx"), "SchedulesPage"),
});
const schedule = createRoute({
	getParentRoute: () => app,
	path: "/schedules/$id",
	validateSearch: texts("page"),
	component: lazyRouteComponent(() => import("./features/schedules/schedule.tsx"), "SchedulePage"),
});
const connections = createRoute({
	getParentRoute: () => app,
	path: "/settings/connections",
	validateSearch: texts("q", "edit"),
	component: lazyRouteComponent(() => import("./features/connections/connections.tsx"), "ConnectionsPage"),
});
const modelImport = createRoute({
	getParentRoute: () => app,
	path: "/settings/model",
	validateSearch: texts("run"),
	component: lazyRouteComponent(() => import("./features/model-import/page.tsx"), "ModelImportPage"),
});
const notifications = createRoute({
	getParentRoute: () => app,
	path: "/notifications",
	validateSearch: texts("category", "severity", "unread", "page"),
	component: lazyRouteComponent(() => import("./features/notifications/notifications.tsx"), "NotificationsPage"),
});
const openedSearch = texts("link");
/** Where the links of mails lead: they name what the API calls it. */
const opened = createRoute({
	getParentRoute: () => app,
	path: "/open",
	validateSearch: openedSearch,
	beforeLoad: async ({ search }) => {
		const { placeOf } = await import("./features/notifications/place.ts");
		throw redirect({ ...(placeOf(search.link ?? "") ?? { to: "/notifications", search: {} }), replace: true });
	},
});
const profile = createRoute({
	getParentRoute: () => app,
	path: "/me/profile",
	component: lazyRouteComponent(() => import("./features/me/profile.tsx"), "ProfilePage"),
});
const security = createRoute({
	getParentRoute: () => app,
	path: "/me/security",
	component: lazyRouteComponent(() => import("./features/me/security.tsx"), "SecurityPage"),
});
const notificationSettings = createRoute({
	getParentRoute: () => app,
	path: "/me/notifications",
	component: lazyRouteComponent(() => import("./features/notifications/settings.tsx"), "NotificationSettingsPage"),
});
const appearance = createRoute({
	getParentRoute: () => app,
	path: "/me/appearance",
	component: lazyRouteComponent(() => import("./features/me/appearance.tsx"), "AppearancePage"),
});

const tree = root.addChildren([
	outside.addChildren([login, reset, resetPassword]),
	app.addChildren([
		overview,
		builderNew,
		builder,
		library,
		runs,
		run,
		timeMachine,
		history,
		snapshot,
		compare,
		track,
		model.addChildren([modelStart, modelClass]),
		schedules,
		schedule,
		connections,
		modelImport,
		notifications,
		opened,
		profile,
		security,
		notificationSettings,
		appearance,
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
	notFoundMode: "root",
	defaultNotFoundComponent: NotFound,
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

function NotFound() {
	return (
		<main>
			<PageHead title="Nothing is here" />
			<Empty
				icon={FileQuestion}
				action={
					<Link to="/" className="font-medium text-accent-text hover:underline">
						To the overview
					</Link>
				}
			>
				This address leads nowhere: it may be misspelt, or what it showed is gone.
			</Empty>
		</main>
	);
}
