/** One object through the snapshots of a segment: how its attributes changed. */
import { SLOTS } from "../../../core/json/scan.ts";
import { KIND_MASK, NULL } from "../../../core/json/tokens.ts";
import { type Canonicalizer, createCanonicalizer } from "./canonical.ts";
import { decodeByteString } from "./json-text.ts";
import { createRowReader, decodeKeyName, iterateKeys, type PackText, readRawText, type Side } from "./row-reader.ts";

/** Non-null attributes of an object by name (byte string): text as captured and canonical text. */
export type Attributes = Map<string, { raw: string; canonical: string }>;

/** Returns a function that reads the attributes of the object at a place. */
export function createAttributeReader(getText: PackText): (places: Int32Array, at: number) => Attributes {
	const reader = createRowReader(getText);
	const canonicalizer = createCanonicalizer();
	return (places, at) => (reader.open(places, at) ? listAttributes(canonicalizer, reader.side()) : new Map());
}

function listAttributes(canonicalizer: Canonicalizer, side: Side): Attributes {
	const found: Attributes = new Map();
	const { bytes, tape } = side.scanner;
	const { nodes } = tape;
	const { attributes } = side.object.shape;
	if (attributes < 0) return found;
	iterateKeys(nodes, attributes, (key) => {
		const name = decodeKeyName(bytes, nodes, key);
		const value = key + SLOTS;
		found.delete(name);
		if (((nodes[value] as number) & KIND_MASK) === NULL) return;
		found.set(name, {
			raw: readRawText(side, value),
			canonical: canonicalizer.writeValue(bytes, tape, value).toString("latin1"),
		});
	});
	return found;
}

export interface TimelinePoint {
	snapshotId: string;
	executedAt: string;
	/** Null if the object is absent. */
	attributes: Attributes | null;
}

/**
 * Whether the change of an attribute (byte string) from one value to another (JSON text, null if
 * absent) does not count.
 */
export type IsIgnored = (name: string, old: string | null, now: string | null) => boolean;

/**
 * `points`, `attribute_evolution` and `tracked_attributes` as JSON text: values keep their
 * spelling.
 */
export function writeTimeline(points: readonly TimelinePoint[], isIgnored: IsIgnored): string {
	const names = new Set<string>();
	for (const { attributes } of points) for (const name of attributes?.keys() ?? []) names.add(name);
	const tracked = [...names].sort();
	const present = points.flatMap(({ snapshotId, executedAt, attributes }) => {
		const head = JSON.stringify({ executed_at: executedAt, snapshot_id: snapshotId }).slice(0, -1);
		return attributes === null ? [] : [{ head, attributes }];
	});
	const evolution = tracked.map((name) => buildEvolution(name, present, isIgnored));
	evolution.sort((a, b) => b.changes - a.changes);
	/** Most points share their attributes with the point before. */
	const texts = new Map<Attributes, string>();
	const getText = (attributes: Attributes): string => {
		const text = texts.get(attributes) ?? formatMembers(attributes);
		texts.set(attributes, text);
		return text;
	};
	return [
		`"points":[${points.map((point) => pointText(point, getText)).join(",")}]`,
		`"attribute_evolution":[${evolution.map(({ text }) => text).join(",")}]`,
		`"tracked_attributes":${JSON.stringify(tracked.map(decodeByteString))}`,
	].join(",");
}

function pointText(
	{ snapshotId, executedAt, attributes }: TimelinePoint,
	getText: (attributes: Attributes) => string,
): string {
	const head = JSON.stringify({ snapshot_id: snapshotId, executed_at: executedAt, present: attributes !== null });
	return `${head.slice(0, -1)},"attributes":${attributes === null ? "{}" : getText(attributes)}}`;
}

function formatMembers(attributes: Attributes): string {
	const members = Array.from(attributes, ([name, { raw }]) => `${JSON.stringify(decodeByteString(name))}:${raw}`);
	return `{${members.join(",")}}`;
}

/**
 * @param present the points at which the object exists, each with the beginning of the text of its
 * values
 */
function buildEvolution(
	name: string,
	present: readonly { head: string; attributes: Attributes }[],
	isIgnored: IsIgnored,
): { changes: number; text: string } {
	let values = "";
	const distinct = new Set<string>();
	let changes = 0;
	let before: { canonical: string; raw: string } | null | undefined;
	for (const { head, attributes } of present) {
		const value = attributes.get(name) ?? null;
		const differs = before !== undefined && value?.canonical !== before?.canonical;
		const changed = differs && !isIgnored(name, before?.raw ?? null, value?.raw ?? null);
		if (changed) changes++;
		if (value !== null) distinct.add(value.canonical);
		before = value;
		values += `${values === "" ? "" : ","}${head},"value":${value?.raw ?? "null"},"changed":${changed}}`;
	}
	const head = JSON.stringify({
		attribute: decodeByteString(name),
		change_count: changes,
		is_stable: changes === 0,
		distinct_values: distinct.size,
	});
	return { changes, text: `${head.slice(0, -1)},"values":[${values}]}` };
}
