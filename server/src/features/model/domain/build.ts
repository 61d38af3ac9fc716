/** Builds a model's image from its stored records. Pure and synchronous: it takes seconds and runs on a worker thread. */
import type { ModelProperty } from "@weft/contracts";
import { type IntColumn, interned, internedBytes, ints, lists, texts } from "./columns.ts";
import { type ClassGraph, split } from "./document.ts";
import { flag } from "./flags.ts";
import { IMAGE_FORMAT, type Section, writeImage } from "./image.ts";
import { readRecords } from "./records.ts";
import { searchSections } from "./search-sections.ts";
import { bestParents } from "./ways.ts";

interface Edges {
	readonly owner: IntColumn;
	readonly value: IntColumn;
}
const edges = (): Edges => ({ owner: ints(), value: ints() });

/** A class stands under nearly every other one from this part of them on. */
const COMMON_SHARE = 0.2;
const COMMON_LEAST = 20;

/** @param chunks records as they were stored, in any order; of a class that is in two of them the first counts */
export function buildImage(chunks: Iterable<Buffer>): Uint8Array<ArrayBuffer> {
	const strings = interned();
	const ids = new Map<string, number>();
	const order: string[] = [];
	/** In the order of discovery, until all names are known. */
	const idOf = (name: string): number => {
		const known = ids.get(name);
		if (known !== undefined) return known;
		ids.set(name, order.length);
		return order.push(name) - 1;
	};
	const graphs = new Map<number, ClassGraph>();
	const heads = texts();
	const definitions = internedBytes();
	const definition = { name: ints(), label: ints(), flags: ints() };
	const labels: string[] = [];
	const propertyNames: string[] = [];
	const headOf = edges();
	const propertiesOf = edges();
	const contains = edges();
	const supers = edges();
	const subs = edges();
	const naming = edges();
	const to = { owner: ints(), via: ints(), end: ints() };
	const from = { owner: ints(), via: ints(), end: ints() };
	const rn = { owner: ints(), prefix: ints(), child: ints() };
	const dns = createDns(strings.id);
	const dnOf = edges();

	for (const chunk of chunks) {
		for (const record of readRecords(chunk)) {
			const { graph } = record;
			const id = idOf(graph.name);
			if (graphs.has(id)) continue;
			graphs.set(id, graph);
			add(headOf, id, heads.push(record.head));
			for (const line of record.properties) {
				const { id: found, fresh } = definitions.id(line);
				if (fresh) define(JSON.parse(line.toString()) as ModelProperty);
				add(propertiesOf, id, found);
			}
			for (const child of graph.contains) add(contains, id, idOf(child));
			for (const parent of graph.containedBy) add(contains, idOf(parent), id);
			for (const name of graph.supers) add(supers, id, idOf(name));
			for (const name of graph.supers.slice(0, 1)) add(subs, idOf(name), id);
			for (const name of graph.subs) add(subs, id, idOf(name));
			for (const name of graph.identifiedBy) add(naming, id, strings.id(name));
			for (const [column, all] of [
				[to, graph.to],
				[from, graph.from],
			] as const) {
				for (const [via, end] of all) {
					column.owner.push(id);
					column.via.push(idOf(via));
					column.end.push(idOf(end));
				}
			}
			for (const [prefix, child] of graph.rnMap) {
				rn.owner.push(id);
				rn.prefix.push(strings.id(prefix));
				rn.child.push(idOf(child));
			}
			for (const format of record.dnFormats) add(dnOf, id, dns.id(format));
		}
	}

	function define({ name, label, naming: names, configurable, required }: ModelProperty): void {
		definition.name.push(strings.id(name));
		definition.label.push(strings.id(label));
		definition.flags.push(
			(names ? flag.naming : 0) | (configurable ? flag.settable : 0) | (required ? flag.required : 0),
		);
		labels.push(label);
		propertyNames.push(name);
	}

	// From here on classes are numbered in the order of their names: lists come out sorted, and names are found by halving.
	const sorted = [...order].sort(compare);
	const place = new Uint32Array(order.length);
	for (const [at, name] of sorted.entries()) place[ids.get(name) ?? 0] = at;
	const count = sorted.length;
	const moved = (column: IntColumn): Uint32Array => column.finish().map((id) => place[id] ?? 0);
	const classLists = ({ owner, value }: Edges, order: "sorted" | "given") =>
		lists(count, { owner: moved(owner), value: moved(value) }, order === "sorted");
	const given = (owner: IntColumn, value: IntColumn) =>
		lists(count, { owner: moved(owner), value: value.finish() }, false);

	const children = classLists(contains, "sorted");
	const parents = reversed(count, children);
	const above = classLists(supers, "given");
	const below = classLists(subs, "sorted");
	const graphOf = (at: number): ClassGraph | undefined => graphs.get(ids.get(sorted[at] ?? "") ?? -1);

	const flags = new Uint32Array(count);
	const columns = { name: new Uint32Array(count), pkg: new Uint32Array(count), label: new Uint32Array(count) };
	const more = { description: new Uint32Array(count), rn: new Uint32Array(count) };
	let concrete = 0;
	for (const [at, name] of sorted.entries()) {
		const graph = graphOf(at);
		const [pkg, short] = split(name);
		columns.name[at] = strings.id(name);
		columns.pkg[at] = strings.id(pkg);
		columns.label[at] = strings.id(graph?.label ?? short);
		more.description[at] = strings.id(graph?.description ?? "");
		more.rn[at] = strings.id(graph?.rn ?? "");
		flags[at] = graph === undefined ? 0 : flagsOf(graph);
		if (graph !== undefined && !graph.abstract) concrete++;
	}
	const common = Math.max(COMMON_LEAST, concrete * COMMON_SHARE);
	for (let at = 0; at < count; at++) {
		const containers = (parents.at[at + 1] ?? 0) - (parents.at[at] ?? 0);
		if (containers > common) flags[at] = (flags[at] ?? 0) | flag.common;
	}

	const head = place.length === 0 ? lists(0, empty, false) : given(headOf.owner, headOf.value);
	const property = given(propertiesOf.owner, propertiesOf.value);
	const relationsTo = given(to.owner, to.end);
	const relationsFrom = given(from.owner, from.end);
	const packages = packagesOf(sorted, flags, strings.id);
	const sections: Record<string, Section> = {
		...named("class", { ...columns, ...more, flags }),
		"class.parent": bestParents({ count, flags, children, parents, top: sorted.indexOf("topRoot") }),
		...listed("head", head),
		...texted("heads", heads.finish()),
		...listed("property", property),
		...named("definition", {
			name: definition.name.finish(),
			label: definition.label.finish(),
			flags: definition.flags.finish(),
		}),
		...texted("definitions", definitions.finish()),
		...listed("contains", children),
		...listed("containers", parents),
		...listed("supers", above),
		...listed("subs", below),
		...listed("naming", given(naming.owner, naming.value)),
		...listed("to", { at: relationsTo.at, to: relationsTo.to.map((id) => place[id] ?? 0) }),
		"to.via": given(to.owner, to.via).to.map((id) => place[id] ?? 0),
		...listed("from", { at: relationsFrom.at, to: relationsFrom.to.map((id) => place[id] ?? 0) }),
		"from.via": given(from.owner, from.via).to.map((id) => place[id] ?? 0),
		...listed("rn", given(rn.owner, rn.prefix)),
		"rn.child": given(rn.owner, rn.child).to.map((id) => place[id] ?? 0),
		...listed("dn", given(dnOf.owner, dnOf.value)),
		...dns.sections(),
		...packages,
		...searchSections({ names: sorted, graphOf, flags, property, labels, propertyNames }),
		...texted("strings", strings.finish()),
	};
	const classes = graphs.size;
	return writeImage(
		{
			format: IMAGE_FORMAT,
			classes,
			properties: property.to.length,
			relations: children.to.length + below.to.length + relationsTo.to.length,
			packages: packages["package.name"]?.length ?? 0,
		},
		sections,
	);
}

