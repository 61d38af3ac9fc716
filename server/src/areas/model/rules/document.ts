/**
 * Reads a class document of the controller's maker (`jsonmeta`) into Weft's form of it. Lenient:
 * releases add and omit keys, and unknown keys are kept unchanged. Only a document of another
 * class, or no document, is refused.
 */
import type { ClassDetail } from "@weft/contracts";
import { type Scanner, SLOTS } from "../../../core/json/scan.ts";
import { createMembers, type Members } from "./members.ts";
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
type ClassHead = Omit<ClassDetail, "dn_format" | "dn_formats" | "dn_format_count" | "properties" | "faults" | "events">;
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
interface DocumentReader {
	/**
	 * @param key the version that published it
	 * @throws DocumentError
	 */
	read(name: string, key: string): ClassRecord;
	/** Starts a round: classes that were reported before are reported again. */
	startRound(): void;
}

export function createDocumentReader(scanner: Scanner, scanned: Scanned): DocumentReader {
	const source = { scanner, scanned, members: createMembers(KEYS), relationMembers: createMembers(RELATION_KEYS) };
	let round = 0;
	return {
		read: (name, key) => readClassRecord(source, name, key, round),
		startRound(): void {
			round++;
		},
	};
}

/** The document under way. Members are found again for each document. */
interface Source {
	readonly scanner: Scanner;
	readonly scanned: Scanned;
	readonly members: Members<(typeof KEYS)[number]>;
	readonly relationMembers: Members<(typeof RELATION_KEYS)[number]>;
}

function readClassRecord(source: Source, name: string, key: string, round: number): ClassRecord {
	const { scanned, members } = source;
	const { at, node } = members;
	const others = readMembers(source, name);
	const properties = scanned.isObject(node(at.properties)) ? node(at.properties) : -1;
	if (properties < 0 && node(at.rnFormat) < 0) throw new DocumentError("nothing that a class document has");
	const named: NamedClasses = { names: [], own: name, round };
	const forms = node(at.dnFormats);
	const relation = readRelation(source);
	if (relation !== null) for (const end of getRelationEnds(source)) reportClass(named, end);
	const facts = readFacts(source, name, relation !== null);
	const edges = readEdges(source, named);
	return {
		facts,
		edges,
		head: readHead(source, { facts, edges, relation, key, others }),
		properties,
		named: named.names,
		faults: scanned.pairs(node(at.faults)),
		events: scanned.pairs(node(at.events)),
		eachForm: (visit) => scanned.eachText(forms, visit),
	};
}

