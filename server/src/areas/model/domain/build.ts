/**
 * Builds a model's image from its records. Pure and synchronous: it takes seconds and runs on a
 * worker thread.
 */
import { bestParents } from "./best-parents.ts";
import {
	createIntColumn,
	createInternTable,
	createTextColumn,
	groupByOwner,
	type IntColumn,
	internedBytes,
	intTable,
	type Texts,
} from "./columns.ts";
import type { ClassEdges, ClassFacts } from "./document.ts";
import { flag } from "./flags.ts";
import { IMAGE_FORMAT, type ImageMeta, type Section, writeBeginning } from "./image.ts";
import { createOutlines } from "./outline.ts";
import type { StoredRecord } from "./records.ts";
import { splitPackage, type Word } from "./scanned.ts";
import { searchSections } from "./search-sections.ts";

interface Edges {
	readonly owner: IntColumn;
	readonly value: IntColumn;
}

const createEdges = (): Edges => ({ owner: createIntColumn(), value: createIntColumn() });

/** A class stands under nearly every other one from this part of them on. */
const COMMON_SHARE = 0.2;
const COMMON_LEAST = 20;

type ClassOutline = ReturnType<typeof copyOutline>;

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
	begin(): { readonly meta: ImageMeta; readonly bytes: Uint8Array<ArrayBuffer> };
}

