/** The table that a request is typed into: cells as texts, edits with undo, local rules. Pure. */
import type { CellError, TemplateColumn } from "@weft/contracts";
import { guardText } from "@weft/contracts/spreadsheet";

export type Column = Pick<
	TemplateColumn,
	"name" | "label" | "description" | "field_type" | "required" | "choices" | "default" | "min" | "max"
>;

/** Rows of cells, each as long as there are columns. */
export type Cells = readonly (readonly string[])[];

export interface Place {
	readonly row: number;
	readonly column: number;
}

export interface Range {
	readonly from: Place;
	readonly to: Place;
}

/** Undo goes back over this many edits. */
const STEPS = 200;
/** Empty rows below the last filled one. */
const SPARE = 5;

export interface GridHistory {
	readonly past: readonly Cells[];
	readonly now: Cells;
	readonly future: readonly Cells[];
}

export const beginGrid = (cells: Cells, width: number): GridHistory => ({
	past: [],
	now: withSpare(cells, width),
	future: [],
});

export function editGrid(history: GridHistory, cells: Cells, width: number): GridHistory {
	const now = withSpare(cells, width);
	return { past: [...history.past, history.now].slice(-STEPS), now, future: [] };
}

export function undoGrid({ past, now, future }: GridHistory): GridHistory {
	const last = past.at(-1);
	return last === undefined ? { past, now, future } : { past: past.slice(0, -1), now: last, future: [now, ...future] };
}

export function redoGrid({ past, now, future }: GridHistory): GridHistory {
	const [next, ...rest] = future;
	return next === undefined ? { past, now, future } : { past: [...past, now], now: next, future: rest };
}

export const isBlank = (row: readonly string[]): boolean => row.every((cell) => cell.trim() === "");

function withSpare(cells: Cells, width: number): Cells {
	const filled = cells.findLastIndex((row) => !isBlank(row)) + 1;
	const missing = filled + SPARE - cells.length;
	const blank = Array.from({ length: width }, () => "");
	return missing <= 0 ? cells : [...cells, ...Array.from({ length: missing }, () => blank)];
}

/** Both ends included, whichever way it was drawn. */
export const normalizeRange = ({ from, to }: Range): Range => ({
	from: { row: Math.min(from.row, to.row), column: Math.min(from.column, to.column) },
	to: { row: Math.max(from.row, to.row), column: Math.max(from.column, to.column) },
});

/** Writes a block with its first cell at a place. Adds rows; cuts columns beyond the last. */
export function putBlock(cells: Cells, at: Place, block: Cells, width: number): Cells {
	const next = [...cells];
	while (next.length < at.row) next.push(Array.from({ length: width }, () => ""));
	block.forEach((values, offset) => {
		const row = [...(next[at.row + offset] ?? Array.from({ length: width }, () => ""))];
		values.forEach((value, index) => {
			if (at.column + index < width) row[at.column + index] = value;
		});
		next[at.row + offset] = row;
	});
	return next;
}

export function clearRange(cells: Cells, range: Range): Cells {
	const { from, to } = normalizeRange(range);
	return cells.map((row, index) =>
		index < from.row || index > to.row
			? row
			: row.map((cell, column) => (column < from.column || column > to.column ? cell : "")),
	);
}

/** Copies the range's first row to its other rows. A single row is copied from the one above. */
export function fillDown(cells: Cells, range: Range): Cells {
	const { from, to } = normalizeRange(range);
	const single = from.row === to.row;
	const source = cells[single ? from.row - 1 : from.row];
	if (source === undefined) return cells;
	return cells.map((row, index) =>
		index < from.row || index > to.row || (index === from.row && !single)
			? row
			: row.map((cell, column) => (column < from.column || column > to.column ? cell : (source[column] ?? ""))),
	);
}

export const removeRows = (cells: Cells, from: number, to: number): Cells =>
	cells.filter((_, index) => index < from || index > to);

