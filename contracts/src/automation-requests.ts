/** Automation requests: rows that become one job, with approval, schedule, retry and rollback. */
import * as z from "zod";
import {
	AUTOMATION_LIMITS,
	automationWarning,
	common,
	execution,
	lineOf,
	read,
	searchText,
	textOf,
} from "./automation-common.ts";
import { cellError, inputData } from "./automation-rows.ts";
import { inputSource } from "./automation-sources.ts";
import { channel } from "./channel.ts";
import {
	boolParam,
	envelope,
	errorDetail,
	errorUpstream,
	ordering,
	paging,
	timestamp,
	timestampInput,
	uuid,
	uuidParams,
} from "./common.ts";
import { route } from "./route.ts";

export const REQUEST_STATUSES = [
	"awaiting_approval",
	"approved",
	"rejected",
	"pending",
	"running",
	"successful",
	"failed",
	"cancelled",
] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

const MAX_INT = 2_147_483_647;

const fields = {
	title: lineOf(200),
	description: textOf(10_000),
	automation_connection: uuid,
	target_controller: uuid.nullable(),
	input_data: inputData,
	/** A credential of the automation server. */
	automation_credential_id: z.int("Must be the id of a credential.").min(1).max(MAX_INT).nullable(),
	automation_credential_name: textOf(512),
	check_mode: z.boolean(),
	scheduled_for: timestampInput.nullable(),
};

const create = z.object({
	template: uuid,
	title: fields.title,
	description: fields.description.default(""),
	/** That of the template where absent. */
	automation_connection: uuid.nullish(),
	target_controller: uuid.nullish(),
	input_data: inputData.default([]),
	/**
	 * Rows read from elsewhere once, on creation. `input_data` may then hold rows of other sheets.
	 */
	input_source: inputSource.nullish(),
	automation_credential_id: fields.automation_credential_id.optional(),
	automation_credential_name: fields.automation_credential_name.default(""),
	check_mode: fields.check_mode.default(false),
	scheduled_for: fields.scheduled_for.optional(),
	/** A saved query for snapshots before and after the job, on the target controller. */
	watch_query_id: uuid.nullish(),
	/** The same user and key: the earlier request is answered, and none is made. */
	idempotency_key: lineOf(200).nullish(),
});
export type AutomationRequestCreate = z.output<typeof create>;
/** `updated_at` of the request that the caller read: 409 when it is another one now. */
const seen = { updated_at: timestampInput.optional() };
const patch = z.object({ ...fields, ...seen }).partial();
export type AutomationRequestPatch = z.output<typeof patch>;

export const automationRequest = z.object({
	id: z.string(),
	title: z.string(),
	description: z.string(),
	status: z.enum(REQUEST_STATUSES),
	/** Null once the template is deleted. */
	template: z.string().nullable(),
	template_name: z.string(),
	automation_connection: z.string(),
	automation_connection_name: z.string(),
	target_controller: z.string().nullable(),
	target_controller_name: z.string(),
	automation_credential_id: z.int().nullable(),
	automation_credential_name: z.string(),
	/** Passwords are shown as `********`. Null in lists for more than 100 rows: read the request. */
	input_data: inputData.nullable(),
	row_count: z.int(),
	/** Where the rows were taken from; null where they were given, or changed since. */
	input_source: inputSource.nullable(),
	requested_by: z.string(),
	requested_at: timestamp,
	/** Of the newest execution; null before there is one. */
	automation_job_id: z.int().nullable(),
	check_mode: z.boolean(),
	scheduled_for: timestamp.nullable(),
	approved_by: z.string().nullable(),
	approved_at: timestamp.nullable(),
	approval_comment: z.string().nullable(),
	rejected_by: z.string().nullable(),
	rejected_at: timestamp.nullable(),
	rejection_reason: z.string().nullable(),
	requires_approval: z.boolean(),
	idempotency_key: z.string().nullable(),
	/** Why the newest launch failed. */
	launch_error: z.string().nullable(),
	/** What the automation server did not take over, and what a job left open. */
	warnings: z.array(automationWarning),
	watch_query_id: z.string().nullable(),
	/** The request that this one undoes. */
	rollback_of: z.string().nullable(),
	can_rollback: z.boolean(),
	executions_total: z.int(),
	can_execute: z.boolean(),
	can_cancel: z.boolean(),
	can_approve: z.boolean(),
	can_edit: z.boolean(),
	started_at: timestamp.nullable(),
	finished_at: timestamp.nullable(),
	created_at: timestamp,
	updated_at: timestamp,
});
export type AutomationRequest = z.infer<typeof automationRequest>;

/** The template as it was when the rows were checked, and as it is launched. */
const requestDetail = automationRequest.extend({ template_snapshot: z.record(z.string(), z.unknown()) });
export type AutomationRequestDetail = z.infer<typeof requestDetail>;

const list = z.object({
	...paging,
	status: z.enum(REQUEST_STATUSES, { error: `Must be one of: ${REQUEST_STATUSES.join(", ")}.` }).optional(),
	template: uuid.optional(),
	automation_connection: uuid.optional(),
	requested_by: textOf(150).optional(),
	my_requests: boolParam.optional(),
	check_mode: boolParam.optional(),
	search: searchText.optional(),
	ordering: ordering(["created_at", "requested_at", "updated_at", "scheduled_for", "title", "status"], "-requested_at"),
});
export type AutomationRequestList = z.output<typeof list>;

