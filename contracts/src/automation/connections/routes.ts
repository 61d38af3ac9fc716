/** Routes of connections to automation servers. */
import * as z from "zod";
import { defineEnvelope, errorUpstream, intId, paging, uuid, uuidParams } from "../../core/common.ts";
import { defineCrudRoutes } from "../../core/crud.ts";
import { defineRoute } from "../../core/route.ts";
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
	...defineCrudRoutes({
		paths: automationConnectionPaths,
		noun: "connection",
		permission: "automationconnection",
		audit: { category: "automation_management", action: "automation_connection" },
		shapes: {
			item: automationConnection,
			query: z.object({ ...paging, search: searchText.optional() }),
			create: automationConnectionCreate,
			update: automationConnectionPatch,
			replace: automationConnectionReplace,
		},
		summary: {
			list: "The caller's own and public connections by name; all of them for administrators",
			create: "Store a connection; its token is encrypted and never shown again",
			update:
				"Change some fields; without a token the stored one stays. " +
				"Another host, port or scheme, or verify_ssl switched off, needs it again",
			replace:
				"Replace all fields, those left out by their defaults; without a token the stored one stays. " +
				"Another host, port or scheme, or verify_ssl switched off, needs it again",
			remove: "Delete a connection; refused while jobs that were launched through it are watched",
		},
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
