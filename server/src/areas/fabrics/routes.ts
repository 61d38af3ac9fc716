/** Controller connections and their groups. */
import { connectionGroupRoutes, connectionRoutes } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type BoundRoute, bindAll, buildReply, noContent, streamReply } from "../../core/http/binder.ts";
import { CONTROLLER_KIND } from "./controller-kind.ts";
import { executeRequest } from "./execute-request.ts";
import { changeConnection, createConnection, listConnections } from "./manage-connections.ts";
import { changeGroup, createGroup, listGroups, readVisibleGroup, removeGroup } from "./manage-groups.ts";
import { readStoredConnection, removeStoredConnection, testStoredConnection } from "./manage-stored-connections.ts";

const JSON_TYPE = "application/json; charset=utf-8";

export function createRoutes(ctx: Context): BoundRoute[] {
	return bindAll(connectionRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await listConnections(ctx, caller, query, url)),
		create: async ({ caller, body }) => buildReply(201, await createConnection(ctx, caller, body)),
		detail: async ({ caller, params }) =>
			buildReply(200, await readStoredConnection(ctx, CONTROLLER_KIND, caller, params.id)),
		update: async ({ caller, params, body }) => buildReply(200, await changeConnection(ctx, caller, params.id, body)),
		replace: async ({ caller, params, body }) => buildReply(200, await changeConnection(ctx, caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await removeStoredConnection(ctx, CONTROLLER_KIND, caller, params.id);
			return noContent;
		},
		test: async ({ caller, params, signal }) => {
			const answer = await testStoredConnection(ctx, CONTROLLER_KIND, caller, params.id, signal);
			return answer.success ? buildReply(200, answer) : buildReply(400, answer);
		},
		execute: async ({ caller, body, signal }) => {
			const passed = await executeRequest(ctx, caller, body, signal);
			if (!Buffer.isBuffer(passed)) return streamReply(200, JSON_TYPE, passed);
			return { status: 200 as const, body: passed, headers: { "content-type": JSON_TYPE }, sendAsIs: true as const };
		},
	});
}

export function createGroupRoutes(ctx: Context): BoundRoute[] {
	return bindAll(connectionGroupRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await listGroups(ctx, caller, query, url)),
		create: async ({ caller, body }) => buildReply(201, await createGroup(ctx, caller, body)),
		detail: async ({ caller, params }) => buildReply(200, await readVisibleGroup(ctx, caller, params.id)),
		update: async ({ caller, params, body }) => buildReply(200, await changeGroup(ctx, caller, params.id, body)),
		replace: async ({ caller, params, body }) => buildReply(200, await changeGroup(ctx, caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await removeGroup(ctx, caller, params.id);
			return noContent;
		},
	});
}
