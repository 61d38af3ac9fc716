/** Connections to automation servers, and what is discovered through them. */
import { automationConnectionRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, noContent, reply } from "../../platform/http/binder.ts";
import type { createConnectionService } from "./service.ts";
import type { ConnectionUse } from "./service-use.ts";

interface Services {
	readonly connections: ReturnType<typeof createConnectionService>;
	readonly use: ConnectionUse;
}

export function createRoutes({ connections, use }: Services): BoundRoute[] {
	return bindAll(automationConnectionRoutes, {
		list: async ({ caller, query, url }) => reply(200, await connections.list(caller, query, url)),
		create: async ({ caller, body }) => reply(201, await connections.create(caller, body)),
		detail: async ({ caller, params }) => reply(200, await connections.detail(caller, params.id)),
		update: async ({ caller, params, body }) => reply(200, await connections.update(caller, params.id, body)),
		replace: async ({ caller, params, body }) => reply(200, await connections.replace(caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await connections.remove(caller, params.id);
			return noContent;
		},
		test: async ({ caller, params, signal }) => {
			const answer = await use.test(caller, params.id, signal);
			return answer.success ? reply(200, answer) : reply(400, answer);
		},
		jobTemplates: async ({ caller, params, query, url }) =>
			reply(200, await use.templates(caller, params.id, "job", query, url)),
		jobTemplate: async ({ caller, params }) =>
			reply(200, await use.template(caller, params.id, "job", params.template_id)),
		workflowTemplates: async ({ caller, params, query, url }) =>
			reply(200, await use.templates(caller, params.id, "workflow", query, url)),
		workflowTemplate: async ({ caller, params }) => {
			const { workflow_nodes = [], ...template } = await use.template(
				caller,
				params.id,
				"workflow",
				params.template_id,
			);
			return reply(200, { ...template, workflow_nodes: [...workflow_nodes] });
		},
		credentials: async ({ caller, params, query, url }) =>
			reply(200, await use.credentials(caller, params.id, query, url)),
		credentialTypes: async ({ caller, params, query, url }) =>
			reply(200, await use.credentialTypes(caller, params.id, query, url)),
	});
}
