/**
 * Reads the content of snapshots while others are added and deleted. If a pack is gone, a deletion
 * has replaced it, and the read starts again.
 */
import type { Db } from "../../../ports/store.ts";
import { type Attribution, type ChangedObject, createAttribute } from "../domain/attribution.ts";
import {
	type ComparePlan,
	modifiedChanges,
	neededPacks,
	PLACE,
	pageOf,
	planCompare,
	selectChanges,
	sortByKind,
} from "../domain/compare.ts";
import { type CompletionData, completionData } from "../domain/completion.ts";
import {
	changedObjectOf,
	type EntryStyle,
	findIgnored,
	isByKind,
	NOTHING_OPEN,
	type Open,
	writeEntries,
} from "../domain/entries.ts";
import { createEntryWriter } from "../domain/entry-writer.ts";
import { createExclude, createIgnore, type IgnoreSpec } from "../domain/ignore.ts";
import { type Changes, difference, readChain, sumChanges } from "../domain/manifest.ts";
import { eachName } from "../domain/names.ts";
import { packsOf } from "../domain/packs.ts";
import { alignObjects, assemble, objectsOfRows } from "../domain/view.ts";
import type { SnapshotView, ViewManifest } from "../repo-view.ts";
import { chainOf, planContents, storedContent } from "./content.ts";
import { GoneError, type NamesVersion, type PackSource } from "./pack-source.ts";
import type { SegmentSource, SegmentView } from "./segment-source.ts";

export interface ReadDeps {
	readonly db: Db;
	readonly view: SnapshotView;
	readonly segments: SegmentSource;
	readonly packs: PackSource;
}

const RETRIES = 4;

/** Code of the error for a history that changes faster than it can be read. */
export const HISTORY_CHANGING = "HISTORY_CHANGING";

/**
 * Repeats a read that a concurrent deletion has interrupted. Throws an error with the code
 * HISTORY_CHANGING.
 */
export async function retryIfGone<T>(read: () => Promise<T>): Promise<T> {
	for (let left = RETRIES; ; left--) {
		try {
			return await read();
		} catch (error) {
			if (!(error instanceof GoneError)) throw error;
			if (left === 0) throw Object.assign(new Error("The history is being cleaned up."), { code: HISTORY_CHANGING });
		}
	}
}

/** The text of a snapshot; null if it no longer exists. */
export async function readText(
	{ segments, packs }: Pick<ReadDeps, "segments" | "packs">,
	{ snapshotId, bytes }: { snapshotId: string; bytes: number },
): Promise<Buffer | null> {
	return retryIfGone(async () => {
		const [segment] = await segments.find([snapshotId]);
		if (segment === undefined) return null;
		const manifest = readChain(segment.manifests);
		const wanted = packsOf(segment.packs, manifest.versions.slice().sort());
		const open = await packs.open(segment.id, wanted);
		return assemble(manifest, wanted.map(open), bytes);
	});
}

export interface CompareTask {
	readonly from: string;
	readonly to: string;
	readonly style: EntryStyle;
	/** Attributes to ignore. Modified objects that differ in nothing else are left out. */
	readonly ignore: IgnoreSpec;
	/** Who changed the objects; null if that is not known. */
	readonly attribution: Attribution | null;
	/** Approximate bytes of rows that one page shows. */
	readonly pageBytes: number;
}

export interface Page {
	readonly bytes: Uint8Array;
	readonly open: Open;
	/** Index of the change that the next page begins with; null after the last page. */
	readonly next: number | null;
}

export interface Compared {
	readonly plan: ComparePlan;
	/** Number of modified objects that were left out. */
	readonly ignored: number;
	/** Ids of the segments that the plan's places refer to. */
	readonly segments: { readonly from: string; readonly to: string };
	/** Whether the rows without a dn differ. */
	readonly looseDiffer: boolean;
	readonly first: Page;
}

interface Side {
	readonly segment: SegmentView;
	readonly manifest: ViewManifest;
}

