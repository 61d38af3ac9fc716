/** Routes of connections to automation servers. */
import * as z from "zod";
import { defineEnvelope, errorUpstream, intId, paging, uuid, uuidParams } from "../../core/common.ts";
import { defineRawAnswer, defineRoute } from "../../core/route.ts";
import { common, defineManagementAudit, read, searchText } from "../common.ts";
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
	list: defineRoute({
		...automationConnectionPaths.list,
		...common,
		summary: "The caller's own and public connections by name; all of them for administrators",
		permission: "view_automationconnection",
		audit: read,
		query: z.object({ ...paging, search: searchText.optional() }),
		answers: { 200: defineEnvelope(automationConnection) },
	}),
	create: defineRoute({
		...automationConnectionPaths.create,
		...common,
		summary: "Store a connection; its token is encrypted and never shown again",
		permission: "add_automationconnection",
		audit: defineManagementAudit("automation_connection_create"),
		body: automationConnectionCreate,
		answers: { 201: automationConnection },
	}),
	detail: defineRoute({
		...automationConnectionPaths.detail,
		...common,
		summary: "One connection",
		permission: "view_automationconnection",
		audit: read,
		params: uuidParams,
		answers: { 200: automationConnection },
	}),
	update: defineRoute({
		...automationConnectionPaths.update,
		...common,
		summary:
			"Change some fields; without a token the stored one stays. Another host, port or scheme, or verify_ssl switched off, needs it again",
		permission: "change_automationconnection",
		audit: defineManagementAudit("automation_connection_update"),
		params: uuidParams,
		body: automationConnectionPatch,
		answers: { 200: automationConnection },
	}),
	replace: defineRoute({
		...automationConnectionPaths.replace,
		...common,
		summary:
			"Replace all fields, those left out by their defaults; without a token the stored one stays. " +
			"Another host, port or scheme, or verify_ssl switched off, needs it again",
		permission: "change_automationconnection",
		audit: defineManagementAudit("automation_connection_update"),
		params: uuidParams,
		body: automationConnectionReplace,
		answers: { 200: automationConnection },
	}),
	remove: defineRoute({
		...automationConnectionPaths.remove,
		...common,
		summary: "Delete a connection; refused while jobs that were launched through it are watched",
		permission: "delete_automationconnection",
		audit: defineManagementAudit("automation_connection_delete"),
		params: uuidParams,
		answers: { 204: defineRawAnswer("", "The connection is deleted") },
	}),
	test: defineRoute({
		...automationConnectionPaths.test,
		...common,
		summary: "Reach the server, sign in and record the outcome; for the owner and administrators",
		permission: "change_automationconnection",
		audit: defineManagementAudit("automation_connection_test"),
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
	jobTemplates: defineRoute({
		...automationConnectionPaths.jobTemplates,
		...discovery,
		summary: "Job templates of the server, by name",
		params: uuidParams,
		query: discoveryQuery,
		answers: { 200: defineEnvelope(serverTemplate), ...upstream },
	}),
	jobTemplate: defineRoute({
		...automationConnectionPaths.jobTemplate,
		...discovery,
		summary: "One job template with its survey",
		params: oneTemplate,
		answers: { 200: serverTemplateDetail, ...upstream },
	}),
	workflowTemplates: defineRoute({
		...automationConnectionPaths.workflowTemplates,
		...discovery,
		summary: "Workflow templates of the server, by name",
		params: uuidParams,
		query: discoveryQuery,
		answers: { 200: defineEnvelope(serverTemplate), ...upstream },
	}),
	workflowTemplate: defineRoute({
		...automationConnectionPaths.workflowTemplate,
		...discovery,
		summary: "One workflow template with its survey and nodes",
		params: oneTemplate,
		answers: { 200: serverWorkflowDetail, ...upstream },
	}),
	credentials: defineRoute({
		...automationConnectionPaths.credentials,
		...discovery,
		summary: "Credentials of the server, by name; never what is in them",
		params: uuidParams,
		query: discoveryQuery,
		answers: { 200: defineEnvelope(serverCredential), ...upstream },
	}),
	credentialTypes: defineRoute({
		...automationConnectionPaths.credentialTypes,
		...discovery,
		summary: "Credential types of the server, by name",
		params: uuidParams,
		query: discoveryQuery,
		answers: { 200: defineEnvelope(serverCredentialType), ...upstream },
	}),
} as const;
