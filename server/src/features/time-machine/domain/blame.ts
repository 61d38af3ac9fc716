/** Which snapshot last changed each attribute of an object: worked out from the latest point backwards, so that only two are held at a time. */
import { fromByteString } from "./json-text.ts";
import type { Attributes, TimelinePoint } from "./timeline.ts";

interface Moment {
	snapshotId: string;
	executedAt: string;
}

interface Blamed extends Moment {
	/** Byte string. */
	name: string;
	value: string | null;
	previous: string | null;
	changed: boolean;
}

/** A change is what it is in the timeline: another value than at the point before at which the object was present. */
export function createBlame() {
	const found = new Map<string, Blamed>();
	/** The latest point that has the object, and the earliest one so far. */
	let last: (Moment & { attributes: Attributes }) | null = null;
	let first: (Moment & { attributes: Attributes }) | null = null;
	let present = false;
	let count = 0;

	function differ(older: Attributes, newer: Attributes, at: Moment): void {
		for (const name of new Set([...older.keys(), ...newer.keys()])) {
			if (found.has(name) || older.get(name)?.canonical === newer.get(name)?.canonical) continue;
			const value = last?.attributes.get(name)?.raw ?? null;
			found.set(name, { name, value, previous: older.get(name)?.raw ?? null, changed: true, ...momentOf(at) });
		}
	}

	return {
		/** Takes the next older point. */
		add({ snapshotId, executedAt, attributes }: TimelinePoint): void {
			count++;
			if (attributes === null) return;
			const point = { snapshotId, executedAt, attributes };
			if (last === null) {
				last = point;
				present = count === 1;
			} else if (first !== null && first.attributes !== attributes) differ(attributes, first.attributes, first);
			first = point;
		},

		/** Points that were taken. */
		count: () => count,

		/** The answer's `present`, `first_seen`, `last_seen` and `attributes` as JSON text, so that values keep their spelling. */
		text(): string {
			const all = [...found.values()];
			for (const [name, { raw }] of last?.attributes ?? [])
				if (first !== null && !found.has(name))
					all.push({ name, value: raw, previous: null, changed: false, ...momentOf(first) });
			all.sort(
				(a, b) =>
					Number(b.changed) - Number(a.changed) || compare(b.executedAt, a.executedAt) || compare(a.name, b.name),
			);
			const seen = JSON.stringify({ present, first_seen: shown(first), last_seen: shown(last) });
			return `${seen.slice(1, -1)},"attributes":[${all.map(attributeText).join(",")}]`;
		},
	};
}

function momentOf({ snapshotId, executedAt }: Moment): Moment {
	return { snapshotId, executedAt };
}

function shown(point: Moment | null) {
	return point === null ? null : { snapshot_id: point.snapshotId, executed_at: point.executedAt };
}

function attributeText(blamed: Blamed): string {
	const rest = JSON.stringify({ changed: blamed.changed, ...shown(blamed) });
	const name = JSON.stringify(fromByteString(blamed.name));
	return `{"attribute":${name},"value":${blamed.value ?? "null"},"previous":${blamed.previous ?? "null"},${rest.slice(1)}`;
}

function compare(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
