/** The report of a change window as JSON. Fields are only ever added. */
import * as z from "zod";
import { timestamp } from "../core/common.ts";
import { FINDING_SEVERITIES } from "../history/drift/values.ts";
import { windowEvidence } from "./evidence-shapes.ts";
import { ignoredCounts, itemCounts, windowFinding } from "./finding-shapes.ts";
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
	/** Null if the gate passed or was not reached. */
	override,
	/** Null if it started by itself. Absent in reports of earlier versions, as are the next two. */
	started_by: z.string().nullable().optional(),
	/** All rounds, oldest first. */
	rounds: z
		.array(z.object({ round: z.int(), phase: z.enum(CHECK_PHASES), started_at: timestamp, ended_at: instant }))
		.optional(),
	/** Exit code of the command that did the work; null if none was given. */
	command_exit_code: z.int().nullable().optional(),
	signed_by: z.string().nullable(),
	sign_comment: z.string(),
	implementers: z.array(z.string()),
	starts_at: instant,
	ends_at: instant,
	created_at: timestamp,
	approved_at: instant,
	opened_at: instant,
	/** End of the work. */
	finished_at: instant,
	signed_at: instant,
	phases,
	gate: z.object({ before: z.enum(GATE_MODES), fail_on: z.enum(FINDING_SEVERITIES), reasons: z.array(gateReason) }),
	/** All verdicts, newest last. */
	verdicts: z.array(windowVerdict),
	/** Ids of automation executions. */
	executions: z.array(z.string()),
	/** Number of connections that the reader does not see and the report leaves out. */
	hidden_connections: z.int(),
	/** Sentences about limits that were reached. */
	limits: z.array(z.string()),
});

const reportItem = z.object({
	/** Index of the plan's item. */
	item: z.int(),
	kind: z.enum(["query", "check"]),
	name: z.string(),
	/** Null for a check. */
	compare: z.enum(COMPARE_MODES).nullable(),
	/** Phases in which a check is evaluated; null for a query. */
	when: z.array(z.enum(CHECK_PHASES)).nullable(),
	verdict: z.enum(VERDICTS).nullable(),
	settled: z.boolean(),
	/** Null for a check. */
	query_version: z.string().nullable(),
	counts: itemCounts,
	/** Reason why a side has no snapshot; null if it has one. */
	error_before: z.string().nullable(),
	error_after: z.string().nullable(),
});

const reportConnection = z.object({
	connection_id: z.string(),
	name: z.string(),
	verdict: z.enum(VERDICTS).nullable(),
	reasons: z.array(z.string()),
	/** Null before the round, and if the controller did not report it in time. */
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

export const reportSnapshot = z.object({
	connection_id: z.string(),
	item: z.int(),
	side: z.enum(["before", "after"]),
	snapshot_id: z.string(),
	captured_at: timestamp,
	/** SHA-256 of the captured rows. */
	sha256: z.string(),
});
export type ReportSnapshot = z.infer<typeof reportSnapshot>;

export const reportVersions = z.object({
	weft: z.string(),
	/** Version of the rules that compute findings and verdicts. */
	rules: z.int(),
	/** Null if no class model was loaded. */
	class_model_before: z.string().nullable(),
	class_model_after: z.string().nullable(),
	/** In the order of the plan's items. */
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
	/** All findings but the expected ones, in the order of the report. */
	findings: z.array(reportFinding),
	/** Differences that were declared. */
	expected: z.array(reportFinding),
	/** Objects and attributes that were left out, by reason. */
	ignored: ignoredCounts.extend({
		items: z.array(ignoredCounts.extend({ connection_id: z.string(), item: z.int() })),
	}),
	snapshots: z.array(reportSnapshot),
	/**
	 * Results of the pre-upgrade script, which no verdict depends on. Absent in signed reports of
	 * versions of Weft without them.
	 */
	evidence: z.array(windowEvidence).optional(),
	versions: reportVersions,
	/** Exit code of the command line: 0 passed, 1 failed, 5 inconclusive or not judged. */
	exit_code: z.union([z.literal(0), z.literal(1), z.literal(5)]),
});
export type WindowReport = z.infer<typeof windowReport>;
