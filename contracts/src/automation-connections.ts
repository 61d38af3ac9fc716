/** Connections to automation servers, their test, and discovery through them. */
import * as z from "zod";
import { AUTOMATION_KINDS, common, lineOf, management, read, searchText, textOf } from "./automation-common.ts";
import { envelope, errorUpstream, intId, paging, timestamp, userRef, uuid, uuidParams } from "./common.ts";
import { CONNECTION_TIMEOUT, controllerUrl } from "./controller-connections.ts";
import { raw, route } from "./route.ts";

const timeout = z
	.number()
	.transform((value) => Math.min(CONNECTION_TIMEOUT.max, Math.max(CONNECTION_TIMEOUT.min, Math.round(value))));

const fields = {
	name: lineOf(100, 3),
	description: textOf(2000),
	/** The server's address as people type it; with or without the root of its API. */
	base_url: controllerUrl,
	username: lineOf(255, 0),
	oauth_token: z.string().trim().min(1, "Must not be empty.").max(4096, "Must be at most 4096 characters."),
	is_default: z.boolean(),
	is_public: z.boolean(),
	verify_ssl: z.boolean(),
	timeout,
};

const replaced = z.object({
	name: fields.name,
	description: fields.description.default(""),
	base_url: fields.base_url,
	username: fields.username.default(""),
	oauth_token: fields.oauth_token.optional(),
	is_default: fields.is_default.default(false),
	is_public: fields.is_public.default(false),
	verify_ssl: fields.verify_ssl.default(true),
	timeout: timeout.prefault(CONNECTION_TIMEOUT.fallback),
});
const created = replaced.extend({ oauth_token: fields.oauth_token });
const changed = z.object(fields).partial();
export type AutomationConnectionCreate = z.output<typeof created>;
export type AutomationConnectionReplace = z.output<typeof replaced>;
export type AutomationConnectionPatch = z.output<typeof changed>;

export const TEST_STATUSES = ["untested", "success", "failed"] as const;

export const automationConnection = z.object({
	id: z.string(),
	name: z.string(),
	description: z.string(),
	base_url: z.string(),
	username: z.string(),
	token_configured: z.boolean(),
	is_default: z.boolean(),
	is_public: z.boolean(),
	verify_ssl: z.boolean(),
	timeout: z.int(),
	server_version: z.string().nullable(),
	/** False: the token is read only. By the last good test; null where it is not known. */
	can_launch: z.boolean().nullable(),
	last_tested_at: timestamp.nullable(),
	last_test_status: z.enum(TEST_STATUSES),
	last_test_message: z.string(),
	/** Null once the user is gone. */
	created_by: userRef.nullable(),
	created_at: timestamp,
	updated_at: timestamp,
	can_edit: z.boolean(),
	can_delete: z.boolean(),
});
export type AutomationConnection = z.infer<typeof automationConnection>;

// Discovery: objects of the server, without its own addresses.

/** Launch fields that a server's template asks for. The server ignores the others. */
const prompts = z.object({
	variables: z.boolean(),
	limit: z.boolean(),
	job_type: z.boolean(),
	inventory: z.boolean(),
	credential: z.boolean(),
	tags: z.boolean(),
	skip_tags: z.boolean(),
});
export type LaunchPrompts = z.infer<typeof prompts>;

const named = z.object({ id: z.int(), name: z.string() });

export const serverTemplate = z.object({
	id: z.int(),
	kind: z.enum(AUTOMATION_KINDS),
	name: z.string(),
	description: z.string(),
	/** Of the server: `never updated`, or that of its newest job. */
	status: z.string(),
	/** `run` or `check`; null for workflows. */
	job_type: z.string().nullable(),
	playbook: z.string().nullable(),
	inventory: named.nullable(),
	project: named.nullable(),
	organization: named.nullable(),
	credentials: z.array(z.object({ id: z.int(), name: z.string(), kind: z.string() })),
	asks: prompts,
	survey_enabled: z.boolean(),
	allow_simultaneous: z.boolean(),
	/** More than 1: one launch becomes a workflow with a job per slice. */
	job_slice_count: z.int(),
	/** Whether the stored token may launch it. */
	can_start: z.boolean(),
	last_job_run: z.string().nullable(),
});
export type ServerTemplate = z.infer<typeof serverTemplate>;

export const surveyQuestion = z.object({
	variable: z.string(),
	question: z.string(),
	description: z.string(),
	/** text, textarea, password, multiplechoice, multiselect, integer, float. */
	type: z.string(),
	required: z.boolean(),
	choices: z.array(z.string()),
	/** Null where there is none, and for passwords. */
	default: z.unknown(),
	min: z.number().nullable(),
	max: z.number().nullable(),
});
export type SurveyQuestion = z.infer<typeof surveyQuestion>;

const surveySpec = z.object({ name: z.string(), description: z.string(), spec: z.array(surveyQuestion) });
const workflowNode = z.object({
	id: z.int(),
	identifier: z.string(),
	template_id: z.int().nullable(),
	name: z.string(),
	type: z.string(),
	success_nodes: z.array(z.int()),
	failure_nodes: z.array(z.int()),
	always_nodes: z.array(z.int()),
});
export type ServerWorkflowNode = z.infer<typeof workflowNode>;

