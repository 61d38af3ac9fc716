/**
 * Writes the entries of a comparison from the rows that show them, as JSON text in which every value keeps the spelling that it was captured with.
 *
 * `object`, `before` and `after` are the object as captured, class included, without nested children that are objects of their own. An attribute that
 * one side lacks is null there. Besides attributes, `attribute_changes` names what else can differ: `children` (nested children without a dn),
 * `className`, and any other member beside `attributes`.
 */
import { type Canonicalizer, createCanonicalizer, hasKept } from "./canonical.ts";
import { ADDED, type ChangeKind, DELETED, MODIFIED, PLACE } from "./compare.ts";
import { SLOTS } from "./json-scan.ts";
import { fromByteString } from "./json-text.ts";
import { ARRAY, KIND_MASK } from "./json-tokens.ts";
import { createPlainWriter } from "./plain-changes.ts";
import { createRowReader, eachKey, keyName, type PackText, type RowReader, raw, type Side } from "./row-reader.ts";
import { isChildrenKey, wrappedBody } from "./shape.ts";
import type { TextOut } from "./text-out.ts";

export interface EntryWriter {
	/** Writes the entry of the change at a place (of PLACE integers for each side), without the brace in front; gives what became of the object. */
	write(out: TextOut, places: Int32Array, at: number): ChangeKind;
}

export function createEntryWriter(from: PackText, to: PackText): EntryWriter {
	const before = createRowReader(from);
	const after = createRowReader(to);
	const canonicalizer = createCanonicalizer();
	const plain = createPlainWriter(canonicalizer);
	return {
		write(out, places, at) {
			const old = before.open(places, at) ? before : null;
			const now = after.open(places, at + PLACE) ? after : null;
			if (!plain.write(out, old, now)) writeEntry(out, canonicalizer, old, now);
			return old === null ? ADDED : now === null ? DELETED : MODIFIED;
		},
	};
}

function writeEntry(out: TextOut, canonicalizer: Canonicalizer, old: RowReader | null, now: RowReader | null): void {
	const before = old?.side() ?? null;
	const after = now?.side() ?? null;
	const shown = after ?? before;
	if (shown === null) throw new Error("A change must have a side");
	const { dn, shape } = shown.object;
	const className = shape.className === null ? null : fromByteString(shape.className);
	out.text(`"dn":${JSON.stringify(fromByteString(dn))},"class_name":${JSON.stringify(className)}`);
	if (before === null || after === null) out.text(`,"object":${objectText(shown)}}`);
	else {
		const changes = attributeChanges(canonicalizer, before, after).join(",");
		out.text(`,"before":${objectText(before)},"after":${objectText(after)},"attribute_changes":[${changes}]}`);
	}
}

/** The object's captured text without children that are objects of their own. */
function objectText(side: Side, node = side.object.node): string {
	const { bytes, tape } = side.scanner;
	const { nodes } = tape;
	const body = wrappedBody(nodes, node);
	if (body < 0) return raw(side, node);
	const members: string[] = [];
	eachKey(nodes, body, (key) => {
		const value = key + SLOTS;
		if (!isChildren(bytes, nodes, key)) members.push(`${raw(side, key)}:${raw(side, value)}`);
		else if (hasKept(nodes, value, side.own)) members.push(`${raw(side, key)}:${childrenText(side, value)}`);
	});
	return `{${raw(side, node + SLOTS)}:{${members.join(",")}}}`;
}

function childrenText(side: Side, array: number): string {
	const { nodes } = side.scanner.tape;
	const items: string[] = [];
	const end = nodes[array + 3] as number;
	for (let item = array + SLOTS; item < end; item = nodes[item + 3] as number)
		if (!side.own.has(item)) items.push(objectText(side, item));
	return `[${items.join(",")}]`;
}

function isChildren(bytes: Buffer, nodes: Int32Array, key: number): boolean {
	return ((nodes[key + SLOTS] as number) & KIND_MASK) === ARRAY && isChildrenKey(bytes, nodes, key);
}

/** What can differ of an object: canonical bytes to compare, raw text to show. */
interface Part {
	canonical: () => string;
	raw: string;
}

function attributeChanges(canonicalizer: Canonicalizer, before: Side, after: Side): string[] {
	const old = parts(canonicalizer, before);
	const now = parts(canonicalizer, after);
	const keys = [...new Set([...old.keys(), ...now.keys()])].sort();
	const changes: string[] = [];
	for (const key of keys) {
		const left = old.get(key);
		const right = now.get(key);
		if (left?.raw === right?.raw) continue;
		if (left && right && left.canonical() === right.canonical()) continue;
		const name = JSON.stringify(fromByteString(key));
		changes.push(`{"key":${name},"old":${left?.raw ?? "null"},"new":${right?.raw ?? "null"}}`);
	}
	return changes;
}

/** By byte string of the name. Of equal names the last counts, and an attribute goes before a member of the same name. */
function parts(canonicalizer: Canonicalizer, side: Side): Map<string, Part> {
	const { bytes, tape } = side.scanner;
	const { nodes } = tape;
	const { shape } = side.object;
	const found = new Map<string, Part>();
	function plain(node: number): Part {
		return {
			raw: raw(side, node),
			canonical: () => canonicalizer.writeValue(bytes, tape, node).toString("latin1"),
		};
	}
	if (shape.body !== shape.attributes) {
		if (shape.className !== null) {
			const name = JSON.stringify(fromByteString(shape.className));
			found.set("className", { raw: name, canonical: () => name });
		}
		eachKey(nodes, shape.body, (key) => {
			const value = key + SLOTS;
			if (value === shape.attributes) return;
			if (!isChildren(bytes, nodes, key)) found.set(keyName(bytes, nodes, key), plain(value));
			else if (hasKept(nodes, value, side.own))
				found.set(keyName(bytes, nodes, key), {
					raw: childrenText(side, value),
					canonical: () => canonicalizer.writeChildren(bytes, tape, value, side.own).toString("latin1"),
				});
		});
	}
	if (shape.attributes >= 0)
		eachKey(nodes, shape.attributes, (key) => found.set(keyName(bytes, nodes, key), plain(key + SLOTS)));
	return found;
}
