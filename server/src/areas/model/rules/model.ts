/**
 * A model in memory: classes by number, in the order of their names. Everything is read from the
 * image when it is asked for.
 */
import { flag } from "./flags.ts";
import { type Image, type ImageMeta, readImage } from "./image.ts";

/** Numbers of one owner, as a view. */
type ListOf = (owner: number) => Uint32Array;

/** Texts one after another, as they can be read and scanned. */
export interface Texts {
	readonly length: number;
	readonly bytes: Buffer;
	readonly at: Uint32Array;
	text(id: number): string;
	/** The bytes of one text. */
	part(id: number): Buffer;
	/** Which text a place is in. */
	holding(place: number): number;
}

export interface Model {
	readonly meta: ImageMeta;
	readonly image: Image;
	/** Classes that are published or named. */
	readonly count: number;
	/** The number of a class, published or only named; -1 for one that the model does not know. */
	find(name: string): number;
	name(id: number): string;
	pkg(id: number): string;
	label(id: number): string;
	description(id: number): string;
	rn(id: number): string;
	is(id: number, bit: number): boolean;
	/** The class before it on the way from the top; -1 at the top. */
	readonly before: Int32Array;
	readonly contains: ListOf;
	readonly containers: ListOf;
	/** Nearest first. */
	readonly supers: ListOf;
	/** Nearest below only. */
	readonly subs: ListOf;
	/** Targets of outgoing relations, and beside them the relations. */
	readonly to: ListOf;
	readonly toVia: ListOf;
	readonly from: ListOf;
	readonly fromVia: ListOf;
	naming(id: number): string[];
	/**
	 * Beginnings of children's relative names (numbers of `strings`), and beside them the children.
	 */
	readonly rnPrefixes: ListOf;
	readonly rnChildren: ListOf;
	readonly strings: Texts;
	/** Definitions of the class's properties. */
	readonly properties: ListOf;
	readonly definitions: Texts;
	propertyName(definition: number): string;
	propertyIs(definition: number, bit: number): boolean;
	/** The head of the detail, as JSON; null for classes that are only named. */
	head(id: number): Buffer | null;
	dnCount(id: number): number;
	/** Forms of DN from `offset` on. */
	dns(id: number, offset: number, limit: number): string[];
	texts(name: string): Texts;
	list(name: string): ListOf;
}

export function openModel(bytes: Uint8Array<ArrayBuffer>): Model {
	const image = readImage(bytes);
	const texts = (name: string): Texts => getTexts(image.bytes(`${name}.bytes`), image.u32(`${name}.at`));
	const list = (name: string, values = `${name}.to`): ListOf => {
		const [at, to] = [image.u32(`${name}.at`), image.u32(values)];
		return (owner) => to.subarray(at[owner], at[owner + 1]);
	};
	const strings = texts("strings");
	const column = (name: string) => {
		const ids = image.u32(name);
		return (id: number): string => strings.text(ids[id] ?? 0);
	};
	const flags = image.u32("class.flags");
	const name = column("class.name");
	const definitionFlags = image.u32("definition.flags");
	const heads = texts("heads");
	const getHead = list("head");
	const naming = list("naming");
	const [dnFirst, dnCount] = [image.u32("dn.first"), image.u32("dn.count")];
	const dns = texts("dns");

	function findClassId(wanted: string): number {
		let [low, high] = [0, flags.length - 1];
		while (low <= high) {
			const middle = (low + high) >>> 1;
			const found = name(middle);
			if (found === wanted) return middle;
			if (found < wanted) low = middle + 1;
			else high = middle - 1;
		}
		return -1;
	}

	return {
		meta: image.meta,
		image,
		count: flags.length,
		find: findClassId,
		name,
		pkg: column("class.pkg"),
		label: column("class.label"),
		description: column("class.description"),
		rn: column("class.rn"),
		is: (id, bit) => ((flags[id] ?? 0) & bit) !== 0,
		before: image.i32("class.parent"),
		contains: list("contains"),
		containers: list("containers"),
		supers: list("supers"),
		subs: list("subs"),
		to: list("to"),
		toVia: list("to", "to.via"),
		from: list("from"),
		fromVia: list("from", "from.via"),
		naming: (id) => Array.from(naming(id), (text) => strings.text(text)),
		rnPrefixes: list("rn"),
		rnChildren: list("rn", "rn.child"),
		strings,
		properties: list("property"),
		definitions: texts("definitions"),
		propertyName: column("definition.name"),
		propertyIs: (definition, bit) => ((definitionFlags[definition] ?? 0) & bit) !== 0,
		head(id) {
			if (((flags[id] ?? 0) & flag.published) === 0) return null;
			const at = getHead(id)[0];
			return at === undefined ? null : heads.part(at);
		},
		dnCount: (id) => dnCount[id] ?? 0,
		dns(id, offset, limit) {
			const first = dnFirst[id] ?? 0;
			const [from, to] = [first + offset, first + Math.min(offset + limit, dnCount[id] ?? 0)];
			return Array.from({ length: Math.max(0, to - from) }, (_, at) => dns.text(from + at));
		},
		texts,
		list,
	};
}

function getTexts(bytes: Buffer, at: Uint32Array): Texts {
	return {
		length: at.length - 1,
		bytes,
		at,
		// Without the line feed behind it.
		text: (id) => bytes.toString("utf8", at[id], Math.max(at[id] ?? 0, (at[id + 1] ?? 0) - 1)),
		part: (id) => bytes.subarray(at[id], Math.max(at[id] ?? 0, (at[id + 1] ?? 0) - 1)),
		holding(place) {
			let [low, high] = [0, at.length - 2];
			while (low < high) {
				const middle = (low + high + 1) >>> 1;
				if ((at[middle] ?? 0) <= place) low = middle;
				else high = middle - 1;
			}
			return low;
		},
	};
}
