/** Addresses of users: one entry per route. */
import { defineCrudPaths } from "../../core/paths.ts";

export const userPaths = {
	...defineCrudPaths("users", "/api/auth/management/", ["list", "create", "detail", "update", "remove"]),
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
