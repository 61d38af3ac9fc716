/** Pages of notifications and of the own account. */
import { createRoute, redirect } from "@tanstack/react-router";
import { pickTextParams } from "../platform/search.ts";
import { loadPage } from "../shell/lazy-page.tsx";
import { app } from "./root.tsx";

export const notifications = createRoute({
	getParentRoute: () => app,
	path: "/notifications",
	validateSearch: pickTextParams("category", "severity", "unread", "page"),
	component: loadPage(() => import("../areas/notifications/notifications.tsx"), "NotificationsPage"),
});
const openedSearch = pickTextParams("link");
/** Where the links of mails lead: they name what the API calls it. */
export const opened = createRoute({
	getParentRoute: () => app,
	path: "/open",
	validateSearch: openedSearch,
	beforeLoad: async ({ search }) => {
		const { findPlace } = await import("../areas/notifications/place.ts");
		throw redirect({ ...(findPlace(search.link ?? "") ?? { to: "/notifications", search: {} }), replace: true });
	},
});
export const profile = createRoute({
	getParentRoute: () => app,
	path: "/me/profile",
	component: loadPage(() => import("../areas/accounts/me/profile.tsx"), "ProfilePage"),
});
export const security = createRoute({
	getParentRoute: () => app,
	path: "/me/security",
	component: loadPage(() => import("../areas/accounts/me/security.tsx"), "SecurityPage"),
});
export const ownTokens = createRoute({
	getParentRoute: () => app,
	path: "/me/tokens",
	validateSearch: pickTextParams("page", "edit"),
	component: loadPage(() => import("../areas/accounts/me/tokens.tsx"), "OwnTokensPage"),
});
export const notificationSettings = createRoute({
	getParentRoute: () => app,
	path: "/settings/notifications",
	component: loadPage(() => import("../areas/notifications/settings.tsx"), "NotificationSettingsPage"),
});
export const deliveries = createRoute({
	getParentRoute: () => app,
	path: "/settings/notifications/deliveries",
	component: loadPage(() => import("../areas/notifications/deliveries.tsx"), "DeliveriesPage"),
});
/** An address of earlier versions. */
export const ownNotifications = createRoute({
	getParentRoute: () => app,
	path: "/me/notifications",
	beforeLoad() {
		throw redirect({ to: "/settings/notifications", replace: true });
	},
});
export const appearance = createRoute({
	getParentRoute: () => app,
	path: "/me/appearance",
	component: loadPage(() => import("../areas/accounts/me/appearance.tsx"), "AppearancePage"),
});
