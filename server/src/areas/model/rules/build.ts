/**
 * Builds a model's image from its records. Pure and synchronous: it takes seconds and runs on a
 * worker thread.
 */
import { findBestParents } from "./best-parents.ts";
import {
	addRecord,
	type ClassOutline,
	type Collected,
	createCollected,
	type Edges,
	type Relations,
} from "./collect-records.ts";
import { groupByOwner, type IntColumn, type Texts } from "./columns.ts";
import { flag } from "./flags.ts";
import { IMAGE_FORMAT, type ImageMeta, type Section, writeBeginning } from "./image.ts";
import type { StoredRecord } from "./records.ts";
import { splitPackage } from "./scanned.ts";
import { searchSections } from "./search-sections.ts";

/** A class stands under nearly every other one from this part of them on. */
const COMMON_SHARE = 0.2;
const COMMON_LEAST = 20;

export interface ImageBuilder {
	/** Records of one reader in any order; of a class that comes twice the first counts. */
	add(record: StoredRecord): void;
	/** Once, when all were added. */
	finish(): BuiltImage;
}

/**
 * An image in two parts: most of it, its end, is there at once and can be packed while the
 * beginning is made.
 */
export interface BuiltImage {
	readonly end: readonly Uint8Array[];
	/** The input of `buildImageStart`. */
	readonly start: ImageStart;
}

interface ImageStart {
	readonly collected: Collected;
	/** The places of the texts in the end of the image. */
	readonly places: Readonly<Record<string, Section>>;
	/** The pieces of the end by section. */
	readonly end: Readonly<Record<string, readonly Uint8Array[]>>;
}

export function createImageBuilder(): ImageBuilder {
	const collected = createCollected();
	return { add: (record) => addRecord(collected, record), finish: () => finishImage(collected) };
}

function finishImage(collected: Collected): BuiltImage {
	const { heads, definitions, forms } = collected;
	const largest = { heads: heads.finish(), definitions: definitions.finish(), dns: forms.finish() };
	const end = Object.fromEntries(Object.entries(largest).map(([name, { bytes }]) => [`${name}.bytes`, bytes]));
	const places = Object.fromEntries(Object.entries(largest).map(([name, { at }]) => [`${name}.at`, at]));
	return { end: Object.values(end).flat(), start: { collected, places, end } };
}

/** Classes by the order of their names: lists come out sorted, and names are found by halving. */
interface Numbering {
	readonly sorted: readonly string[];
	/** By the number of discovery: the number in `sorted`. */
	readonly place: Uint32Array;
	/** By the number in `sorted`; undefined for a class that is only named. */
	readonly outlines: readonly (ClassOutline | undefined)[];
}

function assignClassNumbers({ order, ids, outlines }: Collected): Numbering {
	const sorted = [...order].sort(compareNames);
	const place = new Uint32Array(order.length);
	for (const [at, name] of sorted.entries()) place[ids.get(name) ?? 0] = at;
	return { sorted, place, outlines: sorted.map((name) => outlines.get(ids.get(name) ?? -1)) };
}

/** The beginning of an image: what it is of, and all sections but those of its end. */
export function buildImageStart({ collected, places, end }: ImageStart): {
	readonly meta: ImageMeta;
	readonly bytes: Uint8Array<ArrayBuffer>;
} {
	const numbering = assignClassNumbers(collected);
	const { sorted, place, outlines } = numbering;
	const count = sorted.length;
	const renumber = (column: Uint32Array): Uint32Array => column.map((id) => place[id] ?? 0);
	const groupClasses = ({ owner, value }: Edges, isSorted: boolean) =>
		groupByOwner(count, { owner: renumber(owner.finish()), value: renumber(value.finish()) }, isSorted);
	const groupGiven = (owner: IntColumn, value: IntColumn) =>
		groupByOwner(count, { owner: renumber(owner.finish()), value: value.finish() }, false);
	const buildRelationSections = (name: string, { owner, via, end }: Relations): Record<string, Section> => {
		const { at, to } = groupGiven(owner, end);
		return {
			...buildListSections(name, { at, to: renumber(to) }),
			[`${name}.via`]: renumber(groupGiven(owner, via).to),
		};
	};

	const children = groupClasses(collected.contains, true);
	const parents = reverseEdges(count, children);
	const below = groupClasses(collected.subs, true);
	const { flags, ...columns } = buildClassColumns(collected, numbering, parents);
	const { definition, headEdges, propertyEdges, naming, rn, strings, labels, propertyNames } = collected;
	const property = groupGiven(propertyEdges.owner, propertyEdges.value);
	const packages = getPackages(sorted, flags, strings.id);
	const relationsTo = buildRelationSections("to", collected.to);
	const sections: Record<string, Section> = {
		...places,
		...collectPrefixColumns("class", { ...columns, flags }),
		"class.parent": findBestParents({ count, flags, children, parents, top: sorted.indexOf("topRoot") }),
		...buildListSections(
			"head",
			count === 0 ? groupByOwner(0, empty, false) : groupGiven(headEdges.owner, headEdges.value),
		),
		...buildListSections("property", property),
		...collectPrefixColumns("definition", {
			name: definition.name.finish(),
			label: definition.label.finish(),
			flags: definition.flags.finish(),
		}),
		...buildListSections("contains", children),
		...buildListSections("containers", parents),
		...buildListSections("supers", groupClasses(collected.supers, false)),
		...buildListSections("subs", below),
		...buildListSections("naming", groupGiven(naming.owner, naming.value)),
		...relationsTo,
		...buildRelationSections("from", collected.from),
		...buildListSections("rn", groupGiven(rn.owner, rn.prefix)),
		"rn.child": renumber(groupGiven(rn.owner, rn.child).to),
		...buildFormSections(collected, numbering),
		...packages,
		...searchSections({ names: sorted, outlines, flags, property, labels, propertyNames }),
		...buildTextSections("strings", strings.finish()),
	};
	const meta = {
		format: IMAGE_FORMAT,
		classes: collected.outlines.size,
		properties: property.to.length,
		relations: children.to.length + below.to.length + (relationsTo["to.to"]?.length ?? 0),
		packages: packages["package.name"]?.length ?? 0,
	};
	return { meta, bytes: writeBeginning(meta, sections, end) };
}

