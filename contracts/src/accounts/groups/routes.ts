/** Routes of groups and their permissions. */
import * as z from "zod";
import { envelope, intParams, paging } from "../../core/common.ts";
import { raw, route } from "../../core/route.ts";
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
const recorded = <const Action extends string>(action: Action) => ({ category: "group_permission", action }) as const;

export const groupRoutes = {
	list: route({
		...groupPaths.list,
		...read,
		summary: "Groups with their members' number, permissions and quota",
		query: z.object(paging),
		answers: { 200: envelope(group) },
	}),
	create: route({
		...groupPaths.create,
		...write,
		summary: "A new group with the chosen permissions",
		audit: recorded("group_create"),
		body: groupCreate,
		answers: { 201: group },
	}),
	roleTemplates: route({
		...groupPaths.roleTemplates,
		...read,
		summary: "What the usual roles may do, to make groups from",
		answers: { 200: z.array(roleTemplate) },
	}),
	detail: route({
		...groupPaths.detail,
		...read,
		summary: "One group",
		params: intParams,
		answers: { 200: group },
	}),
	update: route({
		...groupPaths.update,
		...write,
		summary: "Rename a group, or give it another set of permissions",
		audit: recorded("group_update"),
		params: intParams,
		body: groupPatch,
		answers: { 200: group },
	}),
	remove: route({
		...groupPaths.remove,
		...write,
		summary: "Delete a group; its members lose what only it gave them",
		audit: recorded("group_delete"),
		params: intParams,
		answers: { 204: raw("", "The group is gone") },
	}),
	clone: route({
		...groupPaths.clone,
		...write,
		summary: "A new group with the permissions and the quota of another",
		audit: recorded("group_clone"),
		params: intParams,
		body: z.object({ name: groupName }),
		answers: { 201: group },
	}),
	addPermissions: route({
		...groupPaths.addPermissions,
		...write,
		summary: "Give a group further permissions",
		audit: recorded("group_permissions_add"),
		params: intParams,
		body: permissionIds,
		answers: { 200: group },
	}),
	removePermissions: route({
		...groupPaths.removePermissions,
		...write,
		summary: "Take permissions from a group",
		audit: recorded("group_permissions_remove"),
		params: intParams,
		body: permissionIds,
		answers: { 200: group },
	}),
	quota: route({
		...groupPaths.quota,
		...read,
		summary: "A group's quota; 404 where it has none",
		params: intParams,
		answers: { 200: quota },
	}),
	setQuota: route({
		...groupPaths.setQuota,
		...write,
		summary: "Set a group's quota; what is left out is not limited",
		audit: recorded("group_quota_set"),
		params: intParams,
		body: quotaInput,
		answers: { 200: quota },
	}),
	removeQuota: route({
		...groupPaths.removeQuota,
		...write,
		summary: "Take a group's quota away",
		audit: recorded("group_quota_remove"),
		params: intParams,
		answers: { 204: raw("", "The group has no quota") },
	}),
	permissions: route({
		...groupPaths.permissions,
		...read,
		summary: "All permissions",
		query: z.object(paging),
		answers: { 200: envelope(permission) },
	}),
} as const;