/** Compares two snapshots and writes the first page; null if one of them no longer exists. */
export async function compareSnapshots(deps: ReadDeps, task: CompareTask): Promise<Compared | null> {
	return retryIfGone(async () => {
		const views = await deps.segments.find([task.from, task.to]);
		const [from, to] = [sideOf(views, task.from), sideOf(views, task.to)];
		if (from === undefined || to === undefined) return null;
		const segments = { from: from.segment.id, to: to.segment.id };
		const found = await planSides(deps, from, to);
		const compared = await leaveOutIgnored(deps, found, { ...task, segments });
		const plan = isByKind(task.style) ? sortByKind(compared) : compared;
		const begin = { places: task.style === "none" ? new Int32Array(0) : plan.places, at: 0, open: NOTHING_OPEN };
		return {
			plan,
			ignored: found.total - plan.total,
			segments,
			looseDiffer: !from.manifest.looseHash.equals(to.manifest.looseHash),
			first: await writePage(deps, { ...task, segments, ...begin }),
		};
	});
}

export interface ChangesTask extends Pick<CompareTask, "from" | "to" | "ignore" | "pageBytes"> {
	/** Upper bound of listed objects. */
	readonly most: number;
}

export interface ChangedObjects {
	/** In the order of dn, up to `most` of the task. */
	readonly objects: readonly ChangedObject[];
	/** Number of all changed objects. */
	readonly total: number;
}

/** Lists what a comparison would show; null if one of the snapshots no longer exists. */
export async function listChanges(deps: ReadDeps, task: ChangesTask): Promise<ChangedObjects | null> {
	return retryIfGone(async () => {
		const views = await deps.segments.find([task.from, task.to]);
		const [from, to] = [sideOf(views, task.from), sideOf(views, task.to)];
		if (from === undefined || to === undefined) return null;
		const segments = { from: from.segment.id, to: to.segment.id };
		const plan = await leaveOutIgnored(deps, await planSides(deps, from, to), { ...task, segments });
		const places = plan.places.subarray(0, task.most * 2 * PLACE);
		const objects: ChangedObject[] = [];
		for (let at: number | null = places.length > 0 ? 0 : null; at !== null; ) {
			const page = pageOf(places, at, task.pageBytes);
			const texts = await openTexts(deps, segments, page.places);
			const writer = createEntryWriter(texts.from, texts.to, createIgnore(task.ignore));
			for (let place = 0; place < page.places.length; place += 2 * PLACE) {
				const described = writer.describe(page.places, place);
				if (described !== null) objects.push(changedObjectOf(described));
			}
			at = page.next;
		}
		return { objects, total: plan.total };
	});
}

export interface PageTask {
	readonly segments: { readonly from: string; readonly to: string };
	readonly places: Int32Array;
	/** Index of the change to begin with. */
	readonly at: number;
	readonly open: Open;
	readonly style: EntryStyle;
	readonly ignore: IgnoreSpec;
	readonly attribution: Attribution | null;
	readonly pageBytes: number;
}

/** Writes the entries of some changes. Throws GoneError. */
export async function writePage(deps: ReadDeps, task: PageTask): Promise<Page> {
	const { places, next } = pageOf(task.places, task.at, task.pageBytes);
	const texts = await openTexts(deps, task.segments, places);
	const attribute = task.attribution && createAttribute(task.attribution);
	const how = { style: task.style, ignore: createIgnore(task.ignore), attribute };
	return { ...writeEntries(places, texts, how, task.open), next };
}

/** The pack texts that some changes need, on both sides. */
async function openTexts({ packs }: ReadDeps, segments: PageTask["segments"], places: Int32Array) {
	const needed = neededPacks(places);
	const shared = segments.from === segments.to;
	const all = shared ? [...new Set([...needed.from, ...needed.to])] : needed.from;
	const from = await packs.open(segments.from, all);
	const to = shared ? from : await packs.open(segments.to, needed.to);
	return { from: (seq: number) => from(seq).text(), to: (seq: number) => to(seq).text() };
}

