/** Addresses of users: one entry per route. */

export const userPaths = {
	list: { id: "users.list", method: "GET", path: "/api/auth/management/", auth: "bearer" },
	create: { id: "users.create", method: "POST", path: "/api/auth/management/", auth: "bearer" },
	detail: { id: "users.detail", method: "GET", path: "/api/auth/management/:id/", auth: "bearer" },
	update: { id: "users.update", method: "PATCH", path: "/api/auth/management/:id/", auth: "bearer" },
	remove: { id: "users.remove", method: "DELETE", path: "/api/auth/management/:id/", auth: "bearer" },
	resetPassword: {
		id: "users.reset_password",
		method: "POST",
		path: "/api/auth/management/:id/reset_password/",
		auth: "bearer",
	},
	generateResetCode: {
		id: "users.generate_reset_code",
		method: "POST",
		path: "/api/auth/management/:id/generate_reset_code/",
		auth: "bearer",
	},
	verifyEmail: {
		id: "users.verify_email",
		method: "POST",
		path: "/api/auth/management/:id/verify_email/",
		auth: "bearer",
	},
	disableMfa: {
		id: "users.disable_mfa",
		method: "POST",
		path: "/api/auth/management/:id/disable_mfa/",
		auth: "bearer",
	},
	activate: { id: "users.activate", method: "POST", path: "/api/auth/management/:id/activate/", auth: "bearer" },
	deactivate: { id: "users.deactivate", method: "POST", path: "/api/auth/management/:id/deactivate/", auth: "bearer" },
	addPermissions: {
		id: "users.add_permissions",
		method: "POST",
		path: "/api/auth/management/:id/add_permissions/",
		auth: "bearer",
	},
	removePermissions: {
		id: "users.remove_permissions",
		method: "POST",
		path: "/api/auth/management/:id/remove_permissions/",
		auth: "bearer",
	},
	effectivePermissions: {
		id: "users.effective_permissions",
		method: "GET",
		path: "/api/auth/management/:id/effective_permissions/",
		auth: "bearer",
	},
} as const;
