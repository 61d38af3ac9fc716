/** Processors that need all rows at once. */
import type { PostProcessorConfig } from "@weft/contracts";
import {
	compareTexts,
	divideDecimal,
	formatDecimal,
	keepDigits,
	parseDecimal,
	sumDecimals,
} from "@weft/contracts/decimal";
import { getText } from "../../../../../core/rows/json.ts";
import { type Row, readValuesAt } from "../../../../../core/rows/rows.ts";
import { GROUPS_OF_ROW, limitRow, ProcessorError } from "./bounds.ts";

const readTextsAt = (row: Row, field: string): string[] =>
	readValuesAt(row, field).flatMap((value) => getText(value) ?? []);

/**
 * Stable. Numbers by value, other text by code units; rows without the field come last either way.
 * Of several values the first in the order counts: the smallest, or the largest when descending.
 */
export function createArraySort({ keys }: PostProcessorConfig<"array-sort">): (rows: readonly Row[]) => Row[] {
	return (rows) => {
		const keyed = rows.map((row) => ({
			row,
			values: keys.map(({ field, order }) => keepFirstBy(readTextsAt(row, field), comparisons[order])),
		}));
		keyed.sort((a, b) => {
			for (const [i, { order }] of keys.entries()) {
				const [x = null, y = null] = [a.values[i], b.values[i]];
				if (x === null || y === null) {
					if (x !== y) return x === null ? 1 : -1;
					continue;
				}
				const difference = comparisons[order](x, y);
				if (difference !== 0) return difference;
			}
			return 0;
		});
		return keyed.map(({ row }) => row);
	};
}

const comparisons = { asc: compareTexts, desc: (a: string, b: string) => compareTexts(b, a) };

/**
 * One flat row per distinct combination of the `groupBy` fields, in the order in which they first
 * occur. A row with several values of a field is in the group of each.
 */
export function createAggregator({
	groupBy,
	aggregations,
}: PostProcessorConfig<"aggregate">): (rows: readonly Row[]) => Row[] {
	return (rows) => {
		const groups = new Map<string, { key: readonly unknown[]; rows: Row[] }>();
		for (const row of rows) {
			for (const key of getGroups(row, groupBy)) {
				const id = JSON.stringify(key);
				const group = groups.get(id);
				if (group) group.rows.push(row);
				else groups.set(id, { key, rows: [row] });
			}
		}
		if (groupBy.length === 0 && groups.size === 0) groups.set("", { key: [], rows: [] });
		return [...groups.values()].map((group) =>
			limitRow(
				Object.fromEntries([
					...groupBy.map((field, i) => [field, group.key[i]]),
					...aggregations.map(({ function: name, field = "", as }) => [
						as ?? (name === "count" && field === "" ? "count" : `${name}_${field}`),
						computeMeasure(name, group.rows, field),
					]),
				]),
			),
		);
	};
}

/** The combinations of the distinct values of each field; null where a field has none. */
function getGroups(row: Row, fields: readonly string[]): unknown[][] {
	let keys: unknown[][] = [[]];
	for (const field of fields) {
		const values = removeDuplicates(readValuesAt(row, field));
		if (keys.length * values.length > GROUPS_OF_ROW) {
			throw new ProcessorError(
				`A row belongs to more than ${GROUPS_OF_ROW.toLocaleString("en")} groups, which is the limit. ` +
					"Group by fewer fields with several values.",
			);
		}
		keys = keys.flatMap((key) => values.map((value) => [...key, value]));
	}
	return keys;
}

function removeDuplicates(values: readonly unknown[]): unknown[] {
	if (values.length < 2) return [values[0] ?? null];
	return [...new Map(values.map((value) => [JSON.stringify(value ?? null), value ?? null])).values()];
}

type Measure = PostProcessorConfig<"aggregate">["aggregations"][number]["function"];

function computeMeasure(name: Measure, rows: readonly Row[], field: string): unknown {
	if (name === "count" && field === "") return rows.length;
	const texts = rows.flatMap((row) => readTextsAt(row, field));
	switch (name) {
		case "count":
			return texts.filter((text) => text !== "").length;
		case "distinct":
			return new Set(texts).size;
		case "list":
			return [...new Set(texts)];
		case "sum":
			return keepDigits(sumDecimals(readNumbers(texts)));
		case "avg":
			return computeAverage(texts);
		case "min":
			return keepFirstBy(texts, comparisons.asc);
		case "max":
			return keepFirstBy(texts, comparisons.desc);
	}
}

const readNumbers = (texts: readonly string[]) => texts.flatMap((text) => parseDecimal(text) ?? []);

/** A number where the sum is one, else digits to six places; null without numbers. */
function computeAverage(texts: readonly string[]): number | string | null {
	const numbers = readNumbers(texts);
	if (numbers.length === 0) return null;
	const sum = sumDecimals(numbers);
	const total = keepDigits(sum);
	return typeof total === "number" ? total / numbers.length : formatDecimal(divideDecimal(sum, numbers.length));
}

/** The text that comes first, the earliest of equal ones; null without any. */
const keepFirstBy = (texts: readonly string[], compare: (a: string, b: string) => number): string | null =>
	texts.reduce<string | null>((first, text) => (first === null || compare(text, first) < 0 ? text : first), null);
