/** Routes of users. */
import * as z from "zod";
import { envelope, intParams, timestamp } from "../../core/common.ts";
import { raw, route } from "../../core/route.ts";
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
const recorded = <const Action extends string>(name: Action) =>
	({ category: "user_management", action: name }) as const;

export const userRoutes = {
	list: route({
		...userPaths.list,
		...read,
		summary: "All users",
		query: userList,
		answers: { 200: envelope(adminUser) },
	}),
	create: route({
		...userPaths.create,
		...write,
		summary: "A new user, in exactly the given groups; without them in the group Users",
		audit: recorded("user_create"),
		body: userCreate,
		answers: { 201: adminUser },
	}),
	detail: route({
		...userPaths.detail,
		...read,
		summary: "One user",
		params: intParams,
		answers: { 200: adminUser },
	}),
	update: route({
		...userPaths.update,
		...write,
		summary: "Change a user's names, email, state, groups and direct permissions",
		audit: recorded("user_update"),
		params: intParams,
		body: userPatch,
		answers: { 200: adminUser },
	}),
	remove: route({
		...userPaths.remove,
		...write,
		summary: "Delete a user with all that is theirs; the audit log keeps their name",
		audit: recorded("user_delete"),
		params: intParams,
		answers: { 204: raw("", "The user is gone") },
	}),
	resetPassword: route({
		...userPaths.resetPassword,
		...action,
		summary: "Set a user's password; all their sessions and API tokens end",
		throttle: "sensitive",
		audit: recorded("admin_reset_password"),
		body: z.object({
			new_password: passwordInput,
			revoke_tokens: revokeTokens,
			/** Whether the user must choose another password at the next sign-in. */
			must_change_password: z.boolean().default(false),
		}),
		answers: { 200: z.union([adminUser, endedAccess]) },
	}),
	generateResetCode: route({
		...userPaths.generateResetCode,
		...action,
		summary: "A code with which a user sets a new password once, within 30 minutes; earlier ones are void",
		throttle: "sensitive",
		audit: recorded("admin_generate_reset_code"),
		answers: { 200: z.object({ code: z.string(), expires_at: timestamp }) },
	}),
	verifyEmail: route({
		...userPaths.verifyEmail,
		...action,
		summary: "Take a user's email as verified",
		audit: recorded("admin_verify_email"),
	}),
	disableMfa: route({
		...userPaths.disableMfa,
		...action,
		summary: "Remove a user's second factor",
		throttle: "sensitive",
		audit: recorded("admin_disable_mfa"),
	}),
	activate: route({
		...userPaths.activate,
		...action,
		summary: "Let a user sign in",
		audit: recorded("user_activate"),
	}),
	deactivate: route({
		...userPaths.deactivate,
		...action,
		summary: "Keep a user from signing in; all their sessions end",
		audit: recorded("user_deactivate"),
	}),
	addPermissions: route({
		...userPaths.addPermissions,
		...action,
		summary: "Give a user permissions directly",
		audit: recorded("user_permissions_add"),
		body: permissionIds,
	}),
	removePermissions: route({
		...userPaths.removePermissions,
		...action,
		summary: "Take permissions that a user has directly",
		audit: recorded("user_permissions_remove"),
		body: permissionIds,
	}),
	effectivePermissions: route({
		...userPaths.effectivePermissions,
		...read,
		summary: "All that a user may do, and what gives it to them",
		params: intParams,
		answers: { 200: z.array(effectivePermission) },
	}),
} as const;
