/** What keys and clicks do in a grid. */
import type { KeyboardEvent, MouseEvent } from "react";
import { copyRows, sayCopied, sortInOrder } from "./copy-rows.ts";
import type { GridWorker } from "./grid-worker.ts";
import type { RowSelection } from "./use-row-selection.ts";

interface GridInput {
	readonly worker: GridWorker;
	readonly selection: RowSelection;
	/** Number of rows of the view. */
	readonly rows: number;
	/** Keys of the columns, in their order. */
	readonly keys: readonly string[];
	countVisibleRows(): number;
	getValue(row: number, key: string): string | undefined;
	goTo(row: number, column: number): void;
	onSortBy(key: string): void;
	onNarrow(key: string, value: string | null): void;
}

function findMove(event: KeyboardEvent, input: GridInput): readonly [row: number, column: number] | undefined {
	const { row, column } = input.selection.cursor;
	const ctrl = event.ctrlKey || event.metaKey;
	const page = input.countVisibleRows();
	const lastColumn = input.keys.length - 1;
	const moves: Record<string, [number, number]> = {
		ArrowDown: [row + 1, column],
		ArrowUp: [row - 1, column],
		ArrowRight: [row, column + 1],
		ArrowLeft: [row, column - 1],
		PageDown: [row + page, column],
		PageUp: [row - page, column],
		Home: ctrl ? [0, 0] : [row, 0],
		End: ctrl ? [input.rows - 1, lastColumn] : [row, lastColumn],
		...(ctrl ? {} : { j: [row + 1, column], k: [row - 1, column] }),
	};
	return moves[event.key];
}

export function handleGridKey(event: KeyboardEvent, input: GridInput): void {
	if (event.target !== event.currentTarget) return;
	const { selection, rows, keys } = input;
	const { selected, anchor } = selection;
	const { row, column } = selection.cursor;
	const ctrl = event.ctrlKey || event.metaKey;
	const move = findMove(event, input);
	const key = keys[column];
	if (move !== undefined) {
		if (event.shiftKey && !selected.has(row)) anchor.current = row;
		input.goTo(...move);
		if (event.shiftKey) selection.span(anchor.current, Math.max(0, Math.min(rows - 1, move[0])));
	} else if (ctrl && event.key === "a") selection.span(0, rows - 1);
	else if (ctrl && event.key === "c") {
		const isTextMarked = getSelection()?.isCollapsed === false;
		const value = key === undefined ? undefined : input.getValue(row, key);
		if (isTextMarked) return;
		if (selected.size > 0) void copyRows(input.worker, "tsv", keys, sortInOrder(selected));
		else if (value !== undefined) void sayCopied(value, "Cell");
	} else if (ctrl || event.altKey) return;
	else if (event.key === "x") {
		anchor.current = row;
		selection.toggle(row);
	} else if (event.key === " " || event.key === "Enter") selection.setPeeked(row);
	else if (event.key === "s" && key) input.onSortBy(key);
	else if (event.key === "f" && key) input.onNarrow(key, input.getValue(row, key) ?? null);
	else if (event.key === "Escape" && selected.size > 0) selection.clear();
	else return;
	event.preventDefault();
}

/**
 * A click on a link leaves the page, or opens another tab as the browser does it.
 * @param body the element of the rows
 */
export function handleGridClick(
	event: MouseEvent,
	body: HTMLElement | null,
	selection: RowSelection,
	onLink: (address: string) => void,
): void {
	const { target, shiftKey, ctrlKey, metaKey, detail } = event;
	const link = (target as Element).closest<HTMLAnchorElement>("a[href]");
	if (link !== null) {
		if (shiftKey || ctrlKey || metaKey) return;
		event.preventDefault();
		onLink(link.getAttribute("href") ?? "");
		return;
	}
	const element = (target as Element).closest<HTMLElement>("[role=row]");
	if (!body?.contains(element)) return;
	const row = Number(element?.ariaRowIndex) - 2;
	const column = Number((target as Element).closest<HTMLElement>("[data-column]")?.dataset.column ?? -1);
	if (shiftKey) selection.span(selection.anchor.current, row);
	else {
		selection.anchor.current = row;
		if (ctrlKey || metaKey || column < 0) selection.toggle(row);
	}
	selection.setCursor({ row, column: Math.max(0, column) });
	if (detail === 2) selection.setPeeked(row);
}
