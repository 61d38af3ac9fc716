/** Controller connections and their groups. */
import { connectionGroupRoutes, connectionRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, buildReply, noContent, streamReply } from "../../platform/http/binder.ts";
import type { createConnectionService } from "./service.ts";
import type { createGroupService } from "./service-groups.ts";

const JSON_TYPE = "application/json; charset=utf-8";

export function createRoutes(connections: ReturnType<typeof createConnectionService>): BoundRoute[] {
	return bindAll(connectionRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await connections.list(caller, query, url)),
		create: async ({ caller, body }) => buildReply(201, await connections.create(caller, body)),
		detail: async ({ caller, params }) => buildReply(200, await connections.detail(caller, params.id)),
		update: async ({ caller, params, body }) => buildReply(200, await connections.change(caller, params.id, body)),
		replace: async ({ caller, params, body }) => buildReply(200, await connections.change(caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await connections.remove(caller, params.id);
			return noContent;
		},
		test: async ({ caller, params, signal }) => {
			const answer = await connections.test(caller, params.id, signal);
			return answer.success ? buildReply(200, answer) : buildReply(400, answer);
		},
		execute: async ({ caller, body, signal }) => {
			const passed = await connections.execute(caller, body, signal);
			if (!Buffer.isBuffer(passed)) return streamReply(200, JSON_TYPE, passed);
			return { status: 200 as const, body: passed, headers: { "content-type": JSON_TYPE }, sendAsIs: true as const };
		},
	});
}

export function createGroupRoutes(groups: ReturnType<typeof createGroupService>): BoundRoute[] {
	return bindAll(connectionGroupRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await groups.list(caller, query, url)),
		create: async ({ caller, body }) => buildReply(201, await groups.create(caller, body)),
		detail: async ({ caller, params }) => buildReply(200, await groups.detail(caller, params.id)),
		update: async ({ caller, params, body }) => buildReply(200, await groups.change(caller, params.id, body)),
		replace: async ({ caller, params, body }) => buildReply(200, await groups.change(caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await groups.remove(caller, params.id);
			return noContent;
		},
	});
}
