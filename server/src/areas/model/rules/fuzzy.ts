/**
 * How far two short texts are apart: letters left out, put in, changed or swapped (optimal string
 * alignment), up to a bound.
 */

const MOST = 64;
let rows: [Uint8Array, Uint8Array, Uint8Array] = [
	new Uint8Array(MOST + 1),
	new Uint8Array(MOST + 1),
	new Uint8Array(MOST + 1),
];

/**
 * The distance of ASCII texts, or `bound + 1` where it is larger. Texts of more than 64 bytes are
 * never near.
 */
export function computeEditDistance(a: Uint8Array, b: Uint8Array, bound: number): number {
	const far = bound + 1;
	if (Math.abs(a.length - b.length) > bound || a.length > MOST || b.length > MOST) return far;
	let [before, last, row] = rows;
	for (let j = 0; j <= b.length; j++) last[j] = j;
	for (let i = 1; i <= a.length; i++) {
		row[0] = i;
		let least = i;
		for (let j = 1; j <= b.length; j++) {
			const cost = a[i - 1] === b[j - 1] ? 0 : 1;
			let value = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + cost);
			if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
				value = Math.min(value, (before[j - 2] ?? 0) + 1);
			}
			row[j] = value;
			if (value < least) least = value;
		}
		if (least > bound) return far;
		[before, last, row] = [last, row, before];
	}
	rows = [before, last, row];
	return Math.min(last[b.length] ?? far, far);
}

/** Typing errors that a word of this length may have. */
export const getTypoLimit = (length: number): number => (length < 4 ? 0 : length < 7 ? 1 : 2);

/** Bits that are set. */
export function countSetBits(value: number): number {
	let bits = value - ((value >>> 1) & 0x55555555);
	bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
	return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
