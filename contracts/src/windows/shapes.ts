/** Change windows: one use of a plan on connections, with times, a ticket and a verdict. */
import * as z from "zod";
import { freezeOverride } from "../calendar/reference-shapes.ts";
import { defineList } from "../core/bounded.ts";
import {
	boolParam,
	defineLongText,
	defineOrdering,
	defineTrimmedText,
	paging,
	timestamp,
	timestampInput,
	userRef,
	uuid,
} from "../core/common.ts";
import { defineChoice } from "../queries/flow/fields.ts";
import { itemCounts } from "./finding-shapes.ts";
import { planGate, planSettle } from "./plans/shapes.ts";
import {
	AFTER_FAILURES,
	GATE_REASONS,
	REPORT_FORMATS,
	VERDICTS,
	WINDOW_EVENTS,
	WINDOW_LIMITS,
	WINDOW_STATES,
} from "./values.ts";

const ticketUrl = z
	.string()
	.max(2000)
	.regex(/^(https?:\/\/[^\s]+)?$/, "Must begin with https:// or http://.");
const ticketInput = z.strictObject({ number: defineTrimmedText(100), url: ticketUrl.default("") });
const time = timestampInput.nullable();
const connectionIds = defineList(uuid, {
	max: WINDOW_LIMITS.connections,
	tooMany: `Must be at most ${WINDOW_LIMITS.connections} connections.`,
}).transform((ids) => [...new Set(ids)]);
const implementers = defineList(defineTrimmedText(200), { max: WINDOW_LIMITS.implementers });

const editable = {
	title: defineTrimmedText(200),
	ticket: ticketInput.nullable(),
	plan: uuid,
	connection_ids: connectionIds,
	connection_group_id: uuid,
	starts_at: time,
	/** Null: the service ends the work 24 hours after the window opened. */
	ends_at: time,
	auto_start: z.boolean(),
	auto_finish: z.boolean(),
	requires_approval: z.boolean(),
	/** Users of the controller whose changes are not foreign. */
	implementers,
};
export const changeWindowCreateBody = z
	.object({
		...editable,
		idempotency_key: z.string().min(1).max(200),
	})
	.partial()
	.required({ title: true, plan: true });
export type ChangeWindowCreate = z.output<typeof changeWindowCreateBody>;
export const changeWindowPatchBody = z
	.object({
		...editable,
		/** The version that was read; a later one answers 409. */
		updated_at: timestampInput,
	})
	.partial();
export type ChangeWindowPatch = z.output<typeof changeWindowPatchBody>;

const side = z.object({
	/** Null if the side has no snapshot. */
	snapshot_id: z.string().nullable(),
	run_id: z.string().nullable(),
	/** Reason why there is no snapshot; null if there is one. */
	error: z.string().nullable(),
});

const windowItem = z.object({
	item: z.int(),
	query_version: z.string().nullable(),
	before: side,
	after: side,
	settled: z.boolean(),
	/** Null before the verdict. */
	verdict: z.enum(VERDICTS).nullable(),
	counts: itemCounts,
});

export const windowConnection = z.object({
	connection_id: z.string(),
	name: z.string(),
	verdict: z.enum(VERDICTS).nullable(),
	/** Words with counts, such as `undeclared:2`. */
	verdict_reasons: z.array(z.string()),
	/** Null before the round, and if the controller did not report it in time. */
	release_before: z.string().nullable(),
	release_after: z.string().nullable(),
	items: z.array(windowItem),
});
export type WindowConnection = z.infer<typeof windowConnection>;

export const gateReason = z.object({
	kind: z.enum(GATE_REASONS),
	item: z.int().nullable(),
	connection_id: z.string().nullable(),
	detail: z.string(),
});
export type GateReason = z.infer<typeof gateReason>;

export const windowVerdict = z.object({
	number: z.int(),
	at: timestamp,
	verdict: z.enum(VERDICTS),
	verdict_reasons: z.array(z.string()),
	changed: z.boolean(),
});

const listed = {
	id: z.string(),
	title: z.string(),
	ticket: z.object({ number: z.string(), url: z.string() }).nullable(),
	/** Null if the plan was deleted; the window keeps a copy of it. */
	plan: z.string().nullable(),
	plan_name: z.string(),
	plan_revision: z.int(),
	connection_ids: z.array(z.string()),
	/** Connections that the caller does not see. */
	hidden_count: z.int(),
	starts_at: timestamp.nullable(),
	ends_at: timestamp.nullable(),
	state: z.enum(WINDOW_STATES),
	verdict: z.enum(VERDICTS).nullable(),
	verdict_reasons: z.array(z.string()),
	/** The verdict in words, with the findings that were accepted. */
	verdict_line: z.string(),
	/** Null before the verdict. */
	changed: z.boolean().nullable(),
	requires_approval: z.boolean(),
	opened_at: timestamp.nullable(),
	/** When the work ended. */
	finished_at: timestamp.nullable(),
	created_by: userRef.nullable(),
	approved_by: z.string().nullable(),
	approved_at: timestamp.nullable(),
	signed_by: z.string().nullable(),
	signed_at: timestamp.nullable(),
	created_at: timestamp,
	updated_at: timestamp,
};
export const changeWindowListed = z.object(listed);
export type ChangeWindowListed = z.infer<typeof changeWindowListed>;

