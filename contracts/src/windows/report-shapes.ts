/** The report of a change window as JSON. Fields are only ever added. */
import * as z from "zod";
import { timestamp } from "../core/common.ts";
import { FINDING_SEVERITIES } from "../history/drift/values.ts";
import { itemCounts, windowFinding } from "./finding-shapes.ts";
import { changeWindow, gateReason, windowVerdict } from "./shapes.ts";
import { CHECK_PHASES, COMPARE_MODES, GATE_MODES, VERDICTS, WINDOW_STATES } from "./values.ts";

const { phases, override, ticket } = changeWindow.shape;
const instant = timestamp.nullable();

const reportWindow = z.object({
	id: z.string(),
	title: z.string(),
	state: z.enum(WINDOW_STATES),
	/** The verdict in words, with the findings that were accepted. */
	verdict_line: z.string(),
	/** Null before the verdict. */
	changed: z.boolean().nullable(),
	ticket,
	plan: z.object({ id: z.string().nullable(), name: z.string(), revision: z.int() }),
	requested_by: z.string().nullable(),
	approved_by: z.string().nullable(),
	/** Null where the gate passed or was not reached. */
	override,
	signed_by: z.string().nullable(),
	sign_comment: z.string(),
	implementers: z.array(z.string()),
	starts_at: instant,
	ends_at: instant,
	created_at: timestamp,
	approved_at: instant,
	opened_at: instant,
	/** When the work ended. */
	finished_at: instant,
	signed_at: instant,
	phases,
	gate: z.object({ before: z.enum(GATE_MODES), fail_on: z.enum(FINDING_SEVERITIES), reasons: z.array(gateReason) }),
	/** All of them, newest last. */
	verdicts: z.array(windowVerdict),
	/** Ids of automation executions. */
	executions: z.array(z.string()),
	/** Connections that the reader does not see: the report is without them. */
	hidden_connections: z.int(),
	/** Limits that were hit, as sentences. */
	limits: z.array(z.string()),
});

const reportItem = z.object({
	/** Index of the plan's item. */
	item: z.int(),
	kind: z.enum(["query", "check"]),
	name: z.string(),
	/** Null of a check. */
	compare: z.enum(COMPARE_MODES).nullable(),
	/** When a check is evaluated; null of a query. */
	when: z.array(z.enum(CHECK_PHASES)).nullable(),
	verdict: z.enum(VERDICTS).nullable(),
	settled: z.boolean(),
	/** Null of a check. */
	query_version: z.string().nullable(),
	counts: itemCounts,
	/** Why a side has no snapshot; null where it has one. */
	error_before: z.string().nullable(),
	error_after: z.string().nullable(),
});

const reportConnection = z.object({
	connection_id: z.string(),
	name: z.string(),
	verdict: z.enum(VERDICTS).nullable(),
	reasons: z.array(z.string()),
	/** Null where it is not known. */
	release_before: z.string().nullable(),
	release_after: z.string().nullable(),
	items: z.array(reportItem),
});
export type ReportConnection = z.infer<typeof reportConnection>;
export type ReportItem = z.infer<typeof reportItem>;

const reportFinding = windowFinding.extend({
	/** Name of the connection. */
	connection: z.string(),
	/** Name of the item's query or check; null for an expectation of any item. */
	item_name: z.string().nullable(),
});
export type ReportFinding = z.infer<typeof reportFinding>;

const ignoredCount = z.object({ volatile: z.int(), rules: z.int() });

export const reportSnapshot = z.object({
	connection_id: z.string(),
	item: z.int(),
	side: z.enum(["before", "after"]),
	snapshot_id: z.string(),
	captured_at: timestamp,
	/** Of the rows as they were captured. */
	sha256: z.string(),
});
export type ReportSnapshot = z.infer<typeof reportSnapshot>;

export const reportVersions = z.object({
	weft: z.string(),
	/** Of the rules by which findings and verdicts are computed. */
	rules: z.int(),
	/** Null where there was none. */
	class_model_before: z.string().nullable(),
	class_model_after: z.string().nullable(),
	/** By item of the plan. */
	queries: z.array(z.object({ item: z.int(), name: z.string(), version: z.string() })),
});
export type ReportVersions = z.infer<typeof reportVersions>;

export const windowReport = z.object({
	/** Null before the verdict. */
	verdict: z.enum(VERDICTS).nullable(),
	/** Words with counts, such as `undeclared:2`. */
	reasons: z.array(z.string()),
	window: reportWindow,
	connections: z.array(reportConnection),
	/** All but the expected ones, in the order of the report. */
	findings: z.array(reportFinding),
	/** Differences that were declared. */
	expected: z.array(reportFinding),
	/** Objects and attributes that were left out, by reason. */
	ignored: ignoredCount.extend({
		items: z.array(ignoredCount.extend({ connection_id: z.string(), item: z.int() })),
	}),
	snapshots: z.array(reportSnapshot),
	versions: reportVersions,
	/** That of the command line: 0 passed, 1 failed, 5 inconclusive or not judged. */
	exit_code: z.union([z.literal(0), z.literal(1), z.literal(5)]),
});
export type WindowReport = z.infer<typeof windowReport>;
