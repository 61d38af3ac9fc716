/**
 * Follows objects through snapshots by the manifests' changes. Reads only rows that hold the
 * objects, each distinct row once.
 */
import type { DriftRules } from "@weft/contracts";
import { createBlame } from "../rules/blame.ts";
import { createDriftIgnore } from "../rules/ignore.ts";
import { toByteString } from "../rules/json-text.ts";
import type { Names } from "../rules/names-lookup.ts";
import { listPacksWithEntries } from "../rules/packs.ts";
import { type Attributes, createAttributeReader, type TimelinePoint, writeTimeline } from "../rules/timeline.ts";
import { locateObject } from "../rules/trace.ts";
import type { ViewManifest } from "../sql/view.ts";
import type { SnapshotSources } from "./compare-plan.ts";
import { retryIfGone } from "./read.ts";
import type { SegmentView } from "./segment-source.ts";

interface Traced {
	/** Oldest first. */
	readonly snapshots: readonly { readonly id: string; readonly executedAt: string }[];
}

export interface TimelineTask extends Traced {
	readonly dns: readonly string[];
	/** Changes that they ignore do not count; null: all count. */
	readonly rules: DriftRules | null;
}

/** The timeline of each dn as JSON text, and the number of snapshots that still exist. */
export async function readTimelines(
	deps: SnapshotSources,
	{ dns, snapshots, rules }: TimelineTask,
): Promise<{ texts: Buffer[]; count: number }> {
	const ignore = rules && createDriftIgnore(rules);
	return retryIfGone(async () => {
		const all = await readPoints(deps, dns, snapshots);
		const texts = all.map(({ points, className }) =>
			Buffer.from(writeTimeline(points, (name, old, now) => ignore?.(className, name, old, now) === true)),
		);
		return { texts, count: all[0]?.points.length ?? 0 };
	});
}

interface Points {
	/** Byte string; `""` if no snapshot has the object. */
	readonly className: string;
	readonly points: TimelinePoint[];
}

/** For each dn, the object in each of the snapshots that still exist. */
async function readPoints(
	deps: SnapshotSources,
	dns: readonly string[],
	snapshots: Traced["snapshots"],
): Promise<Points[]> {
	const found = dns.map(() => new Map<string, Attributes | null>());
	const classes = dns.map(() => "");
	const ids = snapshots.map(({ id }) => id);
	for (const segment of await deps.segments.find(ids)) {
		const names = await deps.packs.lookup(segment.id, segment.names);
		for (const [at, dn] of dns.entries()) {
			const [entry] = names.find(toByteString(dn));
			if (entry !== undefined) classes[at] = names.getClass(entry);
			await traceSegment(deps, segment, { dn, names, ids: new Set(ids) }, found[at] as Map<string, Attributes | null>);
		}
	}
	return found.map((own, at) => ({
		className: classes[at] ?? "",
		points: snapshots
			.filter(({ id }) => own.has(id))
			.map(({ id, executedAt }) => ({ snapshotId: id, executedAt, attributes: own.get(id) ?? null })),
	}));
}

async function traceSegment(
	{ packs }: SnapshotSources,
	segment: SegmentView,
	{ dn, names, ids }: { dn: string; names: Names; ids: ReadonlySet<string> },
	found: Map<string, Attributes | null>,
): Promise<void> {
	const asked = segment.manifests.filter(({ snapshotId }) => ids.has(snapshotId));
	const wanted = listPacksWithEntries(segment.packs, names.find(toByteString(dn)));
	const columns = await packs.decoded(segment.id, wanted);
	const open = await packs.open(segment.id, wanted);
	const read = createAttributeReader((seq) => open(seq).text());
	const known = new Map<string, Attributes>();
	const positions = asked.map(({ position }) => position);
	for (const [at, place] of locateObject({
		dn,
		manifests: segment.manifests,
		packs: columns,
		names,
		positions,
	}).entries()) {
		const key = place?.join() ?? "";
		const attributes = place === null ? null : (known.get(key) ?? read(Int32Array.from(place), 0));
		if (attributes !== null) known.set(key, attributes);
		found.set((asked[at] as ViewManifest).snapshotId, attributes);
	}
}

export interface BlameTask extends Traced {
	readonly dn: string;
}

/** Snapshots that are read at once. */
const SLICE = 100;

/**
 * Which snapshot last changed each attribute of an object, as JSON text, and the number of
 * snapshots that still exist.
 */
export async function readBlame(deps: SnapshotSources, task: BlameTask): Promise<{ text: Buffer; count: number }> {
	return retryIfGone(async () => {
		const blame = createBlame();
		for (let end = task.snapshots.length; end > 0; end -= SLICE) {
			const slice = task.snapshots.slice(Math.max(0, end - SLICE), end);
			const [found] = await readPoints(deps, [task.dn], slice);
			for (const point of found?.points.reverse() ?? []) blame.add(point);
		}
		return { text: Buffer.from(blame.text()), count: blame.count() };
	});
}
