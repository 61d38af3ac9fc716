/** Rows of a table in groups of equal values of a column. Pure; runs in the worker. */
import { type Column, sortByBucket } from "./table.ts";

/** Groups in the order of their values. */
export interface Groups {
	/** The value of each group; null for the rows without one. */
	readonly values: readonly (string | null)[];
	/** The place of the first row of each group, and at the end the number of rows. */
	readonly starts: Int32Array;
}

/**
 * Puts the rows of each value together, in linear time; within a group they keep their order. The
 * rows with an empty value, and then those without one, are the last two groups in both directions.
 * @param column undefined: no row has a value
 * @param ranks the rank of each value of the column
 */
export function groupRows(
	rows: Int32Array,
	column: Column | undefined,
	ranks: Int32Array,
	descending: boolean,
): { readonly rows: Int32Array; readonly groups: Groups } {
	const count = ranks.length;
	const empty = column?.values.indexOf("") ?? -1;
	const getBucket = (code: number): number => {
		if (code < 0) return count + 1;
		if (code === empty) return count;
		const rank = ranks[code] ?? 0;
		return descending ? count - 1 - rank : rank;
	};
	const names: (string | null)[] = new Array(count + 2).fill(null);
	column?.values.forEach((value, code) => {
		names[getBucket(code)] = value;
	});
	const { sorted, ends } = sortByBucket(rows, count + 2, (row) => getBucket(column?.codes[row] ?? -1));
	const values: (string | null)[] = [];
	const starts: number[] = [];
	ends.forEach((end, bucket) => {
		const start = ends[bucket - 1] ?? 0;
		if (end === start) return;
		values.push(names[bucket] ?? null);
		starts.push(start);
	});
	starts.push(rows.length);
	return { rows: sorted, groups: { values, starts: Int32Array.from(starts) } };
}
