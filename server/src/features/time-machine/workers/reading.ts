/** Reads what snapshots hold, while others are added and deleted. Where a pack is gone it was replaced, and the reading starts again. */
import type { Db } from "../../../ports/store.ts";
import {
	byKind,
	type ComparePlan,
	modifiedOnes,
	neededPacks,
	onlyChanges,
	pageOf,
	planCompare,
} from "../domain/compare.ts";
import { type CompletionData, completionData } from "../domain/completion.ts";
import { type EntryStyle, findIgnored, isByKind, NOTHING_OPEN, type Open, writeEntries } from "../domain/entries.ts";
import { createIgnore, type IgnoreSpec } from "../domain/ignore.ts";
import { type Changes, difference, readChain, sumChanges } from "../domain/manifest.ts";
import { eachName } from "../domain/names.ts";
import { packsOf } from "../domain/packs.ts";
import { alignObjects, assemble, objectsOfRows, withoutCommon } from "../domain/view.ts";
import type { SnapshotView, ViewManifest } from "../repo-view.ts";
import { type PackSource, Vanished } from "./packs.ts";
import type { Segment, SegmentSource } from "./segments.ts";

export interface Reading {
	readonly db: Db;
	readonly view: SnapshotView;
	readonly segments: SegmentSource;
	readonly packs: PackSource;
}

const TRIES = 4;

/** The history is being cleaned up faster than it can be read. */
export const DISTURBED = "DISTURBED";

/** Tries again what a deletion beside it has disturbed. Throws an error with the code DISTURBED. */
export async function undisturbed<T>(read: () => Promise<T>): Promise<T> {
	for (let left = TRIES; ; left--) {
		try {
			return await read();
		} catch (error) {
			if (!(error instanceof Vanished)) throw error;
			if (left === 0) throw Object.assign(new Error("The history is being cleaned up."), { code: DISTURBED });
		}
	}
}