/** Null: the template has no survey, or it is not switched on. */
const serverTemplateDetail = serverTemplate.extend({
	extra_vars: z.string(),
	survey_spec: surveySpec.nullable(),
});
const serverWorkflowDetail = serverTemplateDetail.extend({ workflow_nodes: z.array(workflowNode) });
export type ServerTemplateDetail = z.infer<typeof serverTemplateDetail> & {
	readonly workflow_nodes?: readonly ServerWorkflowNode[];
};

export const serverCredential = z.object({
	id: z.int(),
	name: z.string(),
	description: z.string(),
	/** ssh, vault, net, aws … */
	kind: z.string(),
	credential_type: z.int(),
	credential_type_name: z.string(),
	organization: z.int().nullable(),
	managed: z.boolean(),
	can_use: z.boolean(),
});
export type ServerCredential = z.infer<typeof serverCredential>;

export const serverCredentialType = z.object({
	id: z.int(),
	name: z.string(),
	description: z.string(),
	kind: z.string(),
	namespace: z.string().nullable(),
	managed: z.boolean(),
});
export type ServerCredentialType = z.infer<typeof serverCredentialType>;

const discoveryQuery = z.object({ ...paging, search: searchText.optional() });
export type DiscoveryQuery = z.output<typeof discoveryQuery>;

const path = "/api/automation/connections/";
const one = `${path}:id/` as const;
const discovery = {
	...common,
	method: "GET",
	permission: "view_automationconnection",
	audit: read,
} as const;
const upstream = { 502: errorUpstream, 504: errorUpstream } as const;
const oneTemplate = z.object({ id: uuid, template_id: intId });

export const automationConnectionRoutes = {
	list: route({
		...common,
		id: "automation_connections.list",
		method: "GET",
		path,
		summary: "The caller's own and public connections by name; all of them for administrators",
		permission: "view_automationconnection",
		audit: read,
		query: z.object({ ...paging, search: searchText.optional() }),
		answers: { 200: envelope(automationConnection) },
	}),
	create: route({
		...common,
		id: "automation_connections.create",
		method: "POST",
		path,
		summary: "Store a connection; its token is encrypted and never shown again",
		permission: "add_automationconnection",
		audit: management("automation_connection_create"),
		body: created,
		answers: { 201: automationConnection },
	}),
	detail: route({
		...common,
		id: "automation_connections.detail",
		method: "GET",
		path: one,
		summary: "One connection",
		permission: "view_automationconnection",
		audit: read,
		params: uuidParams,
		answers: { 200: automationConnection },
	}),
	update: route({
		...common,
		id: "automation_connections.update",
		method: "PATCH",
		path: one,
		summary:
			"Change some fields; without a token the stored one stays. Another host, port or scheme, or verify_ssl switched off, needs it again",
		permission: "change_automationconnection",
		audit: management("automation_connection_update"),
		params: uuidParams,
		body: changed,
		answers: { 200: automationConnection },
	}),
	replace: route({
		...common,
		id: "automation_connections.replace",
		method: "PUT",
		path: one,
		summary:
			"Replace all fields, those left out by their defaults; without a token the stored one stays. " +
			"Another host, port or scheme, or verify_ssl switched off, needs it again",
		permission: "change_automationconnection",
		audit: management("automation_connection_update"),
		params: uuidParams,
		body: replaced,
		answers: { 200: automationConnection },
	}),
	remove: route({
		...common,
		id: "automation_connections.remove",
		method: "DELETE",
		path: one,
		summary: "Delete a connection; refused while jobs that were launched through it are watched",
		permission: "delete_automationconnection",
		audit: management("automation_connection_delete"),
		params: uuidParams,
		answers: { 204: raw("", "The connection is deleted") },
	}),
	test: route({
		...common,
		id: "automation_connections.test",
		method: "POST",
		path: `${one}test/`,
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
		...discovery,
		id: "automation_connections.job_templates",
		path: `${one}job-templates/`,
		summary: "Job templates of the server, by name",
		params: uuidParams,
		query: discoveryQuery,
		answers: { 200: envelope(serverTemplate), ...upstream },
	}),
	jobTemplate: route({
		...discovery,
		id: "automation_connections.job_template",
		path: `${one}job-templates/:template_id/`,
		summary: "One job template with its survey",
		params: oneTemplate,
		answers: { 200: serverTemplateDetail, ...upstream },
	}),
	workflowTemplates: route({
		...discovery,
		id: "automation_connections.workflow_templates",
		path: `${one}workflow-templates/`,
		summary: "Workflow templates of the server, by name",
		params: uuidParams,
		query: discoveryQuery,
		answers: { 200: envelope(serverTemplate), ...upstream },
	}),
	workflowTemplate: route({
		...discovery,
		id: "automation_connections.workflow_template",
		path: `${one}workflow-templates/:template_id/`,
		summary: "One workflow template with its survey and nodes",
		params: oneTemplate,
		answers: { 200: serverWorkflowDetail, ...upstream },
	}),
	credentials: route({
		...discovery,
		id: "automation_connections.credentials",
		path: `${one}credentials/`,
		summary: "Credentials of the server, by name; never what is in them",
		params: uuidParams,
		query: discoveryQuery,
		answers: { 200: envelope(serverCredential), ...upstream },
	}),
	credentialTypes: route({
		...discovery,
		id: "automation_connections.credential_types",
		path: `${one}credential-types/`,
		summary: "Credential types of the server, by name",
		params: uuidParams,
		query: discoveryQuery,
		answers: { 200: envelope(serverCredentialType), ...upstream },
	}),
} as const;