/** For the clipboard of a spreadsheet, which runs no cell of it. `parseTable` removes the guard. */
export function formatTsv(cells: Cells, range: Range): string {
	const { from, to } = normalizeRange(range);
	const quoted = (text: string) => {
		const guarded = guardText(text);
		return /[\t\n\r"]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
	};
	return cells
		.slice(from.row, to.row + 1)
		.map((row) =>
			row
				.slice(from.column, to.column + 1)
				.map(quoted)
				.join("\t"),
		)
		.join("\n");
}

/** Repeats a block over a range whose sides are multiples of its own; else returns it unchanged. */
export function repeatBlock(block: Cells, range: Range): Cells {
	const { from, to } = normalizeRange(range);
	const [height, width] = [to.row - from.row + 1, to.column - from.column + 1];
	const columns = countColumns(block);
	if (columns === 0 || height % block.length !== 0 || width % columns !== 0) return block;
	return Array.from({ length: height }, (_, row) =>
		Array.from({ length: width }, (_, column) => block[row % block.length]?.[column % columns] ?? ""),
	);
}

/** The cells of the longest row. */
export const countColumns = (block: Cells): number => block.reduce((most, { length }) => Math.max(most, length), 0);

/** Rows of the API as cells. */
export const getCells = (rows: readonly Readonly<Record<string, unknown>>[], columns: readonly Column[]): Cells =>
	rows.map((row) =>
		columns.map(({ name }) => {
			const value = row[name];
			if (value === undefined || value === null) return "";
			if (Array.isArray(value)) return value.join(", ");
			return typeof value === "object" ? JSON.stringify(value) : String(value);
		}),
	);

interface Input {
	readonly rows: Record<string, string>[];
	/** The grid's row of each. */
	readonly gridRows: readonly number[];
}

/** The rows to send: those that are not empty, without their empty cells. */
export function getInput(cells: Cells, columns: readonly Column[]): Input {
	const rows: Record<string, string>[] = [];
	const gridRows: number[] = [];
	cells.forEach((row, index) => {
		if (isBlank(row)) return;
		rows.push(Object.fromEntries(columns.flatMap(({ name }, column) => (row[column] ? [[name, row[column]]] : []))));
		gridRows.push(index);
	});
	return { rows, gridRows };
}

export interface Problem {
	/** Null: of the whole sheet. */
	readonly place: Place | null;
	readonly message: string;
}

/** Rules that need no service; it checks all of them, and the others. */
export function findLocalProblems(cells: Cells, columns: readonly Column[]): Problem[] {
	return cells.flatMap((row, index) =>
		isBlank(row)
			? []
			: columns.flatMap((column, at) => {
					const message = findProblem(column, row[at] ?? "");
					return message === null ? [] : [{ place: { row: index, column: at }, message }];
				}),
	);
}

function findProblem(
	{ field_type, required, choices, default: fallback, min, max }: Column,
	text: string,
): string | null {
	const value = text.trim();
	if (value === "") return required && (fallback === undefined || fallback === null) ? "A value is required." : null;
	if (field_type === "enum" && choices && !choices.includes(value)) return "Must be one of the choices.";
	if (field_type === "boolean" && !/^(true|false|yes|no)$/i.test(value)) return "Must be true or false.";
	if (field_type !== "number" && field_type !== "vlan") return null;
	const number = Number(value);
	if (!Number.isFinite(number)) return "Must be a number.";
	const [least, most] = field_type === "vlan" ? [Math.max(1, min ?? 1), Math.min(4094, max ?? 4094)] : [min, max];
	if (field_type === "vlan" && !Number.isInteger(number)) return "Must be a whole number.";
	if (least != null && number < least) return `Must be at least ${least}.`;
	return most != null && number > most ? `Must be at most ${most}.` : null;
}

/**
 * The service's findings, placed in the grid.
 * @param sheet name of the sheet; null for a template without sheets
 */
export function placeErrors(
	errors: readonly CellError[],
	sheet: string | null,
	gridRows: readonly number[],
	columns: readonly Column[],
): Problem[] {
	return errors
		.filter((error) => error.sheet === sheet || (error.sheet === null && sheet === null))
		.map(({ row, column: name, message, allowed_values = [] }) => {
			const text = allowed_values.length === 0 ? message : `${message} Allowed: ${allowed_values.join(", ")}`;
			const column = columns.findIndex((each) => each.name === name);
			const gridRow = row === null ? undefined : gridRows[row];
			if (gridRow === undefined) return { place: null, message: text };
			return { place: { row: gridRow, column: Math.max(0, column) }, message: text };
		});
}

/** A variable's value for a text field: texts as they are, other values as JSON. */
export const formatConstant = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The inverse: numbers, true, false, null, lists and objects are read as JSON. */
export function readConstant(text: string): unknown {
	if (!/^(-?\d|true$|false$|null$|\[|\{)/.test(text)) return text;
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
