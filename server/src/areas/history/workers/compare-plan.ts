/** Plans comparisons of stored snapshots: which objects changed, without those that are ignored. */
import type { Db } from "../../../core/ports/store.ts";
import type { Attribution } from "../rules/attribution.ts";
import {
	type ComparePlan,
	getPage,
	joinChanges,
	listModifiedChanges,
	listNeededPacks,
	planCompare,
	selectChanges,
} from "../rules/compare.ts";
import { openChanges, pairChanges } from "../rules/compare-names.ts";
import { type EntryStyle, findIgnored, type Open, readContentTexts } from "../rules/entries.ts";
import { createExclude, createIgnore, type IgnoreSpec } from "../rules/ignore.ts";
import { type Changes, diffVersions, readChain, sumChanges } from "../rules/manifest.ts";
import { createNameMatch, type NameMatch } from "../rules/name-match.ts";
import { getPacks } from "../rules/packs.ts";
import { alignObjects, listObjectsOfRows } from "../rules/view.ts";
import type { ViewManifest } from "../sql/view.ts";
import { buildChain, planContentNames, planContents, readStoredContent } from "./content.ts";
import type { PackSource } from "./pack-source.ts";
import type { SegmentSource, SegmentView } from "./segment-source.ts";

export interface SnapshotSources {
	readonly db: Db;
	readonly segments: SegmentSource;
	readonly packs: PackSource;
}

export interface CompareTask {
	readonly from: string;
	readonly to: string;
	readonly style: EntryStyle;
	/** Attributes to ignore. Modified objects that differ in nothing else are left out. */
	readonly ignore: IgnoreSpec;
	/**
	 * Matches objects by name: beginnings of relative names that end in numbers of nodes or pods.
	 * Null: by dn.
	 */
	readonly beginnings: readonly string[] | null;
	/** Who changed the objects; null if that is not known. */
	readonly attribution: Attribution | null;
	/** Approximate bytes of rows that one page shows. */
	readonly pageBytes: number;
}

export interface PageTask {
	readonly segments: { readonly from: string; readonly to: string };
	readonly places: Int32Array;
	/** Index of the change to begin with. */
	readonly at: number;
	readonly open: Open;
	readonly style: EntryStyle;
	readonly ignore: IgnoreSpec;
	readonly beginnings: CompareTask["beginnings"];
	readonly attribution: Attribution | null;
	readonly pageBytes: number;
}

export interface Side {
	readonly segment: SegmentView;
	readonly manifest: ViewManifest;
}

/** Null for a comparison by dn. */
export const getMatch = ({ beginnings }: Pick<CompareTask, "beginnings">): NameMatch | null =>
	beginnings === null ? null : createNameMatch(beginnings);

/** The pack texts that some changes need, on both sides. */
export async function openTexts({ packs }: SnapshotSources, segments: PageTask["segments"], places: Int32Array) {
	const needed = listNeededPacks(places);
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
export async function leaveOutIgnored(
	deps: SnapshotSources,
	plan: ComparePlan,
	task: ReadOptions,
): Promise<ComparePlan> {
	const match = getMatch(task);
	const rules = { ignore: createIgnore(task.ignore, match), match };
	const exclude = createExclude(task.ignore.rules);
	if (rules.ignore === null && exclude === null) return plan;
	const all = Array.from(plan.classNumbers.keys());
	const read = exclude === null ? listModifiedChanges(plan) : all;
	const { places } = selectChanges(plan, read);
	const left = new Set<number>();
	for (let at: number | null = read.length > 0 ? 0 : null; at !== null; ) {
		const page = getPage(places, at, task.pageBytes);
		const ignored = findIgnored(page.places, await openTexts(deps, task.segments, page.places), rules, exclude);
		for (const [change, flag] of ignored.entries()) if (flag === 1) left.add(read[at + change] as number);
		at = page.next;
	}
	return selectChanges(
		plan,
		all.filter((change) => !left.has(change)),
	);
}

type ReadOptions = Pick<PageTask, "segments" | "ignore" | "beginnings" | "pageBytes">;

const NOTHING_IGNORED: IgnoreSpec = { names: [], volatile: false, identity: false, rules: null };

/** All changes between two snapshots, before attributes are ignored. */
export async function planMatched(
	deps: SnapshotSources,
	from: Side,
	to: Side,
	task: ReadOptions,
): Promise<ComparePlan> {
	const match = getMatch(task);
	if (match === null) return planSides(deps, from, to);
	const contents = [await readStoredContent(deps.packs, from), await readStoredContent(deps.packs, to)] as const;
	const names = planContentNames(...contents, match);
	const texts = new Map<number, string>();
	const open = openChanges(names);
	const { places } = selectChanges(names.plan, open);
	const ignore = createIgnore(task.ignore, match);
	for (let at: number | null = open.length > 0 ? 0 : null; at !== null; ) {
		const page = getPage(places, at, task.pageBytes);
		const read = readContentTexts(page.places, await openTexts(deps, task.segments, page.places), ignore, match);
		for (const [change, text] of read.entries()) texts.set(open[at + change] as number, text);
		at = page.next;
	}
	const plan = joinChanges(names.plan, pairChanges(names, texts));
	return leaveOutIgnored(deps, plan, { ...task, ignore: NOTHING_IGNORED });
}

async function planSides({ packs }: SnapshotSources, from: Side, to: Side): Promise<ComparePlan> {
	const distinct = from.manifest.distinct && to.manifest.distinct;
	if (from.segment === to.segment) {
		const { segment } = from;
		const { removed, added } = listChangesBetween(segment.manifests, from.manifest, to.manifest, distinct);
		const wanted = [...new Set([...getPacks(segment.packs, removed), ...getPacks(segment.packs, added)])];
		const columns = await packs.decoded(segment.id, wanted);
		const names = await packs.lookup(segment.id, segment.names);
		const objects = (versions: Int32Array) => ({ found: listObjectsOfRows(versions, columns), names });
		const aligned = alignObjects(objects(removed), objects(added));
		return planCompare(aligned.from, aligned.to);
	}
	return planContents(await readStoredContent(packs, from), await readStoredContent(packs, to)).plan;
}

/**
 * Versions of the rows that a comparison within a segment must read. If no dn occurs twice and only
 * deltas lie between the two snapshots, the deltas tell without reading the lists.
 */
export function listChangesBetween(
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
	const before = readChain(buildChain(manifests, from.position)).versions;
	const after = readChain(buildChain(manifests, to.position)).versions;
	return distinct ? diffVersions(before, after) : { removed: before.slice().sort(), added: after.slice().sort() };
}
