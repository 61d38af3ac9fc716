/**
 * The grid's filter language: words that must all occur in a row, and conditions on columns.
 *
 *   tenant:prod        the column contains it           operSt=down     is exactly it
 *   mtu>1500           compares by value (< <= > >=)    name:web|db     one or the other
 *   -name:test         not                              "two words"     spaces belong to it
 *   descr:             has a value                      -descr:         has none
 *
 * Case-insensitive. A name that is not a column is text, so a DN can be searched unquoted.
 */
import { compareNumbers } from "@weft/contracts/decimal";
import type { Column, GridTable } from "./table.ts";

type Operator = ":" | "=" | ">" | "<" | ">=" | "<=";

interface Term {
	readonly negated: boolean;
	/** Null: anywhere in the row. */
	readonly column: string | null;
	readonly operator: Operator;
	/** One of them; a single empty one asks whether there is a value. */
	readonly values: readonly string[];
}

const TOKEN = /(-?)((?:[^\s"]|"[^"]*"?)+)/g;
const CONDITION = /^([^\s":=<>]+)(>=|<=|[:=<>])(.*)$/s;

/** @param columns names that conditions may use, whatever the case */
export function parseFilter(text: string, columns: Iterable<string>): Term[] {
	const names = new Map([...columns].map((name) => [name.toLowerCase(), name]));
	return [...text.matchAll(TOKEN)].map(([, minus, body = ""]): Term => {
		const negated = minus === "-";
		const [, name = "", operator, rest = ""] = CONDITION.exec(body) ?? [];
		const column = names.get(name.toLowerCase());
		if (column === undefined || operator === undefined) {
			return { negated, column: null, operator: ":", values: splitAlternatives(body) };
		}
		return { negated, column, operator: operator as Operator, values: splitAlternatives(rest) };
	});
}

/** Parts between bars that are not within quotes. */
function splitAlternatives(text: string): string[] {
	const parts = text.match(/(?:[^|"]|"[^"]*"?)+/g) ?? [""];
	return parts.map((part) => part.replaceAll('"', ""));
}

/** The rows that meet all terms, in their order. */
export function filterRows(table: GridTable, terms: readonly Term[]): Int32Array {
	const count = table.lines.length;
	const keep = new Uint8Array(count).fill(1);
	for (const term of terms) {
		const column = term.column === null ? undefined : table.byKey.get(term.column);
		if (column) applyToColumn(keep, column, term);
		else applyAnywhere(keep, table, term);
	}
	let kept = 0;
	for (let row = 0; row < count; row++) kept += keep[row] ?? 0;
	const rows = new Int32Array(kept);
	let at = 0;
	for (let row = 0; row < count; row++) if (keep[row] === 1) rows[at++] = row;
	return rows;
}

function applyToColumn(keep: Uint8Array, column: Column, { negated, operator, values }: Term): void {
	const asksForAny = values.length === 1 && values[0] === "" && (operator === ":" || operator === "=");
	const meets = asksForAny ? (value: string) => value !== "" : createMatcher(operator, values, column.numeric);
	const passes = new Uint8Array(column.values.length + 1);
	column.values.forEach((value, code) => {
		passes[code + 1] = meets(value) === negated ? 0 : 1;
	});
	// A row without a value meets no condition.
	passes[0] = negated ? 1 : 0;
	for (let row = 0; row < keep.length; row++)
		keep[row] = (keep[row] ?? 0) & (passes[(column.codes[row] ?? -1) + 1] ?? 0);
}

function createMatcher(operator: Operator, values: readonly string[], numeric: boolean): (value: string) => boolean {
	const wanted = values.map((value) => value.toLowerCase());
	if (operator === ":") return (value) => wanted.some((part) => value.toLowerCase().includes(part));
	if (operator === "=") return (value) => wanted.includes(value.toLowerCase());
	const collator = new Intl.Collator("en", { numeric: true });
	const compare = (value: string, limit: string): number =>
		numeric && limit !== "" && Number.isFinite(Number(limit))
			? Number(value) - Number(limit) || compareNumbers(value, limit)
			: collator.compare(value, limit);
	return (value) => {
		if (value === "") return false;
		return values.some((limit) => {
			const order = compare(value, limit);
			if (operator === ">") return order > 0;
			if (operator === "<") return order < 0;
			return operator === ">=" ? order >= 0 : order <= 0;
		});
	};
}

function applyAnywhere(keep: Uint8Array, table: GridTable, { negated, values }: Term): void {
	const wanted = values.map((value) => value.toLowerCase()).filter((value) => value !== "");
	if (wanted.length === 0) return;
	const found = new Uint8Array(keep.length);
	for (const column of table.columns) {
		const hits = new Uint8Array(column.values.length + 1);
		let any = false;
		column.values.forEach((value, code) => {
			const text = value.toLowerCase();
			if (!wanted.some((part) => text.includes(part))) return;
			hits[code + 1] = 1;
			any = true;
		});
		if (!any) continue;
		for (let row = 0; row < found.length; row++) {
			if (hits[(column.codes[row] ?? -1) + 1] === 1) found[row] = 1;
		}
	}
	for (let row = 0; row < keep.length; row++) if ((found[row] === 1) === negated) keep[row] = 0;
}

/** A condition on exactly this value, as it is written. */
export function writeCondition(column: string, value: string | null, negated = false): string {
	const minus = negated ? "-" : "";
	if (value === null || value === "") return `${negated ? "" : "-"}${column}:`;
	return `${minus}${column}=${/[\s"|]/.test(value) ? `"${value.replaceAll('"', "")}"` : value}`;
}
