/** Routes of connection groups. */
import * as z from "zod";
import { defineEnvelope, paging, uuidParams } from "../../core/common.ts";
import { defineRawAnswer, defineRoute } from "../../core/route.ts";
import { connectionGroupPaths } from "./paths.ts";
import { connectionGroup, connectionGroupInput, connectionGroupPatch } from "./shapes.ts";

const common = { throttle: "user" } as const;
const read = { permission: "view_controllerconnection", audit: { none: "read" } } as const;
const defineAuditPart = <const Action extends string>(action: Action) =>
	({ audit: { category: "controller_management", action } }) as const;

export const connectionGroupRoutes = {
	list: defineRoute({
		...connectionGroupPaths.list,
		...common,
		...read,
		summary: "The caller's own and public groups by name; all of them for administrators",
		query: z.object(paging),
		answers: { 200: defineEnvelope(connectionGroup) },
	}),
	create: defineRoute({
		...connectionGroupPaths.create,
		...common,
		...defineAuditPart("connection_group_create"),
		summary: "Make a group of connections that the caller sees",
		permission: "add_controllerconnection",
		body: connectionGroupInput,
		answers: { 201: connectionGroup },
	}),
	detail: defineRoute({
		...connectionGroupPaths.detail,
		...common,
		...read,
		summary: "One group",
		params: uuidParams,
		answers: { 200: connectionGroup },
	}),
	update: defineRoute({
		...connectionGroupPaths.update,
		...common,
		...defineAuditPart("connection_group_update"),
		summary: "Change some fields; members that the caller does not see stay",
		permission: "change_controllerconnection",
		params: uuidParams,
		body: connectionGroupPatch,
		answers: { 200: connectionGroup },
	}),
	replace: defineRoute({
		...connectionGroupPaths.replace,
		...common,
		...defineAuditPart("connection_group_update"),
		summary: "Replace all fields, those left out by their defaults; members that the caller does not see stay",
		permission: "change_controllerconnection",
		params: uuidParams,
		body: connectionGroupInput,
		answers: { 200: connectionGroup },
	}),
	remove: defineRoute({
		...connectionGroupPaths.remove,
		...common,
		...defineAuditPart("connection_group_delete"),
		summary: "Delete a group; its connections stay",
		permission: "delete_controllerconnection",
		params: uuidParams,
		answers: { 204: defineRawAnswer("", "The group is deleted") },
	}),
} as const;
