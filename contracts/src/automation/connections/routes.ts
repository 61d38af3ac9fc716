/** Routes of connections to automation servers. */
import * as z from "zod";
import { envelope, errorUpstream, intId, paging, uuid, uuidParams } from "../../core/common.ts";
import { raw, route } from "../../core/route.ts";
import { common, management, read, searchText } from "../common.ts";
import { automationConnectionPaths } from "./paths.ts";
import {
	automationConnection,
	automationConnectionCreate,
	automationConnectionPatch,
	automationConnectionReplace,
	discoveryQuery,
	serverCredential,
	serverCredentialType,
	serverTemplate,
	serverTemplateDetail,
	serverWorkflowNode,
} from "./shapes.ts";

const serverWorkflowDetail = serverTemplateDetail.extend({ workflow_nodes: z.array(serverWorkflowNode) });

const discovery = {
	...common,
	permission: "view_automationconnection",
	audit: read,
} as const;
const upstream = { 502: errorUpstream, 504: errorUpstream } as const;
const oneTemplate = z.object({ id: uuid, template_id: intId });

export const automationConnectionRoutes = {
	list: route({
		...automationConnectionPaths.list,
		...common,
		summary: "The caller's own and public connections by name; all of them for administrators",
		permission: "view_automationconnection",
		audit: read,
		query: z.object({ ...paging, search: searchText.optional() }),
		answers: { 200: envelope(automationConnection) },
	}),
	create: route({
		...automationConnectionPaths.create,
		...common,
		summary: "Store a connection; its token is encrypted and never shown again",
		permission: "add_automationconnection",
		audit: management("automation_connection_create"),
		body: automationConnectionCreate,
		answers: { 201: automationConnection },
	}),
	detail: route({
		...automationConnectionPaths.detail,
		...common,
		summary: "One connection",
		permission: "view_automationconnection",
		audit: read,
		params: uuidParams,
		answers: { 200: automationConnection },
	}),
	update: route({
		...automationConnectionPaths.update,
		...common,
		summary:
			"Change some fields; without a token the stored one stays. Another host, port or scheme, or verify_ssl switched off, needs it again",
		permission: "change_automationconnection",
		audit: management("automation_connection_update"),
		params: uuidParams,
		body: automationConnectionPatch,
		answers: { 200: automationConnection },
	}),
	replace: route({
		...automationConnectionPaths.replace,
		...common,
		summary:
			"Replace all fields, those left out by their defaults; without a token the stored one stays. " +
			"Another host, port or scheme, or verify_ssl switched off, needs it again",
		permission: "change_automationconnection",
		audit: management("automation_connection_update"),
		params: uuidParams,
		body: automationConnectionReplace,
		answers: { 200: automationConnection },
	}),
	remove: route({
		...automationConnectionPaths.remove,
		...common,
		summary: "Delete a connection; refused while jobs that were launched through it are watched",
		permission: "delete_automationconnection",
		audit: management("automation_connection_delete"),
		params: uuidParams,
		answers: { 204: raw("", "The connection is deleted") },
	}),
	test: route({
		...automationConnectionPaths.test,
		...common,
		summary: "Reach the server, sign in and record the outcome; for the owner and administrators",
		permission: "change_automationconnection",
		audit: management("automation_connection_test"),
		params: uuidParams,
		answers: {
			200: z.object({
				success: z.literal(true),
				message: z.string(),
				server_version: z.string().nullable(),
				/** False: the token is read only; null where the server does not tell. */
				can_launch: z.boolean().nullable(),
				latency_ms: z.int(),
			}),
			/** `reason` is a code: refused, dns, tls, timeout, credentials, not_an_automation_server … */
			400: z.object({ success: z.literal(false), message: z.string(), reason: z.string() }),
		},
	}),
	jobTemplates: route({
		...automationConnectionPaths.jobTemplates,
		...discovery,
		summary: "Job templates of the server, by name",
		params: uuidParams,
		query: discoveryQuery,
		answers: { 200: envelope(serverTemplate), ...upstream },
	}),
	jobTemplate: route({
		...automationConnectionPaths.jobTemplate,
		...discovery,
		summary: "One job template with its survey",
		params: oneTemplate,
		answers: { 200: serverTemplateDetail, ...upstream },
	}),
	workflowTemplates: route({
		...automationConnectionPaths.workflowTemplates,
		...discovery,
		summary: "Workflow templates of the server, by name",
		params: uuidParams,
		query: discoveryQuery,
		answers: { 200: envelope(serverTemplate), ...upstream },
	}),
	workflowTemplate: route({
		...automationConnectionPaths.workflowTemplate,
		...discovery,
		summary: "One workflow template with its survey and nodes",
		params: oneTemplate,
		answers: { 200: serverWorkflowDetail, ...upstream },
	}),
	credentials: route({
		...automationConnectionPaths.credentials,
		...discovery,
		summary: "Credentials of the server, by name; never what is in them",
		params: uuidParams,
		query: discoveryQuery,
		answers: { 200: envelope(serverCredential), ...upstream },
	}),
	credentialTypes: route({
		...automationConnectionPaths.credentialTypes,
		...discovery,
		summary: "Credential types of the server, by name",
		params: uuidParams,
		query: discoveryQuery,
		answers: { 200: envelope(serverCredentialType), ...upstream },
	}),
} as const;
