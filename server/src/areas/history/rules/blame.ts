/**
 * Finds the snapshot that last changed each attribute of an object. Goes backwards from the latest
 * point and holds two at a time.
 */
import { compareByteStrings, decodeByteString } from "./json-text.ts";
import type { Attributes, TimelinePoint } from "./timeline.ts";

interface SnapshotTime {
	snapshotId: string;
	executedAt: string;
}

interface Blamed extends SnapshotTime {
	/** Byte string. */
	name: string;
	value: string | null;
	previous: string | null;
	changed: boolean;
}

/**
 * An attribute changes, as in the timeline, when its value differs from the last point at which the
 * object existed.
 */
export function createBlame() {
	const found = new Map<string, Blamed>();
	/** The latest and the earliest point so far that have the object. */
	let last: (SnapshotTime & { attributes: Attributes }) | null = null;
	let first: (SnapshotTime & { attributes: Attributes }) | null = null;
	let present = false;
	let count = 0;

	function recordDifferences(older: Attributes, newer: Attributes, at: SnapshotTime): void {
		for (const name of new Set([...older.keys(), ...newer.keys()])) {
			if (found.has(name) || older.get(name)?.canonical === newer.get(name)?.canonical) continue;
			const value = last?.attributes.get(name)?.raw ?? null;
			found.set(name, { name, value, previous: older.get(name)?.raw ?? null, changed: true, ...getSnapshotTime(at) });
		}
	}

	return {
		/** Adds the next older point. */
		add({ snapshotId, executedAt, attributes }: TimelinePoint): void {
			count++;
			if (attributes === null) return;
			const point = { snapshotId, executedAt, attributes };
			if (last === null) {
				last = point;
				present = count === 1;
			} else if (first !== null && first.attributes !== attributes)
				recordDifferences(attributes, first.attributes, first);
			first = point;
		},

		/** Number of added points. */
		count: () => count,

		/**
		 * `present`, `first_seen`, `last_seen` and `attributes` as JSON text: values keep their
		 * spelling.
		 */
		text(): string {
			const all = [...found.values()];
			for (const [name, { raw }] of last?.attributes ?? [])
				if (first !== null && !found.has(name))
					all.push({ name, value: raw, previous: null, changed: false, ...getSnapshotTime(first) });
			all.sort(
				(a, b) =>
					Number(b.changed) - Number(a.changed) ||
					compareByteStrings(b.executedAt, a.executedAt) ||
					compareByteStrings(a.name, b.name),
			);
			const seen = JSON.stringify({
				present,
				first_seen: presentSnapshotTime(first),
				last_seen: presentSnapshotTime(last),
			});
			return `${seen.slice(1, -1)},"attributes":[${all.map(formatAttribute).join(",")}]`;
		},
	};
}

function getSnapshotTime({ snapshotId, executedAt }: SnapshotTime): SnapshotTime {
	return { snapshotId, executedAt };
}

function presentSnapshotTime(point: SnapshotTime | null) {
	return point === null ? null : { snapshot_id: point.snapshotId, executed_at: point.executedAt };
}

function formatAttribute(blamed: Blamed): string {
	const rest = JSON.stringify({ changed: blamed.changed, ...presentSnapshotTime(blamed) });
	const name = JSON.stringify(decodeByteString(blamed.name));
	return `{"attribute":${name},"value":${blamed.value ?? "null"},"previous":${blamed.previous ?? "null"},${rest.slice(1)}`;
}