const empty = { owner: [], value: [] };

function add({ owner, value }: Edges, from: number, to: number): void {
	owner.push(from);
	value.push(to);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function flagsOf({ abstract, configurable, contextRoot, hidden, relation }: ClassGraph): number {
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
function reversed(count: number, { at, to }: { at: Uint32Array; to: Uint32Array }) {
	const owner = new Uint32Array(to.length);
	for (let i = 0; i < count; i++) owner.fill(i, at[i], at[i + 1]);
	return lists(count, { owner: to, value: owner }, true);
}

const named = (prefix: string, columns: Record<string, Section>): Record<string, Section> =>
	Object.fromEntries(Object.entries(columns).map(([name, column]) => [`${prefix}.${name}`, column]));
const listed = (name: string, { at, to }: { at: Uint32Array; to: Uint32Array }): Record<string, Section> => ({
	[`${name}.at`]: at,
	[`${name}.to`]: to,
});
const texted = (name: string, { bytes, at }: { bytes: Uint8Array; at: Uint32Array }): Record<string, Section> => ({
	[`${name}.bytes`]: bytes,
	[`${name}.at`]: at,
});

/** Forms of DN share their beginnings: each is its last part and the form before it. */
function createDns(stringId: (text: string) => number) {
	const before = ints();
	const last = ints();
	const known = new Map<string, number>();
	/** 0 is the empty form. */
	const root = 0;
	before.push(0);
	last.push(stringId(""));

	function id(format: string): number {
		const found = known.get(format);
		if (found !== undefined) return found;
		const cut = format.lastIndexOf("/");
		// A leading slash would be lost with the empty form before it.
		const parent = cut <= 0 ? root : id(format.slice(0, cut));
		before.push(parent);
		last.push(stringId(cut <= 0 ? format : format.slice(cut + 1)));
		known.set(format, before.length - 1);
		return before.length - 1;
	}
	return {
		id,
		sections: (): Record<string, Section> => ({ "dns.before": before.finish(), "dns.last": last.finish() }),
	};
}

/** Packages with published classes; their classes stand together in the order of names. */
function packagesOf(names: readonly string[], flags: Uint32Array, stringId: (text: string) => number) {
	const found = new Map<string, { first: number; last: number; count: number }>();
	for (const [at, name] of names.entries()) {
		if (((flags[at] ?? 0) & flag.published) === 0) continue;
		const [pkg] = split(name);
		const known = found.get(pkg);
		if (known === undefined) found.set(pkg, { first: at, last: at, count: 1 });
		else {
			known.last = at;
			known.count++;
		}
	}
	const all = [...found].sort(([a], [b]) => compare(a, b));
	return {
		"package.name": Uint32Array.from(all, ([name]) => stringId(name)),
		"package.first": Uint32Array.from(all, ([, { first }]) => first),
		"package.last": Uint32Array.from(all, ([, { last }]) => last),
		"package.count": Uint32Array.from(all, ([, { count }]) => count),
	};
}
