/** Addresses of signing in and the caller's own profile: one entry per route. */

export const authPaths = {
	login: { id: "auth.login", method: "POST", path: "/api/auth/login/", auth: "anonymous" },
	ldapLogin: { id: "auth.ldap_login", method: "POST", path: "/api/auth/ldap-login/", auth: "anonymous" },
	refresh: { id: "auth.refresh", method: "POST", path: "/api/auth/token/refresh/", auth: "anonymous" },
	logout: { id: "auth.logout", method: "POST", path: "/api/auth/logout/", auth: "bearer" },
	profile: { id: "auth.profile", method: "GET", path: "/api/auth/profile/", auth: "bearer" },
	updateProfile: { id: "auth.update_profile", method: "PATCH", path: "/api/auth/profile/", auth: "bearer" },
	preferences: { id: "auth.preferences", method: "GET", path: "/api/auth/preferences/", auth: "bearer" },
	updatePreferences: { id: "auth.update_preferences", method: "PATCH", path: "/api/auth/preferences/", auth: "bearer" },
	sessionTimeout: { id: "auth.session_timeout", method: "GET", path: "/api/auth/session-timeout/", auth: "bearer" },
	setSessionTimeout: {
		id: "auth.set_session_timeout",
		method: "POST",
		path: "/api/auth/session-timeout/",
		auth: "bearer",
	},
	changePassword: { id: "auth.change_password", method: "POST", path: "/api/auth/password/change/", auth: "bearer" },
	reauthenticate: { id: "auth.reauthenticate", method: "POST", path: "/api/auth/reauthenticate/", auth: "bearer" },
	sessions: { id: "auth.sessions", method: "GET", path: "/api/auth/sessions/", auth: "bearer" },
	revokeOthers: { id: "auth.revoke_other_sessions", method: "DELETE", path: "/api/auth/sessions/", auth: "bearer" },
	revokeSession: { id: "auth.revoke_session", method: "DELETE", path: "/api/auth/sessions/:id/", auth: "bearer" },
	health: { id: "auth.health", method: "GET", path: "/api/auth/health/", auth: "anonymous" },
	wsTicket: { id: "auth.ws_ticket", method: "POST", path: "/api/ws-ticket/", auth: "bearer" },
} as const;
