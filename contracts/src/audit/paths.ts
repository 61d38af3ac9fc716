/** Addresses of the audit log: one entry per route. */

export const auditPaths = {
	list: { id: "audit.list", method: "GET", path: "/api/audit/logs/", auth: "bearer" },
	detail: { id: "audit.detail", method: "GET", path: "/api/audit/logs/:id/", auth: "bearer" },
	stats: { id: "audit.stats", method: "GET", path: "/api/audit/logs/stats/", auth: "bearer" },
	export: { id: "audit.export", method: "GET", path: "/api/audit/logs/export/", auth: "bearer" },
	settings: { id: "audit.settings", method: "GET", path: "/api/audit/settings/", auth: "bearer" },
	updateSettings: { id: "audit.update_settings", method: "PATCH", path: "/api/audit/settings/", auth: "bearer" },
	loginAttempts: { id: "audit.login_attempts", method: "GET", path: "/api/audit/login-attempts/", auth: "bearer" },
} as const;
