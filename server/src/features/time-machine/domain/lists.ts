/** Lists that grow, in memory that the engine's collector does not look through. */
import { HASH } from "./packs.ts";

export type Integers = ReturnType<typeof createIntegers>;

/** @param expected how many there will be, about */
export function createIntegers(expected: number) {
	let items = new Int32Array(Math.max(1, expected));
	let used = 0;
	/** The place of some more. */
	function more(count: number): number {
		if (used + count > items.length) {
			const larger = new Int32Array(Math.max(items.length * 2, used + count));
			larger.set(items.subarray(0, used));
			items = larger;
		}
		used += count;
		return used - count;
	}
	return {
		count: () => used,
		push(value: number): void {
			const at = more(1);
			items[at] = value;
		},
		append(values: Int32Array): void {
			const at = more(values.length);
			items.set(values, at);
		},
		/** Stays as it is when more are added. */
		all: () => items.subarray(0, used),
	};
}

/** Hashes of rows one after another, as they come. */
export function createRowHashes(expected: number) {
	let hashes = Buffer.allocUnsafeSlow(Math.max(1, expected) * HASH);
	let used = 0;
	/** The place of some more. */
	function more(count: number): number {
		if (used + count * HASH > hashes.length) {
			const larger = Buffer.allocUnsafeSlow(Math.max(hashes.length * 2, used + count * HASH));
			hashes.copy(larger, 0, 0, used);
			hashes = larger;
		}
		used += count * HASH;
		return used - count * HASH;
	}
	return {
		/** HASH bytes, as a string of one character for each. */
		push(digest: string): void {
			const at = more(1);
			for (let step = 0; step < HASH; step++) hashes[at + step] = digest.charCodeAt(step);
		},
		/** Those of rows of others, from a row on. */
		repeat(others: Buffer, row: number, count: number): void {
			const at = more(count);
			others.copy(hashes, at, row * HASH, (row + count) * HASH);
		},
		bytes: () => hashes.subarray(0, used),
	};
}
