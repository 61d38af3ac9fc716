/** Counts what differs between two rounds of an item, by its drift rules or its tolerance. */
import type { DriftRules, PlanItem, QueryItem } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { PACKED_MAX } from "../checks/evaluate-run-checks.ts";
import type { GroupRows } from "../checks/rules/group-rows.ts";
import { findSnapshot } from "../history/sql/snapshots.ts";
import { readPackedRows } from "../runs/pipelines/run-standing.ts";
import { findRun } from "../runs/pipelines/sql/runs.ts";
import { buildQueryTask, readDifferences } from "./read-differences.ts";
import { isProblem } from "./rules/findings.ts";
import { joinGroups } from "./rules/tolerance.ts";
import type { CaptureRow } from "./sql/rounds.ts";
import type { WindowRow } from "./sql/windows.ts";
import { findWindowRules } from "./window-rules.ts";
import { JUDGE_MS } from "./workers/work.ts";

export interface PlannedItem {
	readonly planned: PlanItem;
	readonly item: number;
	readonly connectionId: string;
}

interface Sides {
	readonly before: CaptureRow;
	readonly after: CaptureRow;
}

/** Counts the rows of a capture by the values of fields; null for too many rows or groups. */
export async function readGroups(
	ctx: Context,
	fields: readonly string[],
	{ run_id }: CaptureRow,
): Promise<readonly GroupRows[] | null> {
	if (run_id === null) return null;
	const packs = await readPackedRows(ctx, await findRun(ctx.store.db, run_id), PACKED_MAX);
	return packs === null ? null : ctx.checkPool.run("countGroups", { fields, packs });
}

/** Null if one of the snapshots no longer exists. */
export async function countDrift(
	ctx: Context,
	window: WindowRow,
	{ planned, item, connectionId }: PlannedItem,
	{ before, after }: Sides,
	signal: AbortSignal,
): Promise<number | null> {
	if (before.snapshot_id === null || after.snapshot_id === null) return null;
	if (before.snapshot_id === after.snapshot_id) return 0;
	const rules = await findWindowRules(ctx.store.db, window, after.saved_query_id);
	if ("query" in planned && planned.compare === "tolerance")
		return countExcesses(ctx, { planned, item, connectionId, rules }, { before, after }, signal);
	const [from, to] = await Promise.all(
		[before.snapshot_id, after.snapshot_id].map((id) => findSnapshot(ctx.store.db, id)),
	);
	if (from === undefined || to === undefined) return null;
	const size = Math.max(from.result_size_bytes, to.result_size_bytes);
	const found = await ctx.areas.history.threads.drift({ from: from.id, to: to.id, rules }, { size, signal });
	if (found === null) return null;
	return found.drift.added + found.drift.deleted + found.drift.modified;
}

/**
 * Counts the bounds that an item with a tolerance exceeds between two rounds: what its plan lets
 * differ does not keep the fabric from settling.
 */
async function countExcesses(
	ctx: Context,
	of: { readonly planned: QueryItem; readonly item: number; readonly connectionId: string; readonly rules: DriftRules },
	{ before, after }: Sides,
	signal: AbortSignal,
): Promise<number | null> {
	const { planned, item: index, connectionId, rules } = of;
	const wanted = {
		from: before.snapshot_id ?? "",
		to: after.snapshot_id ?? "",
		rules,
		match: planned.match,
		identity: null,
	};
	const found = await readDifferences(ctx, wanted, signal);
	if (found === null) return null;
	const counted = [before, after].map((side) => readGroups(ctx, planned.group_by, side));
	const [groupsBefore = null, groupsAfter = null] = await Promise.all(counted);
	const groups = joinGroups(groupsBefore, groupsAfter);
	if (groups === null && planned.tolerance?.count !== undefined) return null;
	const task = buildQueryTask(planned, index, found, groups ?? []);
	const judging = { failOn: "info" as const, expectations: [], implementers: [] };
	const { items } = await ctx.judgePool.run(
		"judge",
		{ judging, connectionId, items: [task] },
		{ signal, timeoutMs: JUDGE_MS },
	);
	return items.flatMap(({ findings }) => findings).filter(isProblem).length;
}
