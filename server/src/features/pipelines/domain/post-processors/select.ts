/** Processors that keep or drop rows. */
import type { PostProcessorConfig } from "@weft/contracts";
import { compareTexts } from "@weft/contracts/decimal";
import { textOf } from "../json.ts";
import { type Row, valuesAt } from "../rows.ts";
import { compileRegex } from "./regex.ts";

type RowTest = (row: Row) => boolean;
type TextTest = (text: string) => boolean;
type Condition = PostProcessorConfig<"filter_rows">["conditions"][number];

export function filterRows({ conditions, match }: PostProcessorConfig<"filter_rows">): (row: Row) => Row[] {
	const tests = conditions.map(conditionTest);
	const passes: RowTest =
		match === "all" ? (row) => tests.every((test) => test(row)) : (row) => tests.some((test) => test(row));
	return (row) => (passes(row) ? [row] : []);
}

export function patternFilter(config: PostProcessorConfig<"pattern-filter">): (row: Row) => Row[] {
	const matches = textTest(config.type, config.pattern, config.caseSensitive);
	return (row) => (texts(row, config.field).some(matches) === config.negate ? [] : [row]);
}

const texts = (row: Row, field: string): string[] => valuesAt(row, field).flatMap((value) => textOf(value) ?? []);

/**
 * A field with several values passes when one of them does; `ne` and `missing` are the opposites of
 * `eq` and `exists`.
 */
function conditionTest({ field, operator, value, caseSensitive }: Condition): RowTest {
	const fold = foldCase(caseSensitive);
	const wanted = (Array.isArray(value) ? value : [value ?? ""]).map(String);
	const [first = ""] = wanted;
	const any = (test: TextTest) => (row: Row) => texts(row, field).some(test);
	const none = (test: TextTest) => (row: Row) => !texts(row, field).some(test);
	const among = new Set(wanted.map(fold));
	const compared = (test: (order: number) => boolean) => any((text) => test(compareTexts(fold(text), fold(first))));
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
			return any(textTest(operator, first, caseSensitive));
	}
}

const foldCase = (caseSensitive: boolean) => (text: string) => (caseSensitive ? text : text.toLowerCase());

function textTest(
	type: "starts" | "ends" | "contains" | "exact" | "regex",
	pattern: string,
	caseSensitive: boolean,
): TextTest {
	if (type === "regex") return compileRegex(pattern, caseSensitive).test;
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
