/** Routes of groups and their permissions. */
import * as z from "zod";
import { defineEnvelope, intParams, paging } from "../../core/common.ts";
import { defineCrudRoutes } from "../../core/crud.ts";
import { defineRawAnswer, defineRoute } from "../../core/route.ts";
import { groupPaths } from "./paths.ts";
import {
	group,
	groupCreate,
	groupName,
	groupPatch,
	permission,
	permissionIds,
	quota,
	quotaInput,
	roleTemplate,
} from "./shapes.ts";

const read = {
	throttle: "user",
	permission: "admin",
	audit: { none: "read" },
} as const;
const write = { throttle: "user", permission: "admin" } as const;
const defineAudit = <const Action extends string>(action: Action) =>
	({ category: "group_permission", action }) as const;

const { list, create, ...one } = defineCrudRoutes({
	paths: groupPaths,
	noun: "group",
	permission: { read: "admin", write: "admin" },
	audit: { category: "group_permission", action: "group" },
	shapes: { item: group, params: intParams, create: groupCreate, update: groupPatch },
	summary: {
		list: "Groups with their members' number, permissions and quota",
		create: "A new group with the chosen permissions",
		update: "Rename a group, or give it another set of permissions",
		remove: "Delete a group; its members lose what only it gave them",
	},
	removed: "The group is gone",
});

export const groupRoutes = {
	list,
	create,
	roleTemplates: defineRoute({
		...groupPaths.roleTemplates,
		...read,
		summary: "What the usual roles may do, to make groups from",
		answers: { 200: z.array(roleTemplate) },
	}),
	...one,
	clone: defineRoute({
		...groupPaths.clone,
		...write,
		summary: "A new group with the permissions and the quota of another",
		audit: defineAudit("group_clone"),
		params: intParams,
		body: z.object({ name: groupName }),
		answers: { 201: group },
	}),
	addPermissions: defineRoute({
		...groupPaths.addPermissions,
		...write,
		summary: "Give a group further permissions",
		audit: defineAudit("group_permissions_add"),
		params: intParams,
		body: permissionIds,
		answers: { 200: group },
	}),
	removePermissions: defineRoute({
		...groupPaths.removePermissions,
		...write,
		summary: "Take permissions from a group",
		audit: defineAudit("group_permissions_remove"),
		params: intParams,
		body: permissionIds,
		answers: { 200: group },
	}),
	quota: defineRoute({
		...groupPaths.quota,
		...read,
		summary: "A group's quota; 404 where it has none",
		params: intParams,
		answers: { 200: quota },
	}),
	setQuota: defineRoute({
		...groupPaths.setQuota,
		...write,
		summary: "Set a group's quota; what is left out is not limited",
		audit: defineAudit("group_quota_set"),
		params: intParams,
		body: quotaInput,
		answers: { 200: quota },
	}),
	removeQuota: defineRoute({
		...groupPaths.removeQuota,
		...write,
		summary: "Take a group's quota away",
		audit: defineAudit("group_quota_remove"),
		params: intParams,
		answers: { 204: defineRawAnswer("", "The group has no quota") },
	}),
	permissions: defineRoute({
		...groupPaths.permissions,
		...read,
		summary: "All permissions",
		query: z.object(paging),
		answers: { 200: defineEnvelope(permission) },
	}),
} as const;
