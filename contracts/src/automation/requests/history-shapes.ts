/** The history of an automation request, its earlier versions, and the facts for its approvers. */
import * as z from "zod";
import { paging, timestamp } from "../../core/common.ts";
import { refuseBlank } from "../../core/text.ts";
import { getText } from "../common.ts";
import { AUTOMATION_EXECUTION_STATUSES } from "../executions/values.ts";
import { rowCounts } from "../row-counts.ts";
import { AUTOMATION_KINDS } from "../values.ts";
import { inputData } from "./row-shapes.ts";
import { REQUEST_ACTIONS, REQUEST_HISTORY_LIMITS, REQUEST_STATUSES } from "./values.ts";

/** One value that changed. Null: there was none before, or there is none after. */
export const requestChange = z.object({
	/** As in the body of a change: `title`, `input_data.0.name`, `input_data.Ports.0.name`. */
	path: z.string(),
	/** Passwords are shown as `********`, long texts are cut. */
	before: z.unknown(),
	after: z.unknown(),
});
export type RequestChange = z.infer<typeof requestChange>;

export const requestHistoryEntry = z.object({
	at: timestamp,
	user: z.string(),
	action: z.enum(REQUEST_ACTIONS),
	/** The version that the entry is about; of a change, the new one. */
	version: z.int(),
	/** At most the first 200. */
	changes: z.array(requestChange),
	changes_total: z.int(),
	/** Empty where nothing was said. */
	comment: z.string(),
	/** `rows_digest` of the version. */
	digest: z.string().nullable(),
	/** The job of a launch or an end, as it is now; null for other entries. */
	execution: z
		.object({
			id: z.string(),
			automation_job_id: z.int().nullable(),
			status: z.enum(AUTOMATION_EXECUTION_STATUSES),
			row_counts: rowCounts.nullable(),
		})
		.nullable(),
	/**
	 * The request from which a copy or a rollback was made; for `rolled_back`, the rollback. Null if
	 * the caller sees none.
	 */
	request: z.object({ id: z.string(), title: z.string() }).nullable(),
});
export type RequestHistoryEntry = z.infer<typeof requestHistoryEntry>;

/** From the oldest entry to the newest. */
export const requestHistoryList = z.object(paging);
export type RequestHistoryList = z.output<typeof requestHistoryList>;

export const requestVersionContent = z.object({
	version: z.int(),
	title: z.string(),
	description: z.string(),
	automation_connection_name: z.string(),
	target_controller_name: z.string(),
	automation_credential_name: z.string(),
	check_mode: z.boolean(),
	scheduled_for: timestamp.nullable(),
	watch_query_id: z.string().nullable(),
	/** Name and revision of the plan; null without one, absent in versions stored without it. */
	change_plan: z.string().nullable().optional(),
	/** Constants of the template (`variable_mappings`). */
	constants: z.record(z.string(), z.unknown()),
	/** Launch prompts of the template and the request that are set. */
	prompts: z.record(z.string(), z.unknown()),
	/** Passwords are shown as `********`. */
	input_data: inputData,
	template_snapshot: z.record(z.string(), z.unknown()),
	rows_digest: z.string().nullable(),
});
export type RequestVersionContent = z.infer<typeof requestVersionContent>;

export const requestComment = z.object({
	text: refuseBlank(getText(REQUEST_HISTORY_LIMITS.comment)),
});

const dryRun = z.object({
	request: z.string(),
	title: z.string(),
	status: z.enum(REQUEST_STATUSES),
	/** Null where the server made no job. */
	automation_job_id: z.int().nullable(),
	finished_at: timestamp.nullable(),
	/** Tasks of the job. */
	playbook_counts: z.object({ ok: z.int(), changed: z.int(), failed: z.int() }),
	row_counts: rowCounts.nullable(),
	launch_error: z.string().nullable(),
});

/** The job that a launch would start, read from the automation server at the moment of the call. */
export const requestReview = z.object({
	server: z.object({ id: z.string(), name: z.string() }),
	job: z.object({
		id: z.int(),
		kind: z.enum(AUTOMATION_KINDS),
		/** Null, as the rest, where the server does not show the template. */
		name: z.string().nullable(),
		/** Page of the job template in the automation server's UI; empty once the server is deleted. */
		url: z.string(),
		playbook: z.string().nullable(),
		project: z.string().nullable(),
		inventory: z.string().nullable(),
		organization: z.string().nullable(),
		credentials: z.array(z.string()),
	}),
	/** Every variable of the job except its rows. */
	constants: z.record(z.string(), z.unknown()),
	/** Launch prompts of the template and the request that are set. */
	prompts: z.record(z.string(), z.unknown()),
	fabric: z.object({ id: z.string(), name: z.string() }).nullable(),
	/** Why the server could not be asked; null if it was. */
	problem: z.string().nullable(),
	/** Names of the groups that decide; empty: every user who may approve. */
	approver_groups: z.array(z.string()),
	/** The first users who may decide, while the request waits for approval. */
	approvers: z.array(z.string()),
	/** The newest dry run of the same rows by the same requester; null: none has ended. */
	dry_run: dryRun.nullable(),
});
export type RequestReview = z.infer<typeof requestReview>;