export function createImageBuilder(): ImageBuilder {
	const strings = createInternTable();
	const ids = new Map<string, number>();
	const order: string[] = [];
	/** In the order of discovery, until all names are known. */
	const getId = (name: string): number => {
		const known = ids.get(name);
		if (known !== undefined) return known;
		ids.set(name, order.length);
		return order.push(name) - 1;
	};
	const outlines = new Map<number, ClassOutline>();
	const heads = createTextColumn();
	const definitions = internedBytes();
	/** By the number that stands for its line among the records. */
	const definitionOf: number[] = [];
	const buildOutline = createOutlines(strings.id);
	const definition = { name: createIntColumn(), label: createIntColumn(), flags: createIntColumn() };
	const labels: string[] = [];
	const propertyNames: string[] = [];
	const headEdges = createEdges();
	const propertiesOf = createEdges();
	const contains = createEdges();
	const supers = createEdges();
	const subs = createEdges();
	const naming = createEdges();
	const to = { owner: createIntColumn(), via: createIntColumn(), end: createIntColumn() };
	const from = { owner: createIntColumn(), via: createIntColumn(), end: createIntColumn() };
	const rn = { owner: createIntColumn(), prefix: createIntColumn(), child: createIntColumn() };
	/** Forms of DN, those of a class one after another. */
	const forms = createTextColumn();
	const formsOf = { owner: createIntColumn(), first: createIntColumn(), count: createIntColumn() };
	/** By the serial number of a word: the class of that name, and the text. */
	const [classOf, stringOf] = [intTable(), intTable()];
	function classId({ serial, flat }: Word): number {
		const known = classOf.get(serial);
		if (known >= 0) return known;
		const id = getId(flat);
		classOf.set(serial, id);
		return id;
	}
	function stringId({ serial, text }: Word): number {
		const known = stringOf.get(serial);
		if (known >= 0) return known;
		const id = strings.id(text);
		stringOf.set(serial, id);
		return id;
	}

	// Small functions: one with all of these loops would be compiled again and again, whenever a list
	// is of a kind that it has not met.
	function addAll(edges: Edges, id: number, words: readonly Word[]): void {
		for (let at = 0; at < words.length; at++) addEdge(edges, id, classId(words[at] as Word));
	}
	function addReversed(edges: Edges, id: number, words: readonly Word[]): void {
		for (let at = 0; at < words.length; at++) addEdge(edges, classId(words[at] as Word), id);
	}
	function addRelations(column: typeof to, id: number, relations: ClassEdges<Word>["to"]): void {
		for (let at = 0; at < relations.length; at++) {
			const [via, end] = relations[at] as ClassEdges<Word>["to"][number];
			column.owner.push(id);
			column.via.push(classId(via));
			column.end.push(classId(end));
		}
	}
	function addPrefixes(id: number, rnMap: ClassEdges<Word>["rnMap"]): void {
		for (let at = 0; at < rnMap.length; at++) {
			const [prefix, child] = rnMap[at] as ClassEdges<Word>["rnMap"][number];
			rn.owner.push(id);
			rn.prefix.push(stringId(prefix));
			rn.child.push(classId(child));
		}
	}
	function addProperties(id: number, { properties, line }: StoredRecord): void {
		for (let at = 0; at < properties.length; at++) {
			const number = properties[at] as number;
			const found = definitionOf[number] ?? definitionIn(line(at));
			definitionOf[number] = found;
			addEdge(propertiesOf, id, found);
		}
	}
	function addForms(id: number, { eachForm }: StoredRecord): void {
		const first = forms.length;
		eachForm(forms.copy);
		formsOf.owner.push(id);
		formsOf.first.push(first);
		formsOf.count.push(forms.length - first);
	}

	function addRecord(record: StoredRecord): void {
		const { facts, edges } = record;
		const id = getId(facts.name);
		if (outlines.has(id)) return;
		outlines.set(id, copyOutline(facts));
		addEdge(headEdges, id, heads.push(record.head));
		addProperties(id, record);
		addAll(contains, id, edges.contains);
		addReversed(contains, id, edges.containedBy);
		addAll(supers, id, edges.supers);
		addReversed(subs, id, edges.supers.slice(0, 1));
		addAll(subs, id, edges.subs);
		for (const name of facts.identifiedBy) addEdge(naming, id, strings.id(name));
		addRelations(to, id, edges.to);
		addRelations(from, id, edges.from);
		addPrefixes(id, edges.rnMap);
		addForms(id, record);
	}

	function definitionIn(line: Buffer): number {
		const { id, fresh } = definitions.id(line);
		if (fresh) addDefinition(line);
		return id;
	}

	function addDefinition(line: Buffer): void {
		const { name, label, flags } = buildOutline(line);
		definition.name.push(name);
		definition.label.push(label);
		definition.flags.push(flags);
		labels.push(strings.text(label));
		propertyNames.push(strings.text(name));
	}

	function finishImage(): BuiltImage {
		const largest = { heads: heads.finish(), definitions: definitions.finish(), dns: forms.finish() };
		const end = Object.fromEntries(Object.entries(largest).map(([name, { bytes }]) => [`${name}.bytes`, bytes]));
		const starts = Object.fromEntries(Object.entries(largest).map(([name, { at }]) => [`${name}.at`, at]));
		return { end: Object.values(end).flat(), begin: () => buildImageStart(starts, end) };
	}

	function buildImageStart(starts: Record<string, Section>, end: Record<string, readonly Uint8Array[]>) {
		// From here on classes are numbered in the order of their names: lists come out sorted, and
		// names are found by halving.
		const sorted = [...order].sort(compareNames);
		const place = new Uint32Array(order.length);
		for (const [at, name] of sorted.entries()) place[ids.get(name) ?? 0] = at;
		const count = sorted.length;
		const moved = (column: IntColumn): Uint32Array => column.finish().map((id) => place[id] ?? 0);
		const classLists = ({ owner, value }: Edges, order: "sorted" | "given") =>
			groupByOwner(count, { owner: moved(owner), value: moved(value) }, order === "sorted");
		const given = (owner: IntColumn, value: IntColumn) =>
			groupByOwner(count, { owner: moved(owner), value: value.finish() }, false);

		const children = classLists(contains, "sorted");
		const parents = reverseEdges(count, children);
		const above = classLists(supers, "given");
		const below = classLists(subs, "sorted");
		const sortedOutlines = sorted.map((name) => outlines.get(ids.get(name) ?? -1));
		const outlineAt = (at: number): ClassOutline | undefined => sortedOutlines[at];

		const flags = new Uint32Array(count);
		const columns = { name: new Uint32Array(count), pkg: new Uint32Array(count), label: new Uint32Array(count) };
		const more = { description: new Uint32Array(count), rn: new Uint32Array(count) };
		let concrete = 0;
		for (const [at, name] of sorted.entries()) {
			const graph = outlineAt(at);
			const [pkg, short] = splitPackage(name);
			columns.name[at] = strings.id(name);
			columns.pkg[at] = strings.id(pkg);
			columns.label[at] = strings.id(graph?.label ?? short);
			more.description[at] = strings.id(graph?.description ?? "");
			more.rn[at] = strings.id(graph?.rn ?? "");
			flags[at] = graph === undefined ? 0 : getFlags(graph);
			if (graph !== undefined && !graph.abstract) concrete++;
		}
		/** What each class has one number of, in the order of names. */
		function orderByName(column: IntColumn): Uint32Array {
			const all = new Uint32Array(count);
			for (const [at, value] of column.finish().entries()) all[place[formsOf.owner.at(at)] ?? 0] = value;
			return all;
		}
		const common = Math.max(COMMON_LEAST, concrete * COMMON_SHARE);
		for (let at = 0; at < count; at++) {
			const containers = (parents.at[at + 1] ?? 0) - (parents.at[at] ?? 0);
			if (containers > common) flags[at] = (flags[at] ?? 0) | flag.common;
		}

		const head = place.length === 0 ? groupByOwner(0, empty, false) : given(headEdges.owner, headEdges.value);
		const property = given(propertiesOf.owner, propertiesOf.value);
		const relationsTo = given(to.owner, to.end);
		const relationsFrom = given(from.owner, from.end);
		const packages = getPackages(sorted, flags, strings.id);
		const sections: Record<string, Section> = {
			...starts,
			...prefixColumns("class", { ...columns, ...more, flags }),
			"class.parent": bestParents({ count, flags, children, parents, top: sorted.indexOf("topRoot") }),
			...buildListSections("head", head),
			...buildListSections("property", property),
			...prefixColumns("definition", {
				name: definition.name.finish(),
				label: definition.label.finish(),
				flags: definition.flags.finish(),
			}),
			...buildListSections("contains", children),
			...buildListSections("containers", parents),
			...buildListSections("supers", above),
			...buildListSections("subs", below),
			...buildListSections("naming", given(naming.owner, naming.value)),
			...buildListSections("to", { at: relationsTo.at, to: relationsTo.to.map((id) => place[id] ?? 0) }),
			"to.via": given(to.owner, to.via).to.map((id) => place[id] ?? 0),
			...buildListSections("from", { at: relationsFrom.at, to: relationsFrom.to.map((id) => place[id] ?? 0) }),
			"from.via": given(from.owner, from.via).to.map((id) => place[id] ?? 0),
			...buildListSections("rn", given(rn.owner, rn.prefix)),
			"rn.child": given(rn.owner, rn.child).to.map((id) => place[id] ?? 0),
			"dn.first": orderByName(formsOf.first),
			"dn.count": orderByName(formsOf.count),
			...packages,
			...searchSections({ names: sorted, outlineAt, flags, property, labels, propertyNames }),
			...buildTextSections("strings", strings.finish()),
		};
		const meta = {
			format: IMAGE_FORMAT,
			classes: outlines.size,
			properties: property.to.length,
			relations: children.to.length + below.to.length + relationsTo.to.length,
			packages: packages["package.name"]?.length ?? 0,
		};
		return { meta, bytes: writeBeginning(meta, sections, end) };
	}

	return { add: addRecord, finish: finishImage };
}

const empty = { owner: new Uint32Array(0), value: new Uint32Array(0) };

function addEdge({ owner, value }: Edges, from: number, to: number): void {
	owner.push(from);
	value.push(to);
}

const compareNames = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Copies the fields that the end of the build needs, so that the rest of the facts can be freed.
 */
const copyOutline = ({
	label,
	description,
	rn,
	abstract,
	configurable,
	contextRoot,
	hidden,
	relation,
}: ClassFacts) => ({
	label,
	description,
	rn,
	abstract,
	configurable,
	contextRoot,
	hidden,
	relation,
});

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

const prefixColumns = (prefix: string, columns: Record<string, Section>): Record<string, Section> =>
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
