/** Rows in their shown, stored and sent forms: passwords are separate, and masked in shown rows. */
import type { ColumnType, InputData, InputRow } from "@weft/contracts";
import { MASKED } from "../../../../core/mask.ts";

/** The part of a template's column that is stored with checked rows. */
interface StoredColumn {
	readonly name: string;
	readonly type: ColumnType;
	readonly send: boolean;
}

export interface StoredSheet {
	/** Null where there is one sheet only. */
	readonly name: string | null;
	readonly variable: string;
	readonly columns: readonly StoredColumn[];
}

/** `[sheet, row, column, value]` of each password. */
export type Secret = readonly [sheet: number, row: number, column: string, value: string];

/** Rows by sheet in the order of the sheets, with the passwords masked, and the passwords. */
export function splitSecrets(sheets: readonly StoredSheet[], rows: readonly (readonly InputRow[])[]) {
	const secrets: Secret[] = [];
	const masked = sheets.map((sheet, at) => {
		const passwords = sheet.columns.filter(({ type }) => type === "password").map(({ name }) => name);
		if (passwords.length === 0) return [...(rows[at] ?? [])];
		return (rows[at] ?? []).map((row, index) => {
			const copy: InputRow = { ...row };
			for (const name of passwords) {
				const value = row[name];
				if (typeof value !== "string" || value === "") continue;
				secrets.push([at, index, name, value]);
				copy[name] = MASKED;
			}
			return copy;
		});
	});
	return { masked, secrets };
}

export function joinSecrets(rows: readonly (readonly InputRow[])[], secrets: readonly Secret[]): InputRow[][] {
	const whole = rows.map((sheet) => [...sheet]);
	for (const [sheet, index, column, value] of secrets) {
		const row = whole[sheet]?.[index];
		if (row !== undefined && whole[sheet] !== undefined) whole[sheet][index] = { ...row, [column]: value };
	}
	return whole;
}

/** The form in which it was given: rows, or rows by sheet. */
export function shapeInput(sheets: readonly StoredSheet[], rows: readonly (readonly InputRow[])[]): InputData {
	const [only] = sheets;
	if (sheets.length === 1 && only?.name === null) return [...(rows[0] ?? [])];
	return Object.fromEntries(sheets.map(({ name, variable }, at) => [name ?? variable, [...(rows[at] ?? [])]]));
}

/** The rows of each sheet out of either form. */
export function getRows(sheets: readonly StoredSheet[], input: InputData): InputRow[][] {
	if (Array.isArray(input)) return sheets.map((_, at) => (at === 0 ? input : []));
	const bySheet = input as Record<string, InputRow[]>;
	return sheets.map(({ name, variable }) => bySheet[name ?? variable] ?? []);
}

interface StoredPasswords {
	readonly sheets: readonly StoredSheet[];
	readonly secrets: readonly Secret[];
}

/** The passwords of rows by `sheet|row|column`, the sheet by its name. */
export const mapPasswordsByPlace = ({ sheets, secrets }: StoredPasswords): ReadonlyMap<string, string> =>
	new Map(secrets.map(([sheet, row, column, value]) => [`${sheets[sheet]?.name ?? ""}|${row}|${column}`, value]));

/**
 * A masked password that comes back as it was shown stands for the one that is stored; elsewhere it
 * is what it says.
 */
export function restoreMasked(sheets: readonly StoredSheet[], input: InputData, stored: StoredPasswords): InputData {
	const known = mapPasswordsByPlace(stored);
	if (known.size === 0) return input;
	const rows = getRows(sheets, input).map((sheetRows, at) => {
		const sheet = sheets[at];
		const passwords = (sheet?.columns ?? []).filter(({ type }) => type === "password").map(({ name }) => name);
		return sheetRows.map((row, index) => {
			const restored = passwords.flatMap((name) => {
				const value = known.get(`${sheet?.name ?? ""}|${index}|${name}`);
				return row[name] === MASKED && value !== undefined ? [[name, value] as const] : [];
			});
			return restored.length === 0 ? row : { ...row, ...Object.fromEntries(restored) };
		});
	});
	return Array.isArray(input)
		? (rows[0] ?? [])
		: Object.fromEntries(
				Object.keys(input).map((name) => {
					const at = sheets.findIndex((sheet) => (sheet.name ?? sheet.variable) === name);
					return [name, at === -1 ? ((input as Record<string, InputRow[]>)[name] ?? []) : (rows[at] ?? [])];
				}),
			);
}

/** The rows that the job receives: without the columns that are for readers only. */
export function buildSentRows(sheet: StoredSheet, rows: readonly InputRow[]): InputRow[] {
	const kept = sheet.columns.filter(({ send }) => !send).map(({ name }) => name);
	if (kept.length === 0) return [...rows];
	return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !kept.includes(name))));
}
