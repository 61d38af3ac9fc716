/** The frame of all pages, and the pages of those who have not signed in. */
import { createRootRoute, createRoute, Outlet, redirect } from "@tanstack/react-router";
import { pickTextParams } from "../platform/search.ts";
import { session } from "../platform/weft.ts";
import { loadPage } from "../shell/lazy-page.tsx";
import { Shell } from "../shell/shell.tsx";
import { Unreachable } from "../shell/unreachable.tsx";

export const root = createRootRoute({ component: Root });

function Root() {
	return session.state().status === "unreachable" ? <Unreachable /> : <Outlet />;
}

export const outside = createRoute({ getParentRoute: () => root, id: "outside" });
/** By itself: inside the route its type would not be inferred. */
const loginSearch = pickTextParams("next", "email_verified", "oidc_error");
export const login = createRoute({
	getParentRoute: () => outside,
	path: "/login",
	validateSearch: loginSearch,
	beforeLoad: ({ search, location: { hash } }) => {
		// A one-time code renews the sign-in of a session that goes on.
		if (session.state().status === "in" && !hash.startsWith("oidc="))
			throw redirect({ href: getLocalPath(search.next) });
	},
	component: loadPage(() => import("../areas/accounts/sign-in/login.tsx"), "LoginPage"),
});
const importOutside = () => import("../areas/accounts/sign-in/outside.ts");
export const terminal = createRoute({
	getParentRoute: () => outside,
	path: "/login/terminal",
	component: loadPage(importOutside, "TerminalPage"),
});
export const invitation = createRoute({
	getParentRoute: () => outside,
	path: "/invitation",
	component: loadPage(importOutside, "InvitationPage"),
});
export const firstSteps = createRoute({
	getParentRoute: () => outside,
	path: "/first-steps",
	component: loadPage(importOutside, "FirstStepsPage"),
});
export const reset = createRoute({
	getParentRoute: () => outside,
	path: "/reset",
	component: loadPage(importOutside, "ResetPage"),
});
export const resetPassword = createRoute({
	getParentRoute: () => outside,
	path: "/reset-password",
	validateSearch: pickTextParams("token"),
	component: loadPage(importOutside, "NewPasswordPage"),
});

/** Only addresses of this UI are gone to after signing in. */
function getLocalPath(next: string | undefined): string {
	return next !== undefined && /^\/(?![/\\])/.test(next) ? next : "/";
}

export const app = createRoute({
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
