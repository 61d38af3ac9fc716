/** Finds rows by the hash of their text. Open addressing over the hash's first bytes, which are as random as any. */
import { SHORT_HASH } from "./packs.ts";

export interface HashIndex {
	/** The position of the row with a hash, given as a string of its bytes; -1 where there is none. */
	find(digest: string): number;
	/** Takes one in; gives its position, which is the number of those before it. */
	add(digest: string): number;
	/** Takes in SHORT_HASH bytes each. */
	append(hashes: Buffer): void;
	isAt(position: number, digest: string): boolean;
	/** SHORT_HASH bytes for each position. */
	hashes(): Buffer;
}

export function createHashIndex(): HashIndex {
	let count = 0;
	let hashes = Buffer.allocUnsafeSlow(256 * SHORT_HASH);
	/** Positions counted from 1, of the first `placed` rows; the others follow when something is looked for. */
	let slots = new Int32Array(1024);
	let mask = slots.length - 1;
	let placed = 0;

	function place(): void {
		if (count * 2 > slots.length) {
			let size = slots.length * 2;
			while (size < count * 2) size *= 2;
			slots = new Int32Array(size);
			mask = size - 1;
			placed = 0;
		}
		for (; placed < count; placed++) {
			let slot = hashes.readUInt32LE(placed * SHORT_HASH) & mask;
			while (slots[slot] !== 0) slot = (slot + 1) & mask;
			slots[slot] = placed + 1;
		}
	}
	/** The place of some more bytes. */
	function more(bytes: number): number {
		const used = count * SHORT_HASH;
		if (used + bytes > hashes.length) {
			const larger = Buffer.allocUnsafeSlow(Math.max(hashes.length * 2, used + bytes));
			hashes.copy(larger, 0, 0, used);
			hashes = larger;
		}
		count += bytes / SHORT_HASH;
		return used;
	}
	function isAt(position: number, digest: string): boolean {
		const start = position * SHORT_HASH;
		for (let step = 0; step < SHORT_HASH; step++) if (hashes[start + step] !== digest.charCodeAt(step)) return false;
		return true;
	}
	return {
		isAt,
		find(digest) {
			place();
			let slot =
				(digest.charCodeAt(0) |
					(digest.charCodeAt(1) << 8) |
					(digest.charCodeAt(2) << 16) |
					(digest.charCodeAt(3) << 24)) &
				mask;
			while (slots[slot] !== 0 && !isAt((slots[slot] as number) - 1, digest)) slot = (slot + 1) & mask;
			return (slots[slot] as number) - 1;
		},
		add(digest) {
			const at = more(SHORT_HASH);
			for (let step = 0; step < SHORT_HASH; step++) hashes[at + step] = digest.charCodeAt(step);
			return count - 1;
		},
		append(given) {
			const at = more(given.length);
			given.copy(hashes, at);
		},
		hashes: () => hashes.subarray(0, count * SHORT_HASH),
	};
}
