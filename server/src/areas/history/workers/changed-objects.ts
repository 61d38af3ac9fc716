/**
 * Lists the objects that a snapshot has and an earlier one lacks, or has with other contents, with
 * all of their attributes; and the objects that are gone.
 */
import { type ComparePlan, DELETED, getKind, getPage, PLACE, selectChanges } from "../rules/compare.ts";
import { openTexts, planMatched, type Side, type SnapshotSources } from "./compare-plan.ts";
import { planContents, readStoredContent } from "./content.ts";
import { createObjectReader, type SnapshotObject } from "./differences.ts";
import { findSides, retryIfGone } from "./read.ts";

export interface ChangedPlan {
	readonly segments: { readonly from: string; readonly to: string };
	/** As in a comparison's plan. */
	readonly places: Int32Array;
}

const NO_IGNORE = { names: [], volatile: false, identity: false, rules: null };
const NOTHING = new Int32Array(0);

export interface ChangedTask {
	readonly from: string | null;
	readonly to: string;
	readonly pageBytes: number;
	/** Classes of the objects; all if absent. Ignored if `from` is given. */
	readonly classes?: readonly string[];
}

/**
 * Plans the differences from a snapshot to a later one, or all objects where `from` is null. Null
 * if one of the snapshots no longer exists.
 */
export async function planChangedObjects(deps: SnapshotSources, task: ChangedTask): Promise<ChangedPlan | null> {
	return retryIfGone(async () => {
		const sides = await findSides(deps, { from: task.from ?? task.to, to: task.to });
		if (sides === null) return null;
		const { from, to, segments } = sides;
		if (task.from === null) return { segments, places: selectClasses(await planAll(deps, to), task.classes) };
		const options = { segments, ignore: NO_IGNORE, beginnings: null, pageBytes: task.pageBytes };
		const plan = await planMatched(deps, from, to, options);
		if (from.manifest.distinct && to.manifest.distinct) return { segments, places: plan.places };
		const places = await leaveOutKept(deps, { plan, to, segments, pageBytes: task.pageBytes });
		return { segments, places };
	});
}

/** A plan in which every object of the snapshot is new. */
async function planAll({ packs }: SnapshotSources, side: Side): Promise<ComparePlan> {
	const content = await readStoredContent(packs, side);
	return planContents({ ...content, versions: NOTHING }, content).plan;
}

/** Selects the places of the objects of some classes; of all objects if `classes` is undefined. */
function selectClasses(plan: ComparePlan, classes: readonly string[] | undefined): Int32Array {
	if (classes === undefined) return plan.places;
	const wanted = new Set(plan.classes.flatMap((name, number) => (classes.includes(name) ? [number] : [])));
	const changes = Array.from(plan.classNumbers.keys());
	return selectChanges(
		plan,
		changes.filter((change) => wanted.has(plan.classNumbers[change] as number)),
	).places;
}

/** Leaves out deletions of a DN that the later snapshot has several times, or still has once. */
async function leaveOutKept(
	deps: SnapshotSources,
	of: { plan: ComparePlan; to: Side; segments: ChangedPlan["segments"]; pageBytes: number },
): Promise<Int32Array> {
	const { plan, to, segments, pageBytes } = of;
	const whole = { from: to.segment.id, to: to.segment.id };
	const kept = new Set<string>();
	const all = (await planAll(deps, to)).places;
	for await (const { dn } of readPlaces(deps, { segments: whole, places: all, pageBytes })) kept.add(dn);
	const changes = Array.from(plan.classNumbers.keys());
	const deleted = changes.filter((change) => getKind(plan.places, change) === DELETED);
	const left = new Set<number>();
	let at = 0;
	const { places } = selectChanges(plan, deleted);
	for await (const { dn } of readPlaces(deps, { segments, places, pageBytes })) {
		if (kept.has(dn)) left.add(deleted[at] as number);
		at++;
	}
	return selectChanges(
		plan,
		changes.filter((change) => !left.has(change)),
	).places;
}

async function* readPlaces(
	deps: SnapshotSources,
	of: ChangedPlan & { pageBytes: number },
): AsyncGenerator<SnapshotObject, void> {
	for (let at: number | null = of.places.length > 0 ? 0 : null; at !== null; ) {
		const page = await describePage(deps, { ...of, at });
		yield* page.objects;
		at = page.next;
	}
}

interface ObjectPage {
	readonly objects: readonly SnapshotObject[];
	/** Index of the change that the next page begins with; null after the last page. */
	readonly next: number | null;
}

/** Reads the first objects of a part of a plan: all, or fewer for their bytes. */
export async function readChangedObjects(
	deps: SnapshotSources,
	task: ChangedPlan & { pageBytes: number },
): Promise<readonly SnapshotObject[]> {
	const { objects } = await retryIfGone(() => describePage(deps, { ...task, at: 0 }));
	return objects;
}

/** Throws GoneError. */
async function describePage(
	deps: SnapshotSources,
	task: ChangedPlan & { at: number; pageBytes: number },
): Promise<ObjectPage> {
	if (task.places.length === 0) return { objects: [], next: null };
	const page = getPage(task.places, task.at, task.pageBytes);
	const texts = await openTexts(deps, task.segments, page.places);
	const read = createObjectReader(page.places, texts);
	const objects: SnapshotObject[] = [];
	for (let at = 0; at < page.places.length; at += 2 * PLACE) objects.push(read(at));
	return { objects, next: page.next };
}
