/** Processors that need all rows at once. */
import type { PostProcessorConfig } from "@weft/contracts";
import { compareValues } from "../finish.ts";
import { textOf } from "../json.ts";
import { type Row, valueAt, valuesAt } from "../rows.ts";

/** Stable. Numbers by value, other text by code units; rows without the field come last either way. */
export function arraySort({ keys }: PostProcessorConfig<"array-sort">): (rows: readonly Row[]) => Row[] {
	return (rows) => {
		const keyed = rows.map((row) => ({ row, values: keys.map(({ field }) => textOf(valueAt(row, field))) }));
		keyed.sort((a, b) => {
			for (const [i, { order }] of keys.entries()) {
				const [x, y] = [a.values[i], b.values[i]];
				if (x === undefined || y === undefined) {
					if (x !== y) return x === undefined ? 1 : -1;
					continue;
				}
				const difference = compareValues(x, y);
				if (difference !== 0) return order === "desc" ? -difference : difference;
			}
			return 0;
		});
		return keyed.map(({ row }) => row);
	};
}

/** One flat row per distinct combination of the `groupBy` fields, in the order in which they first occur. */
export function aggregate({
	groupBy,
	aggregations,
}: PostProcessorConfig<"aggregate">): (rows: readonly Row[]) => Row[] {
	return (rows) => {
		const groups = new Map<string, { key: unknown[]; rows: Row[] }>();
		for (const row of rows) {
			const key = groupBy.map((field) => valueAt(row, field) ?? null);
			const id = JSON.stringify(key);
			const group = groups.get(id);
			if (group) group.rows.push(row);
			else groups.set(id, { key, rows: [row] });
		}
		if (groupBy.length === 0 && groups.size === 0) groups.set("", { key: [], rows: [] });
		return [...groups.values()].map((group) =>
			Object.fromEntries([
				...groupBy.map((field, i) => [field, group.key[i]]),
				...aggregations.map(({ function: name, field = "", as }) => [
					as ?? (name === "count" && field === "" ? "count" : `${name}_${field}`),
					measure(name, group.rows, field),
				]),
			]),
		);
	};
}

type Measure = PostProcessorConfig<"aggregate">["aggregations"][number]["function"];

function measure(name: Measure, rows: readonly Row[], field: string): unknown {
	if (name === "count" && field === "") return rows.length;
	const texts = rows.flatMap((row) => valuesAt(row, field).flatMap((value) => textOf(value) ?? []));
	const numbers = texts
		.filter((text) => text.trim() !== "")
		.map(Number)
		.filter(Number.isFinite);
	const total = numbers.reduce((sum, value) => sum + value, 0);
	switch (name) {
		case "count":
			return texts.filter((text) => text !== "").length;
		case "distinct":
			return new Set(texts).size;
		case "list":
			return [...new Set(texts)];
		case "sum":
			return total;
		case "avg":
			return numbers.length === 0 ? null : total / numbers.length;
		case "min":
			return texts.reduce<string | null>(
				(least, text) => (least === null || compareValues(text, least) < 0 ? text : least),
				null,
			);
		case "max":
			return texts.reduce<string | null>(
				(most, text) => (most === null || compareValues(text, most) > 0 ? text : most),
				null,
			);
	}
}
