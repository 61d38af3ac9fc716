/**
 * Writes the entries of a comparison as JSON text, in which every value keeps the spelling that it
 * was captured with.
 *
 * `object`, `before` and `after` are the object as captured, with its class and without nested
 * children that are objects themselves. An attribute that one side lacks is null there. Besides
 * attributes, `attribute_changes` lists `children` (nested children without a dn), `className`, and
 * any other member beside `attributes`.
 */
import { SLOTS } from "../../../core/json/scan.ts";
import { ARRAY, KIND_MASK } from "../../../core/json/tokens.ts";
import type { Utf8Writer } from "../../../core/utf8-writer.ts";
import { type Canonicalizer, createCanonicalizer, hasKept } from "./canonical.ts";
import { ADDED, type ChangeKind, DELETED, MODIFIED, PLACE } from "./compare.ts";
import { createFastWriter } from "./fast-entries.ts";
import type { CompareRules, Ignore } from "./ignore.ts";
import { decodeByteString } from "./json-text.ts";
import { matchMembers, type NameMatch } from "./name-match.ts";
import { getNaming, joinParts } from "./parts.ts";
import {
	createRowReader,
	decodeKeyName,
	iterateKeys,
	type PackText,
	type RowReader,
	readRawText,
	type Side,
} from "./row-reader.ts";
import { isChildrenKey, readWrappedBody } from "./shape.ts";

export interface EntryWriter {
	/**
	 * Writes the entry of the change whose places begin at `at`, without its opening brace. Returns
	 * false and writes nothing if all that differs is ignored.
	 */
	write(out: Utf8Writer, places: Int32Array, at: number): boolean;
	/** The same as values, for formats other than JSON; null if all that differs is ignored. */
	describe(places: Int32Array, at: number): Described | null;
}

/**
 * An attribute that differs: its name (byte string) and its values (JSON text as captured; null if
 * absent).
 */
export interface AttributeChange {
	key: string;
	old: string | null;
	new: string | null;
}

export interface Described {
	kind: ChangeKind;
	dn: string;
	/** Null if it is unknown. */
	className: string | null;
	/** Whether the row is flat; see shape.ts. */
	isFlat: boolean;
	/** All attributes, if only one side has the object. */
	changes: AttributeChange[];
}

/**
 * @param ignore attributes that are left out of modified objects
 * @param match of a comparison by name, whose entries tell how their sides were matched
 */
export function createEntryWriter(
	from: PackText,
	to: PackText,
	ignore: Ignore | null,
	match: NameMatch | null = null,
): EntryWriter {
	const before = createRowReader(from);
	const after = createRowReader(to);
	const canonicalizer = createCanonicalizer();
	const fast = createFastWriter(ignore);

	function openSides(places: Int32Array, at: number) {
		const old = before.open(places, at) ? before : null;
		return { old, now: after.open(places, at + PLACE) ? after : null };
	}
	return {
		write(out, places, at) {
			const { old, now } = openSides(places, at);
			const written = match === null && fast.write(out, old, now);
			if (written !== false) return written ?? false;
			return writeEntry(out, { canonicalizer, ignore, match }, old, now);
		},
		describe(places, at) {
			const { old, now } = openSides(places, at);
			return describeChange({ canonicalizer, ignore, match }, old?.side() ?? null, now?.side() ?? null);
		},
	};
}

interface Tools extends CompareRules {
	readonly canonicalizer: Canonicalizer;
}

function getNames({ object: { dn, shape } }: Side): Pick<Described, "dn" | "className" | "isFlat"> {
	const className = shape.className === null ? null : decodeByteString(shape.className);
	return { dn: decodeByteString(dn), className, isFlat: shape.body === shape.attributes };
}

function writeEntry(out: Utf8Writer, tools: Tools, old: RowReader | null, now: RowReader | null): boolean {
	const before = old?.side() ?? null;
	const after = now?.side() ?? null;
	const shown = selectShown(before, after);
	const { dn, className } = getNames(shown);
	const matched = tools.match && matchMembers(tools.match, before?.object.dn ?? null, after?.object.dn ?? null);
	const head = `"dn":${JSON.stringify(dn)},"class_name":${JSON.stringify(className)}${matched ?? ""}`;
	if (before === null || after === null) {
		out.text(`${head},"object":${formatObject(shown)}}`);
		return true;
	}
	const changes = attributeChanges(tools, before, after);
	if (changes === null) return false;
	const text = changes.map(changeText).join(",");
	out.text(`${head},"before":${formatObject(before)},"after":${formatObject(after)},"attribute_changes":[${text}]}`);
	return true;
}

function changeText({ key, old, new: now }: AttributeChange): string {
	const name = JSON.stringify(decodeByteString(key));
	return `{"key":${name},"old":${old ?? "null"},"new":${now ?? "null"}${joinParts(getNaming(key), old, now)}}`;
}

