/** Routes of connections to automation servers, and of discovery through them. */
import { automationConnectionRoutes } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { type BoundRoute, bindAll, buildReply, noContent } from "../../../core/http/binder.ts";
import {
	changeConnection,
	createConnection,
	listConnections,
	listServerCredentials,
	listServerCredentialTypes,
	listServerTemplates,
	readConnection,
	readServerTemplate,
	removeConnection,
	testConnection,
} from "./manage-connections.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	return bindAll(automationConnectionRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await listConnections(ctx, caller, query, url)),
		create: async ({ caller, body }) => buildReply(201, await createConnection(ctx, caller, body)),
		detail: async ({ caller, params }) => buildReply(200, await readConnection(ctx, caller, params.id)),
		update: async ({ caller, params, body }) => buildReply(200, await changeConnection(ctx, caller, params.id, body)),
		replace: async ({ caller, params, body }) => buildReply(200, await changeConnection(ctx, caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await removeConnection(ctx, caller, params.id);
			return noContent;
		},
		test: async ({ caller, params, signal }) => {
			const answer = await testConnection(ctx, caller, params.id, signal);
			return answer.success ? buildReply(200, answer) : buildReply(400, answer);
		},
		jobTemplates: async ({ caller, params, query, url }) =>
			buildReply(200, await listServerTemplates(ctx, caller, params.id, "job", query, url)),
		jobTemplate: async ({ caller, params }) =>
			buildReply(200, await readServerTemplate(ctx, caller, params.id, "job", params.template_id)),
		workflowTemplates: async ({ caller, params, query, url }) =>
			buildReply(200, await listServerTemplates(ctx, caller, params.id, "workflow", query, url)),
		workflowTemplate: async ({ caller, params }) => {
			const { workflow_nodes = [], ...template } = await readServerTemplate(
				ctx,
				caller,
				params.id,
				"workflow",
				params.template_id,
			);
			return buildReply(200, { ...template, workflow_nodes: [...workflow_nodes] });
		},
		credentials: async ({ caller, params, query, url }) =>
			buildReply(200, await listServerCredentials(ctx, caller, params.id, query, url)),
		credentialTypes: async ({ caller, params, query, url }) =>
			buildReply(200, await listServerCredentialTypes(ctx, caller, params.id, query, url)),
	});
}
