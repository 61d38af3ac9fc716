/**
 * Brings the index of one history up to date: adds its snapshots one after another by what differs
 * from the one before, in bounded transactions, and removes objects of deleted snapshots. Repeating
 * it changes nothing. Only the holder of the index's lease writes.
 */
import { createHash } from "node:crypto";
import type { Context } from "../../../context.ts";
import type { Tx } from "../../../core/ports/store.ts";
import { countPlaces, selectPlaces } from "../../history/rules/compare.ts";
import type { SnapshotObject } from "../../history/workers/differences.ts";
import { getParentDn } from "./rules/dn.ts";
import { nameMatch } from "./rules/names.ts";
import { extractTerms, getLabel } from "./rules/terms.ts";
import {
	completeIndex,
	countIndexedSnapshots,
	deleteIndex,
	deleteLostObjects,
	endObjects,
	findIndexedHistory,
	findLatestIndexed,
	findNewestStep,
	findSnapshotBehind,
	type IndexableSnapshot,
	type IndexState,
	insertIndex,
	insertIndexedSnapshot,
	isIndexOutdated,
	type ObjectRow,
	reachPosition,
	releaseIndex,
	renewIndex,
	takeIndex,
	takeNewestStep,
	truncateIndex,
	upsertObjects,
} from "./sql/object-index.ts";

/** Bytes of rows that one page reads. */
const PAGE_BYTES = 512 * 1024;
/** Objects of one transaction. */
const BATCH = 1_000;
/** Objects of a page at most. */
const PAGE_OBJECTS = 5_000;

interface Work {
	readonly historyId: string;
	readonly holder: string;
	readonly signal: AbortSignal;
}

/** Does nothing while another worker holds the index: that one goes on until nothing is left. */
export async function indexHistory(ctx: Context, historyId: string, signal: AbortSignal): Promise<void> {
	const work: Work = { historyId, holder: ctx.ids.uuid(), signal };
	await indexNewest(ctx, historyId);
	// A capture between the last look and the release is seen by the next round.
	while (!signal.aborted && (await isIndexOutdated(ctx.store.db, historyId))) {
		const history = await findIndexedHistory(ctx.store.db, historyId);
		if (history !== undefined) await insertIndex(ctx.store.db, historyId, history.saved_query_id);
		const now = new Date(ctx.clock.now());
		const state = await takeIndex(ctx.store.db, historyId, work.holder, now);
		if (state === undefined) return;
		try {
			if (!(await updateIndex(ctx, work, state))) return;
		} finally {
			await releaseIndex(ctx.store.db, historyId, work.holder);
		}
	}
}

/**
 * Adds the newest snapshot in one transaction. Does nothing unless it is the only one that the
 * index lacks, and its capture listed the differences in this process.
 */
async function indexNewest(ctx: Context, historyId: string): Promise<void> {
	const now = new Date(ctx.clock.now());
	const step = await findNewestStep(ctx.store.db, historyId, now);
	const known = step && ctx.areas.history.recentDifferences.get(step.id);
	if (step === undefined || known?.against !== step.from_id) return;
	await ctx.store.transaction(async (tx) => {
		if (!(await takeNewestStep(tx, historyId, step, now))) return;
		const objects = known.list.map(({ object }) => object);
		await writeObjects(tx, historyId, step.position, objects);
		await insertIndexedSnapshot(tx, historyId, step);
	});
}

/** Runs a batch under the lease. False if another worker holds it by now. */
function writeBatch(ctx: Context, { historyId, holder }: Work, write: (tx: Tx) => Promise<unknown>): Promise<boolean> {
	return ctx.store.transaction(async (tx) => {
		if (!(await renewIndex(tx, historyId, holder, new Date(ctx.clock.now())))) return false;
		await write(tx);
		return true;
	});
}

/** False if the work ended early. */
async function updateIndex(ctx: Context, work: Work, state: IndexState): Promise<boolean> {
	const { historyId } = work;
	// Read before the snapshots, so that a capture in between makes the index outdated again.
	const history = await findIndexedHistory(ctx.store.db, historyId);
	let added = 0;
	for (let { position } = state; ; added++) {
		const latest = await findLatestIndexed(ctx.store.db, historyId);
		if ((latest?.position ?? 0) < position && !(await repairIndex(ctx, work, latest))) return false;
		const next = await findSnapshotBehind(ctx.store.db, historyId, latest?.position ?? 0);
		if (next === undefined) break;
		if (!(await indexSnapshot(ctx, work, next, latest?.id ?? null))) return false;
		position = next.position;
	}
	const count = await countIndexedSnapshots(ctx.store.db, historyId);
	if (count < state.snapshot_count + added || history === undefined)
		if (!(await removeLostObjects(ctx, work))) return false;
	if (history === undefined) {
		await deleteIndex(ctx.store.db, historyId);
		return true;
	}
	return writeBatch(ctx, work, (tx) => completeIndex(tx, historyId, history.revision, count));
}

