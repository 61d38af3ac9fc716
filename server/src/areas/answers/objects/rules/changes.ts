/** Changes of one object over the snapshots of its histories. */
import type { ObjectChange } from "@weft/contracts";
import { listDifferences, type Values } from "./attributes.ts";

/** The object in a snapshot; null: the snapshot lacks it. */
export interface ObjectPoint {
	readonly snapshotId: string;
	readonly at: string;
	readonly attributes: Values | null;
}

export interface ObjectStep {
	readonly change: ObjectChange;
	/** Times of the earlier and of the later snapshot. */
	readonly since: string;
	readonly at: string;
	readonly snapshotId: string;
	readonly attributes: readonly { name: string; before: unknown; after: unknown }[];
}

/** The changes from each point to the next one, oldest first. */
export function listSteps(className: string, points: readonly ObjectPoint[]): ObjectStep[] {
	return points.flatMap((point, at): ObjectStep[] => {
		const before = points[at - 1];
		if (before === undefined) return [];
		const step = { since: before.at, at: point.at, snapshotId: point.snapshotId };
		if (before.attributes === null && point.attributes === null) return [];
		if (before.attributes === null) return [{ ...step, change: "added", attributes: [] }];
		if (point.attributes === null) return [{ ...step, change: "deleted", attributes: [] }];
		const attributes = listDifferences(className, before.attributes, point.attributes);
		return attributes.length === 0 ? [] : [{ ...step, change: "modified", attributes }];
	});
}

/**
 * The changes of several histories, newest first. Histories that saw the same change between
 * overlapping times count once, with the snapshot that saw it first.
 */
export function mergeSteps(all: readonly ObjectStep[]): ObjectStep[] {
	const merged: ObjectStep[] = [];
	for (const step of [...all].sort((a, b) => (a.at < b.at ? -1 : 1))) {
		const isKnown = merged.some(
			(known) => known.at > step.since && known.change === step.change && hasEqualAttributes(known, step),
		);
		if (!isKnown) merged.push(step);
	}
	return merged.reverse();
}

const hasEqualAttributes = (a: ObjectStep, b: ObjectStep): boolean =>
	JSON.stringify(a.attributes) === JSON.stringify(b.attributes);
