/** Routes of connections to automation servers, and of discovery through them. */
import { automationConnectionRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, buildReply, noContent } from "../../../platform/http/binder.ts";
import type { ConnectionService } from "./service.ts";

export function createRoutes(connections: ConnectionService): BoundRoute[] {
	return bindAll(automationConnectionRoutes, {
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
		jobTemplates: async ({ caller, params, query, url }) =>
			buildReply(200, await connections.templates(caller, params.id, "job", query, url)),
		jobTemplate: async ({ caller, params }) =>
			buildReply(200, await connections.template(caller, params.id, "job", params.template_id)),
		workflowTemplates: async ({ caller, params, query, url }) =>
			buildReply(200, await connections.templates(caller, params.id, "workflow", query, url)),
		workflowTemplate: async ({ caller, params }) => {
			const { workflow_nodes = [], ...template } = await connections.template(
				caller,
				params.id,
				"workflow",
				params.template_id,
			);
			return buildReply(200, { ...template, workflow_nodes: [...workflow_nodes] });
		},
		credentials: async ({ caller, params, query, url }) =>
			buildReply(200, await connections.credentials(caller, params.id, query, url)),
		credentialTypes: async ({ caller, params, query, url }) =>
			buildReply(200, await connections.credentialTypes(caller, params.id, query, url)),
	});
}