export const changeWindow = z.object({
	...listed,
	plan_items: z.array(z.record(z.string(), z.unknown())),
	settle: planSettle,
	plan_gate: planGate,
	after_failure: z.enum(AFTER_FAILURES),
	auto_start: z.boolean(),
	auto_finish: z.boolean(),
	implementers: z.array(z.string()),
	phases: z.object({
		before: z
			.object({ round: z.int(), started_at: timestamp, ended_at: timestamp.nullable(), complete: z.boolean() })
			.nullable(),
		after: z
			.object({
				round: z.int(),
				started_at: timestamp,
				ended_at: timestamp.nullable(),
				settled: z.boolean(),
				/** Seconds from the end of the work to the round in which the last item settled. */
				settled_after_s: z.int().nullable(),
			})
			.nullable(),
	}),
	/** Null before the gate was reached. */
	gate: z.object({ passed: z.boolean(), reasons: z.array(gateReason) }).nullable(),
	override: z.object({ by: z.string(), at: timestamp, reason: z.string() }).nullable(),
	/** Time of the next move by the service; null: none is due. */
	next_at: timestamp.nullable(),
	connections: z.array(windowConnection),
	/** All verdicts, newest last. */
	verdicts: z.array(windowVerdict),
	/** Ids of automation executions. */
	executions: z.array(z.string()),
	/** Ids of other windows on one of the connections at the same time. */
	overlaps: z.array(z.string()),
	/** Runs of the pre-upgrade script with attached results, of the connections that are seen. */
	evidence_count: z.int(),
	sign_comment: z.string(),
	/** SHA-256 of the JSON report; null before it was signed. */
	report_sha256: z.string().nullable(),
	can_edit: z.boolean(),
	can_submit: z.boolean(),
	can_approve: z.boolean(),
	can_start: z.boolean(),
	can_override: z.boolean(),
	can_finish: z.boolean(),
	can_recheck: z.boolean(),
	can_cancel: z.boolean(),
	can_sign: z.boolean(),
});
export type ChangeWindow = z.infer<typeof changeWindow>;

export const changeWindowListQuery = z.object({
	...paging,
	state: defineChoice(WINDOW_STATES).optional(),
	verdict: defineChoice(VERDICTS).optional(),
	ticket: z.string().max(100).optional(),
	connection: uuid.optional(),
	from: timestampInput.optional().meta({ description: "Windows that end after it, or have no end." }),
	to: timestampInput.optional().meta({ description: "Windows that start before it, or have no start." }),
	search: z.string().max(200).optional(),
	mine: boolParam.optional(),
	ordering: defineOrdering(["created_at", "starts_at", "updated_at", "title"], "-created_at"),
});
export type ChangeWindowList = z.output<typeof changeWindowListQuery>;

export const windowApproveBody = z.object({
	/** The version that was read; a later one answers 409. */
	updated_at: timestampInput.optional(),
});
export const windowStartBody = z.object({ override_freeze: freezeOverride });
export const windowFinishBody = z.object({
	/** Judges the next round, settled or not. */
	now: z.boolean().default(false),
	/** Exit code of the command that did the work, for the report. */
	exit_code: z.int().min(0).max(255).optional(),
});
export const windowSignBody = z.object({ comment: defineLongText(2000).default("") });

/** Has the state that does not allow the move, or the freeze that refuses it. */
export const windowConflict = z.looseObject({ detail: z.string(), state: z.enum(WINDOW_STATES).optional() });

export const windowEvent = z.object({
	id: z.string(),
	at: timestamp,
	/** Null for moves by the service. */
	user: z.string().nullable(),
	event: z.enum(WINDOW_EVENTS),
	from_state: z.enum(WINDOW_STATES).nullable(),
	to_state: z.enum(WINDOW_STATES),
	detail: z.string(),
});
export type WindowEventEntry = z.infer<typeof windowEvent>;

export const windowReportQuery = z.object({
	format: defineChoice(REPORT_FORMATS).default("html"),
	max_chars: z
		.string()
		.max(8)
		.regex(/^[0-9]{3,8}$/, "Must be a number of at least 100.")
		.transform(Number)
		.optional(),
});
export type WindowReportQuery = z.output<typeof windowReportQuery>;
