/**
 * The parts of an image that searching needs: lower-case texts to scan, names of properties and who
 * has them, words and aliases.
 */
import { createTextColumn, groupByOwner } from "./columns.ts";
import type { ClassFacts } from "./document.ts";
import { flag } from "./flags.ts";
import type { Section } from "./image.ts";
import { splitPackage } from "./scanned.ts";
import { ALIASES, findAcronym, getParts, splitWords } from "./terms.ts";

interface Searchable {
	readonly names: readonly string[];
	/** By the place of the name; undefined for a class that is only named. */
	readonly outlines: readonly (Pick<ClassFacts, "label" | "description" | "rn"> | undefined)[];
	readonly flags: Uint32Array;
	readonly property: { readonly at: Uint32Array; readonly to: Uint32Array };
	/** Of each definition of a property. */
	readonly labels: readonly string[];
	readonly propertyNames: readonly string[];
}

/** Where a word stands; the best place counts. */
export const FIELD = { description: 1, name: 2, label: 3 } as const;
const FIELD_BITS = 2;

export function searchSections(given: Searchable): Record<string, Section> {
	return {
		...collectClassTexts(given),
		...buildPropertySections(given),
		...buildWordSections(given),
		...buildAliasSections(given),
	};
}

function collectClassTexts({ names, outlines }: Searchable): Record<string, Section> {
	const [name, label, description] = [createTextColumn(), createTextColumn(), createTextColumn()];
	const mask = new Uint32Array(names.length);
	/** How long the package is: where the short name begins. */
	const pkg = new Uint8Array(names.length);
	for (const [at, text] of names.entries()) {
		const graph = outlines[at];
		// What has no document is not found: its place is empty.
		name.push(graph === undefined ? "" : text.toLowerCase());
		label.push(graph?.label.toLowerCase() ?? "");
		description.push(graph?.description.toLowerCase() ?? "");
		const [prefix, short] = splitPackage(text);
		pkg[at] = prefix.length;
		mask[at] = computeLetterMask(Buffer.from(short.toLowerCase()));
	}
	return {
		...buildTextSections("find.name", name),
		...buildTextSections("find.label", label),
		...buildTextSections("find.description", description),
		"find.mask": mask,
		"find.package": pkg,
	};
}

/** Which letters a text has: one bit each, one for all digits. */
export function computeLetterMask(bytes: Uint8Array): number {
	let mask = 0;
	for (const byte of bytes) {
		if (byte >= 97 && byte <= 122) mask |= 1 << (byte - 97);
		else if (byte >= 48 && byte <= 57) mask |= 1 << 26;
	}
	return mask >>> 0;
}

/**
 * Names of properties in the order of their lower case, each with the classes that have it, the
 * likeliest first; and labels with their names.
 */
function buildPropertySections({ names, flags, property, labels, propertyNames }: Searchable): Record<string, Section> {
	const distinct = [...new Set(propertyNames)].sort(
		(a, b) => compareTexts(a.toLowerCase(), b.toLowerCase()) || compareTexts(a, b),
	);
	const idByName = new Map(distinct.map((name, id) => [name, id]));
	const nameIds = Uint32Array.from(propertyNames, (name) => idByName.get(name) ?? 0);
	const [lower, exact] = [createTextColumn(), createTextColumn()];
	for (const name of distinct) {
		lower.push(name.toLowerCase());
		exact.push(name);
	}
	const [owner, value] = [new Uint32Array(property.to.length), new Uint32Array(property.to.length)];
	let used = 0;
	for (const id of rankClasses(names, flags)) {
		for (let i = property.at[id] ?? 0; i < (property.at[id + 1] ?? 0); i++) {
			owner[used] = nameIds[property.to[i] ?? 0] ?? 0;
			value[used++] = id;
		}
	}
	const byLabel = new Map<string, Set<number>>();
	for (const [i, label] of labels.entries()) {
		const text = label.toLowerCase();
		if (text === "" || text === propertyNames[i]?.toLowerCase()) continue;
		const known = byLabel.get(text);
		if (known === undefined) byLabel.set(text, new Set([nameIds[i] ?? 0]));
		else known.add(nameIds[i] ?? 0);
	}
	return {
		...buildTextSections("find.property", lower),
		...buildTextSections("property.names", exact),
		...buildListSections("find.owners", groupByOwner(distinct.length, { owner, value }, false)),
		...buildTextSections("find.property_label", fillTextColumn(byLabel.keys())),
		...buildListSections("find.labelled", flattenLists(Array.from(byLabel.values(), (ids) => [...ids]))),
	};
}

