/** Edits of the table that is typed into: in one cell, by key, and through the clipboard. */

import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { parseTable } from "../../platform/parse-table.ts";
import { needsMap } from "./column-map.ts";
import {
	type Cells,
	type Column,
	clearRange,
	countColumns,
	fillDown,
	formatTsv,
	normalizeRange,
	type Place,
	putBlock,
	repeatBlock,
} from "./grid-model.ts";
import type { Draft } from "./input-row.tsx";
import type { CellRange } from "./use-cell-range.ts";

const PAGE_ROWS = 15;

export interface EditedTable {
	readonly columns: readonly Column[];
	readonly cells: Cells;
	onChange(cells: Cells): void;
	/** Pasted text whose columns the user must choose. */
	onAsk(block: Cells, place: Place): void;
	onUndo(): void;
	onRedo(): void;
}

export type CellEdit = ReturnType<typeof useCellEdit>;

export function useCellEdit(frame: RefObject<HTMLElement | null>, table: EditedTable, cursor: CellRange) {
	const { columns, cells, onChange } = table;
	const { range, active } = cursor;
	const [draft, setDraft] = useState<Draft | null>(null);
	/** Whether Tab moves to the next cell. */
	const holdsTab = useRef(false);
	const width = columns.length;
	const begin = (text: string, replaces: boolean) => {
		holdsTab.current = true;
		cursor.setRange({ from: active, to: active });
		setDraft({ text, replaces });
	};
	const end = (text: string) => {
		setDraft(null);
		if (text !== cells[active.row]?.[active.column]) onChange(putBlock(cells, active, [[text]], width));
	};
	return {
		draft,
		holdsTab,
		begin,
		/** @param place the cell whose text is edited */
		beginAt: ({ row, column }: Place) => begin(cells[row]?.[column] ?? "", false),
		end,
		cancel: () => setDraft(null),
		/** Ends the edit and moves on by a step, or to the next cell. */
		commit(text: string, { row, column }: Place, isTab: boolean) {
			end(text);
			const beside = isTab ? cursor.findNeighbour(active, column < 0 ? -1 : 1) : null;
			cursor.go(beside ?? { row: active.row + row, column: active.column + column });
			frame.current?.focus();
		},
		paste(text: string) {
			const block = parseTable(text);
			const { from } = normalizeRange(range);
			if (block.length === 0) return;
			if (needsMap(block, columns, from.column)) return table.onAsk(block, from);
			const filling = repeatBlock(block, range);
			onChange(putBlock(cells, from, filling, width));
			const to = { row: from.row + filling.length - 1, column: from.column + countColumns(filling) - 1 };
			cursor.setRange({ from, to });
		},
	};
}

/** Without a text cursor, the browser sends what concerns the clipboard to the page's body. */
export function useTableClipboard(
	frame: RefObject<HTMLElement | null>,
	{ cells, onChange }: EditedTable,
	{ range }: CellRange,
	edit: CellEdit,
): void {
	const onClipboard = (event: ClipboardEvent) => {
		if (edit.draft !== null || document.activeElement !== frame.current || event.clipboardData === null) return;
		event.preventDefault();
		if (event.type === "paste") return edit.paste(event.clipboardData.getData("text/plain"));
		event.clipboardData.setData("text/plain", formatTsv(cells, range));
		if (event.type === "cut") onChange(clearRange(cells, range));
	};
	const latest = useRef(onClipboard);
	latest.current = onClipboard;
	useEffect(() => {
		const listen = (event: ClipboardEvent) => latest.current(event);
		const kinds = ["copy", "cut", "paste"] as const;
		for (const kind of kinds) document.addEventListener(kind, listen);
		return () => {
			for (const kind of kinds) document.removeEventListener(kind, listen);
		};
	}, []);
}

/** Carries out a key of a spreadsheet. Other keys, and those of the cell editor, change nothing. */
export function handleTableKey(event: KeyboardEvent, table: EditedTable, cursor: CellRange, edit: CellEdit): void {
	if (edit.draft !== null) return;
	const { cells, onChange, onUndo, onRedo } = table;
	const { range, active, go } = cursor;
	const width = table.columns.length;
	const mod = event.ctrlKey || event.metaKey;
	const key = event.key.toLowerCase();
	const step = MOVES[event.key];
	if (step !== undefined) {
		if (mod && event.key === "Home") go({ row: 0, column: 0 }, event.shiftKey);
		else if (mod && event.key === "End") go({ row: cells.length - 1, column: width - 1 }, event.shiftKey);
		else go(step(range.to, width), event.shiftKey);
	} else if (event.key === "Tab") {
		const next = edit.holdsTab.current && !mod ? cursor.findNeighbour(active, event.shiftKey ? -1 : 1) : null;
		if (next === null) return;
		go(next);
	} else if (event.key === "Escape") {
		edit.holdsTab.current = false;
		cursor.setRange({ from: active, to: active });
	} else if (mod && key === "z") (event.shiftKey ? onRedo : onUndo)();
	else if (mod && key === "y") onRedo();
	else if (mod && key === "d") onChange(fillDown(cells, range));
	else if (mod && key === "a") cursor.selectAll();
	else if (event.key === " " && event.shiftKey)
		cursor.select({ row: active.row, column: 0 }, { row: range.to.row, column: width - 1 });
	else if ((event.key === "Delete" && !event.shiftKey) || event.key === "Backspace") onChange(clearRange(cells, range));
	else if (event.key === "Enter" || event.key === "F2") edit.beginAt(active);
	else if (beginsText(event)) {
		// The key goes to the editor, which has the focus then. Nothing else of the page takes it.
		edit.begin("", true);
		event.stopPropagation();
		return;
	} else return;
	event.preventDefault();
}

/** Whether a key types something, also with the help of an input method. */
function beginsText(event: KeyboardEvent): boolean {
	if (event.key === "Dead" || event.key === "Process") return true;
	const isCommand = event.ctrlKey || event.metaKey || event.altKey;
	return event.key.length === 1 && (!isCommand || event.getModifierState("AltGraph"));
}

const MOVES: Readonly<Record<string, (place: Place, width: number) => Place>> = {
	ArrowUp: ({ row, column }) => ({ row: row - 1, column }),
	ArrowDown: ({ row, column }) => ({ row: row + 1, column }),
	ArrowLeft: ({ row, column }) => ({ row, column: column - 1 }),
	ArrowRight: ({ row, column }) => ({ row, column: column + 1 }),
	PageUp: ({ row, column }) => ({ row: row - PAGE_ROWS, column }),
	PageDown: ({ row, column }) => ({ row: row + PAGE_ROWS, column }),
	Home: ({ row }) => ({ row, column: 0 }),
	End: ({ row }, width) => ({ row, column: width - 1 }),
};
