/** Connections to automation servers, their test, and discovery through them. */
import * as z from "zod";
import { defineList } from "../../core/bounded.ts";
import { intRef, paging, timestamp, userRef } from "../../core/common.ts";
import { defineLine } from "../../core/text.ts";
import { controllerUrl } from "../../fabrics/connections/shapes.ts";
import { CONNECTION_TIMEOUT } from "../../fabrics/connections/values.ts";
import { getText, removeDuplicates, searchText } from "../common.ts";
import { AUTOMATION_KINDS } from "../values.ts";
import { FREE_JOB_TEMPLATES_MAX, LAUNCH_APPROVALS, TEST_STATUSES } from "./values.ts";

const timeout = z
	.number()
	.transform((value) => Math.min(CONNECTION_TIMEOUT.max, Math.max(CONNECTION_TIMEOUT.min, Math.round(value))));

const fields = {
	name: defineLine(100, 3),
	description: getText(2000),
	/** The server's address as people type it; with or without the root of its API. */
	base_url: controllerUrl,
	username: defineLine(255, 0),
	oauth_token: z.string().trim().min(1, "Must not be empty.").max(4096, "Must be at most 4096 characters."),
	is_default: z.boolean(),
	is_public: z.boolean(),
	verify_ssl: z.boolean(),
	timeout,
	/** Written by administrators only. */
	approval: z.enum(LAUNCH_APPROVALS, { error: "Must be always or by_template." }),
	/** Ids of the server's templates that need no approval. Written by administrators only. */
	free_job_template_ids: defineList(intRef, {
		max: FREE_JOB_TEMPLATES_MAX,
		error: "Must be a list of ids of job templates of the server.",
		tooMany: `Must be at most ${FREE_JOB_TEMPLATES_MAX} ids.`,
	}).transform((ids) => removeDuplicates(ids).sort((a, b) => a - b)),
};

export const automationConnectionReplace = z.object({
	name: fields.name,
	description: fields.description.default(""),
	base_url: fields.base_url,
	username: fields.username.default(""),
	oauth_token: fields.oauth_token.optional(),
	is_default: fields.is_default.default(false),
	is_public: fields.is_public.default(false),
	verify_ssl: fields.verify_ssl.default(true),
	timeout: timeout.prefault(CONNECTION_TIMEOUT.fallback),
	/** Absent: `by_template` in a new connection, unchanged in a stored one. */
	approval: fields.approval.optional(),
	/** Absent: empty in a new connection, unchanged in a stored one. */
	free_job_template_ids: fields.free_job_template_ids.optional(),
});
export const automationConnectionCreate = automationConnectionReplace.extend({ oauth_token: fields.oauth_token });
export const automationConnectionPatch = z.object(fields).partial();
export type AutomationConnectionCreate = z.output<typeof automationConnectionCreate>;
export type AutomationConnectionPatch = z.output<typeof automationConnectionPatch>;

export const automationConnection = z.object({
	id: z.string(),
	name: z.string(),
	description: z.string(),
	base_url: z.string(),
	username: z.string(),
	token_configured: z.boolean(),
	/**
	 * The default of its owner; a public one of an administrator: also that of all users without one
	 * of their own. Always false for callers to whom it does not apply.
	 */
	is_default: z.boolean(),
	/**
	 * Whether it may be the default of a caller who chose none: the caller's own, or a public one of
	 * an administrator.
	 */
	is_default_candidate: z.boolean(),
	is_public: z.boolean(),
	verify_ssl: z.boolean(),
	timeout: z.int(),
	/**
	 * `always`: launches need approval whatever a template says, on every connection with this host.
	 */
	approval: z.enum(LAUNCH_APPROVALS),
	free_job_template_ids: z.array(z.int()),
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
	verbosity: z.boolean(),
	forks: z.boolean(),
	timeout: z.boolean(),
	diff_mode: z.boolean(),
	labels: z.boolean(),
	execution_environment: z.boolean(),
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
export const serverWorkflowNode = z.object({
	id: z.int(),
	identifier: z.string(),
	template_id: z.int().nullable(),
	name: z.string(),
	type: z.string(),
	success_nodes: z.array(z.int()),
	failure_nodes: z.array(z.int()),
	always_nodes: z.array(z.int()),
});
export type ServerWorkflowNode = z.infer<typeof serverWorkflowNode>;

/** What a launch must bring or the server's template must have: without it the server refuses. */
export const serverLaunchNeeds = z.object({
	/** Variables of required questions of the survey. */
	survey: z.array(z.string()),
	/** Passwords of credentials that ask for them at launch. */
	passwords: z.array(z.string()),
	inventory: z.boolean(),
	/** Ids of nodes of a workflow whose template is gone. */
	nodes: z.array(z.int()),
});
export type ServerLaunchNeeds = z.infer<typeof serverLaunchNeeds>;

export const serverTemplateDetail = serverTemplate.extend({
	extra_vars: z.string(),
	/** Null: the template has no survey, or it is not switched on. */
	survey_spec: surveySpec.nullable(),
	/** Null: the server does not show it. */
	launch_needs: serverLaunchNeeds.nullable(),
});

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

export const discoveryQuery = z.object({ ...paging, search: searchText.optional() });
export type DiscoveryQuery = z.output<typeof discoveryQuery>;