/** Classes that people configure before others, short names before long ones. */
function rankClasses(names: readonly string[], flags: Uint32Array): number[] {
	const weight = (id: number) => {
		const bits = flags[id] ?? 0;
		const rank = (bits & flag.configurable ? 0 : 2) + (bits & flag.relation ? 1 : 0) + (bits & flag.abstract ? 2 : 0);
		return rank * 1_000 + (names[id]?.length ?? 0);
	};
	const weights = names.map((_, id) => weight(id));
	return [...names.keys()].sort((a, b) => (weights[a] ?? 0) - (weights[b] ?? 0) || a - b);
}

function buildWordSections({ names, outlines }: Searchable): Record<string, Section> {
	const found = new Map<string, number[]>();
	/** Classes come one after another, each with its best field. */
	const note = (word: string, id: number, field: number) => {
		const postings = found.get(word);
		const last = postings?.at(-1) ?? -1;
		if (postings === undefined) found.set(word, [packPosting(id, field)]);
		else if (last >>> FIELD_BITS !== id) postings.push(packPosting(id, field));
		else postings[postings.length - 1] = Math.max(last, packPosting(id, field));
	};
	for (const [id, name] of names.entries()) {
		const graph = outlines[id];
		if (graph === undefined) continue;
		for (const word of splitWords(graph.description)) note(word, id, FIELD.description);
		for (const part of getParts(splitPackage(name)[1])) note(part, id, FIELD.name);
		for (const word of splitWords(graph.label)) note(word, id, FIELD.label);
	}
	const sorted = [...found].sort(([a], [b]) => compareTexts(a, b));
	return {
		...buildTextSections("find.word", fillTextColumn(sorted.map(([word]) => word))),
		...buildListSections("find.posting", flattenLists(sorted.map(([, postings]) => postings))),
	};
}

const packPosting = (id: number, field: number): number => (id << FIELD_BITS) | field;

/** A posting's class and field. */
export const getPosting = (posting: number): readonly [id: number, field: number] => [
	posting >>> FIELD_BITS,
	posting & ((1 << FIELD_BITS) - 1),
];

/**
 * Other names of classes: the beginning of their relative name, the first letters of their label,
 * and what the field calls them.
 */
function buildAliasSections({ names, outlines }: Searchable): Record<string, Section> {
	const found = new Map<string, Set<number>>();
	const note = (alias: string, id: number) => {
		if (alias.length < 2) return;
		const known = found.get(alias);
		if (known === undefined) found.set(alias, new Set([id]));
		else known.add(id);
	};
	const byName = new Map(names.map((name, id) => [name, id]));
	for (const [alias, classes] of Object.entries(ALIASES)) {
		for (const name of classes.split(" ")) {
			const id = byName.get(name);
			if (id !== undefined && outlines[id] !== undefined) note(alias, id);
		}
	}
	for (const [id] of names.entries()) {
		const graph = outlines[id];
		if (graph === undefined) continue;
		const prefix = graph.rn.replace(/-?\[?\{.*$/, "");
		note(prefix.toLowerCase(), id);
		const acronym = findAcronym(graph.label);
		if (acronym !== null) note(acronym, id);
	}
	const sorted = [...found].sort(([a], [b]) => compareTexts(a, b));
	return {
		...buildTextSections("find.alias", fillTextColumn(sorted.map(([alias]) => alias))),
		...buildListSections("find.aliased", flattenLists(sorted.map(([, ids]) => [...ids]))),
	};
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function fillTextColumn(all: Iterable<string>) {
	const column = createTextColumn();
	for (const item of all) column.push(item);
	return column;
}

/** Lists by their place. */
function flattenLists(all: readonly (readonly number[])[]) {
	const at = new Uint32Array(all.length + 1);
	for (const [place, items] of all.entries()) at[place + 1] = (at[place] ?? 0) + items.length;
	const to = new Uint32Array(at[all.length] ?? 0);
	for (const [place, items] of all.entries()) to.set(items, at[place]);
	return { at, to };
}

const buildListSections = (
	name: string,
	{ at, to }: { at: Uint32Array; to: Uint32Array },
): Record<string, Section> => ({
	[`${name}.at`]: at,
	[`${name}.to`]: to,
});

function buildTextSections(name: string, column: ReturnType<typeof createTextColumn>): Record<string, Section> {
	const { bytes, at } = column.finish();
	return { [`${name}.bytes`]: bytes, [`${name}.at`]: at };
}
