/**
 * Reads a class document of the controller's maker (`jsonmeta`) into Weft's form of it. Lenient:
 * releases add and omit keys, and unknown keys are kept unchanged. Only a document of another
 * class, or no document, is refused.
 */
import type { ClassDetail } from "@weft/contracts";
import { type Scanner, SLOTS } from "../../../core/json/scan.ts";
import { createMembers } from "./members.ts";
import { flattenClassName, type Scanned, splitPackage, type VisitText, type Word } from "./scanned.ts";
import { readRemark } from "./values.ts";

/**
 * Not a class document, or not of the expected class; the message is for the list of failed
 * classes.
 */
export class DocumentError extends Error {
	override readonly name = "DocumentError";
}

/** What the model's graph is made of, but for the edges. Class names are flat: `fvBD`. */
export interface ClassFacts {
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
}

/** Edges to other classes. */
export interface ClassEdges<Name> {
	readonly contains: readonly Name[];
	readonly containedBy: readonly Name[];
	/** Nearest first. */
	readonly supers: readonly Name[];
	readonly subs: readonly Name[];
	/** Outgoing relations: the relation's class and its target. */
	readonly to: readonly (readonly [via: Name, target: Name])[];
	/** Incoming relations: the counterpart's class under this one, and the source. */
	readonly from: readonly (readonly [via: Name, source: Name])[];
	/** Beginnings of children's relative names. */
	readonly rnMap: readonly (readonly [prefix: Name, child: Name])[];
}

/** The detail without its objects and without the parts that are computed on request. */
export type ClassHead = Omit<
	ClassDetail,
	"dn_format" | "dn_formats" | "dn_format_count" | "properties" | "faults" | "events"
>;
type Relation = ClassHead["relation"];

export interface ClassRecord {
	readonly facts: ClassFacts;
	readonly edges: ClassEdges<Word>;
	readonly head: ClassHead;
	readonly faults: readonly (readonly [code: string, name: string])[];
	readonly events: readonly (readonly [code: string, what: string])[];
	/** Its forms of DN, as long as the document is on the tape. */
	readonly eachForm: (visit: VisitText) => void;
	/** The node of the object with the properties; -1 where there is none. */
	readonly properties: number;
	/** Classes that the document names, except those already reported in this round. */
	readonly named: readonly string[];
}

/**
 * Keys that have a place of their own; of the others flags become `traits`, and the rest `other`.
 */
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

