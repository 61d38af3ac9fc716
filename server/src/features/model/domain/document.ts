/**
 * Reads a class document of the controller's maker (`jsonmeta`) into what Weft keeps of it. Lenient: releases add keys and leave others out,
 * and what is not understood is kept as it is. Only a document of another class, or none at all, is refused.
 */
import type { ClassDetail } from "@weft/contracts";
import { type Scanner, SLOTS } from "../../../platform/json/scan.ts";
import { createMembers } from "./members.ts";
import { flat, isClassName, type Scanned, split, type VisitText, type Word } from "./scanned.ts";
import { remark } from "./values.ts";

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

/** The detail without what is put together when it is asked for, and without its objects. */
export type ClassHead = Omit<
	ClassDetail,
	"dn_format" | "dn_formats" | "dn_format_count" | "properties" | "faults" | "events"
>;
type Relation = ClassHead["relation"];

export interface ClassRecord {
	readonly graph: ClassGraph;
	readonly head: ClassHead;
	readonly faults: readonly (readonly [code: string, name: string])[];
	readonly events: readonly (readonly [code: string, what: string])[];
	/** Its forms of DN, as long as the document is on the tape. */
	readonly eachForm: (visit: VisitText) => void;
	/** The node of the object with the properties; -1 where there is none. */
	readonly properties: number;
	/** Every class that the document names. */
	readonly named: ReadonlySet<string>;
}

/** Keys that have a place of their own; of the others flags become `traits`, and the rest `other`. */
const KEYS = [
	...(["contains", "rnMap", "identifiedBy", "rnFormat", "containedBy", "superClasses", "subClasses"] as const),
	...(["relationTo", "relationFrom", "relationInfo", "dnFormats", "writeAccess", "readAccess", "faults"] as const),
	...(["events", "stats", "versions", "isAbstract", "isConfigurable", "isContextRoot", "isDeprecated"] as const),
	...(["isHidden", "isCreatableDeletable", "platformFlavors", "className", "classPkg", "moCategory"] as const),
	...(["label", "comment", "properties"] as const),
];
const RELATION_KEYS = [
	...(["type", "cardinality", "fromMo", "fromRelMo", "toMo", "toRelMo", "enforceable", "resolvable"] as const),
];

/** The classes on both sides of a relation. */
const relationEnds = (relation: Relation): string[] =>
	relation === null ? [] : [relation.from_class, relation.from_relation, relation.to_class, relation.to_relation];

/** Reads the documents that the scanner has on its tape. */
export function createDocumentReader(scanner: Scanner, scanned: Scanned) {
	const members = createMembers(KEYS);
	const relationMembers = createMembers(RELATION_KEYS);
	const { at, node } = members;
	const is = (place: number): boolean => scanned.isTrue(node(place));
	const text = (place: number): string => scanned.text(node(place));
	const texts = (place: number): string[] => scanned.texts(node(place));

	/** The class's object. */
	function contentOf(name: string): number {
		if (!scanned.isObject(0)) throw new DocumentError("not an object");
		const classes = new Map<string, number>();
		scanned.eachKey(0, (key) => classes.set(scanned.string(key), key + SLOTS));
		const key = [...classes.keys()].find((found) => flat(found) === name);
		if (key === undefined)
			throw new DocumentError(`a document of ${[...classes.keys()].slice(0, 3).join(", ") || "nothing"}`);
		const content = classes.get(key) ?? -1;
		if (!scanned.isObject(content)) throw new DocumentError("the class is not an object");
		return content;
	}

	function relationOf(object: number): Relation {
		if (!scanned.isObject(object)) return null;
		relationMembers.read(scanner, object);
		const { at, node } = relationMembers;
		const part = (place: number): string => scanned.text(node(place));
		return {
			type: part(at.type),
			cardinality: part(at.cardinality),
			from_class: flat(part(at.fromMo)),
			from_relation: flat(part(at.fromRelMo)),
			to_class: flat(part(at.toMo)),
			to_relation: flat(part(at.toRelMo)),
			enforceable: scanned.isTrue(node(at.enforceable)),
			resolvable: scanned.isTrue(node(at.resolvable)),
		};
	}

	/**
	 * @param key the version that published it
	 * @throws DocumentError
	 */
	return (name: string, key: string): ClassRecord => {
		const others = new Map<string, number>();
		members.read(scanner, contentOf(name), (other) => others.set(scanned.word(other).text, other + SLOTS));
		const properties = scanned.isObject(node(at.properties)) ? node(at.properties) : -1;
		if (properties < 0 && node(at.rnFormat) < 0) throw new DocumentError("nothing that a class document has");
		const named = new Set<string>();
		/** A class that the document names. */
		const mention = (word: Word): string => {
			if (word.isClass && word.flat !== name) named.add(word.flat);
			return word.flat;
		};
		const mentions = (place: number): string[] => scanned.words(node(place)).map(mention);
		const relations = (place: number) =>
			scanned.wordPairs(node(place)).map(([via, end]) => [mention(via), mention(end)] as const);
		const [pkg, short] = split(name);
		const forms = node(at.dnFormats);
		const relation = relationOf(node(at.relationInfo));
		const comment = node(at.comment);
		const description = comment < 0 ? "" : remark(scanned.value(comment));
		const label = text(at.label).trim() || short;
		const graph: ClassGraph = {
			name,
			abstract: is(at.isAbstract),
			configurable: is(at.isConfigurable),
			pkg,
			label,
			description,
			supers: mentions(at.superClasses),
			subs: mentions(at.subClasses),
			rn: text(at.rnFormat),
			contextRoot: is(at.isContextRoot),
			hidden: is(at.isHidden),
			relation: relation !== null || text(at.moCategory).startsWith("Relationship"),
			identifiedBy: texts(at.identifiedBy),
			contains: mentions(at.contains),
			containedBy: mentions(at.containedBy),
			to: relations(at.relationTo),
			from: relations(at.relationFrom),
			rnMap: scanned.wordPairs(node(at.rnMap)).map(([prefix, child]) => [prefix.text, mention(child)] as const),
		};
		for (const end of relationEnds(relation)) if (isClassName(end) && end !== name) named.add(end);
		const traits: string[] = [];
		const rest: [field: string, value: unknown][] = [];
		for (const [field, value] of others) {
			if (scanned.isTrue(value)) traits.push(field);
			if (!scanned.isPlain(value)) rest.push([field, scanned.value(value)]);
		}
		const head: ClassHead = {
			name,
			display_name: label,
			package: pkg,
			qualified_name: `${pkg}:${short}`,
			description,
			rn_format: graph.rn,
			identified_by: [...graph.identifiedBy],
			context_root: graph.contextRoot,
			category: text(at.moCategory),
			is_abstract: graph.abstract,
			is_configurable: graph.configurable,
			is_deprecated: is(at.isDeprecated),
			is_hidden: graph.hidden,
			creatable_deletable: text(at.isCreatableDeletable),
			super_classes: [...graph.supers],
			sub_classes: [...graph.subs],
			versions: text(at.versions),
			source_version: key,
			read_access: texts(at.readAccess),
			write_access: texts(at.writeAccess),
			platforms: texts(at.platformFlavors),
			stats: scanned.words(node(at.stats)).map((word) => word.flat),
			relation,
			traits,
			other: Object.fromEntries(rest),
		};
		return {
			graph,
			head,
			properties,
			named,
			faults: scanned.pairs(node(at.faults)),
			events: scanned.pairs(node(at.events)),
			eachForm: (visit) => scanned.eachText(forms, visit),
		};
	};
}
