/**
 * Lists the differences between a capture and the latest snapshot while its drift is measured, so
 * that the feed of changes and the index of objects need not read them again.
 */
import type { DriftRules } from "@weft/contracts";
import { type ComparePlan, countShownBytes, DELETED, getKind, PLACE } from "../rules/compare.ts";
import { createEntryWriter, type Described } from "../rules/entry-writer.ts";
import { createDriftIgnore, createExclude } from "../rules/ignore.ts";
import { decodeByteString } from "../rules/json-text.ts";
import { createChangeReader, type ValuedChange } from "../rules/object-change.ts";
import type { PackTexts } from "../rules/row-reader.ts";

/** An object as the later snapshot has it. */
export interface SnapshotObject {
	readonly dn: string;
	readonly className: string;
	/** Values as text: strings as they are, others as JSON. Null if the object is gone. */
	readonly attributes: Readonly<Record<string, string>> | null;
}

export interface Difference {
	readonly object: SnapshotObject;
	/** Null if the drift rules leave the change out. */
	readonly change: ValuedChange | null;
}

/** The differences between two neighbouring snapshots. */
export interface Differences {
	/** Id of the earlier snapshot. */
	readonly against: string;
	/** The drift rules of the changes. */
	readonly rules: DriftRules;
	readonly list: readonly Difference[];
	/** Approximate bytes of memory. */
	readonly bytes: number;
}

/** Above these limits the feed and the index read the differences from the store, in pages. */
const MAX_DIFFERENCES = 1_000;
const MAX_BYTES = 1024 * 1024;

/** Whether the differences are few enough to be listed. */
export const isListable = (plan: ComparePlan): boolean =>
	plan.total <= MAX_DIFFERENCES && countShownBytes(plan.places) <= MAX_BYTES;

/** Reads the differences at places of a plan. */
export function readDifferences(places: Int32Array, texts: PackTexts, rules: DriftRules): Difference[] {
	const ignore = createDriftIgnore(rules);
	const exclude = createExclude(rules);
	const read = createChangeReader(rules);
	const changes = createEntryWriter(texts.from, texts.to, ignore);
	const objects = createObjectReader(places, texts);
	const list: Difference[] = [];
	for (let at = 0; at < places.length; at += 2 * PLACE) {
		const described = changes.describe(places, at);
		const isLeft = described !== null && exclude?.(described.className ?? "", described.dn) !== true;
		list.push({ object: objects(at), change: isLeft ? read(described) : null });
	}
	return list;
}

/** Returns a function that reads the object of the change whose places begin at an index. */
export function createObjectReader(places: Int32Array, texts: PackTexts): (at: number) => SnapshotObject {
	const writer = createEntryWriter(texts.from, texts.to, null);
	// Without its earlier side, a modified object is described with all of its attributes.
	const later = places.slice();
	for (let at = 0; at < later.length; at += 2 * PLACE)
		if (getKind(places, at / (2 * PLACE)) !== DELETED) later[at] = -1;
	return (at) => {
		const described = writer.describe(later, at);
		if (described === null) throw new Error("An object of a snapshot could not be described");
		return buildObject(described);
	};
}

function buildObject({ kind, dn, className, changes }: Described): SnapshotObject {
	const attributes =
		kind === DELETED
			? null
			: Object.fromEntries(changes.map(({ key, new: value }) => [decodeByteString(key), readValue(value)]));
	return { dn, className: className ?? "", attributes };
}

function readValue(text: string | null): string {
	if (text === null) return "";
	const value: unknown = JSON.parse(text);
	return typeof value === "string" ? value : text;
}
