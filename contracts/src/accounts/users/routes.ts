/** Routes of users. */
import * as z from "zod";
import { intParams, timestamp } from "../../core/common.ts";
import { defineCrudRoutes } from "../../core/crud.ts";
import { defineRoute } from "../../core/route.ts";
import { permissionIds } from "../groups/shapes.ts";
import { endedAccess, passwordInput, revokeTokens } from "../session/shapes.ts";
import { userPaths } from "./paths.ts";
import { adminUser, effectivePermission, userCreate, userList, userPatch } from "./shapes.ts";

const read = {
	throttle: "user",
	permission: "admin",
	audit: { none: "read" },
} as const;
const write = { throttle: "user", permission: "admin" } as const;
const action = { ...write, params: intParams, answers: { 200: adminUser } } as const;
const defineAudit = <const Action extends string>(name: Action) =>
	({ category: "user_management", action: name }) as const;

export const userRoutes = {
	...defineCrudRoutes({
		paths: userPaths,
		noun: "user",
		permission: { read: "admin", write: "admin" },
		audit: { category: "user_management", action: "user" },
		shapes: { item: adminUser, params: intParams, query: userList, create: userCreate, update: userPatch },
		summary: {
			list: "All users",
			create: "A new user, in exactly the given groups; without them in the group Users",
			update: "Change a user's names, email, state, groups and direct permissions",
			remove: "Delete a user with all that is theirs; the audit log keeps their name",
		},
		removed: "The user is gone",
	}),
	resetPassword: defineRoute({
		...userPaths.resetPassword,
		...action,
		summary: "Set a user's password; all their sessions and API tokens end",
		throttle: "sensitive",
		audit: defineAudit("admin_reset_password"),
		body: z.object({
			new_password: passwordInput,
			revoke_tokens: revokeTokens,
			/** Whether the user must choose another password at the next sign-in. */
			must_change_password: z.boolean().default(false),
		}),
		answers: { 200: z.union([adminUser, endedAccess]) },
	}),
	generateResetCode: defineRoute({
		...userPaths.generateResetCode,
		...action,
		summary: "A code with which a user sets a new password once, within 30 minutes; earlier ones are void",
		throttle: "sensitive",
		audit: defineAudit("admin_generate_reset_code"),
		answers: { 200: z.object({ code: z.string(), expires_at: timestamp }) },
	}),
	verifyEmail: defineRoute({
		...userPaths.verifyEmail,
		...action,
		summary: "Take a user's email as verified",
		audit: defineAudit("admin_verify_email"),
	}),
	disableMfa: defineRoute({
		...userPaths.disableMfa,
		...action,
		summary: "Remove a user's second factor",
		throttle: "sensitive",
		audit: defineAudit("admin_disable_mfa"),
	}),
	activate: defineRoute({
		...userPaths.activate,
		...action,
		summary: "Let a user sign in",
		audit: defineAudit("user_activate"),
	}),
	deactivate: defineRoute({
		...userPaths.deactivate,
		...action,
		summary: "Keep a user from signing in; all their sessions end",
		audit: defineAudit("user_deactivate"),
	}),
	addPermissions: defineRoute({
		...userPaths.addPermissions,
		...action,
		summary: "Give a user permissions directly",
		audit: defineAudit("user_permissions_add"),
		body: permissionIds,
	}),
	removePermissions: defineRoute({
		...userPaths.removePermissions,
		...action,
		summary: "Take permissions that a user has directly",
		audit: defineAudit("user_permissions_remove"),
		body: permissionIds,
	}),
	effectivePermissions: defineRoute({
		...userPaths.effectivePermissions,
		...read,
		summary: "All that a user may do, and what gives it to them",
		params: intParams,
		answers: { 200: z.array(effectivePermission) },
	}),
} as const;
