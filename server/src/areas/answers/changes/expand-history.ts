/**
 * Reads what changed from snapshot to snapshot of a history into the feed, in pages that are
 * written with the cursor of the history: at a death it goes on where it was, and of several
 * processes that do the same, one writes.
 */
import { isDeepStrictEqual } from "node:util";
import { type DriftRules, driftRules } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Tx } from "../../../core/ports/store.ts";
import { getSqlState } from "../../../core/ports/store.ts";
import { countPlaces, selectPlaces } from "../../history/rules/compare.ts";
import type { ValuedChange } from "../../history/rules/object-change.ts";
import type { ChangedPlan } from "../../history/workers/changed-objects.ts";
import { placeChanges } from "./rules/groups.ts";
import { findTenant } from "./rules/tenant.ts";
import {
	copyAttribution,
	insertChanges,
	listOverlapping,
	lockFeed,
	type NewChange,
	type StepSource,
	updateGroups,
} from "./sql/changes.ts";
import { findStep, lockCursor, moveCursor, type Step } from "./sql/cursors.ts";

const DAY_MS = 24 * 3_600_000;
const PAGE_ROWS = 1_000;
/** Of rows that a page shows. */
const PAGE_BYTES = 8 * 1024 * 1024;
const FOREIGN_KEY_VIOLATION = "23503";

/** The oldest changes that the feed has. */
export const getOldestChange = (ctx: Context): Date => new Date(ctx.clock.now() - ctx.changesDays * DAY_MS);

/** Reads all snapshots of a history that are not in the feed. Safe to repeat. */
export async function expandHistory(ctx: Context, historyId: string, signal: AbortSignal): Promise<void> {
	let unreadable: string | null = null;
	let plan: PlannedStep | null = null;
	for (;;) {
		if (signal.aborted) return;
		const step = await findStep(ctx.store.db, historyId, getOldestChange(ctx));
		if (step === undefined) return;
		const source = findSource(step);
		const known = source && findKnownPage(ctx, step, source);
		if (source !== null && known !== null) {
			await writePage(ctx, step, source, known);
			continue;
		}
		if (source !== null && plan?.key !== getKey(source)) plan = await planStep(ctx, step, source, signal);
		if (source !== null && plan !== null) await writePage(ctx, step, source, await readPage(ctx, step, plan, signal));
		else if (source === null || unreadable === getKey(source)) await finishStep(ctx, step);
		// A snapshot has been deleted meanwhile: the next step is another one, or it has no content.
		else unreadable = getKey(source);
	}
}

/** The changes of a step, which are planned once for all of its pages. */
interface PlannedStep extends ChangedPlan {
	readonly key: string;
	readonly rules: DriftRules;
}

const getKey = ({ previousId, snapshotId }: StepSource): string => `${previousId} ${snapshotId}`;

/** Null if the step shows no changes: the first snapshot, an equal one, or one without a fabric. */
function findSource(step: Step): StepSource | null {
	const { connection_id: connectionId, previous_id: previousId, drift } = step;
	if (connectionId === null || previousId === null || step.hash === step.previous_hash) return null;
	if (drift !== null && drift.added + drift.deleted + drift.modified === 0) return null;
	return { connectionId, previousId, savedQueryId: step.saved_query_id, snapshotId: step.snapshot_id };
}

async function finishStep(ctx: Context, step: Step): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		if (await lockCursor(tx, step)) await moveCursor(tx, step.history_id, step.position, 0);
	});
}

/** Null if one of the snapshots no longer exists. */
async function planStep(
	ctx: Context,
	step: Step,
	source: StepSource,
	signal: AbortSignal,
): Promise<PlannedStep | null> {
	const rules = driftRules.parse(step.rules);
	const plan = await ctx.areas.history.threads.changePlan(
		{ from: source.previousId, to: source.snapshotId, rules, pageBytes: PAGE_BYTES },
		{ size: step.size, signal },
	);
	return plan && { ...plan, rules, key: getKey(source) };
}

/** Returns the changes that the capture listed in this process; null if it did not. */
function findKnownPage(ctx: Context, { written, rules }: Step, source: StepSource): FeedPage | null {
	const known = written === 0 ? ctx.areas.history.recentDifferences.get(source.snapshotId) : undefined;
	if (known?.against !== source.previousId) return null;
	if (!isDeepStrictEqual(driftRules.parse(rules), known.rules)) return null;
	return { changes: known.list.flatMap(({ change }) => change ?? []), next: null };
}

/** The changes after those that were written. Only their part of the plan goes to the thread. */
async function readPage(ctx: Context, step: Step, plan: PlannedStep, signal: AbortSignal): Promise<FeedPage> {
	const places = selectPlaces(plan.places, step.written, PAGE_ROWS);
	const { changes, read } = await ctx.areas.history.threads.changePage(
		{ segments: plan.segments, rules: plan.rules, places, pageBytes: PAGE_BYTES },
		{ size: step.size, signal },
	);
	const end = step.written + read;
	return { changes, next: end < countPlaces(plan.places) ? end : null };
}

interface FeedPage {
	readonly changes: readonly ValuedChange[];
	/** Index of the change that the next page begins with; null after the last page. */
	readonly next: number | null;
}

/** Writes a page, unless another process has. */
async function writePage(ctx: Context, step: Step, source: StepSource, page: FeedPage): Promise<void> {
	const rows = page.changes.map((change) => buildRow(change, step));
	try {
		await ctx.store.transaction(async (tx) => {
			if (!(await lockCursor(tx, step))) return;
			await lockFeed(tx);
			await insertGrouped(ctx, tx, source, rows);
			if (page.next === null) {
				await copyAttribution(tx, source.snapshotId);
				await moveCursor(tx, step.history_id, step.position, 0);
			} else await moveCursor(tx, step.history_id, step.from_position, page.next);
		});
	} catch (error) {
		// The connection or the query has been deleted meanwhile, and its changes with it.
		if (getSqlState(error) !== FOREIGN_KEY_VIOLATION) throw error;
		await finishStep(ctx, step);
	}
}

async function insertGrouped(ctx: Context, tx: Tx, source: StepSource, rows: readonly NewChange[]): Promise<void> {
	const [first] = rows;
	if (first === undefined) return;
	const dns = [...new Set(rows.map(({ dn }) => dn))];
	const { since, at } = first;
	const stored = await listOverlapping(tx, { connectionId: source.connectionId, dns, since, at });
	const incoming = rows.map((row) => ({ row, groupId: ctx.ids.uuid() }));
	const placed = placeChanges(incoming, stored);
	await insertChanges(tx, source, placed.rows);
	await updateGroups(tx, placed.changed);
}

function buildRow(change: ValuedChange, step: Step): NewChange {
	const { dn, className, kind, severity, attributes, omitted } = change;
	return {
		dn: dn.replaceAll("\0", "\uFFFD"),
		className,
		tenant: findTenant(dn),
		change: kind,
		severity,
		attributes,
		omitted,
		since: step.previous_at ?? step.at,
		at: step.at,
	};
}
