/**
 * Managed objects, kept small: half a million must fit. An object holds only values that differ
 * between objects of its shape; names and constants belong to the shape.
 */
import type { ClassInfo } from "../model/types.ts";

/** Text around the values of a shape; made and read by the writer of text. */
export interface CompiledText {
	/** One more piece than sources. */
	readonly pieces: readonly string[];
	/** Index into the values, or a negative number for what comes from the object's place. */
	readonly sources: readonly number[];
}

export interface Shape {
	/** `null` for a place in the tree where no object is: an ancestor of one that exists. */
	readonly cls: ClassInfo | null;
	/** Sorted; never `dn`, which comes from the place, and `rn` only if it was loaded with `dn`. */
	readonly names: readonly string[];
	readonly position: ReadonlyMap<string, number>;
	/** Per name: the index into an object's values, or -1 when the value is the shape's. */
	readonly slots: readonly number[];
	readonly constants: readonly string[];
	/** The same names with every value in the object, for objects that were changed; made once. */
	wide: Shape | null;
	/** Per way of writing. */
	readonly compiled: (CompiledText | undefined)[];
}

export interface Mo {
	shape: Shape;
	readonly rn: string;
	readonly parent: Mo | null;
	kids: Mo[] | null;
	values: string[];
	/** Cached JSON text; `null` when not made yet or out of date. */
	text: string | null;
	gone: boolean;
}

const NONE: string[] = [];

export function makeShape(
	cls: ClassInfo | null,
	names: readonly string[],
	constants: ReadonlyMap<string, string>,
): Shape {
	const sorted = [...names].sort();
	let next = 0;
	return {
		cls,
		names: sorted,
		position: new Map(sorted.map((name, at) => [name, at])),
		slots: sorted.map((name) => (constants.has(name) ? -1 : next++)),
		constants: sorted.map((name) => constants.get(name) ?? ""),
		wide: null,
		compiled: [],
	};
}

export const PLACEHOLDER: Shape = makeShape(null, [], new Map());

export function makeMo(shape: Shape, parent: Mo | null, rn: string, values: string[]): Mo {
	return { shape, rn, parent, kids: null, values: values.length === 0 ? NONE : values, text: null, gone: false };
}

export function getDn(mo: Mo): string {
	return mo.parent === null ? mo.rn : `${getDn(mo.parent)}/${mo.rn}`;
}

/** The value of an attribute, including `dn` and `rn`; undefined if the object lacks it. */
export function readValue(mo: Mo, name: string): string | undefined {
	const { shape } = mo;
	const at = shape.position.get(name);
	if (at === undefined) return name === "dn" ? getDn(mo) : name === "rn" ? mo.rn : undefined;
	const slot = shape.slots[at] ?? -1;
	return slot < 0 ? shape.constants[at] : mo.values[slot];
}

/** Sets attributes of the shape; learned classes also gain new ones. Returns the changed ones. */
export function setValues(mo: Mo, changes: Iterable<readonly [string, string]>): Map<string, string> {
	const changed = new Map<string, string>();
	for (const [name, value] of changes) if (readValue(mo, name) !== value) changed.set(name, value);
	if (changed.size === 0) return changed;
	const added = [...changed.keys()].filter((name) => !mo.shape.position.has(name));
	const wide = added.length > 0 ? createWideShape(mo.shape, added) : widenShape(mo.shape);
	mo.values = wide.names.map((name) => changed.get(name) ?? readValue(mo, name) ?? "");
	mo.shape = wide;
	mo.text = null;
	return changed;
}

function widenShape(shape: Shape): Shape {
	if (shape.wide === null) shape.wide = createWideShape(shape, []);
	return shape.wide;
}

function createWideShape(shape: Shape, added: readonly string[]): Shape {
	const wide = makeShape(shape.cls, [...shape.names, ...added], new Map());
	wide.wide = wide;
	return wide;
}

/**
 * Visits the object and its descendants, parents first. Skips children of an object for which
 * `visit` returns false.
 */
export function walkTree(mo: Mo, visit: (mo: Mo) => boolean | undefined): void {
	if (visit(mo) === false || mo.kids === null) return;
	for (const kid of mo.kids) walkTree(kid, visit);
}
