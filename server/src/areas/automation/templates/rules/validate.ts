/**
 * Checks whole sheets of rows: every cell, unique columns, numbers of rows. Returns the rows in the
 * form that will be sent, and the exact place of each problem.
 */
import type { CellError, InputData, InputRow, ValidationResult } from "@weft/contracts";
import { compilePattern, PatternError } from "../../../../core/regex.ts";
import { isEmpty, type ReadyColumn, readCell } from "./cell.ts";
import type { CellRule, SheetRule } from "./rules.ts";

/** Errors that are listed; all of them are counted. */
export const ERRORS_LISTED = 1_000;
const VALUE_SHOWN = 200;

interface Checked {
	readonly result: ValidationResult;
	/** By sheet, in the order of the rules; complete where the result is valid. */
	readonly rows: readonly (readonly InputRow[])[];
}

/** Rows of each sheet in the order of the rules, or a problem of the input's form as a whole. */
export function countSheetRows(
	rules: readonly SheetRule[],
	input: InputData,
): { readonly rows: readonly (readonly InputRow[])[] } | { readonly problem: string } {
	const named = rules.filter(({ name }) => name !== null);
	if (Array.isArray(input)) {
		const [only] = rules;
		if (rules.length === 1 && only !== undefined) return { rows: [input] };
		if (input.length === 0) return { rows: rules.map(() => []) };
		return { problem: `Must be an object of rows by sheet: ${named.map(({ name }) => name).join(", ")}.` };
	}
	const bySheet = input as Record<string, InputRow[]>;
	const known = rules.map(({ name, variable }) => name ?? variable);
	const unknown = Object.keys(bySheet).find((name) => !known.includes(name));
	if (unknown !== undefined) {
		return { problem: `There is no sheet "${unknown}". The template has: ${known.join(", ")}.` };
	}
	return { rows: known.map((name) => (Object.hasOwn(bySheet, name) ? (bySheet[name] ?? []) : [])) };
}

/** Turns a pattern into a test of the whole cell. @throws PatternError */
export function matchWhole(source: string, flags: string): (text: string) => boolean {
	const compiled = compilePattern(source, flags);
	return (text) => compiled.matches(text);
}

/** Why the first of the patterns that cannot be used any more cannot; null where all can. */
export function findPatternProblem(rules: readonly SheetRule[]): string | null {
	for (const { columns } of rules) {
		for (const { name, patterns } of columns) {
			for (const { source, flags } of patterns) {
				try {
					compilePattern(source, flags);
				} catch (error) {
					if (!(error instanceof PatternError)) throw error;
					return `Column "${name}": ${error.message}`;
				}
			}
		}
	}
	return null;
}

function prepareColumn(rule: CellRule): ReadyColumn {
	return {
		rule,
		choices: rule.choices === null ? null : new Set(rule.choices),
		list:
			rule.list === null
				? null
				: new Set(rule.list.caseSensitive ? rule.list.values : rule.list.values.map((value) => value.toLowerCase())),
		patterns: rule.patterns.map(({ source, flags, name }) => ({ name, source, matches: matchWhole(source, flags) })),
	};
}

/** @param progress called at intervals with the number of rows checked so far */
export function checkRows(
	rules: readonly SheetRule[],
	sheets: readonly (readonly InputRow[])[],
	progress: (rows: number) => void = () => undefined,
): Checked {
	const errors: CellError[] = [];
	let errorCount = 0;
	let done = 0;
	const perSheet: Record<string, { valid: boolean; row_count: number; error_count: number }> = {};

	const checked = rules.map((sheet, at) => {
		const rows = sheets[at] ?? [];
		const before = errorCount;
		const report = (error: Omit<CellError, "sheet">) => {
			errorCount++;
			if (errors.length < ERRORS_LISTED) errors.push({ ...error, sheet: sheet.name });
		};
		const good = checkSheet(sheet, rows, report, () => {
			if (++done % 1000 === 0) progress(done);
		});
		if (sheet.name !== null) {
			const count = errorCount - before;
			perSheet[sheet.name] = { valid: count === 0, row_count: rows.length, error_count: count };
		}
		return good;
	});
	const row_count = sheets.reduce((sum, rows) => sum + rows.length, 0);
	const many = rules.some(({ name }) => name !== null);
	return {
		result: {
			valid: errorCount === 0,
			error_count: errorCount,
			row_count,
			errors,
			...(many ? { sheets: perSheet } : {}),
		},
		rows: checked,
	};
}

function checkSheet(
	sheet: SheetRule,
	rows: readonly InputRow[],
	report: (error: Omit<CellError, "sheet">) => void,
	counted: () => void,
): InputRow[] {
	if (rows.length < sheet.minRows) {
		report({ row: null, column: "", value: null, message: `Must have at least ${sheet.minRows} rows.` });
	}
	if (sheet.maxRows !== null && rows.length > sheet.maxRows) {
		report({ row: null, column: "", value: null, message: `Must have at most ${sheet.maxRows} rows.` });
	}
	const columns = sheet.columns.map(prepareColumn);
	const known = new Set(sheet.columns.map(({ name }) => name));
	const seen = new Map<string, Map<string, number>>();
	return rows.map((row, index) => {
		counted();
		for (const name of Object.keys(row)) {
			if (known.has(name)) continue;
			report({ row: index, column: name, value: null, message: "The template has no such column." });
		}
		const read: InputRow = Object.create(null);
		for (const column of columns) {
			const { rule } = column;
			const given = Object.hasOwn(row, rule.name) ? row[rule.name] : undefined;
			const found = readCell(column, given);
			const place = { row: index, column: rule.name, value: redactValue(rule, given) };
			if ("problem" in found) {
				const { message, allowed } = found.problem;
				report({ ...place, message, ...(allowed ? { allowed_values: [...allowed] } : {}) });
				continue;
			}
			if (found.value !== undefined) read[rule.name] = found.value;
			if (!rule.unique || isEmpty(found.value)) continue;
			const key = getKey(rule, found.value);
			const earlier = seen.get(rule.name) ?? new Map<string, number>();
			seen.set(rule.name, earlier);
			const first = earlier.get(key);
			if (first === undefined) earlier.set(key, index);
			else report({ ...place, message: rule.message || `Must be unique: row ${first} has the same value.` });
		}
		return read;
	});
}

/** Two spellings of one address are the same value. */
function getKey(rule: CellRule, value: unknown): string {
	if (rule.type === "mac") return String(value).replace(/[.:-]/g, "").toLowerCase();
	if (rule.type === "ip" || rule.type === "cidr") return String(value).toLowerCase();
	return JSON.stringify(value);
}

/** Never a password; of long texts the beginning. */
function redactValue(rule: CellRule, value: unknown): unknown {
	if (rule.type === "password" || value === undefined) return null;
	if (typeof value === "string") return value.length > VALUE_SHOWN ? `${value.slice(0, VALUE_SHOWN)}…` : value;
	if (typeof value === "object" && value !== null) {
		const text = JSON.stringify(value);
		return text.length > VALUE_SHOWN ? `${text.slice(0, VALUE_SHOWN)}…` : value;
	}
	return value;
}