/** The text of a snapshot; null when it is gone. */
export async function readText(
	{ segments, packs }: Pick<Reading, "segments" | "packs">,
	{ snapshotId, bytes }: { snapshotId: string; bytes: number },
): Promise<Buffer | null> {
	return undisturbed(async () => {
		const [segment] = await segments.find([snapshotId], { chain: true });
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
	/** What is left out of modified objects, and with it those that differ in nothing else. */
	readonly ignore: IgnoreSpec;
	/** Rows of about so many bytes are shown at a time. */
	readonly pageBytes: number;
}

export interface Page {
	readonly bytes: Uint8Array;
	readonly open: Open;
	/** The change that the next page begins with; null after the last. */
	readonly next: number | null;
}

export interface Compared {
	readonly plan: ComparePlan;
	/** Modified objects that were left out. */
	readonly ignored: number;
	/** The segments that the plan's places are of. */
	readonly segments: { readonly from: string; readonly to: string };
	/** Whether the rows without a dn differ. */
	readonly looseDiffer: boolean;
	readonly first: Page;
}

interface Side {
	readonly segment: Segment;
	readonly manifest: ViewManifest;
}

/** The comparison of two snapshots, with its first page; null when one of the two is gone. */
export async function compareSnapshots(reading: Reading, task: CompareTask): Promise<Compared | null> {
	return undisturbed(async () => {
		const views = await reading.segments.find([task.from, task.to], { chain: false });
		const [from, to] = [sideOf(views, task.from), sideOf(views, task.to)];
		if (from === undefined || to === undefined) return null;
		const segments = { from: from.segment.id, to: to.segment.id };
		const found = await planSides(reading, from, to);
		const compared = await leaveOut(reading, found, { ...task, segments });
		const plan = isByKind(task.style) ? byKind(compared) : compared;
		const begin = { places: task.style === "none" ? new Int32Array(0) : plan.places, at: 0, open: NOTHING_OPEN };
		return {
			plan,
			ignored: found.total - plan.total,
			segments,
			looseDiffer: !from.manifest.looseHash.equals(to.manifest.looseHash),
			first: await writePage(reading, { ...task, segments, ...begin }),
		};
	});
}

export interface PageTask {
	readonly segments: { readonly from: string; readonly to: string };
	readonly places: Int32Array;
	/** The change to begin with. */
	readonly at: number;
	readonly open: Open;
	readonly style: EntryStyle;
	readonly ignore: IgnoreSpec;
	readonly pageBytes: number;
}

/** Writes the entries of some changes. Throws Vanished. */
export async function writePage(reading: Reading, task: PageTask): Promise<Page> {
	const { places, next } = pageOf(task.places, task.at, task.pageBytes);
	const texts = await openTexts(reading, task.segments, places);
	const how = { style: task.style, ignore: createIgnore(task.ignore) };
	return { ...writeEntries(places, texts, how, task.open), next };
}

/** The texts of both sides that some changes lie in. */
async function openTexts({ packs }: Reading, segments: PageTask["segments"], places: Int32Array) {
	const needed = neededPacks(places);
	const shared = segments.from === segments.to;
	const all = shared ? [...new Set([...needed.from, ...needed.to])] : needed.from;
	const from = await packs.open(segments.from, all);
	const to = shared ? from : await packs.open(segments.to, needed.to);
	return { from: (seq: number) => from(seq).text(), to: (seq: number) => to(seq).text() };
}

/** The plan without modified objects that differ in nothing but what is ignored. Only reading them tells. */
async function leaveOut(
	reading: Reading,
	plan: ComparePlan,
	task: Pick<PageTask, "segments" | "ignore" | "pageBytes">,
): Promise<ComparePlan> {
	const ignore = createIgnore(task.ignore);
	if (ignore === null) return plan;
	const modified = modifiedOnes(plan);
	const { places } = onlyChanges(plan, modified);
	const left = new Set<number>();
	for (let at: number | null = modified.length > 0 ? 0 : null; at !== null; ) {
		const page = pageOf(places, at, task.pageBytes);
		const ignored = findIgnored(page.places, await openTexts(reading, task.segments, page.places), ignore);
		for (const [change, flag] of ignored.entries()) if (flag === 1) left.add(modified[at + change] as number);
		at = page.next;
	}
	return onlyChanges(
		plan,
		Array.from(plan.classOf.keys()).filter((change) => !left.has(change)),
	);
}

async function planSides({ packs }: Reading, from: Side, to: Side): Promise<ComparePlan> {
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
	const whole = async ({ segment, manifest }: Side) => {
		const versions = readChain(chainOf(segment.manifests, manifest.position)).versions.slice().sort();
		const columns = await packs.decoded(segment.id, packsOf(segment.packs, versions));
		return { versions, columns, names: await packs.lookup(segment.id, segment.names) };
	};
	const [left, right] = [await whole(from), await whole(to)];
	const versions = distinct ? withoutCommon(left, right) : { from: left.versions, to: right.versions };
	const aligned = alignObjects(
		{ found: objectsOfRows(versions.from, left.columns), names: left.names },
		{ found: objectsOfRows(versions.to, right.columns), names: right.names },
	);
	return planCompare(aligned.from, aligned.to);
}

function sideOf(segments: readonly Segment[], id: string): Side | undefined {
	for (const segment of segments) {
		const manifest = segment.manifests.find(({ snapshotId }) => snapshotId === id);
		if (manifest !== undefined) return { segment, manifest };
	}
	return undefined;
}

/** Which rows of two snapshots of a segment are to be compared. Where no dn occurs twice the deltas between the two tell, if there are only deltas. */
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

function chainOf(manifests: readonly ViewManifest[], position: number): ViewManifest[] {
	const own = manifests.filter((manifest) => manifest.position <= position);
	return own.slice(own.findLastIndex(({ whole }) => whole));
}

export interface CompletionTask {
	readonly savedQueryId: string;
	/** What the asker has already. */
	readonly state: string | null;
}

/** All dns that occur in a saved query's snapshots; without them where the asker has them. */
export async function readCompletion(
	{ db, view, packs }: Reading,
	{ savedQueryId, state: known }: CompletionTask,
): Promise<{ state: string; data: CompletionData | null }> {
	return undisturbed(async () => {
		const parts = await view.namesOfQuery(db, savedQueryId);
		const state = JSON.stringify(parts);
		if (state === known) return { state, data: null };
		const segments = new Map<string, { first: number; state: string }[]>();
		for (const { segmentId, ...part } of parts) segments.set(segmentId, [...(segments.get(segmentId) ?? []), part]);
		const payloads: Uint8Array[] = [];
		for (const [segmentId, own] of segments) payloads.push(...(await packs.names(segmentId, own)));
		return { state, data: completionData(eachName(payloads)) };
	});
}
