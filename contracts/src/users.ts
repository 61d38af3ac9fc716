/** User management, for administrators. */
import * as z from "zod";
import { email, passwordInput, personName, profile } from "./auth.ts";
import { patterned } from "./bounded.ts";
import { boolParam, envelope, intId, intParams, ordering, paging, timestamp } from "./common.ts";
import { idList, permission, permissionIds } from "./groups.ts";
import { raw, route } from "./route.ts";

export const adminUser = profile.omit({ preferences: true }).extend({
	is_active: z.boolean(),
	/** `service`: a service account, which has API tokens and no password. */
	auth_source: z.enum(["local", "ldap", "oidc", "service"]),
	group_ids: z.array(z.int()),
	/** Those given to the user directly. */
	permission_ids: z.array(z.int()),
	/** Until when wrong passwords keep the user from signing in, from one address at least. */
	locked_until: timestamp.nullable(),
});
export type AdminUser = z.infer<typeof adminUser>;

const userCreate = z.object({
	username: patterned(
		/^[A-Za-z0-9_.@+-]{3,150}$/,
		150,
		"Must have 3 to 150 letters, digits and the characters . @ + - _",
	),
	email: email.default(""),
	/** Required, except for service accounts, which have none. */
	password: passwordInput.optional(),
	/** Any other value counts as `local`. */
	auth_source: z.enum(["local", "service"]).catch("local").default("local"),
	first_name: personName.default(""),
	last_name: personName.default(""),
	is_active: z.boolean().default(true),
	is_superuser: z.boolean().default(false),
	group_ids: idList.default([]),
});
export type UserCreate = z.output<typeof userCreate>;

const userPatch = z.object({
	email: email.optional(),
	first_name: personName.optional(),
	last_name: personName.optional(),
	is_active: z.boolean().optional(),
	is_superuser: z.boolean().optional(),
	group_ids: idList.optional(),
	permission_ids: idList.optional(),
});
export type UserPatch = z.output<typeof userPatch>;

const userList = z.object({
	...paging,
	is_active: boolParam.optional(),
	group: intId.optional(),
	search: z.string().max(200).optional(),
	ordering: ordering(["username", "email", "date_joined", "last_login"], "username"),
});
export type UserList = z.output<typeof userList>;

const effectivePermission = permission.extend({
	/** `direct`, `superuser`, or the names of the groups that give it. */
	sources: z.array(z.string()),
});
export type EffectivePermission = z.infer<typeof effectivePermission>;

const read = {
	method: "GET",
	auth: "bearer",
	throttle: "user",
	permission: "admin",
	audit: { none: "read" },
} as const;
const write = { auth: "bearer", throttle: "user", permission: "admin" } as const;
const action = { ...write, method: "POST", params: intParams, answers: { 200: adminUser } } as const;
const recorded = <const Action extends string>(name: Action) =>
	({ category: "user_management", action: name }) as const;

export const userRoutes = {
	list: route({
		...read,
		id: "users.list",
		path: "/api/auth/management/",
		summary: "All users",
		query: userList,
		answers: { 200: envelope(adminUser) },
	}),
	create: route({
		...write,
		id: "users.create",
		method: "POST",
		path: "/api/auth/management/",
		summary: "A new user, who joins the group Users besides the given ones",
		audit: recorded("user_create"),
		body: userCreate,
		answers: { 201: adminUser },
	}),
	detail: route({
		...read,
		id: "users.detail",
		path: "/api/auth/management/:id/",
		summary: "One user",
		params: intParams,
		answers: { 200: adminUser },
	}),
	update: route({
		...write,
		id: "users.update",
		method: "PATCH",
		path: "/api/auth/management/:id/",
		summary: "Change a user's names, email, state, groups and direct permissions",
		audit: recorded("user_update"),
		params: intParams,
		body: userPatch,
		answers: { 200: adminUser },
	}),
	remove: route({
		...write,
		id: "users.remove",
		method: "DELETE",
		path: "/api/auth/management/:id/",
		summary: "Delete a user with all that is theirs; the audit log keeps their name",
		audit: recorded("user_delete"),
		params: intParams,
		answers: { 204: raw("", "The user is gone") },
	}),
	resetPassword: route({
		...action,
		id: "users.reset_password",
		path: "/api/auth/management/:id/reset_password/",
		summary: "Set a user's password; all their sessions end",
		throttle: "sensitive",
		audit: recorded("admin_reset_password"),
		body: z.object({ new_password: passwordInput }),
	}),
	generateResetCode: route({
		...action,
		id: "users.generate_reset_code",
		path: "/api/auth/management/:id/generate_reset_code/",
		summary: "A code with which a user sets a new password once, within 30 minutes; earlier ones are void",
		throttle: "sensitive",
		audit: recorded("admin_generate_reset_code"),
		answers: { 200: z.object({ code: z.string(), expires_at: timestamp }) },
	}),
	verifyEmail: route({
		...action,
		id: "users.verify_email",
		path: "/api/auth/management/:id/verify_email/",
		summary: "Take a user's email as verified",
		audit: recorded("admin_verify_email"),
	}),
	disableMfa: route({
		...action,
		id: "users.disable_mfa",
		path: "/api/auth/management/:id/disable_mfa/",
		summary: "Remove a user's second factor",
		throttle: "sensitive",
		audit: recorded("admin_disable_mfa"),
	}),
	activate: route({
		...action,
		id: "users.activate",
		path: "/api/auth/management/:id/activate/",
		summary: "Let a user sign in",
		audit: recorded("user_activate"),
	}),
	deactivate: route({
		...action,
		id: "users.deactivate",
		path: "/api/auth/management/:id/deactivate/",
		summary: "Keep a user from signing in; all their sessions end",
		audit: recorded("user_deactivate"),
	}),
	addPermissions: route({
		...action,
		id: "users.add_permissions",
		path: "/api/auth/management/:id/add_permissions/",
		summary: "Give a user permissions directly",
		audit: recorded("user_permissions_add"),
		body: permissionIds,
	}),
	removePermissions: route({
		...action,
		id: "users.remove_permissions",
		path: "/api/auth/management/:id/remove_permissions/",
		summary: "Take permissions that a user has directly",
		audit: recorded("user_permissions_remove"),
		body: permissionIds,
	}),
	effectivePermissions: route({
		...read,
		id: "users.effective_permissions",
		path: "/api/auth/management/:id/effective_permissions/",
		summary: "All that a user may do, and what gives it to them",
		params: intParams,
		answers: { 200: z.array(effectivePermission) },
	}),
} as const;