function describeChange(tools: Tools, before: Side | null, after: Side | null): Described | null {
	const names = getNames(selectShown(before, after));
	if (before !== null && after !== null) {
		const changes = attributeChanges(tools, before, after);
		return changes && { kind: MODIFIED, ...names, changes };
	}
	const all = [...readParts(tools.canonicalizer, selectShown(before, after))].filter(([key]) => key !== "className");
	const changes = all.map(([key, { raw }]) =>
		before === null ? { key, old: null, new: raw } : { key, old: raw, new: null },
	);
	return { kind: before === null ? ADDED : DELETED, ...names, changes };
}

function selectShown(before: Side | null, after: Side | null): Side {
	const shown = after ?? before;
	if (shown === null) throw new Error("A change must have a side");
	return shown;
}

/** The object's captured text without children that are objects themselves. */
function formatObject(side: Side, node = side.object.node): string {
	const { bytes, tape } = side.scanner;
	const { nodes } = tape;
	const body = readWrappedBody(nodes, node);
	if (body < 0) return readRawText(side, node);
	const members: string[] = [];
	iterateKeys(nodes, body, (key) => {
		const value = key + SLOTS;
		if (!isChildren(bytes, nodes, key)) members.push(`${readRawText(side, key)}:${readRawText(side, value)}`);
		else if (hasKept(nodes, value, side.own)) members.push(`${readRawText(side, key)}:${formatChildren(side, value)}`);
	});
	return `{${readRawText(side, node + SLOTS)}:{${members.join(",")}}}`;
}

function formatChildren(side: Side, array: number): string {
	const { nodes } = side.scanner.tape;
	const items: string[] = [];
	const end = nodes[array + 3] as number;
	for (let item = array + SLOTS; item < end; item = nodes[item + 3] as number)
		if (!side.own.has(item)) items.push(formatObject(side, item));
	return `[${items.join(",")}]`;
}

function isChildren(bytes: Buffer, nodes: Int32Array, key: number): boolean {
	return ((nodes[key + SLOTS] as number) & KIND_MASK) === ARRAY && isChildrenKey(bytes, nodes, key);
}

/** A comparable part of an object: its canonical text is compared, its raw text is shown. */
interface Part {
	canonical: () => string;
	raw: string;
}

/** Sorted by name; null if everything that differs is ignored. */
function attributeChanges({ canonicalizer, ignore }: Tools, before: Side, after: Side): AttributeChange[] | null {
	const old = readParts(canonicalizer, before);
	const now = readParts(canonicalizer, after);
	const className = after.object.shape.className ?? "";
	const changes: AttributeChange[] = [];
	let ignored = false;
	for (const key of [...new Set([...old.keys(), ...now.keys()])].sort()) {
		const left = old.get(key);
		const right = now.get(key);
		if (left?.raw === right?.raw) continue;
		if (left && right && left.canonical() === right.canonical()) continue;
		if (ignore?.(className, key, left?.raw ?? null, right?.raw ?? null) === true) ignored = true;
		else changes.push({ key, old: left?.raw ?? null, new: right?.raw ?? null });
	}
	return ignored && changes.length === 0 ? null : changes;
}

/**
 * By name (byte string). Of equal names the last counts; an attribute wins over a member of the
 * same name.
 */
function readParts(canonicalizer: Canonicalizer, side: Side): Map<string, Part> {
	const { bytes, tape } = side.scanner;
	const { nodes } = tape;
	const { shape } = side.object;
	const found = new Map<string, Part>();
	function buildPlainPart(node: number): Part {
		return {
			raw: readRawText(side, node),
			canonical: () => canonicalizer.writeValue(bytes, tape, node).toString("latin1"),
		};
	}
	if (shape.body !== shape.attributes) {
		if (shape.className !== null) {
			const name = JSON.stringify(decodeByteString(shape.className));
			found.set("className", { raw: name, canonical: () => name });
		}
		iterateKeys(nodes, shape.body, (key) => {
			const value = key + SLOTS;
			if (value === shape.attributes) return;
			if (!isChildren(bytes, nodes, key)) found.set(decodeKeyName(bytes, nodes, key), buildPlainPart(value));
			else if (hasKept(nodes, value, side.own))
				found.set(decodeKeyName(bytes, nodes, key), {
					raw: formatChildren(side, value),
					canonical: () => canonicalizer.writeChildren(bytes, tape, value, side.own).toString("latin1"),
				});
		});
	}
	if (shape.attributes >= 0)
		iterateKeys(nodes, shape.attributes, (key) =>
			found.set(decodeKeyName(bytes, nodes, key), buildPlainPart(key + SLOTS)),
		);
	return found;
}
