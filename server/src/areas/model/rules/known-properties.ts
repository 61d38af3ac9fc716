/**
 * Caches properties by their text: most properties of a document occur letter by letter in others,
 * and equal texts have equal lines. The number that each class may give a property carries no
 * information and is left out of the key.
 */
import { createWords } from "./words.ts";

/** Bytes of cached texts and lines. A full cache is emptied; frequent properties return soon. */
const ROOM = 16 * 1024 * 1024;
/** Cached properties per name: the most recent ones. */
const MOST_OF_A_NAME = 8;
const [ZERO, NINE] = [0x30, 0x39];

/** A property that was met, and where it lies. */
export interface KnownProperty {
	/** No other one has it. */
	readonly serial: number;
	readonly bytes: Buffer;
	/** The text up to the number, and what comes behind the number, if there is one. */
	readonly at: number;
	readonly number: number;
	/** The line, and where it ends. */
	readonly line: number;
	readonly end: number;
	/** For who writes it: in which batch it came last, and as which of its lines. */
	batch: number;
	order: number;
}

/**
 * Those of one name, the last one that was met first; and in which object the name came last, and
 * as which of it.
 */
export interface NamedProperties {
	readonly known: KnownProperty[];
	object: number;
	place: number;
}

/**
 * A property's text from its name's first quote to the end of its object; the digits of its number,
 * both the end where it has none.
 */
export interface PropertyText {
	readonly bytes: Buffer;
	readonly start: number;
	readonly number: number;
	readonly numberEnd: number;
	readonly end: number;
}

export type KnownProperties = ReturnType<typeof createKnownProperties>;

export function createKnownProperties(room = ROOM) {
	const memory = Buffer.allocUnsafeSlow(room);
	const fresh = () => createWords<NamedProperties>(() => ({ known: [], object: -1, place: -1 }));
	let names = fresh();
	let used = 0;
	let isFull = false;
	let serial = 0;

	/** Where the text ends that begins at `start`, if it is this one; else -1. */
	function findEnd({ at, number, line }: KnownProperty, bytes: Buffer, start: number): number {
		let place = start + number - at;
		if (place > bytes.length || bytes.compare(memory, at, number, start, place) !== 0) return -1;
		if (number === line) return place;
		while ((bytes[place] as number) >= ZERO && (bytes[place] as number) <= NINE) place++;
		const end = place + line - number;
		return end > bytes.length || bytes.compare(memory, number, line, place, end) !== 0 ? -1 : end;
	}

	const made = (bytes: Buffer, at: number, number: number, line: number, end: number): KnownProperty => ({
		serial: serial++,
		bytes,
		at,
		number,
		line,
		end,
		batch: -1,
		order: -1,
	});

	function appendBytes(bytes: Buffer, start: number, end: number): number {
		used += bytes.copy(memory, used, start, end);
		return used;
	}

	return {
		/** Those of the name that is spelled there, without quotes. */
		named: (bytes: Buffer, start: number, end: number): NamedProperties => names.word(names.id(bytes, start, end)),

		/**
		 * Where the property's text ends that begins at `start`, and is then that of the first of
		 * `known`; -1 where none is.
		 */
		find({ known }: NamedProperties, bytes: Buffer, start: number): number {
			for (let place = 0; place < known.length; place++) {
				const found = known[place] as KnownProperty;
				const end = findEnd(found, bytes, start);
				if (end < 0) continue;
				for (let at = place; at > 0; at--) known[at] = known[at - 1] as KnownProperty;
				known[0] = found;
				return end;
			}
			return -1;
		},

		/**
		 * Keeps a property, where there is room for it.
		 * @param text null: it is not to be found again
		 * @param bytes its line is there, from `line` to `end`
		 */
		learn(
			{ known }: NamedProperties,
			text: PropertyText | null,
			bytes: Buffer,
			line: number,
			end: number,
		): KnownProperty {
			isFull ||= text !== null && used + text.end - text.start + end - line > room;
			if (isFull || text === null) return made(bytes, 0, 0, line, end);
			const at = used;
			const number = appendBytes(text.bytes, text.start, text.number);
			const lineAt = appendBytes(text.bytes, text.numberEnd, text.end);
			const kept = made(memory, at, number, lineAt, appendBytes(bytes, line, end));
			known.unshift(kept);
			if (known.length > MOST_OF_A_NAME) known.pop();
			return kept;
		},

		/**
		 * Empties a full cache. Call it between two documents only: a scanned document refers to the
		 * cache.
		 */
		trim(): void {
			if (!isFull) return;
			names = fresh();
			used = 0;
			isFull = false;
		},
	};
}
