/** Values that pipeline edges carry: extracted from rows, and split into filters that fit a URL. */
import { getText } from "../../../../core/rows/json.ts";
import { type Row, readValuesAt } from "../../../../core/rows/rows.ts";
import { listAncestors } from "./dn.ts";
import { encodeOption, type FilterExpr, writeFilter } from "./filter-expression.ts";

export const DEFAULT_MAX_URL_BYTES = 6_000;

/** The distinct non-empty values at a dotted path, in the order of the rows. */
export function extractValues(rows: Iterable<Row>, path: string): string[] {
	const values = new Set<string>();
	for (const row of rows) {
		for (const value of readValuesAt(row, path)) {
			const text = getText(value);
			if (text !== undefined && text !== "") values.add(text);
		}
	}
	return [...values];
}

/** A class's objects must satisfy `op` for at least one of the values. */
export interface ValueCondition {
	op: "eq" | "below" | "within";
	property: string;
	values: readonly string[];
}

export const buildExpression = ({ op, property }: ValueCondition, value: string): FilterExpr =>
	op === "eq" ? { op, property, value } : { op, property: "dn", value };

/**
 * Chunks of values, in order, whose `or` takes at most `bytes` bytes of a URL. A value too long for
 * any chunk stands alone in its own.
 */
export function chunkValues(className: string, condition: ValueCondition, bytes: number): string[][] {
	const overhead = encodeOption("or()").length;
	const chunks: string[][] = [];
	let chunk: string[] = [];
	let used = overhead;
	for (const value of condition.values) {
		const size = encodeOption(writeFilter(className, buildExpression(condition, value))).length + 1;
		if (chunk.length > 0 && used + size > bytes) {
			chunks.push(chunk);
			chunk = [];
			used = overhead;
		}
		chunk.push(value);
		used += size;
	}
	if (chunk.length > 0) chunks.push(chunk);
	return chunks;
}

/** Decides the condition from a DN or attribute, in constant time per level of the DN. */
export function buildConditionTest(
	condition: ValueCondition,
): (dn: string | undefined, attribute: string | undefined) => boolean {
	const values = new Set(condition.values);
	if (condition.op === "eq") {
		return condition.property === "dn"
			? (dn) => dn !== undefined && values.has(dn)
			: (_, attribute) => attribute !== undefined && values.has(attribute);
	}
	return (dn) =>
		dn !== undefined &&
		(listAncestors(dn).some((ancestor) => values.has(ancestor)) || (condition.op === "within" && values.has(dn)));
}
