/** Reads the items of a change window in a round, from the round's runs and snapshots. */
import { createHash } from "node:crypto";
import { driftRules, type PlanItem } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Db } from "../../core/ports/store.ts";
import { getDn } from "../../core/rows/rows.ts";
import { listOutcomes, PACKED_MAX, TOO_LARGE } from "../checks/evaluate-run-checks.ts";
import type { ComparedOutcome } from "../checks/rules/evaluate.ts";
import type { GroupRows } from "../checks/rules/group-rows.ts";
import { type CheckRow, listChecksById } from "../checks/sql/checks.ts";
import { findSnapshot } from "../history/sql/snapshots.ts";
import { readDriftRules } from "../queries/saved/visible-query.ts";
import { readPackedRows } from "../runs/pipelines/run-standing.ts";
import { findRun } from "../runs/pipelines/sql/runs.ts";
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
	/** Number of objects that differ from the capture before; null if there is none. */
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
	one: { readonly planned: PlanItem; readonly item: number; readonly connectionId: string },
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
		drift: isRead && before !== null ? await readDrift(ctx, before, capture, signal) : null,
	};
}

const buildUnknown = (error: string): CheckSide => ({
	state: "unknown",
	violations: 0,
	dns: [],
	isComplete: false,
	error,
	rule: null,
});

async function readRows(ctx: Context, { run_id }: CaptureRow): Promise<readonly Uint8Array[] | null> {
	return run_id === null ? null : readPackedRows(ctx, await findRun(ctx.store.db, run_id), PACKED_MAX);
}

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
	return { ...describeOutcome(await evaluateCheck(ctx, check, capture, signal)), rule: computeRuleDigest(check) };
}

/** SHA-256 of what decides which rows violate a check: both sides are judged by one rule. */
const computeRuleDigest = ({ type, config }: CheckRow): string =>
	createHash("sha256")
		.update(JSON.stringify([type, config]))
		.digest("hex");

async function evaluateCheck(
	ctx: Context,
	check: CheckRow,
	capture: CaptureRow,
	signal: AbortSignal,
): Promise<ComparedOutcome> {
	const run = capture.run_id === null ? undefined : await findRun(ctx.store.db, capture.run_id);
	if (run === undefined) return { kind: "refused", error: "The rows of the run were removed." };
	if (check.type === "unchanged")
		return { kind: "refused", error: "A check that compares snapshots says nothing here: compare its query instead." };
	const packs = await readPackedRows(ctx, run, PACKED_MAX);
	if (packs === null) return { kind: "refused", error: TOO_LARGE };
	const at = run.completed_at ?? run.created_at;
	const place = { queryId: capture.saved_query_id, connectionId: capture.connection_id, at };
	const sources = [{ connection: run.controller_connection_name, packs }];
	const [outcome] = await listOutcomes(ctx, [check], null, sources, place, signal);
	return outcome ?? { kind: "refused", error: TOO_LARGE };
}

function describeOutcome(outcome: ComparedOutcome): Omit<CheckSide, "rule"> {
	if (outcome.kind === "refused") return buildUnknown(outcome.error);
	if (outcome.kind === "undecided") return buildUnknown(outcome.reason);
	const { violations, sample } = outcome;
	const dns = sample.flatMap(({ row }) => getDn(row) ?? []);
	return {
		state: violations === 0 ? "ok" : "violated",
		violations,
		// Rows may come in another order in each round.
		dns: [...new Set(dns)].sort(),
		isComplete: dns.length === violations,
		error: null,
	};
}

async function readGroups(
	ctx: Context,
	fields: readonly string[],
	capture: CaptureRow,
): Promise<readonly GroupRows[] | null> {
	const packs = await readRows(ctx, capture);
	return packs === null ? null : ctx.checkPool.run("countGroups", { fields, packs });
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

/** Null if one of the snapshots no longer exists. */
async function readDrift(
	ctx: Context,
	before: CaptureRow,
	after: CaptureRow,
	signal: AbortSignal,
): Promise<number | null> {
	if (before.snapshot_id === null || after.snapshot_id === null) return null;
	if (before.snapshot_id === after.snapshot_id) return 0;
	const [from, to] = await Promise.all(
		[before.snapshot_id, after.snapshot_id].map((id) => findSnapshot(ctx.store.db, id)),
	);
	if (from === undefined || to === undefined) return null;
	const rules = (await readDriftRules(ctx.store.db, after.saved_query_id)) ?? driftRules.parse({});
	const size = Math.max(from.result_size_bytes, to.result_size_bytes);
	const found = await ctx.areas.history.threads.drift({ from: from.id, to: to.id, rules }, { size, signal });
	if (found === null) return null;
	return found.drift.added + found.drift.deleted + found.drift.modified;
}
