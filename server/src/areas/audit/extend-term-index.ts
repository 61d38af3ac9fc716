/** Adds sealed entries to the index of frequent terms, one segment's worth at a time. */
import { setImmediate } from "node:timers/promises";
import type { Context } from "../../context.ts";
import { collectBits, collectTerms, pushValue, SEGMENT } from "./rules/terms.ts";
import type { IndexedEntry, SegmentBits, TermBits } from "./sql/terms.ts";
import {
	addTermCounts,
	completeIndex,
	findIndexState,
	indexTerm,
	insertSegmentBits,
	insertTermBits,
	listExistingIds,
	listIndexableBlocks,
	listIndexedEntries,
	listIndexedTerms,
	lockIndex,
	moveIndexTo,
} from "./sql/terms.ts";

/** Entries of one step that must have a term for the term to be counted. */
const COUNT_THRESHOLD = SEGMENT / 256;
/**
 * Entries that a frequent term has at least: a number, and a share of all. Only these have bits.
 */
const FREQUENT_ENTRIES = 3_000;
const FREQUENT_SHARE = 0.003;
/** Entries between two yields to the event loop. */
const YIELD_EVERY = 200;

/** Indexes one step. Returns whether there may be more. */
async function indexNextSegment(ctx: Context): Promise<boolean> {
	const { block, complete } = await findIndexState(ctx.store.db);
	const blocks = await listIndexableBlocks(ctx.store.db, block, SEGMENT);
	const ids = blocks.flatMap(({ ids }) => ids);
	const last = blocks.at(-1);
	if (last === undefined || ids.length < SEGMENT) {
		if (!complete) await completeIndex(ctx.store.db, block);
		return false;
	}
	const entries = await listIndexedEntries(ctx.store.db, ids);
	const found = await listIdsByTerm(entries);
	await ctx.store.transaction(async (tx) => {
		const now = await lockIndex(tx);
		if (now.block !== block) return;
		const existing = await listExistingIds(tx, ids);
		await insertSegmentBits(tx, buildSegments(entries.filter(({ id }) => existing.has(id))));
		const indexed = await listIndexedTerms(tx);
		await insertTermBits(
			tx,
			indexed.flatMap((term) => readBitsOfTerm(term, found.get(term) ?? [])),
		);
		const counts = [...found].flatMap(([term, { length }]) =>
			length >= COUNT_THRESHOLD ? [[term, length] as const] : [],
		);
		const enough = Math.max(FREQUENT_ENTRIES, Math.floor((now.entries + ids.length) * FREQUENT_SHARE));
		for (const term of await addTermCounts(tx, new Map(counts), enough)) await indexTerm(tx, term);
		await moveIndexTo(tx, last.number, ids.length);
	});
	return true;
}

/** Indexes sealed entries; up to one step's worth of the newest stays unindexed. */
export async function extendTermIndex(ctx: Context, signal?: AbortSignal): Promise<void> {
	let more = true;
	while (more && !signal?.aborted) more = await indexNextSegment(ctx);
}

async function listIdsByTerm(entries: readonly IndexedEntry[]): Promise<ReadonlyMap<string, readonly number[]>> {
	const terms = collectTerms();
	for (const [i, entry] of entries.entries()) {
		terms.add(entry);
		if (i % YIELD_EVERY === YIELD_EVERY - 1) await setImmediate();
	}
	return terms.all();
}

function readBitsOfTerm(term: string, ids: readonly number[]): TermBits[] {
	const segments = new Map<number, number[]>();
	for (const id of ids) pushValue(segments, getSegment(id), id);
	return [...segments].map(([segment, own]) => ({ term, segment, bits: collectBits(own) }));
}

function buildSegments(entries: readonly IndexedEntry[]): SegmentBits[] {
	const segments = new Map<number, IndexedEntry[]>();
	for (const entry of entries) pushValue(segments, getSegment(entry.id), entry);
	return [...segments].map(([segment, own]) => {
		const times = own.map(({ created_at }) => created_at.getTime());
		return {
			segment,
			bits: collectBits(own.map(({ id }) => id)),
			// The driver truncates microseconds.
			oldest: new Date(Math.min(...times)),
			newest: new Date(Math.max(...times) + 1),
		};
	});
}

const getSegment = (id: number): number => Math.floor(id / SEGMENT);
