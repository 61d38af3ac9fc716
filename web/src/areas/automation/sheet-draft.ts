/** The rows of a request as a draft stores them. Pure. */
import type { SheetState } from "./findings.tsx";
import { type Cells, editGrid } from "./grid-model.ts";

/** Cells by the names of their columns. Cells of columns with passwords are empty. */
interface SheetDraft {
	readonly columns: readonly string[];
	readonly cells: Cells;
}

/** Null while the rows are those that the form began with: nothing is stored for them. */
export function readSheetDraft({ columns, history }: SheetState): SheetDraft | null {
	if (history.past.length === 0) return null;
	const secret = columns.map(({ field_type }) => field_type === "password");
	const cells = secret.includes(true)
		? history.now.map((row) => row.map((cell, column) => (secret[column] ? "" : cell)))
		: history.now;
	return { columns: columns.map(({ name }) => name), cells };
}

/** Restored rows are an edit, which can be undone. Columns that the template lost are left out. */
export function restoreSheet(sheet: SheetState, draft: SheetDraft | null): SheetState {
	if (draft === null) return sheet;
	const places = sheet.columns.map(({ name }) => draft.columns.indexOf(name));
	const cells = draft.cells.map((row) => places.map((place) => row[place] ?? ""));
	return { ...sheet, history: editGrid(sheet.history, cells, sheet.columns.length) };
}
