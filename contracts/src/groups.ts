/** Groups with their permissions and quota, role templates, and the list of permissions. */
import * as z from "zod";
import { listOf } from "./bounded.ts";
import { envelope, intParams, intRef, paging } from "./common.ts";
import { raw, route } from "./route.ts";

export const permission = z.object({
	id: z.int(),
	codename: z.string(),
	name: z.string(),
	app: z.string(),
	model: z.string(),
	is_dangerous: z.boolean(),
});
export type Permission = z.infer<typeof permission>;

/** Numbers of a quota; 0 is unlimited. */
export const QUOTA_NUMBERS = [
	"queries_max",
	"scheduled_tasks_max",
	"connections_max",
	"automation_requests_daily",
	"automation_concurrent",
	"result_rows_max",
	"export_rows_max",
	"executions_daily",
	"ai_analysis_daily",
] as const;

/** Rights of a quota. */
export const QUOTA_RIGHTS = [
	"can_create_queries",
	"can_execute_queries",
	"can_schedule",
	"can_use_automation",
	"can_use_time_machine",
	"can_export",
	"can_share",
	"can_use_ai_builder",
] as const;

export type QuotaNumber = (typeof QUOTA_NUMBERS)[number];
export type QuotaRight = (typeof QUOTA_RIGHTS)[number];

const each = <Name extends string, Schema extends z.ZodType>(names: readonly Name[], schema: Schema) =>
	Object.fromEntries(names.map((name) => [name, schema])) as { [K in Name]: Schema };

export const quota = z.object({ ...each(QUOTA_NUMBERS, z.int()), ...each(QUOTA_RIGHTS, z.boolean()) });
export type Quota = z.infer<typeof quota>;

/** Omitted fields are unlimited. */
const quotaInput = z.object({
	...each(QUOTA_NUMBERS, z.int().min(0).max(2_147_483_647).default(0)),
	...each(QUOTA_RIGHTS, z.boolean().default(true)),
});

export const group = z.object({
	id: z.int(),
	name: z.string(),
	member_count: z.int(),
	permissions: z.array(permission),
	quota: quota.nullable(),
	is_system: z.boolean(),
});
export type Group = z.infer<typeof group>;

const groupName = z
	.string()
	.max(1_000, { error: "Must be at most 150 characters.", abort: true })
	.transform((text) => text.normalize("NFKC").trim())
	.refine((text) => text !== "", "Must not be empty.")
	.refine((text) => text.length <= 150, "Must be at most 150 characters.")
	.refine((text) => /^[^\p{C}]*$/u.test(text), "Must be one line of visible text.");

/** Ids in a body; as many as there may be permissions or groups. */
export const idList = listOf(intRef, { max: 1000, tooMany: "Must be at most 1000 ids." });

export const permissionIds = z.object({ permission_ids: idList });
const groupCreate = z.object({
	name: groupName,
	permission_ids: idList.default([]),
	quota: quotaInput.nullable().optional(),
});
const groupPatch = z.object({ name: groupName.optional(), permission_ids: idList.optional() });
export type GroupCreate = z.output<typeof groupCreate>;
export type GroupPatch = z.output<typeof groupPatch>;

const roleTemplate = z.object({
	key: z.enum(["admin", "operator", "editor", "viewer"]),
	name: z.string(),
	description: z.string(),
	permission_ids: z.array(z.int()),
	quota: quota.nullable(),
});
export type RoleTemplate = z.infer<typeof roleTemplate>;

const read = {
	method: "GET",
	auth: "bearer",
	throttle: "user",
	permission: "admin",
	audit: { none: "read" },
} as const;
const write = { auth: "bearer", throttle: "user", permission: "admin" } as const;
const recorded = <const Action extends string>(action: Action) => ({ category: "group_permission", action }) as const;

export const groupRoutes = {
	list: route({
		...read,
		id: "groups.list",
		path: "/api/auth/groups/",
		summary: "Groups with their members' number, permissions and quota",
		query: z.object(paging),
		answers: { 200: envelope(group) },
	}),
	create: route({
		...write,
		id: "groups.create",
		method: "POST",
		path: "/api/auth/groups/",
		summary: "A new group with the chosen permissions",
		audit: recorded("group_create"),
		body: groupCreate,
		answers: { 201: group },
	}),
	roleTemplates: route({
		...read,
		id: "groups.role_templates",
		path: "/api/auth/groups/role_templates/",
		summary: "What the usual roles may do, to make groups from",
		answers: { 200: z.array(roleTemplate) },
	}),
	detail: route({
		...read,
		id: "groups.detail",
		path: "/api/auth/groups/:id/",
		summary: "One group",
		params: intParams,
		answers: { 200: group },
	}),
	update: route({
		...write,
		id: "groups.update",
		method: "PATCH",
		path: "/api/auth/groups/:id/",
		summary: "Rename a group, or give it another set of permissions",
		audit: recorded("group_update"),
		params: intParams,
		body: groupPatch,
		answers: { 200: group },
	}),
	remove: route({
		...write,
		id: "groups.remove",
		method: "DELETE",
		path: "/api/auth/groups/:id/",
		summary: "Delete a group; its members lose what only it gave them",
		audit: recorded("group_delete"),
		params: intParams,
		answers: { 204: raw("", "The group is gone") },
	}),
	clone: route({
		...write,
		id: "groups.clone",
		method: "POST",
		path: "/api/auth/groups/:id/clone/",
		summary: "A new group with the permissions and the quota of another",
		audit: recorded("group_clone"),
		params: intParams,
		body: z.object({ name: groupName }),
		answers: { 201: group },
	}),
	addPermissions: route({
		...write,
		id: "groups.add_permissions",
		method: "POST",
		path: "/api/auth/groups/:id/add_permissions/",
		summary: "Give a group further permissions",
		audit: recorded("group_permissions_add"),
		params: intParams,
		body: permissionIds,
		answers: { 200: group },
	}),
	removePermissions: route({
		...write,
		id: "groups.remove_permissions",
		method: "POST",
		path: "/api/auth/groups/:id/remove_permissions/",
		summary: "Take permissions from a group",
		audit: recorded("group_permissions_remove"),
		params: intParams,
		body: permissionIds,
		answers: { 200: group },
	}),
	quota: route({
		...read,
		id: "groups.quota",
		path: "/api/auth/groups/:id/quota/",
		summary: "A group's quota; 404 where it has none",
		params: intParams,
		answers: { 200: quota },
	}),
	setQuota: route({
		...write,
		id: "groups.set_quota",
		method: "PUT",
		path: "/api/auth/groups/:id/quota/",
		summary: "Set a group's quota; what is left out is not limited",
		audit: recorded("group_quota_set"),
		params: intParams,
		body: quotaInput,
		answers: { 200: quota },
	}),
	removeQuota: route({
		...write,
		id: "groups.remove_quota",
		method: "DELETE",
		path: "/api/auth/groups/:id/quota/",
		summary: "Take a group's quota away",
		audit: recorded("group_quota_remove"),
		params: intParams,
		answers: { 204: raw("", "The group has no quota") },
	}),
	permissions: route({
		...read,
		id: "permissions.list",
		path: "/api/auth/permissions/",
		summary: "All permissions",
		query: z.object(paging),
		answers: { 200: envelope(permission) },
	}),
} as const;