/** The class's object. */
function findContent({ scanned }: Source, name: string): number {
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

/** Reads the members. Returns the nodes of those without a place of their own, by name. */
function readMembers(source: Source, name: string): Map<string, number> {
	const { scanned, scanner, members } = source;
	const others = new Map<string, number>();
	members.read(scanner, findContent(source, name), (other, field) => {
		const value = other + SLOTS;
		if (scanned.isTrue(value) || !scanned.isPlain(value)) others.set(field, value);
		else if (others.size > 0) others.delete(field);
	});
	return others;
}

function readRelation({ scanner, scanned, members, relationMembers }: Source): Relation {
	const object = members.node(members.at.relationInfo);
	if (!scanned.isObject(object)) return null;
	relationMembers.read(scanner, object);
	const { at, node } = relationMembers;
	const readText = (place: number): string => scanned.text(node(place));
	return {
		type: readText(at.type),
		cardinality: readText(at.cardinality),
		from_class: flattenClassName(readText(at.fromMo)),
		from_relation: flattenClassName(readText(at.fromRelMo)),
		to_class: flattenClassName(readText(at.toMo)),
		to_relation: flattenClassName(readText(at.toRelMo)),
		enforceable: scanned.isTrue(node(at.enforceable)),
		resolvable: scanned.isTrue(node(at.resolvable)),
	};
}

/** The classes on both sides of the relation that was read last. */
function getRelationEnds({ scanned, relationMembers: { at, node } }: Source): Word[] {
	const ends = [at.fromMo, at.fromRelMo, at.toMo, at.toRelMo].map((place) => scanned.wordOrNull(node(place)));
	return ends.filter((end) => end !== null);
}

/** Classes that a document names, but for its own and those that were reported in the round. */
interface NamedClasses {
	readonly names: string[];
	readonly own: string;
	readonly round: number;
}

function reportClass({ names, own, round }: NamedClasses, word: Word): void {
	if (!word.isClass || word.reportedRound === round || word.flat === own) return;
	word.reportedRound = round;
	names.push(word.flat);
}

function readFacts({ scanned, members: { at, node } }: Source, name: string, isRelation: boolean): ClassFacts {
	const is = (place: number): boolean => scanned.isTrue(node(place));
	const readText = (place: number): string => scanned.text(node(place));
	const [pkg, short] = splitPackage(name);
	const comment = node(at.comment);
	return {
		name,
		abstract: is(at.isAbstract),
		configurable: is(at.isConfigurable),
		pkg,
		label: readText(at.label).trim() || short,
		description: comment < 0 ? "" : readRemark(scanned.value(comment)),
		rn: readText(at.rnFormat),
		contextRoot: is(at.isContextRoot),
		hidden: is(at.isHidden),
		relation: isRelation || readText(at.moCategory).startsWith("Relationship"),
		identifiedBy: scanned.texts(node(at.identifiedBy)),
	};
}

function readEdges({ scanned, members: { at, node } }: Source, named: NamedClasses): ClassEdges<Word> {
	const readWords = (place: number): Word[] => {
		const words = scanned.words(node(place));
		for (let at = 0; at < words.length; at++) reportClass(named, words[at] as Word);
		return words;
	};
	const readPairs = (place: number, isRelation: boolean): [Word, Word][] => {
		const words = scanned.wordPairs(node(place));
		for (const [first, second] of words) {
			if (isRelation) reportClass(named, first);
			reportClass(named, second);
		}
		return words;
	};
	return {
		supers: readWords(at.superClasses),
		subs: readWords(at.subClasses),
		contains: readWords(at.contains),
		containedBy: readWords(at.containedBy),
		to: readPairs(at.relationTo, true),
		from: readPairs(at.relationFrom, true),
		rnMap: readPairs(at.rnMap, false),
	};
}

interface HeadParts {
	readonly facts: ClassFacts;
	readonly edges: ClassEdges<Word>;
	readonly relation: Relation;
	/** The version that published the document. */
	readonly key: string;
	/** Nodes of the members without a place of their own, by name. */
	readonly others: ReadonlyMap<string, number>;
}

function readHead({ scanned, members: { at, node } }: Source, parts: HeadParts): ClassHead {
	const { facts, edges, relation, key, others } = parts;
	const is = (place: number): boolean => scanned.isTrue(node(place));
	const readText = (place: number): string => scanned.text(node(place));
	const readTexts = (place: number): string[] => scanned.texts(node(place));
	const unplaced = [...others];
	return {
		name: facts.name,
		display_name: facts.label,
		package: facts.pkg,
		qualified_name: `${facts.pkg}:${splitPackage(facts.name)[1]}`,
		description: facts.description,
		rn_format: facts.rn,
		identified_by: [...facts.identifiedBy],
		context_root: facts.contextRoot,
		category: readText(at.moCategory),
		is_abstract: facts.abstract,
		is_configurable: facts.configurable,
		is_deprecated: is(at.isDeprecated),
		is_hidden: facts.hidden,
		creatable_deletable: readText(at.isCreatableDeletable),
		super_classes: edges.supers.map(({ flat }) => flat),
		sub_classes: edges.subs.map(({ flat }) => flat),
		versions: readText(at.versions),
		source_version: key,
		read_access: readTexts(at.readAccess),
		write_access: readTexts(at.writeAccess),
		platforms: readTexts(at.platformFlavors),
		stats: scanned.words(node(at.stats)).map(({ flat }) => flat),
		relation,
		traits: unplaced.filter(([, value]) => scanned.isTrue(value)).map(([field]) => field),
		other: Object.fromEntries(
			unplaced.filter(([, value]) => !scanned.isPlain(value)).map(([field, value]) => [field, scanned.value(value)]),
		),
	};
}
