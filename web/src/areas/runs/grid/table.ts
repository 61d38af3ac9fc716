/**
 * Rows as columns of integers: a column stores its distinct values once, and an index per row. A
 * filter tests each value once, and sorting is counting. Pure; runs in a worker.
 */
import { orderColumns } from "@weft/contracts/column-order";
import { compareNumbers } from "@weft/contracts/decimal";
import { parseExact } from "@weft/contracts/exact-json";
import { formatCellText } from "@weft/contracts/spreadsheet";

export interface Column {
	readonly key: string;
	/** Different values, as text. */
	readonly values: string[];
	/** For each row the place of its value; -1 where the row has none. */
	codes: Int32Array;
	/** Whether every value is a number. */
	numeric: boolean;
}

export interface GridTable {
	readonly columns: readonly Column[];
	readonly byKey: ReadonlyMap<string, Column>;
	/** Each row as it came, as JSON text. */
	readonly lines: readonly string[];
}

interface TableBuilder {
	/** Rows so far. */
	readonly count: number;
	/** @param line the row as JSON */
	add(row: unknown, line: string): void;
	/** A table of the first rows. More can be added afterwards. */
	preview(count: number): GridTable;
	/** @param first keys of columns that come before all others */
	finish(first?: readonly string[]): GridTable;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const CHUNK = 4_096;

export function createTableBuilder(): TableBuilder {
	const columns: (Column & { readonly places: Map<string, number> })[] = [];
	const byKey = new Map<string, (typeof columns)[number]>();
	const lines: string[] = [];
	let room = CHUNK;

	function getColumn(key: string) {
		let column = byKey.get(key);
		if (column === undefined) {
			column = { key, values: [], codes: new Int32Array(room).fill(-1), numeric: true, places: new Map() };
			byKey.set(key, column);
			columns.push(column);
		}
		return column;
	}

	function putValue(row: number, key: string, value: unknown): void {
		if (value === undefined || value === null) return;
		const column = getColumn(key);
		const text = formatCellText(value);
		let place = column.places.get(text);
		if (place === undefined) {
			place = column.values.length;
			column.values.push(text);
			column.places.set(text, place);
			if (column.numeric && text !== "" && !NUMBER.test(text)) column.numeric = false;
		}
		column.codes[row] = place;
	}

	return {
		add(row: unknown, line: string): void {
			const at = lines.length;
			lines.push(line);
			if (at >= room) {
				room *= 2;
				for (const column of columns) {
					const codes = new Int32Array(room).fill(-1);
					codes.set(column.codes);
					column.codes = codes;
				}
			}
			for (const [key, value] of iterateFields(row)) putValue(at, key, value);
		},
		get count() {
			return lines.length;
		},
		preview(count) {
			const builder = createTableBuilder();
			for (const line of lines.slice(0, count)) builder.add(parseExact(line), line);
			return builder.finish();
		},
		finish(first = []) {
			const count = lines.length;
			for (const column of columns) {
				column.codes = column.codes.slice(0, count);
				column.places.clear();
				// A column without a value in it says nothing of numbers.
				if (column.values.every((value) => value === "")) column.numeric = false;
			}
			// Rows of chosen columns keep their order. Attributes that no object uses come last.
			const isEmpty = ({ values }: Column) => values.every((value) => value === "");
			const used = columns.filter((column) => !isEmpty(column)).map(({ key }) => key);
			const unused = columns.filter(isEmpty).map(({ key }) => key);
			const named = first.filter((key) => byKey.has(key));
			const names = byKey.has("class")
				? orderColumns([...used, ...unused], first)
				: [...new Set([...named, ...byKey.keys()])];
			const unusedNames = new Set(unused);
			const ordered = [
				...names.filter((name) => !unusedNames.has(name)),
				...names.filter((name) => unusedNames.has(name)),
			].flatMap((name) => byKey.get(name) ?? []);
			return { columns: ordered, byKey: new Map(ordered.map((column) => [column.key, column])), lines };
		},
	};
}

/**
 * Cells of a row: class, attributes and child count of an object, or the fields of a flat row. A
 * row of several connections has its connection first.
 */
export function* iterateFields(row: unknown): Generator<readonly [string, unknown]> {
	if (typeof row !== "object" || row === null || Array.isArray(row)) {
		yield ["value", row];
		return;
	}
	const entries = Object.entries(row);
	const isOfConnection = entries.length > 1 && entries[0]?.[0] === "connection";
	if (isOfConnection) yield ["connection", entries[0]?.[1]];
	const [first, second] = isOfConnection ? entries.slice(1) : entries;
	const inner = first?.[1] as { attributes?: unknown; children?: unknown } | null | undefined;
	const attributes = inner?.attributes;
	if (first === undefined || second !== undefined || typeof attributes !== "object" || attributes === null) {
		yield* isOfConnection ? entries.slice(1) : entries;
		return;
	}
	yield ["class", first[0]];
	yield* Object.entries(attributes);
	if (Array.isArray(inner?.children) && inner.children.length > 0) yield ["children", inner.children.length];
}

/** Values that are sorted in one go. */
const RUN = 1_024;

/** Rank of each distinct value: numbers by value, text in natural order. */
export function getRanks(column: Column): Int32Array {
	const steps = rankStepwise(column);
	for (;;) {
		const { done, value } = steps.next();
		if (done) return value;
	}
}

/** The same in steps of some milliseconds, so that the caller can interleave other work. */
export function* rankStepwise(column: Column): Generator<undefined, Int32Array> {
	const compare = createComparator(column);
	const count = column.values.length;
	let order = Int32Array.from(column.values.keys());
	let next = new Int32Array(count);
	for (let from = 0; from < count; from += RUN) {
		order.subarray(from, from + RUN).sort(compare);
		yield;
	}
	for (let width = RUN; width < count; width *= 2) {
		for (let from = 0; from < count; from += 2 * width) {
			const [middle, to] = [Math.min(count, from + width), Math.min(count, from + 2 * width)];
			let [left, right] = [from, middle];
			for (let at = from; at < to; at++) {
				const takesLeft = left < middle && (right >= to || compare(order[left] ?? 0, order[right] ?? 0) <= 0);
				next[at] = order[takesLeft ? left++ : right++] ?? 0;
			}
			yield;
		}
		[order, next] = [next, order];
	}
	const ranks = new Int32Array(count);
	order.forEach((place, rank) => {
		ranks[place] = rank;
	});
	return ranks;
}

/** Of two values by their places. */
function createComparator({ values, numeric }: Column): (a: number, b: number) => number {
	if (numeric) {
		const numbers = values.map((value) => (value === "" ? Number.NEGATIVE_INFINITY : Number(value)));
		// Two without a value are alike; the difference of their infinities would be no number.
		// Numbers above 2^53 may differ where their doubles do not.
		return (a, b) => {
			const [x, y] = [numbers[a] ?? 0, numbers[b] ?? 0];
			return x === y ? compareNumbers(values[a] ?? "", values[b] ?? "") : x < y ? -1 : 1;
		};
	}
	const collator = new Intl.Collator("en", { numeric: true });
	return (a, b) => collator.compare(values[a] ?? "", values[b] ?? "");
}

/** Rows in the order of a column, stable; absent and empty values come last, in both directions. */
export function sortRows(rows: Int32Array, column: Column, ranks: Int32Array, descending: boolean): Int32Array {
	const last = ranks.length;
	const empty = column.values.indexOf("");
	return sortByBucket(rows, last + 1, (row) => {
		const code = column.codes[row] ?? -1;
		if (code < 0 || code === empty) return last;
		const rank = ranks[code] ?? 0;
		return descending ? last - 1 - rank : rank;
	}).sorted;
}

/**
 * Sorts rows by bucket, stable: a counting sort.
 * @param getBucket takes a row, and returns a number below the number of buckets
 * @returns the sorted rows, and the place after the last row of each bucket
 */
export function sortByBucket(
	rows: Int32Array,
	buckets: number,
	getBucket: (row: number) => number,
): { readonly sorted: Int32Array; readonly ends: Int32Array } {
	const next = new Int32Array(buckets + 1);
	for (const row of rows) {
		const bucket = getBucket(row) + 1;
		next[bucket] = (next[bucket] ?? 0) + 1;
	}
	for (let bucket = 1; bucket < next.length; bucket++) next[bucket] = (next[bucket] ?? 0) + (next[bucket - 1] ?? 0);
	const sorted = new Int32Array(rows.length);
	for (const row of rows) {
		const bucket = getBucket(row);
		const at = next[bucket] ?? 0;
		sorted[at] = row;
		next[bucket] = at + 1;
	}
	return { sorted, ends: next.subarray(0, buckets) };
}

/** Keys of the columns that have a value in at least one of the rows. */
export function findFilledColumns(rows: Int32Array, columns: readonly Column[]): string[] {
	return columns
		.filter(({ codes, values }) => {
			const empty = values.indexOf("");
			return rows.some((row) => {
				const code = codes[row] ?? -1;
				return code >= 0 && code !== empty;
			});
		})
		.map(({ key }) => key);
}

export const getTextAt = (column: Column, row: number): string => {
	const code = column.codes[row] ?? -1;
	return code < 0 ? "" : (column.values[code] ?? "");
};

/** How often each value occurs among the rows, the most frequent first. */
export function countDistinctValues(
	rows: Int32Array,
	column: Column,
	most: number,
): { value: string | null; count: number }[] {
	const counts = new Int32Array(column.values.length + 1);
	for (const row of rows) {
		const code = (column.codes[row] ?? -1) + 1;
		counts[code] = (counts[code] ?? 0) + 1;
	}
	return [...counts.entries()]
		.filter(([, count]) => count > 0)
		.sort((a, b) => b[1] - a[1])
		.slice(0, most)
		.map(([code, count]) => ({ value: code === 0 ? null : (column.values[code - 1] ?? ""), count }));
}
