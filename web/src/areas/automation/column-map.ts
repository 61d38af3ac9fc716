/** Which column of a file or of pasted text fills which column of the template. Pure. */
import { matchHeads } from "@weft/contracts/spreadsheet";
import { type Cells, type Column, countColumns, findLocalProblems, isBlank } from "./grid-model.ts";

/** The target of a column that fills none of the template. */
export const LEFT_OUT = -1;

export interface ColumnMap {
	/** Whether the first line names the columns. */
	readonly hasHead: boolean;
	/** For each column of the table, an index into the template's columns, or `LEFT_OUT`. */
	readonly targets: readonly number[];
}

const readFirstLine = (rows: Cells): string[] =>
	Array.from({ length: countColumns(rows) }, (_, at) => rows[0]?.[at] ?? "");

const countMatches = (rows: Cells, columns: readonly Column[]): number =>
	matchHeads(readFirstLine(rows), columns).filter((target) => target !== LEFT_OUT).length;

/**
 * Maps columns by the names of the first line, or by their order.
 * @param first index of the template's column that the first column of the table fills by order
 */
export function suggestMap(rows: Cells, columns: readonly Column[], hasHead: boolean, first = 0): ColumnMap {
	const heads = readFirstLine(rows);
	return {
		hasHead,
		targets: hasHead
			? matchHeads(heads, columns)
			: heads.map((_, at) => (first + at < columns.length ? first + at : LEFT_OUT)),
	};
}

/**
 * Whether the first line names columns: one of its cells is such a name, and the line breaks no
 * fewer rules as a row of values than the second line does.
 */
export function hasHeadLine(rows: Cells, columns: readonly Column[], first = 0): boolean {
	if (rows.length < 2 || countMatches(rows, columns) === 0) return false;
	const countProblems = (row: readonly string[] = []) =>
		findLocalProblems([columns.map((_, at) => row[at - first] ?? "")], columns).length;
	return countProblems(rows[0]) >= countProblems(rows[1]);
}

/** Whether pasted text leaves a choice: it may have a line of names, or columns beyond the last. */
export function needsMap(rows: Cells, columns: readonly Column[], first: number): boolean {
	const room = columns.length - first;
	const isTooWide = rows.some((row) => !isBlank(row.slice(room)));
	return isTooWide || (rows.length > 1 && countMatches(rows, columns) > 0);
}

/** The rows of values, without the line of names and without blank lines at the end. */
export function listValueRows(rows: Cells, hasHead: boolean): Cells {
	const end = rows.findLastIndex((row) => !isBlank(row)) + 1;
	return rows.slice(hasHead ? 1 : 0, end);
}

/** The columns of the template that several columns of the table fill. */
export const findDoubled = (targets: readonly number[]): number[] => [
	...new Set(targets.filter((target, at) => target !== LEFT_OUT && targets.indexOf(target) !== at)),
];

/** Titles of the table's columns: their names, or their numbers from 1. */
export const mapTitleColumns = (rows: Cells, hasHead: boolean): string[] =>
	readFirstLine(rows).map((head, at) => (hasHead && head.trim() !== "" ? head.trim() : `Column ${at + 1}`));

/** Writes rows into the mapped columns from a row on, and leaves the others as they are. */
export function putMapped(cells: Cells, at: number, rows: Cells, targets: readonly number[], width: number): Cells {
	const blank = Array.from({ length: width }, () => "");
	const next = [...cells];
	while (next.length < at) next.push(blank);
	rows.forEach((values, offset) => {
		const row = [...(next[at + offset] ?? blank)];
		for (const [position, target] of targets.entries()) if (target !== LEFT_OUT) row[target] = values[position] ?? "";
		next[at + offset] = row;
	});
	return next;
}

/** A sheet's name as a workbook can have it, in lower case. */
const foldTitle = (name: string | null): string =>
	(name ?? "Rows")
		.replace(/[[\]:*?/\\']/g, " ")
		.slice(0, 31)
		.trim()
		.toLowerCase();

interface NamedTable {
	readonly name: string | null;
	readonly rows: Cells;
}

interface TargetSheet {
	readonly name: string | null;
	readonly columns: readonly Column[];
}

/**
 * Chooses the table of a file for each sheet of a template: the one of the same name. The only
 * sheet, or the only table, takes what fits best.
 * @param active the sheet that the only table fills if no sheet has its name
 * @returns an index into `tables` for each sheet; -1 for none
 */
export function chooseTables(tables: readonly NamedTable[], sheets: readonly TargetSheet[], active: number): number[] {
	const named = sheets.map(({ name }) =>
		tables.findIndex((table) => table.name !== null && foldTitle(table.name) === foldTitle(name)),
	);
	if (named.some((table) => table >= 0)) return named;
	if (tables.length > 1 && sheets.length > 1) return named;
	const columns = sheets[active]?.columns ?? [];
	const scores = tables.map(({ rows }) => countMatches(rows, columns));
	const best = scores.indexOf(Math.max(...scores));
	return sheets.map((_, at) => (at === active ? best : -1));
}
