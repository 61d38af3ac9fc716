/**
 * Reads the content of snapshots while others are added and deleted. If a pack is gone, a deletion
 * has replaced it, and the read starts again.
 */
import { type ChangedObject, createAttribute } from "../rules/attribution.ts";
import { type ComparePlan, getPage, PLACE, sortByKind } from "../rules/compare.ts";
import { buildCompletionData, type CompletionData } from "../rules/completion.ts";
import { getChangedObject, isByKind, NOTHING_OPEN, type Open, writeEntries } from "../rules/entries.ts";
import { createEntryWriter } from "../rules/entry-writer.ts";
import { createIgnore } from "../rules/ignore.ts";
import { readChain } from "../rules/manifest.ts";
import { iterateNames } from "../rules/names.ts";
import { getPacks } from "../rules/packs.ts";
import { assembleText } from "../rules/view.ts";
import { listQueryNames } from "../sql/view.ts";
import {
	type CompareTask,
	getMatch,
	leaveOutIgnored,
	openTexts,
	type PageTask,
	planMatched,
	type Side,
	type SnapshotSources,
} from "./compare-plan.ts";
import { GoneError, type NamesVersion } from "./pack-source.ts";
import type { SegmentView } from "./segment-source.ts";

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
	{ segments, packs }: Pick<SnapshotSources, "segments" | "packs">,
	{ snapshotId, bytes }: { snapshotId: string; bytes: number },
): Promise<Buffer | null> {
	return retryIfGone(async () => {
		const [segment] = await segments.find([snapshotId]);
		if (segment === undefined) return null;
		const manifest = readChain(segment.manifests);
		const wanted = getPacks(segment.packs, manifest.versions.slice().sort());
		const open = await packs.open(segment.id, wanted);
		return assembleText(manifest, wanted.map(open), bytes);
	});
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

/** Compares two snapshots and writes the first page; null if one of them no longer exists. */
export async function compareSnapshots(deps: SnapshotSources, task: CompareTask): Promise<Compared | null> {
	return retryIfGone(async () => {
		const sides = await findSides(deps, task);
		if (sides === null) return null;
		const { from, to, segments } = sides;
		const found = await planMatched(deps, from, to, { ...task, segments });
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

export interface ChangesTask extends Pick<CompareTask, "from" | "to" | "ignore" | "beginnings" | "pageBytes"> {
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
export async function listChanges(deps: SnapshotSources, task: ChangesTask): Promise<ChangedObjects | null> {
	return retryIfGone(async () => {
		const sides = await findSides(deps, task);
		if (sides === null) return null;
		const { from, to, segments } = sides;
		const planned = await planMatched(deps, from, to, { ...task, segments });
		const plan = await leaveOutIgnored(deps, planned, { ...task, segments });
		const places = plan.places.subarray(0, task.most * 2 * PLACE);
		const objects: ChangedObject[] = [];
		for (let at: number | null = places.length > 0 ? 0 : null; at !== null; ) {
			const page = getPage(places, at, task.pageBytes);
			const texts = await openTexts(deps, segments, page.places);
			const match = getMatch(task);
			const writer = createEntryWriter(texts.from, texts.to, createIgnore(task.ignore, match), match);
			for (let place = 0; place < page.places.length; place += 2 * PLACE) {
				const described = writer.describe(page.places, place);
				if (described !== null) objects.push(getChangedObject(described));
			}
			at = page.next;
		}
		return { objects, total: plan.total };
	});
}

/** Writes the entries of some changes. Throws GoneError. */
export async function writePage(deps: SnapshotSources, task: PageTask): Promise<Page> {
	const { places, next } = getPage(task.places, task.at, task.pageBytes);
	const texts = await openTexts(deps, task.segments, places);
	const attribute = task.attribution && createAttribute(task.attribution);
	const match = getMatch(task);
	const rules = { ignore: createIgnore(task.ignore, match), match };
	return { ...writeEntries(places, texts, task.style, rules, attribute, task.open), next };
}

export interface Sides {
	readonly from: Side;
	readonly to: Side;
	/** Ids of their segments. */
	readonly segments: PageTask["segments"];
}

/** Two snapshots; null if one of them no longer exists. */
export async function findSides(
	deps: SnapshotSources,
	task: { readonly from: string; readonly to: string },
): Promise<Sides | null> {
	const views = await deps.segments.find([...new Set([task.from, task.to])]);
	const [from, to] = [findSide(views, task.from), findSide(views, task.to)];
	if (from === undefined || to === undefined) return null;
	return { from, to, segments: { from: from.segment.id, to: to.segment.id } };
}

/** The snapshot and its segment; undefined if it no longer exists. */
function findSide(segments: readonly SegmentView[], id: string): Side | undefined {
	for (const segment of segments) {
		const manifest = segment.manifests.find(({ snapshotId }) => snapshotId === id);
		if (manifest !== undefined) return { segment, manifest };
	}
	return undefined;
}

/** All dns in the snapshots of a saved query; `connectionId` null: of all connections. */
export async function readCompletion(
	{ db, packs }: SnapshotSources,
	of: { savedQueryId: string; connectionId: string | null },
): Promise<CompletionData> {
	return retryIfGone(async () => {
		const segments = new Map<string, NamesVersion[]>();
		for (const { segmentId, ...chunk } of await listQueryNames(db, of))
			segments.set(segmentId, [...(segments.get(segmentId) ?? []), chunk]);
		const payloads: Uint8Array[] = [];
		for (const [segmentId, own] of segments) payloads.push(...(await packs.names(segmentId, own)));
		return buildCompletionData(iterateNames(payloads));
	});
}
