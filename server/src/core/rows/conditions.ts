/** Conditions on fields of a row. */
import type { RowCondition } from "@weft/contracts";
import { compareTexts, isPlainNumber } from "@weft/contracts/decimal";
import { compilePattern } from "../regex.ts";
import { getText } from "./json.ts";
import { listAttributes, type Row, readValuesAt } from "./rows.ts";

type RowTest = (row: Row) => boolean;
type TextTest = (text: string) => boolean;

/**
 * How values of a field are ordered: `number`, text by code units, or, where the type is unknown,
 * numbers before other text.
 */
export type FieldKind = "number" | "text" | "unknown";

/** The values of a field as text, without those that are objects or null. */
export const readTextsAt = (row: Row, field: string): string[] =>
	readValuesAt(row, field).flatMap((value) => getText(value) ?? []);

/** Reads the texts of a field of many rows. */
export function createTextsReader(field: string): (row: Row) => readonly string[] {
	const isPlain = !field.includes(".") && !["class", "children", "attributes"].includes(field);
	if (!isPlain) return (row) => readTextsAt(row, field);
	return (row) => {
		const value = listAttributes(row)[field];
		return typeof value === "string" ? [value] : readTextsAt(row, field);
	};
}

interface Conditions {
	readonly conditions: readonly RowCondition[];
	readonly match: "all" | "any";
}
/** Texts of a field of a row. */
type ReadTexts<R> = (row: R) => readonly string[];

/** @throws PatternError; validation has refused such patterns at save */
export const buildAllConditionsTest = (conditions: Conditions): RowTest =>
	buildConditionsTest(conditions, createTextsReader, () => "unknown");

/**
 * Of rows in any form.
 * @throws PatternError
 */
export function buildConditionsTest<R>(
	{ conditions, match }: Conditions,
	buildReader: (field: string) => ReadTexts<R>,
	getKind: (field: string) => FieldKind,
): (row: R) => boolean {
	const tests = conditions.map((condition) =>
		buildConditionTest(condition, buildReader(condition.field), getKind(condition.field)),
	);
	return match === "all" ? (row) => tests.every((test) => test(row)) : (row) => tests.some((test) => test(row));
}

/**
 * A field with several values passes when one of them does; `ne` and `missing` are the opposites of
 * `eq` and `exists`.
 */
function buildConditionTest<R>(
	{ operator, value, caseSensitive }: RowCondition,
	read: ReadTexts<R>,
	kind: FieldKind,
): (row: R) => boolean {
	const fold = foldCase(caseSensitive);
	const wanted = (Array.isArray(value) ? value : [value ?? ""]).map(String);
	const [first = ""] = wanted;
	const any = (test: TextTest) => (row: R) => read(row).some(test);
	const none = (test: TextTest) => (row: R) => !read(row).some(test);
	const among = new Set(wanted.map(fold));
	const compared = (test: (order: number) => boolean) =>
		any((text) => {
			const order = compareAs(kind, fold(text), fold(first));
			return order !== null && test(order);
		});
	switch (operator) {
		case "eq":
		case "in":
			return any((text) => among.has(fold(text)));
		case "ne":
			return none((text) => among.has(fold(text)));
		case "gt":
			return compared((order) => order > 0);
		case "lt":
			return compared((order) => order < 0);
		case "ge":
			return compared((order) => order >= 0);
		case "le":
			return compared((order) => order <= 0);
		case "exists":
			return any((text) => text !== "");
		case "missing":
			return none((text) => text !== "");
		default:
			return any(buildTextTest(operator, first, caseSensitive));
	}
}

/** Null where a value of a numeric field is no number, such as `unspecified`. */
function compareAs(kind: FieldKind, a: string, b: string): number | null {
	if (kind === "unknown") return compareTexts(a, b);
	if (kind === "number") return isPlainNumber(a) && isPlainNumber(b) ? compareTexts(a, b) : null;
	return a === b ? 0 : a < b ? -1 : 1;
}

const foldCase = (caseSensitive: boolean) => (text: string) => (caseSensitive ? text : text.toLowerCase());

/** Texts whose outcome is remembered, and the characters that such a text may have. */
const REMEMBERED = { texts: 5_000, characters: 200 } as const;

/** Many rows have the same few texts, and a pattern takes several times as long as a look-up. */
function memoizeTest(test: TextTest): TextTest {
	const known = new Map<string, boolean>();
	return (text) => {
		const before = known.get(text);
		if (before !== undefined) return before;
		const found = test(text);
		if (known.size < REMEMBERED.texts && text.length <= REMEMBERED.characters) known.set(text, found);
		return found;
	};
}

export function buildTextTest(
	type: "starts" | "ends" | "contains" | "exact" | "regex",
	pattern: string,
	caseSensitive: boolean,
): TextTest {
	if (type === "regex") {
		const compiled = compilePattern(pattern, caseSensitive ? "" : "i");
		// Several times as fast as a matcher, which also finds out where the match is.
		return memoizeTest((text) => compiled.test(text));
	}
	const fold = foldCase(caseSensitive);
	const wanted = fold(pattern);
	switch (type) {
		case "starts":
			return (text) => fold(text).startsWith(wanted);
		case "ends":
			return (text) => fold(text).endsWith(wanted);
		case "contains":
			return (text) => fold(text).includes(wanted);
		case "exact":
			return (text) => fold(text) === wanted;
	}
}
