/** User management, for administrators. */
import * as z from "zod";
import { definePatternText } from "../../core/bounded.ts";
import { boolParam, defineOrdering, intId, paging, timestamp } from "../../core/common.ts";
import { idList, permission } from "../groups/shapes.ts";
import { email, passwordInput, personName, profile } from "../session/shapes.ts";

export const adminUser = profile.omit({ preferences: true }).extend({
	is_active: z.boolean(),
	/** `service`: a service account, which has API tokens and no password. */
	auth_source: z.enum(["local", "ldap", "oidc", "service"]),
	group_ids: z.array(z.int()),
	/** Those given to the user directly. */
	permission_ids: z.array(z.int()),
	/** Until when wrong passwords keep the user from signing in, from one address at least. */
	locked_until: timestamp.nullable(),
	/**
	 * Since when the person is gone from the directory or at the identity provider; null: not gone.
	 */
	gone_since: timestamp.nullable(),
});
export type AdminUser = z.infer<typeof adminUser>;

export const username = definePatternText(
	/^[A-Za-z0-9_.@+-]{3,150}$/,
	150,
	"Must have 3 to 150 letters, digits and the characters . @ + - _",
);

export const userCreate = z.object({
	username,
	email: email.default(""),
	/** Required, except for service accounts, which have none. */
	password: passwordInput.optional(),
	/** Any other value counts as `local`. */
	auth_source: z.enum(["local", "service"]).catch("local").default("local"),
	first_name: personName.default(""),
	last_name: personName.default(""),
	is_active: z.boolean().default(true),
	is_superuser: z.boolean().default(false),
	/** Whether the user must choose another password at the first sign-in. */
	must_change_password: z.boolean().default(false),
	/** Exactly these groups; without it `Users`. */
	group_ids: idList.optional(),
});
export type UserCreate = z.output<typeof userCreate>;

export const userPatch = z.object({
	email: email.optional(),
	first_name: personName.optional(),
	last_name: personName.optional(),
	is_active: z.boolean().optional(),
	is_superuser: z.boolean().optional(),
	must_change_password: z.boolean().optional(),
	group_ids: idList.optional(),
	permission_ids: idList.optional(),
});
export type UserPatch = z.output<typeof userPatch>;

export const userList = z.object({
	...paging,
	is_active: boolParam.optional(),
	/** Whether the person is gone from the directory or at the identity provider. */
	gone: boolParam.optional(),
	group: intId.optional(),
	/** Codename of a permission: users who have it, by whatever way; administrators have all. */
	permission: z.string().max(100).optional(),
	search: z.string().max(200).optional(),
	ordering: defineOrdering(["username", "email", "date_joined", "last_login"], "username"),
});
export type UserList = z.output<typeof userList>;

export const effectivePermission = permission.extend({
	/** `direct`, `superuser`, or the names of the groups that give it. */
	sources: z.array(z.string()),
});
export type EffectivePermission = z.infer<typeof effectivePermission>;
