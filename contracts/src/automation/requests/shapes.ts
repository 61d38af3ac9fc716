/** Automation requests: rows that become one job, with approval, schedule, retry and rollback. */
import * as z from "zod";
import { freezeRef } from "../../calendar/reference-shapes.ts";
import { defineList } from "../../core/bounded.ts";
import { boolParam, defineOrdering, paging, timestamp, timestampInput, uuid } from "../../core/common.ts";
import { defineLine } from "../../core/text.ts";
import { automationWarning, getText, searchText } from "../common.ts";
import { promptFields, shownPrompts } from "../prompts.ts";
import { rowCounts } from "../row-counts.ts";
import { AUTOMATION_LIMITS } from "../values.ts";
import { inputData } from "./row-shapes.ts";
import { inputSource } from "./source-shapes.ts";
import { COPIED_ROWS, REQUEST_STATUSES } from "./values.ts";

const MAX_INT = 2_147_483_647;

const fields = {
	title: defineLine(200),
	description: getText(10_000),
	automation_connection: uuid,
	target_controller: uuid.nullable(),
	input_data: inputData,
	/** A credential of the automation server. */
	automation_credential_id: z.int("Must be the id of a credential.").min(1).max(MAX_INT).nullable(),
	automation_credential_name: getText(512),
	check_mode: z.boolean(),
	scheduled_for: timestampInput.nullable(),
	/** Only those that the template lets requests set (`askable`); null: as the template has it. */
	...promptFields,
};

/** Other fields than these are ignored, and named in `warnings`. */
export const automationRequestCreate = z.looseObject({
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
	/**
	 * A saved query for snapshots before and after the job, on the target controller. Without a plan
	 * and a window each launch makes a change window of it, with one item and without a gate.
	 */
	watch_query_id: uuid.nullish(),
	/** A change window of its own is made of this plan for each launch, on the target controller. */
	change_plan: uuid.nullish(),
	/** The launch waits until this change window opens. */
	change_window: uuid.nullish(),
	/** The same user and key: the earlier request is answered, and none is made. */
	idempotency_key: defineLine(200).nullish(),
	...z.object(promptFields).partial().shape,
});
export type AutomationRequestCreate = z.output<typeof automationRequestCreate>;
/** `updated_at` of the request that the caller read: 409 when it is another one now. */
export const requestVersion = { updated_at: timestampInput.optional() };
/** Other fields than these are ignored, and named in `warnings`. */
export const automationRequestPatch = z
	.looseObject({
		...fields,
		watch_query_id: uuid.nullable(),
		change_plan: uuid.nullable(),
		change_window: uuid.nullable(),
		...requestVersion,
	})
	.partial();
export type AutomationRequestPatch = z.output<typeof automationRequestPatch>;

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
	/** Rows by result in the newest job that ended; null while one runs and before the first. */
	row_counts: rowCounts.nullable(),
	/** Where the rows were taken from; null where they were given, or changed since. */
	input_source: inputSource.nullable(),
	requested_by: z.string(),
	requested_at: timestamp,
	/** Of the newest execution; null before there is one. */
	automation_job_id: z.int().nullable(),
	check_mode: z.boolean(),
	scheduled_for: timestamp.nullable(),
	/** The freeze that holds a scheduled launch until a person launches or reschedules it. */
	held_by: z.object({ freeze: freezeRef }).nullable(),
	approved_by: z.string().nullable(),
	approved_at: timestamp.nullable(),
	approval_comment: z.string().nullable(),
	rejected_by: z.string().nullable(),
	rejected_at: timestamp.nullable(),
	rejection_reason: z.string().nullable(),
	/** Whether it was rejected with the wish that it is changed and submitted again. */
	changes_requested: z.boolean(),
	/** 1 for the request as it was made; each change adds 1. */
	version: z.int(),
	/** SHA-256 of the rows with masked passwords, in hexadecimal; null: stored without one. */
	rows_digest: z.string().nullable(),
	requires_approval: z.boolean(),
	idempotency_key: z.string().nullable(),
	/** Why the newest launch failed. */
	launch_error: z.string().nullable(),
	/** What the automation server did not take over, and what a job left open. */
	warnings: z.array(automationWarning),
	watch_query_id: z.string().nullable(),
	/** Copy of the plan, with its name and revision, from the time at which the request named it. */
	change_plan: z.string().nullable(),
	change_plan_name: z.string().nullable(),
	change_plan_revision: z.int().nullable(),
	/** The window that was named, or that the newest launch made of the plan. */
	change_window: z.string().nullable(),
	/** Launch prompts that the request sets itself; null: as the template has it. */
	...shownPrompts,
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
export const automationRequestDetail = automationRequest.extend({
	template_snapshot: z.record(z.string(), z.unknown()),
});
export type AutomationRequestDetail = z.infer<typeof automationRequestDetail>;

export const automationRequestList = z.object({
	...paging,
	status: z.enum(REQUEST_STATUSES, { error: `Must be one of: ${REQUEST_STATUSES.join(", ")}.` }).optional(),
	template: uuid.optional(),
	automation_connection: uuid.optional(),
	requested_by: getText(150).optional(),
	my_requests: boolParam.optional(),
	check_mode: boolParam.optional(),
	search: searchText.optional(),
	ordering: defineOrdering(
		["created_at", "requested_at", "updated_at", "scheduled_for", "title", "status"],
		"-requested_at",
	),
});
export type AutomationRequestList = z.output<typeof automationRequestList>;

export const automationRollback = z.object({
	title: fields.title.optional(),
	description: fields.description.optional(),
});
export type AutomationRollback = z.output<typeof automationRollback>;

const rowIndexes = defineList(
	z.int("Must be the place of a row, from 0.").min(0, "Must be the place of a row, from 0."),
	{
		max: AUTOMATION_LIMITS.rows,
		error: "Must be a list of places of rows.",
	},
);
/**
 * The rows of the copy: all of them, those that failed or whose result is not known in the newest
 * job, or those at some places, from 0.
 */
export const automationRequestCopy = z.object({
	rows: z.union([z.enum(COPIED_ROWS), rowIndexes], {
		error: `Must be one of: ${COPIED_ROWS.join(", ")}; or a list of places of rows, from 0.`,
	}),
});
export type AutomationRequestCopy = z.output<typeof automationRequestCopy>;
