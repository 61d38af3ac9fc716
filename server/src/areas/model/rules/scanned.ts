/**
 * Values of a scanned document, read from where they lie. Nothing is promised of a document: what
 * is of another kind reads as if it were not there.
 */
import { type Scanner, SLOTS } from "../../../core/json/scan.ts";
import { ARRAY, ESCAPED, FALSE, KIND_MASK, NULL, NUMBER, OBJECT, STRING, TRUE } from "../../../core/json/tokens.ts";
import { createWords } from "./words.ts";

export type Scanned = ReturnType<typeof createScanned>;

/** A name and its derived forms. */
export interface Word {
	/** No other one has it. */
	readonly serial: number;
	readonly text: string;
	/** As a class: `fvBD` for `fv:BD`. */
	readonly flat: string;
	/** Both in JSON. */
	readonly textJson: Buffer;
	readonly flatJson: Buffer;
	readonly isClass: boolean;
	/** The round in which the name was last reported; -1 if never. */
	reportedRound: number;
}

const CLASS_NAME = /^([a-z][a-z0-9]*)([A-Z][A-Za-z0-9_]*)$/;
const LONGEST_NAME = 128;
const [SPACE, DELETE] = [0x20, 0x7f];

/** `fvBD` → `fv` and `BD`. */
export function splitPackage(name: string): readonly [pkg: string, short: string] {
	const found = CLASS_NAME.exec(name);
	return found === null ? ["", name] : [found[1] ?? "", found[2] ?? ""];
}

/** `fv:BD` → `fvBD`. */
export const flattenClassName = (name: string): string => name.replace(":", "");

const isClassName = (name: string): boolean => name.length <= LONGEST_NAME && CLASS_NAME.test(name);

/** Creates words; their serial numbers are unique per maker. */
export function createWordMaker(): (text: string) => Word {
	let serial = 0;
	return (text) => {
		const name = flattenClassName(text);
		const [textJson, flatJson] = [Buffer.from(JSON.stringify(text)), Buffer.from(JSON.stringify(name))];
		return { serial: serial++, text, flat: name, textJson, flatJson, isClass: isClassName(name), reportedRound: -1 };
	};
}

/**
 * Receives the place of a text, in UTF-8.
 * @param isSpelled the text stands there as JSON writes it, between quotes
 */
export type VisitText = (bytes: Buffer, start: number, end: number, isSpelled: boolean) => void;

