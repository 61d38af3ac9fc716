/** Reads the items of a change window in a round, from the round's runs and snapshots. */
import { createHash } from "node:crypto";
import type { CheckRule, PlanItem } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Db } from "../../core/ports/store.ts";
import { getDn } from "../../core/rows/rows.ts";
import { listOutcomes, PACKED_MAX, TOO_LARGE } from "../checks/evaluate-run-checks.ts";
import type { ComparedOutcome } from "../checks/rules/evaluate.ts";
import type { GroupRows } from "../checks/rules/group-rows.ts";
import { buildRowDigest } from "../checks/rules/violating-objects.ts";
import { type CheckRow, listChecksById } from "../checks/sql/checks.ts";
import { readPackedRows } from "../runs/pipelines/run-standing.ts";
import { findRun } from "../runs/pipelines/sql/runs.ts";
import { countDrift, type PlannedItem, readGroups } from "./count-drift.ts";
import type { CheckSide } from "./rules/types.ts";
import type { CaptureRow } from "./sql/rounds.ts";
import type { ConnectionRow, WindowRow } from "./sql/windows.ts";

/** The reading of one item on one connection. */
export interface ItemReading {
	readonly item: number;
	readonly connectionId: string;
	/** Null if the query or check of the item was deleted. */
	readonly capture: CaptureRow | null;
	/** The outcome of a check; null for a query. */
	readonly side: CheckSide | null;
	/** Row counts of an item with a tolerance; null if there are too many groups, and for others. */
	readonly groups: readonly GroupRows[] | null;
	readonly unsettledRows: number;
	/**
	 * Number of objects that differ from the capture before, or of bounds that an item with a
	 * tolerance exceeds; null if there is none.
	 */
	readonly drift: number | null;
}

export interface RoundCaptures {
	readonly window: WindowRow;
	readonly connections: readonly ConnectionRow[];
	/** The query of each item; null if its check was deleted. */
	readonly queries: readonly (string | null)[];
	readonly captures: readonly CaptureRow[];
	/** The latest captures before them in the same phase. */
	readonly earlier: readonly CaptureRow[];
}

/** Number of items that are read concurrently. */
const AT_ONCE = 4;

/** The readings of all items that the round captured, in the order of connections and items. */
export async function readItems(ctx: Context, round: RoundCaptures, signal: AbortSignal): Promise<ItemReading[]> {
	const checks = await listPlanChecks(ctx.store.db, round.window);
	const wanted = round.connections.flatMap(({ connection_id: connectionId }) =>
		round.window.plan.items.map((planned, item) => ({ planned, item, connectionId })),
	);
	const readings: ItemReading[] = [];
	for (let at = 0; at < wanted.length; at += AT_ONCE)
		readings.push(
			...(await Promise.all(wanted.slice(at, at + AT_ONCE).map((one) => readItem(ctx, round, checks, one, signal)))),
		);
	return readings;
}

/** The checks of the plan by id, without deleted ones. */
export async function listPlanChecks(
	db: Db,
	{ plan }: Pick<WindowRow, "plan">,
): Promise<ReadonlyMap<string, CheckRow>> {
	const ids = plan.items.flatMap((item) => ("check" in item ? [item.check] : []));
	return new Map((await listChecksById(db, ids)).map((check) => [check.id, check]));
}

const findCapture = (captures: readonly CaptureRow[], queryId: string | null, connectionId: string) =>
	captures.find((one) => one.saved_query_id === queryId && one.connection_id === connectionId) ?? null;

async function readItem(
	ctx: Context,
	round: RoundCaptures,
	checks: ReadonlyMap<string, CheckRow>,
	one: PlannedItem,
	signal: AbortSignal,
): Promise<ItemReading> {
	const { planned, item, connectionId } = one;
	const queryId = round.queries[item] ?? null;
	const capture = findCapture(round.captures, queryId, connectionId);
	const before = findCapture(round.earlier, queryId, connectionId);
	const place = { item, connectionId, capture };
	if ("check" in planned) {
		const side = await readCheckSide(ctx, checks.get(planned.check), capture, signal);
		return { ...place, side, groups: null, unsettledRows: 0, drift: null };
	}
	const isRead = capture !== null && capture.is_complete === true;
	return {
		...place,
		side: null,
		groups: isRead && planned.compare === "tolerance" ? await readGroups(ctx, planned.group_by, capture) : null,
		unsettledRows: isRead ? await countUnsettled(ctx, planned, capture, round.window, signal) : 0,
		drift:
			isRead && before !== null ? await countDrift(ctx, round.window, one, { before, after: capture }, signal) : null,
	};
}