const comment = z.object({ comment: textOf(2000).default(""), ...seen });
const rejection = z.object({
	reason: textOf(2000).refine((text) => text.trim() !== "", "Must not be empty."),
	...seen,
});
const rollback = z.object({ title: fields.title.optional(), description: fields.description.optional() });
export type AutomationRollback = z.output<typeof rollback>;

/** Wrong rows: `{input_data: [errors]}`; other fields have messages as everywhere. */
const invalidRows = z.record(z.string(), z.array(z.union([z.string(), cellError])));

const path = "/api/automation/requests/";
const one = `${path}:id/` as const;
const act = { ...common, method: "POST", params: uuidParams } as const;
const upstream = { 502: errorUpstream, 504: errorUpstream } as const;

export const automationRequestRoutes = {
	list: route({
		...common,
		id: "automation_requests.list",
		method: "GET",
		path,
		summary: "The caller's own requests and those that the caller may decide on; all of them for administrators",
		permission: "view_automationrequest",
		audit: read,
		query: list,
		answers: { 200: envelope(automationRequest) },
	}),
	create: route({
		...common,
		id: "automation_requests.create",
		method: "POST",
		path,
		summary: "Ask for rows to be carried out; nothing is launched yet",
		permission: "add_automationrequest",
		audit: execution("automation_request_create"),
		body: create,
		bodyLimit: AUTOMATION_LIMITS.body,
		answers: { 200: requestDetail, 201: requestDetail, 400: invalidRows },
	}),
	detail: route({
		...common,
		id: "automation_requests.detail",
		method: "GET",
		path: one,
		summary: "One request with its rows and the template as it was",
		permission: "view_automationrequest",
		audit: read,
		params: uuidParams,
		answers: { 200: requestDetail },
	}),
	update: route({
		...common,
		id: "automation_requests.update",
		method: "PATCH",
		path: one,
		summary: "Change a request that nobody has approved yet; it waits for approval again",
		permission: "change_automationrequest",
		audit: execution("automation_request_update"),
		params: uuidParams,
		body: patch,
		bodyLimit: AUTOMATION_LIMITS.body,
		answers: { 200: requestDetail, 400: invalidRows, 409: errorDetail },
	}),
	execute: route({
		...act,
		id: "automation_requests.execute",
		path: `${one}execute/`,
		summary: "Launch the job",
		permission: "launch_automationrequest",
		audit: execution("automation_request_execute"),
		answers: { 202: requestDetail, 409: errorDetail, ...upstream },
	}),
	retry: route({
		...act,
		id: "automation_requests.retry",
		path: `${one}retry/`,
		summary: "Launch a failed or cancelled request again, with the same rows",
		permission: "launch_automationrequest",
		audit: execution("automation_request_retry"),
		answers: { 202: requestDetail, 409: errorDetail, ...upstream },
	}),
	approve: route({
		...act,
		id: "automation_requests.approve",
		path: `${one}approve/`,
		summary: "Approve what somebody else asks for; what counts cannot be changed from then on",
		permission: "approve_automationrequest",
		audit: execution("automation_request_approve"),
		body: comment,
		bodyOptional: true,
		answers: { 200: requestDetail, 409: errorDetail },
	}),
	reject: route({
		...act,
		id: "automation_requests.reject",
		path: `${one}reject/`,
		summary: "Reject what somebody else asks for",
		permission: "approve_automationrequest",
		audit: execution("automation_request_reject"),
		body: rejection,
		answers: { 200: requestDetail, 409: errorDetail },
	}),
	rollback: route({
		...act,
		id: "automation_requests.rollback",
		path: `${one}rollback/`,
		summary: "Ask for the configured rollback of a request that has ended",
		permission: "launch_automationrequest",
		audit: execution("automation_request_rollback"),
		body: rollback,
		bodyOptional: true,
		answers: { 201: requestDetail, 400: invalidRows, 409: errorDetail },
	}),
	cancel: route({
		...act,
		id: "automation_requests.cancel",
		path: `${one}cancel/`,
		summary: "Give a request up; a job that runs is cancelled on the server",
		permission: "launch_automationrequest",
		audit: execution("automation_request_cancel"),
		answers: { 202: requestDetail, 409: errorDetail },
	}),
} as const;

const requestState = z.object({ status: z.string(), executions_total: z.int(), executions_complete: z.int() });

/** One request over all its executions. A request that has ended well is `succeeded` here. */
export const automationRequestChannel = channel({
	path: "/ws/automation/request/:request_id/",
	summary: "A request over all its executions: first how it stands, then what changes, to its end",
	params: z.object({ request_id: uuid }),
	frames: {
		request_status: requestState,
		execution_spawned: z.object({ execution_id: z.string(), automation_job_id: z.int().nullable() }),
		execution_status: z.object({ execution_id: z.string(), status: z.string() }),
		execution_complete: z.object({ execution_id: z.string(), status: z.string() }),
		request_complete: z.object({ status: z.string(), duration_ms: z.int() }),
	},
	final: ["request_complete"],
});