/** Reads values from the scanner's tape. A node is an index into the tape; -1 is an absent node. */
export function createScanned(scanner: Scanner) {
	const { tape } = scanner;
	const words = createWords(createWordMaker());
	const getKind = (node: number): number => (node < 0 ? NULL : (tape.nodes[node] as number) & KIND_MASK);
	const isEscaped = (node: number): boolean => ((tape.nodes[node] as number) & ESCAPED) !== 0;
	const start = (node: number): number => tape.nodes[node + 1] as number;
	const end = (node: number): number => tape.nodes[node + 2] as number;
	const raw = (node: number): string => scanner.bytes.toString("utf8", start(node), end(node));

	function readString(node: number): string {
		return isEscaped(node) ? JSON.parse(raw(node)) : scanner.bytes.toString("utf8", start(node) + 1, end(node) - 1);
	}

	function wordId(node: number): number {
		if (!isEscaped(node)) return words.id(scanner.bytes, start(node) + 1, end(node) - 1);
		const decoded = Buffer.from(readString(node));
		return words.id(decoded, 0, decoded.length);
	}
	const word = (node: number): Word => words.word(wordId(node));

	/** Calls with the node of each key of an object; its value follows it. */
	function eachKey(object: number, visit: (key: number) => void): void {
		if (getKind(object) !== OBJECT) return;
		const last = tape.nodes[object + 3] as number;
		for (let key = object + SLOTS; key < last; key = tape.nodes[key + SLOTS + 3] as number) visit(key);
	}

	/** Calls with the node of each text of an array. */
	function eachString(array: number, visit: (node: number) => void): void {
		if (getKind(array) !== ARRAY) return;
		const last = tape.nodes[array + 3] as number;
		for (let item = array + SLOTS; item < last; item = tape.nodes[item + 3] as number)
			if (getKind(item) === STRING) visit(item);
	}

	/** Applies `make` to each text of an array. */
	function mapStrings<Made>(array: number, make: (node: number) => Made): Made[] {
		const found: Made[] = [];
		eachString(array, (node) => found.push(make(node)));
		return found;
	}

	/** Applies `make` to the key and the value of each text member of an object. */
	function mapPairs<Made>(object: number, make: (node: number) => Made): [Made, Made][] {
		const found: [Made, Made][] = [];
		eachKey(object, (key) => {
			if (getKind(key + SLOTS) === STRING) found.push([make(key), make(key + SLOTS)]);
		});
		return found;
	}

	/** Where the digits of a member stand that is a text of nothing else; null for any other. */
	function getDigits(object: number, name: string): [start: number, end: number] | null {
		let found: [number, number] | null = null;
		eachKey(object, (key) => {
			if (end(key) - start(key) !== name.length + 2 || readString(key) !== name) return;
			const value = key + SLOTS;
			found = /^"\d+"$/.test(raw(value)) ? [start(value) + 1, end(value) - 1] : null;
		});
		return found;
	}

	return {
		start,
		end,
		eachKey,
		getDigits: getDigits,
		string: readString,
		word,
		/** Null if the node is not a text. */
		wordOrNull: (node: number): Word | null => (getKind(node) === STRING ? word(node) : null),
		isObject: (node: number): boolean => getKind(node) === OBJECT,
		isTrue: (node: number): boolean => getKind(node) === TRUE,
		/** Texts as they are, numbers and booleans written out, else empty. */
		text(node: number): string {
			const kind = getKind(node);
			if (kind === STRING) return readString(node);
			return kind === NUMBER || kind === TRUE || kind === FALSE ? String(JSON.parse(raw(node))) : "";
		},
		texts: (array: number): string[] => mapStrings(array, readString),
		/** Each text of an array that is not blank: there may be too many to make a string of each. */
		eachText(array: number, visit: VisitText): void {
			eachString(array, (node) => {
				const isSpelled = !isEscaped(node);
				const text = isSpelled ? scanner.bytes : Buffer.from(readString(node));
				const [from, to] = isSpelled ? [start(node) + 1, end(node) - 1] : [0, text.length];
				if (!isBlank(text, from, to)) visit(text, from, to, isSpelled);
			});
		},
		pairs: (object: number): [string, string][] => mapPairs(object, readString),
		wordPairs: (object: number): [Word, Word][] => mapPairs(object, word),
		/** The keys of an object, or the texts of an array. */
		words(node: number): Word[] {
			if (getKind(node) !== OBJECT) return mapStrings(node, word);
			const found: Word[] = [];
			eachKey(node, (key) => found.push(word(key)));
			return found;
		},
		/** What JSON.parse makes of it. */
		value: (node: number): unknown => JSON.parse(raw(node)),
		/** A flag, or nothing at all: null, an empty text, array or object. */
		isPlain(node: number): boolean {
			const kind = getKind(node);
			if (kind === STRING) return end(node) - start(node) === 2;
			return kind !== NUMBER && tape.nodes[node + 3] === node + SLOTS;
		},
		/** To be called between two documents: numbers of words hold for one. */
		trim: words.trim,
	};
}

/** As `trim` has it. */
function isBlank(bytes: Buffer, start: number, end: number): boolean {
	for (let at = start; at < end; at++)
		if ((bytes[at] as number) > SPACE && (bytes[at] as number) < DELETE) return false;
	return bytes.toString("utf8", start, end).trim() === "";
}
