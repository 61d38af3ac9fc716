/**
 * Names that come again and again, each once: found by its bytes, so that no string is made of it
 * anew.
 */

/** Beyond it the table begins anew; the largest models have some 40,000. */
const MOST = 200_000;

/** @param make computes the value that is stored with a new name */
export function createWords<Word>(make: (text: string) => Word) {
	let slots = new Int32Array(8192).fill(-1);
	let hashes: number[] = [];
	let spelled: Buffer[] = [];
	let words: Word[] = [];

	function computeHash(bytes: Buffer, start: number, end: number): number {
		let hash = end - start;
		for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
		return hash ^ (hash >>> 15);
	}
	function isSame(word: Buffer, bytes: Buffer, start: number, end: number): boolean {
		if (word.length !== end - start) return false;
		for (let at = 0; at < word.length; at++) if (word[at] !== bytes[start + at]) return false;
		return true;
	}
	function growSlots(): void {
		slots = new Int32Array(slots.length * 2).fill(-1);
		for (const [id, hash] of hashes.entries()) {
			let slot = hash & (slots.length - 1);
			while ((slots[slot] as number) >= 0) slot = (slot + 1) & (slots.length - 1);
			slots[slot] = id;
		}
	}

	return {
		/** The number of the name that is spelled there, in UTF-8. */
		id(bytes: Buffer, start: number, end: number): number {
			const hash = computeHash(bytes, start, end);
			let slot = hash & (slots.length - 1);
			for (let id = slots[slot] as number; id >= 0; id = slots[slot] as number) {
				if (hashes[id] === hash && isSame(spelled[id] as Buffer, bytes, start, end)) return id;
				slot = (slot + 1) & (slots.length - 1);
			}
			const id = words.push(make(bytes.toString("utf8", start, end))) - 1;
			spelled.push(Buffer.from(bytes.subarray(start, end)));
			hashes.push(hash);
			slots[slot] = id;
			if (words.length * 2 > slots.length) growSlots();
			return id;
		},
		word: (id: number): Word => words[id] as Word,
		/** Where there are too many, all numbers lose their meaning. */
		trim(): void {
			if (words.length < MOST) return;
			slots = new Int32Array(8192).fill(-1);
			hashes = [];
			spelled = [];
			words = [];
		},
	};
}