const buildUnknown = (error: string): CheckSide => ({
	state: "unknown",
	violations: 0,
	dns: [],
	others: [],
	isComplete: false,
	error,
	rule: null,
});

/** Evaluates the check on the rows of the capture; `for_runs` does not apply. */
async function readCheckSide(
	ctx: Context,
	check: CheckRow | undefined,
	capture: CaptureRow | null,
	signal: AbortSignal,
): Promise<CheckSide> {
	if (check === undefined) return buildUnknown("The check no longer exists.");
	if (capture === null) return buildUnknown("The query of the check was not run.");
	if (capture.is_complete !== true) return buildUnknown(capture.error ?? "The run has no result.");
	const outcome = await evaluateCheck(ctx, check, capture, signal);
	return { ...describeOutcome(check, outcome), rule: computeRuleDigest(check) };
}

/** SHA-256 of what decides how a check is judged: both sides are judged by one rule. */
const computeRuleDigest = ({ type, config, severity }: CheckRow): string =>
	createHash("sha256")
		.update(JSON.stringify([type, config, severity]))
		.digest("hex");

/** Violating rows of a side that are compared with those of the other side. */
const COMPARED_ROWS = 2_000;

/** Why a window cannot evaluate a check of the type; null if it can. */
export function describeCheckProblem(type: CheckRow["type"]): string | null {
	if (type === "unchanged") return "A check that compares snapshots says nothing here: compare its query instead.";
	if (type === "same_everywhere")
		return "A check that compares fabrics says nothing here, where each fabric is judged alone: compare its query instead.";
	return null;
}

async function evaluateCheck(
	ctx: Context,
	check: CheckRow,
	capture: CaptureRow,
	signal: AbortSignal,
): Promise<ComparedOutcome> {
	const run = capture.run_id === null ? undefined : await findRun(ctx.store.db, capture.run_id);
	if (run === undefined) return { kind: "refused", error: "The rows of the run were removed." };
	const problem = describeCheckProblem(check.type);
	if (problem !== null) return { kind: "refused", error: problem };
	const packs = await readPackedRows(ctx, run, PACKED_MAX);
	if (packs === null) return { kind: "refused", error: TOO_LARGE };
	const at = run.completed_at ?? run.created_at;
	const place = { queryId: capture.saved_query_id, connectionId: capture.connection_id, at };
	const sources = [{ connection: run.controller_connection_name, packs }];
	const rule = { ...check, sampleRows: COMPARED_ROWS };
	const [outcome] = await listOutcomes(ctx, [rule], null, sources, place, signal);
	return outcome ?? { kind: "refused", error: TOO_LARGE };
}

function describeOutcome({ type, config }: CheckRow, outcome: ComparedOutcome): Omit<CheckSide, "rule"> {
	if (outcome.kind === "refused") return buildUnknown(outcome.error);
	if (outcome.kind === "undecided") return buildUnknown(outcome.reason);
	const { violations, sample } = outcome;
	const dns = sample.flatMap(({ row }) => getDn(row) ?? []);
	const unnamed = sample.filter(({ row }) => getDn(row) === undefined);
	const others = unnamed.map(({ row }) => buildRowDigest({ type, config } as CheckRule, row));
	return {
		state: violations === 0 ? "ok" : "violated",
		violations,
		// Rows may come in another order in each round.
		dns: [...new Set(dns)].sort(),
		others: [...new Set(others)].sort(),
		isComplete: sample.length === violations,
		error: null,
	};
}

/** Counts the rows that meet `unsettled_when`. */
async function countUnsettled(
	ctx: Context,
	planned: Extract<PlanItem, { query: string }>,
	capture: CaptureRow,
	{ owner_id }: WindowRow,
	signal: AbortSignal,
): Promise<number> {
	if (planned.unsettled_when === null) return 0;
	const run = capture.run_id === null ? undefined : await findRun(ctx.store.db, capture.run_id);
	const packs = await readPackedRows(ctx, run, PACKED_MAX);
	// Rows that cannot be read count as not settled.
	if (run === undefined || packs === null) return 1;
	const rule = { owner_id: owner_id ?? 0, type: "each_row" as const, config: { ...planned.unsettled_when } };
	const sources = [{ connection: run.controller_connection_name, packs }];
	const [outcome] = await listOutcomes(ctx, [rule], null, sources, null, signal);
	return outcome?.kind === "evaluated" ? (run.total_rows ?? 0) - outcome.violations : 1;
}