/**
 * Takes back positions behind the latest indexed snapshot: their snapshots are gone, or the work on
 * them ended early. Terms are read again from the latest one.
 */
async function repairIndex(ctx: Context, work: Work, latest: IndexableSnapshot | undefined): Promise<boolean> {
	if (latest !== undefined && !(await writeDifferences(ctx, work, latest, null))) return false;
	return writeBatch(ctx, work, (tx) => truncateIndex(tx, work.historyId, latest?.position ?? 0));
}

async function removeLostObjects(ctx: Context, work: Work): Promise<boolean> {
	for (let deleted = BATCH; deleted === BATCH; ) {
		const isOwn = await writeBatch(ctx, work, async (tx) => {
			deleted = await deleteLostObjects(tx, work.historyId, BATCH);
		});
		if (!isOwn || work.signal.aborted) return false;
	}
	return true;
}

/** Adds one snapshot. False if the work must end: the lease is lost, or the process stops. */
async function indexSnapshot(
	ctx: Context,
	work: Work,
	next: IndexableSnapshot,
	fromId: string | null,
): Promise<boolean> {
	if (!(await writeBatch(ctx, work, (tx) => reachPosition(tx, work.historyId, next)))) return false;
	if (!(await writeDifferences(ctx, work, next, fromId))) return false;
	return writeBatch(ctx, work, (tx) => insertIndexedSnapshot(tx, work.historyId, next));
}

/** Writes the differences from one snapshot to another: all objects where `fromId` is null. */
async function writeDifferences(
	ctx: Context,
	work: Work,
	to: IndexableSnapshot,
	fromId: string | null,
): Promise<boolean> {
	const { historyId, signal } = work;
	const { threads } = ctx.areas.history;
	const options = { size: to.bytes, signal };
	const plan = await threads.changedPlan({ from: fromId, to: to.id, pageBytes: PAGE_BYTES }, options);
	// A snapshot that is gone by now is not found again, and its position is taken back.
	if (plan === null) return !signal.aborted;
	const total = countPlaces(plan.places);
	for (let at = 0; at < total; ) {
		// Only a part of the plan goes to the thread with each page.
		const places = selectPlaces(plan.places, at, PAGE_OBJECTS);
		const objects = await threads.changedObjects({ ...plan, places, pageBytes: PAGE_BYTES }, options);
		for (let start = 0; start < objects.length; start += BATCH) {
			const batch = objects.slice(start, start + BATCH);
			const isOwn = await writeBatch(ctx, work, (tx) => writeObjects(tx, historyId, to.position, batch));
			if (!isOwn || signal.aborted) return false;
		}
		at += objects.length;
	}
	return true;
}

async function writeObjects(
	tx: Tx,
	historyId: string,
	position: number,
	batch: readonly SnapshotObject[],
): Promise<void> {
	const gone = batch.filter(({ attributes }) => attributes === null).map(({ dn }) => createKey(dn));
	await endObjects(tx, historyId, position, gone);
	// Of several contents with the same DN, the last one counts.
	const rows = new Map<string, ObjectRow>();
	for (const { dn, className, attributes } of batch)
		if (attributes !== null) rows.set(dn, buildObjectRow({ dn, className, attributes }));
	await upsertObjects(tx, historyId, position, [...rows.values()]);
}

/** A digest of a text as a UUID. */
export function createKey(text: string): string {
	const hex = createHash("sha256").update(text).digest("hex");
	return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
}

function buildObjectRow(object: {
	dn: string;
	className: string;
	attributes: Readonly<Record<string, string>>;
}): ObjectRow {
	const { dn, className, attributes } = object;
	const terms = extractTerms(object);
	const label = getLabel(object);
	const parent = getParentDn(dn);
	const name = nameMatch.getKey(dn);
	const target = attributes.tDn || null;
	return {
		dn,
		dn_key: createKey(dn),
		parent_key: parent === null ? null : createKey(parent),
		name_key: name === dn ? null : createKey(name),
		target_key: target === null ? null : createKey(target),
		target_dn: target,
		class_name: className,
		label,
		terms_key: createKey(JSON.stringify([className, label, target, terms])),
		terms,
	};
}
