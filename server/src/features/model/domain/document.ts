/**
 * Reads a class document of the controller's maker (`jsonmeta`) into what Weft keeps of it. Lenient: releases add keys and leave others out,
 * and what is not understood is kept as it is. Only a document of another class, or none at all, is refused.
 */
import type { ClassDetail, ModelProperty } from "@weft/contracts";
import { readProperty } from "./property.ts";
import { isRecord, list, names, pairs, plain, remark, text } from "./values.ts";

/** Not a class document, or not of the expected class; the message is for the list of failed classes. */
export class DocumentError extends Error {
	override readonly name = "DocumentError";
}

/** What the model's graph is made of. Class names are flat: `fvBD`. */
export interface ClassGraph {
	readonly name: string;
	readonly pkg: string;
	readonly label: string;
	readonly description: string;
	readonly rn: string;
	readonly abstract: boolean;
	readonly configurable: boolean;
	readonly contextRoot: boolean;
	readonly hidden: boolean;
	/** It is a relation's class, on either side. */
	readonly relation: boolean;
	readonly identifiedBy: readonly string[];
	readonly contains: readonly string[];
	readonly containedBy: readonly string[];
	/** Nearest first. */
	readonly supers: readonly string[];
	readonly subs: readonly string[];
	/** Outgoing relations: the relation's class and its target. */
	readonly to: readonly (readonly [via: string, target: string])[];
	/** Incoming relations: the counterpart's class under this one, and the source. */
	readonly from: readonly (readonly [via: string, source: string])[];
	/** Beginnings of children's relative names. */
	readonly rnMap: readonly (readonly [prefix: string, child: string])[];
}

/** The detail without what is put together when it is asked for. */
export type ClassHead = Omit<ClassDetail, "dn_format" | "dn_formats" | "dn_format_count" | "properties">;

export interface ClassRecord {
	readonly graph: ClassGraph;
	readonly head: ClassHead;
	readonly dnFormats: readonly string[];
	readonly properties: readonly ModelProperty[];
	/** Every class that the document names. */
	readonly named: readonly string[];
}

/** Keys that have a place of their own; of the others flags become `traits`, and the rest `other`. */
const KNOWN = new Set(
	"contains rnMap identifiedBy rnFormat containedBy superClasses subClasses relationTo relationFrom relationInfo dnFormats writeAccess readAccess faults events stats versions isAbstract isConfigurable isContextRoot isDeprecated isHidden isCreatableDeletable platformFlavors className classPkg moCategory label comment properties".split(
		" ",
	),
);

/**
 * @param key the version that published it
 * @throws DocumentError
 */
export function readDocument(name: string, json: string, key: string): ClassRecord {
	const doc = contentOf(name, json);
	const [pkg, short] = split(name);
	const relation = relationOf(doc.relationInfo);
	const properties = isRecord(doc.properties) ? doc.properties : {};
	const description = remark(doc.comment);
	const label = text(doc.label).trim() || short;
	const supers = list(doc.superClasses).map(flat);
	const subs = names(doc.subClasses);
	const common = { name, abstract: doc.isAbstract === true, configurable: doc.isConfigurable === true };
	const graph: ClassGraph = {
		...common,
		...{ pkg, label, description, supers, subs },
		rn: text(doc.rnFormat),
		contextRoot: doc.isContextRoot === true,
		hidden: doc.isHidden === true,
		relation: relation !== null || /^Relationship/.test(text(doc.moCategory)),
		identifiedBy: list(doc.identifiedBy),
		contains: names(doc.contains),
		containedBy: names(doc.containedBy),
		to: pairs(doc.relationTo).map(([via, target]) => [flat(via), flat(target)] as const),
		from: pairs(doc.relationFrom).map(([via, source]) => [flat(via), flat(source)] as const),
		rnMap: pairs(doc.rnMap).map(([prefix, child]) => [prefix, flat(child)] as const),
	};
	const head: ClassHead = {
		name,
		display_name: label,
		package: pkg,
		qualified_name: `${pkg}:${short}`,
		description,
		rn_format: graph.rn,
		identified_by: [...graph.identifiedBy],
		context_root: graph.contextRoot,
		category: text(doc.moCategory),
		is_abstract: common.abstract,
		is_configurable: common.configurable,
		is_deprecated: doc.isDeprecated === true,
		is_hidden: graph.hidden,
		creatable_deletable: text(doc.isCreatableDeletable),
		super_classes: supers,
		sub_classes: subs,
		versions: text(doc.versions),
		source_version: key,
		read_access: list(doc.readAccess),
		write_access: list(doc.writeAccess),
		platforms: list(doc.platformFlavors),
		faults: Object.fromEntries(pairs(doc.faults)),
		events: Object.fromEntries(pairs(doc.events)),
		stats: names(doc.stats),
		relation,
		traits: Object.keys(doc).filter((field) => !KNOWN.has(field) && doc[field] === true),
		other: Object.fromEntries(
			Object.entries(doc).filter(([field, value]) => !KNOWN.has(field) && typeof value !== "boolean" && !plain(value)),
		),
	};
	const ends =
		relation === null ? [] : [relation.from_class, relation.from_relation, relation.to_class, relation.to_relation];
	const mentioned = new Set([...graph.contains, ...graph.containedBy, ...supers, ...subs, ...ends]);
	for (const [via, end] of [...graph.to, ...graph.from]) mentioned.add(via).add(end);
	for (const [, child] of graph.rnMap) mentioned.add(child);
	return {
		graph,
		head,
		dnFormats: list(doc.dnFormats).filter((format) => format.trim() !== ""),
		properties: Object.entries(properties).map(([property, value]) => readProperty(property, value)),
		named: [...mentioned].filter((other) => other !== name && isClassName(other)),
	};
}

const CLASS_NAME = /^([a-z][a-z0-9]*)([A-Z][A-Za-z0-9_]*)$/;
const isClassName = (name: string): boolean => name.length <= 128 && CLASS_NAME.test(name);

/** `fv:BD` → `fvBD`. */
const flat = (name: string): string => name.replace(":", "");

/** `fvBD` → `fv` and `BD`. */
export function split(name: string): readonly [pkg: string, short: string] {
	const found = CLASS_NAME.exec(name);
	return found === null ? ["", name] : [found[1] ?? "", found[2] ?? ""];
}

function contentOf(name: string, json: string): Record<string, unknown> {
	let parsed: unknown;
	try {
		parsed = JSON.parse(json);
	} catch (error) {
		const start = json.slice(0, 200).trimStart();
		throw new DocumentError(
			start.startsWith("<") ? "a page instead of a document" : `not JSON: ${(error as Error).message.slice(0, 120)}`,
		);
	}
	if (!isRecord(parsed)) throw new DocumentError("not an object");
	const key = Object.keys(parsed).find((found) => flat(found) === name);
	if (key === undefined)
		throw new DocumentError(`a document of ${Object.keys(parsed).slice(0, 3).join(", ") || "nothing"}`);
	const content = parsed[key];
	if (!isRecord(content)) throw new DocumentError("the class is not an object");
	if (!isRecord(content.properties) && !("rnFormat" in content))
		throw new DocumentError("nothing that a class document has");
	return content;
}

function relationOf(value: unknown): ClassHead["relation"] {
	if (!isRecord(value)) return null;
	return {
		type: text(value.type),
		cardinality: text(value.cardinality),
		from_class: flat(text(value.fromMo)),
		from_relation: flat(text(value.fromRelMo)),
		to_class: flat(text(value.toMo)),
		to_relation: flat(text(value.toRelMo)),
		enforceable: value.enforceable === true,
		resolvable: value.resolvable === true,
	};
}
