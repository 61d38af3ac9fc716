/** An object through its snapshots: lanes of equal values, and times of changes. Pure. */
import { formatCapturedValue } from "./written.ts";

export interface Point {
	readonly snapshot_id: string;
	readonly executed_at: string;
	readonly present: boolean;
	readonly attributes: Readonly<Record<string, unknown>>;
}

export interface Segment {
	/** Null where the object or the attribute is absent. */
	readonly value: string | null;
	readonly from: number;
	/** Number of points. */
	readonly length: number;
}

export interface Change {
	/** Null: the object itself came or went. */
	readonly attribute: string | null;
	readonly at: string;
	readonly before: string | null;
	readonly after: string | null;
	readonly fromId: string;
	readonly toId: string;
}

/** A change of an attribute as a lane shows it; of the object itself, the attribute is null. */
export interface LaneTick {
	readonly attribute: string | null;
	readonly before: string | null;
	readonly after: string | null;
	/** Time of the snapshot that first shows it. */
	readonly at: string;
}

function buildSegments(points: readonly Point[], valueAt: (point: Point) => string | null): Segment[] {
	const segments: { value: string | null; from: number; length: number }[] = [];
	points.forEach((point, index) => {
		const value = valueAt(point);
		const last = segments.at(-1);
		if (last && last.value === value) last.length++;
		else segments.push({ value, from: index, length: 1 });
	});
	return segments;
}

export const buildPresenceSegments = (points: readonly Point[]): Segment[] =>
	buildSegments(points, ({ present }) => (present ? "there" : null));

export const buildLane = (points: readonly Point[], attribute: string): Segment[] =>
	buildSegments(points, ({ present, attributes }) => (present ? formatCapturedValue(attributes[attribute]) : null));

/** Every change, newest first. Between two points an object appears, disappears, or changes. */
export function getChanges(points: readonly Point[], attributes: readonly string[]): Change[] {
	const changes: Change[] = [];
	for (let index = points.length - 1; index > 0; index--) {
		const [before, after] = [points[index - 1], points[index]];
		if (before === undefined || after === undefined) continue;
		const base = { at: after.executed_at, fromId: before.snapshot_id, toId: after.snapshot_id };
		if (before.present !== after.present) {
			const word = (present: boolean) => (present ? "there" : null);
			changes.push({ ...base, attribute: null, before: word(before.present), after: word(after.present) });
			continue;
		}
		for (const attribute of attributes) {
			const [old, now] = [
				formatCapturedValue(before.attributes[attribute]),
				formatCapturedValue(after.attributes[attribute]),
			];
			if (old !== now) changes.push({ ...base, attribute, before: old, after: now });
		}
	}
	return changes;
}
