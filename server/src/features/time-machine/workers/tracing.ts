/** Follows objects through snapshots, from the index of changes: only rows that hold them are read, each content once. */
import { createBlame } from "../domain/blame.ts";
import type { Names } from "../domain/names-lookup.ts";
import { type Attributes, createAttributeReader, type TimelinePoint, writeTimeline } from "../domain/timeline.ts";
import { packsWith, trace } from "../domain/trace.ts";
import type { ViewManifest } from "../repo-view.ts";
import { type Reading, undisturbed } from "./reading.ts";
import type { Segment } from "./segments.ts";

interface Traced {
	/** Oldest first. */
	readonly snapshots: readonly { readonly id: string; readonly executedAt: string }[];
}

export interface TimelineTask extends Traced {
	readonly dns: readonly string[];
}

/** Objects in snapshots, each as JSON text, and of how many of them; those that are gone are left out. */
export async function readTimelines(
	reading: Reading,
	{ dns, snapshots }: TimelineTask,
): Promise<{ texts: Buffer[]; count: number }> {
	return undisturbed(async () => {
		const all = await readPoints(reading, dns, snapshots);
		return { texts: all.map((points) => Buffer.from(writeTimeline(points))), count: all[0]?.length ?? 0 };
	});
}

/** By dn, the object in each of the snapshots that are still there. */
async function readPoints(
	reading: Reading,
	dns: readonly string[],
	snapshots: Traced["snapshots"],
): Promise<TimelinePoint[][]> {
	const found = dns.map(() => new Map<string, Attributes | null>());
	const ids = snapshots.map(({ id }) => id);
	for (const segment of await reading.segments.find(ids, { chain: true })) {
		const names = await reading.packs.lookup(segment.id, segment.names);
		for (const [at, dn] of dns.entries())
			await traceSegment(
				reading,
				segment,
				{ dn, names, ids: new Set(ids) },
				found[at] as Map<string, Attributes | null>,
			);
	}
	return found.map((own) =>
		snapshots
			.filter(({ id }) => own.has(id))
			.map(({ id, executedAt }) => ({ snapshotId: id, executedAt, attributes: own.get(id) ?? null })),
	);
}

async function traceSegment(
	{ packs }: Reading,
	segment: Segment,
	{ dn, names, ids }: { dn: string; names: Names; ids: ReadonlySet<string> },
	found: Map<string, Attributes | null>,
): Promise<void> {
	const asked = segment.manifests.filter(({ snapshotId }) => ids.has(snapshotId));
	const wanted = packsWith(dn, names, segment.holders);
	const columns = await packs.decoded(segment.id, wanted);
	const open = await packs.open(segment.id, wanted);
	const read = createAttributeReader((seq) => open(seq).text());
	const known = new Map<string, Attributes>();
	const positions = asked.map(({ position }) => position);
	for (const [at, place] of trace({ dn, manifests: segment.manifests, packs: columns, names, positions }).entries()) {
		const key = place?.join() ?? "";
		const attributes = place === null ? null : (known.get(key) ?? read(Int32Array.from(place), 0));
		if (attributes !== null) known.set(key, attributes);
		found.set((asked[at] as ViewManifest).snapshotId, attributes);
	}
}

export interface BlameTask extends Traced {
	readonly dn: string;
}

/** Lists of rows that are held at a time. */
const SLICE = 100;

/** Which snapshot last changed each attribute of an object, as JSON text, and of how many snapshots; those that are gone are left out. */
export async function readBlame(reading: Reading, task: BlameTask): Promise<{ text: Buffer; count: number }> {
	return undisturbed(async () => {
		const blame = createBlame();
		for (let end = task.snapshots.length; end > 0; end -= SLICE) {
			const slice = task.snapshots.slice(Math.max(0, end - SLICE), end);
			const [points = []] = await readPoints(reading, [task.dn], slice);
			for (const point of points.reverse()) blame.add(point);
		}
		return { text: Buffer.from(blame.text()), count: blame.count() };
	});
}