/** Reads the documents that the scanner has on its tape. */
export function createDocumentReader(scanner: Scanner, scanned: Scanned) {
	const members = createMembers(KEYS);
	const relationMembers = createMembers(RELATION_KEYS);
	const { at, node } = members;
	let round = 0;
	const is = (place: number): boolean => scanned.isTrue(node(place));
	const text = (place: number): string => scanned.text(node(place));
	const texts = (place: number): string[] => scanned.texts(node(place));

	/** The class's object. */
	function getContent(name: string): number {
		if (!scanned.isObject(0)) throw new DocumentError("not an object");
		const classes = new Map<string, number>();
		scanned.eachKey(0, (key) => classes.set(scanned.string(key), key + SLOTS));
		const key = [...classes.keys()].find((found) => flattenClassName(found) === name);
		if (key === undefined)
			throw new DocumentError(`a document of ${[...classes.keys()].slice(0, 3).join(", ") || "nothing"}`);
		const content = classes.get(key) ?? -1;
		if (!scanned.isObject(content)) throw new DocumentError("the class is not an object");
		return content;
	}

	/** The classes on both sides of the relation that was read last. */
	function relationEnds(): Word[] {
		const { at, node } = relationMembers;
		const ends = [at.fromMo, at.fromRelMo, at.toMo, at.toRelMo].map((place) => scanned.wordOrNull(node(place)));
		return ends.filter((end) => end !== null);
	}

	function getRelation(object: number): Relation {
		if (!scanned.isObject(object)) return null;
		relationMembers.read(scanner, object);
		const { at, node } = relationMembers;
		const part = (place: number): string => scanned.text(node(place));
		return {
			type: part(at.type),
			cardinality: part(at.cardinality),
			from_class: flattenClassName(part(at.fromMo)),
			from_relation: flattenClassName(part(at.fromRelMo)),
			to_class: flattenClassName(part(at.toMo)),
			to_relation: flattenClassName(part(at.toRelMo)),
			enforceable: scanned.isTrue(node(at.enforceable)),
			resolvable: scanned.isTrue(node(at.resolvable)),
		};
	}

	function readClassRecord(name: string, key: string): ClassRecord {
		const others = new Map<string, number>();
		members.read(scanner, getContent(name), (other, field) => {
			const value = other + SLOTS;
			if (scanned.isTrue(value) || !scanned.isPlain(value)) others.set(field, value);
			else if (others.size > 0) others.delete(field);
		});
		const properties = scanned.isObject(node(at.properties)) ? node(at.properties) : -1;
		if (properties < 0 && node(at.rnFormat) < 0) throw new DocumentError("nothing that a class document has");
		const named: string[] = [];
		/** A class that the document names. */
		const mention = (word: Word): void => {
			if (!word.isClass || word.reportedRound === round || word.flat === name) return;
			word.reportedRound = round;
			named.push(word.flat);
		};
		const mentions = (place: number): Word[] => {
			const words = scanned.words(node(place));
			for (let at = 0; at < words.length; at++) mention(words[at] as Word);
			return words;
		};
		const pairs = (place: number, isRelation: boolean): [Word, Word][] => {
			const words = scanned.wordPairs(node(place));
			for (const [first, second] of words) {
				if (isRelation) mention(first);
				mention(second);
			}
			return words;
		};
		const [pkg, short] = splitPackage(name);
		const forms = node(at.dnFormats);
		const relation = getRelation(node(at.relationInfo));
		if (relation !== null) for (const end of relationEnds()) mention(end);
		const comment = node(at.comment);
		const description = comment < 0 ? "" : readRemark(scanned.value(comment));
		const label = text(at.label).trim() || short;
		const facts: ClassFacts = {
			name,
			abstract: is(at.isAbstract),
			configurable: is(at.isConfigurable),
			pkg,
			label,
			description,
			rn: text(at.rnFormat),
			contextRoot: is(at.isContextRoot),
			hidden: is(at.isHidden),
			relation: relation !== null || text(at.moCategory).startsWith("Relationship"),
			identifiedBy: texts(at.identifiedBy),
		};
		const edges: ClassEdges<Word> = {
			supers: mentions(at.superClasses),
			subs: mentions(at.subClasses),
			contains: mentions(at.contains),
			containedBy: mentions(at.containedBy),
			to: pairs(at.relationTo, true),
			from: pairs(at.relationFrom, true),
			rnMap: pairs(at.rnMap, false),
		};
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
			rn_format: facts.rn,
			identified_by: [...facts.identifiedBy],
			context_root: facts.contextRoot,
			category: text(at.moCategory),
			is_abstract: facts.abstract,
			is_configurable: facts.configurable,
			is_deprecated: is(at.isDeprecated),
			is_hidden: facts.hidden,
			creatable_deletable: text(at.isCreatableDeletable),
			super_classes: edges.supers.map(({ flat }) => flat),
			sub_classes: edges.subs.map(({ flat }) => flat),
			versions: text(at.versions),
			source_version: key,
			read_access: texts(at.readAccess),
			write_access: texts(at.writeAccess),
			platforms: texts(at.platformFlavors),
			stats: scanned.words(node(at.stats)).map(({ flat }) => flat),
			relation,
			traits,
			other: Object.fromEntries(rest),
		};
		return {
			facts,
			edges,
			head,
			properties,
			named,
			faults: scanned.pairs(node(at.faults)),
			events: scanned.pairs(node(at.events)),
			eachForm: (visit) => scanned.eachText(forms, visit),
		};
	}

	return {
		/**
		 * @param key the version that published it
		 * @throws DocumentError
		 */
		read: readClassRecord,
		/** Starts a round: classes that were reported before are reported again. */
		startRound(): void {
			round++;
		},
	};
}
