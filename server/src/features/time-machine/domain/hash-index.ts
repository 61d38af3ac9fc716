/** Finds rows by the hash of their text. Open addressing over the hash's first bytes, which are as random as any. */
import { SHORT_HASH } from "./packs.ts";

export interface HashIndex {
	/** The position of the row with a hash, given as a string of its bytes; -1 where there is none. */
	find(digest: string): number;
	/** Takes one in; gives its position, which is the number of those before it. */
	add(digest: string): number;
	isAt(position: number, digest: string): boolean;
	/** SHORT_HASH bytes for each position. */
	hashes(): Buffer;
}

/** @param given SHORT_HASH bytes each, of rows that are there from the start */
export function createHashIndex(given: Buffer): HashIndex {
	let count = given.length / SHORT_HASH;
	let hashes = Buffer.allocUnsafeSlow(Math.max(1024, count + 256) * SHORT_HASH);
	given.copy(hashes);
	/** Positions counted from 1; made when something is looked for. */
	let slots: Int32Array | null = null;
	let mask = 0;

	function build(): Int32Array {
		let size = 1024;
		while (size < (count + 1) * 2) size *= 2;
		const made = new Int32Array(size);
		mask = size - 1;
		for (let at = 0; at < count; at++) {
			let slot = hashes.readUInt32LE(at * SHORT_HASH) & mask;
			while (made[slot] !== 0) slot = (slot + 1) & mask;
			made[slot] = at + 1;
		}
		return made;
	}
	function isAt(position: number, digest: string): boolean {
		const start = position * SHORT_HASH;
		for (let step = 0; step < SHORT_HASH; step++) if (hashes[start + step] !== digest.charCodeAt(step)) return false;
		return true;
	}
	function slotOf(digest: string): number {
		slots ??= build();
		let slot =
			(digest.charCodeAt(0) |
				(digest.charCodeAt(1) << 8) |
				(digest.charCodeAt(2) << 16) |
				(digest.charCodeAt(3) << 24)) &
			mask;
		while (slots[slot] !== 0 && !isAt((slots[slot] as number) - 1, digest)) slot = (slot + 1) & mask;
		return slot;
	}
	return {
		isAt,
		find(digest) {
			const slot = slotOf(digest);
			return ((slots as Int32Array)[slot] as number) - 1;
		},
		add(digest) {
			if (slots !== null && (count + 1) * 2 > slots.length) slots = null;
			const slot = slotOf(digest);
			if ((count + 1) * SHORT_HASH > hashes.length) {
				const larger = Buffer.allocUnsafeSlow(hashes.length * 2);
				hashes.copy(larger, 0, 0, count * SHORT_HASH);
				hashes = larger;
			}
			for (let step = 0; step < SHORT_HASH; step++) hashes[count * SHORT_HASH + step] = digest.charCodeAt(step);
			(slots as Int32Array)[slot] = ++count;
			return count - 1;
		},
		hashes: () => hashes.subarray(0, count * SHORT_HASH),
	};
}
