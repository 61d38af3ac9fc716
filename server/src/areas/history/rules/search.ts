/** Binary searches in ascending lists of integers. */

/** The first index from `from` on whose number is at least the value. */
export function lowerBound(ascending: Int32Array, value: number, from = 0): number {
	let low = from;
	let high = ascending.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((ascending[middle] as number) < value) low = middle + 1;
		else high = middle;
	}
	return low;
}

/**
 * Index of the last start that is not after a position. The last element of `starts` is the end.
 */
export function findLastStart(starts: Int32Array, place: number): number {
	let low = 0;
	let high = starts.length - 1;
	while (high - low > 1) {
		const middle = (low + high) >> 1;
		if ((starts[middle] as number) <= place) low = middle;
		else high = middle;
	}
	return low;
}