/** Names and flags of each class; a class under a fifth of the concrete ones or more is common. */
function buildClassColumns({ strings }: Collected, { sorted, outlines }: Numbering, parents: { at: Uint32Array }) {
	const count = sorted.length;
	const flags = new Uint32Array(count);
	const columns = { name: new Uint32Array(count), pkg: new Uint32Array(count), label: new Uint32Array(count) };
	const more = { description: new Uint32Array(count), rn: new Uint32Array(count) };
	let concrete = 0;
	for (const [at, name] of sorted.entries()) {
		const graph = outlines[at];
		const [pkg, short] = splitPackage(name);
		columns.name[at] = strings.id(name);
		columns.pkg[at] = strings.id(pkg);
		columns.label[at] = strings.id(graph?.label ?? short);
		more.description[at] = strings.id(graph?.description ?? "");
		more.rn[at] = strings.id(graph?.rn ?? "");
		flags[at] = graph === undefined ? 0 : getFlags(graph);
		if (graph !== undefined && !graph.abstract) concrete++;
	}
	const common = Math.max(COMMON_LEAST, concrete * COMMON_SHARE);
	for (let at = 0; at < count; at++) {
		const containers = (parents.at[at + 1] ?? 0) - (parents.at[at] ?? 0);
		if (containers > common) flags[at] = (flags[at] ?? 0) | flag.common;
	}
	return { ...columns, ...more, flags };
}

/** Where the forms of DN of each class begin, and how many it has, in the order of names. */
function buildFormSections({ formRuns }: Collected, { place }: Numbering): Record<string, Section> {
	const owners = formRuns.owner.finish();
	const orderByName = (column: IntColumn): Uint32Array => {
		const all = new Uint32Array(place.length);
		for (const [at, value] of column.finish().entries()) all[place[owners[at] ?? -1] ?? 0] = value;
		return all;
	};
	return { "dn.first": orderByName(formRuns.first), "dn.count": orderByName(formRuns.count) };
}

const empty = { owner: new Uint32Array(0), value: new Uint32Array(0) };

const compareNames = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function getFlags({ abstract, configurable, contextRoot, hidden, relation }: ClassOutline): number {
	return (
		flag.published |
		(abstract ? flag.abstract : 0) |
		(configurable ? flag.configurable : 0) |
		(contextRoot ? flag.contextRoot : 0) |
		(hidden ? flag.hidden : 0) |
		(relation ? flag.relation : 0)
	);
}

/** The same edges the other way round. */
function reverseEdges(count: number, { at, to }: { at: Uint32Array; to: Uint32Array }) {
	const owner = new Uint32Array(to.length);
	for (let i = 0; i < count; i++) owner.fill(i, at[i], at[i + 1]);
	return groupByOwner(count, { owner: to, value: owner }, true);
}

const collectPrefixColumns = (prefix: string, columns: Record<string, Section>): Record<string, Section> =>
	Object.fromEntries(Object.entries(columns).map(([name, column]) => [`${prefix}.${name}`, column]));
const buildListSections = (
	name: string,
	{ at, to }: { at: Uint32Array; to: Uint32Array },
): Record<string, Section> => ({
	[`${name}.at`]: at,
	[`${name}.to`]: to,
});
const buildTextSections = (name: string, { bytes, at }: Texts): Record<string, Section> => ({
	[`${name}.bytes`]: bytes,
	[`${name}.at`]: at,
});

/** Packages with published classes; their classes stand together in the order of names. */
function getPackages(names: readonly string[], flags: Uint32Array, stringId: (text: string) => number) {
	const found = new Map<string, { first: number; last: number; count: number }>();
	for (const [at, name] of names.entries()) {
		if (((flags[at] ?? 0) & flag.published) === 0) continue;
		const [pkg] = splitPackage(name);
		const known = found.get(pkg);
		if (known === undefined) found.set(pkg, { first: at, last: at, count: 1 });
		else {
			known.last = at;
			known.count++;
		}
	}
	const all = [...found].sort(([a], [b]) => compareNames(a, b));
	return {
		"package.name": Uint32Array.from(all, ([name]) => stringId(name)),
		"package.first": Uint32Array.from(all, ([, { first }]) => first),
		"package.last": Uint32Array.from(all, ([, { last }]) => last),
		"package.count": Uint32Array.from(all, ([, { count }]) => count),
	};
}