/**
 * The plan without modified objects that differ in ignored attributes only, and without objects
 * that drift rules leave out. Reads all modified objects; with rules for objects, all of them.
 */
async function leaveOutIgnored(
	deps: ReadDeps,
	plan: ComparePlan,
	task: Pick<PageTask, "segments" | "ignore" | "pageBytes">,
): Promise<ComparePlan> {
	const how = { ignore: createIgnore(task.ignore), exclude: createExclude(task.ignore.rules) };
	if (how.ignore === null && how.exclude === null) return plan;
	const all = Array.from(plan.classOf.keys());
	const read = how.exclude === null ? modifiedChanges(plan) : all;
	const { places } = selectChanges(plan, read);
	const left = new Set<number>();
	for (let at: number | null = read.length > 0 ? 0 : null; at !== null; ) {
		const page = pageOf(places, at, task.pageBytes);
		const ignored = findIgnored(page.places, await openTexts(deps, task.segments, page.places), how);
		for (const [change, flag] of ignored.entries()) if (flag === 1) left.add(read[at + change] as number);
		at = page.next;
	}
	return selectChanges(
		plan,
		all.filter((change) => !left.has(change)),
	);
}

async function planSides({ packs }: ReadDeps, from: Side, to: Side): Promise<ComparePlan> {
	const distinct = from.manifest.distinct && to.manifest.distinct;
	if (from.segment === to.segment) {
		const { segment } = from;
		const { removed, added } = changesBetween(segment.manifests, from.manifest, to.manifest, distinct);
		const wanted = [...new Set([...packsOf(segment.packs, removed), ...packsOf(segment.packs, added)])];
		const columns = await packs.decoded(segment.id, wanted);
		const names = await packs.lookup(segment.id, segment.names);
		const objects = (versions: Int32Array) => ({ found: objectsOfRows(versions, columns), names });
		const aligned = alignObjects(objects(removed), objects(added));
		return planCompare(aligned.from, aligned.to);
	}
	return planContents(await storedContent(packs, from), await storedContent(packs, to)).plan;
}

function sideOf(segments: readonly SegmentView[], id: string): Side | undefined {
	for (const segment of segments) {
		const manifest = segment.manifests.find(({ snapshotId }) => snapshotId === id);
		if (manifest !== undefined) return { segment, manifest };
	}
	return undefined;
}

/**
 * Versions of the rows that a comparison within a segment must read. If no dn occurs twice and only
 * deltas lie between the two snapshots, the deltas tell without reading the lists.
 */
export function changesBetween(
	manifests: readonly ViewManifest[],
	from: { position: number },
	to: { position: number },
	distinct: boolean,
): Changes {
	const [low, high] = [Math.min(from.position, to.position), Math.max(from.position, to.position)];
	const between = manifests.filter(({ position }) => position > low && position <= high);
	if (distinct && !between.some(({ whole }) => whole)) {
		const { removed, added } = sumChanges(between);
		return from.position > to.position ? { removed: added, added: removed } : { removed, added };
	}
	const before = readChain(chainOf(manifests, from.position)).versions;
	const after = readChain(chainOf(manifests, to.position)).versions;
	return distinct ? difference(before, after) : { removed: before.slice().sort(), added: after.slice().sort() };
}

/** All dns in the snapshots of a saved query; `connectionId` null: of all connections. */
export async function readCompletion(
	{ db, view, packs }: ReadDeps,
	of: { savedQueryId: string; connectionId: string | null },
): Promise<CompletionData> {
	return retryIfGone(async () => {
		const segments = new Map<string, NamesVersion[]>();
		for (const { segmentId, ...chunk } of await view.namesOfQuery(db, of))
			segments.set(segmentId, [...(segments.get(segmentId) ?? []), chunk]);
		const payloads: Uint8Array[] = [];
		for (const [segmentId, own] of segments) payloads.push(...(await packs.names(segmentId, own)));
		return completionData(eachName(payloads));
	});
}
