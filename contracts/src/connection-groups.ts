/** Groups of controller connections, so that a query runs on many fabrics at once. */
import * as z from "zod";
import { listOf } from "./bounded.ts";
import { envelope, longText, paging, timestamp, trimmed, userRef, uuid, uuidParams } from "./common.ts";
import { raw, route } from "./route.ts";

/** Connections of one group. */
export const GROUP_CONNECTIONS_MAX = 50;

const fields = {
	name: trimmed(100),
	description: longText(2_000),
	/** In the order of results. Members that the caller does not see stay, after these. */
	connection_ids: listOf(uuid, {
		max: GROUP_CONNECTIONS_MAX,
		tooMany: `Must be at most ${GROUP_CONNECTIONS_MAX} connections.`,
	}).transform((ids) => [...new Set(ids)]),
	is_public: z.boolean(),
};

const input = z.object({
	name: fields.name,
	description: fields.description.default(""),
	connection_ids: fields.connection_ids.default([]),
	is_public: fields.is_public.default(false),
});
export type ConnectionGroupInput = z.output<typeof input>;

const patch = z.object(fields).partial();
export type ConnectionGroupPatch = z.output<typeof patch>;

export const connectionGroup = z.object({
	id: z.string(),
	/** Unique per owner. */
	name: z.string(),
	description: z.string(),
	/** Those that the caller sees, in order. */
	connection_ids: z.array(z.string()),
	/** Members that the caller does not see. They are not run for the caller. */
	hidden_count: z.int(),
	is_public: z.boolean(),
	created_by: userRef,
	created_at: timestamp,
	updated_at: timestamp,
	can_edit: z.boolean(),
	can_delete: z.boolean(),
});
export type ConnectionGroup = z.infer<typeof connectionGroup>;

const path = "/api/controller/connection-groups/";
const one = `${path}:id/` as const;
const common = { auth: "bearer", throttle: "user" } as const;
const read = { permission: "view_controllerconnection", audit: { none: "read" } } as const;
const recorded = <const Action extends string>(action: Action) =>
	({ audit: { category: "controller_management", action } }) as const;

export const connectionGroupRoutes = {
	list: route({
		...common,
		...read,
		id: "connection_groups.list",
		method: "GET",
		path,
		summary: "The caller's own and public groups by name; all of them for administrators",
		query: z.object(paging),
		answers: { 200: envelope(connectionGroup) },
	}),
	create: route({
		...common,
		...recorded("connection_group_create"),
		id: "connection_groups.create",
		method: "POST",
		path,
		summary: "Make a group of connections that the caller sees",
		permission: "add_controllerconnection",
		body: input,
		answers: { 201: connectionGroup },
	}),
	detail: route({
		...common,
		...read,
		id: "connection_groups.detail",
		method: "GET",
		path: one,
		summary: "One group",
		params: uuidParams,
		answers: { 200: connectionGroup },
	}),
	update: route({
		...common,
		...recorded("connection_group_update"),
		id: "connection_groups.update",
		method: "PATCH",
		path: one,
		summary: "Change some fields; members that the caller does not see stay",
		permission: "change_controllerconnection",
		params: uuidParams,
		body: patch,
		answers: { 200: connectionGroup },
	}),
	replace: route({
		...common,
		...recorded("connection_group_update"),
		id: "connection_groups.replace",
		method: "PUT",
		path: one,
		summary: "Replace all fields, those left out by their defaults; members that the caller does not see stay",
		permission: "change_controllerconnection",
		params: uuidParams,
		body: input,
		answers: { 200: connectionGroup },
	}),
	remove: route({
		...common,
		...recorded("connection_group_delete"),
		id: "connection_groups.remove",
		method: "DELETE",
		path: one,
		summary: "Delete a group; its connections stay",
		permission: "delete_controllerconnection",
		params: uuidParams,
		answers: { 204: raw("", "The group is deleted") },
	}),
} as const;
