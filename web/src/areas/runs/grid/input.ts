/** What keys and clicks do in a grid. */
import type { KeyboardEvent, MouseEvent } from "react";
import { copyRows, sayCopied, sortInOrder } from "./copy-rows.ts";
import type { GridWorker } from "./grid-worker.ts";
import { type Fold, findFirstPlace, findLastPlace, type Lines } from "./lines.ts";
import type { RowSelection } from "./use-row-selection.ts";

interface GridInput {
	readonly worker: GridWorker;
	readonly selection: RowSelection;
	/** Number of rows of the view. */
	readonly rows: number;
	readonly lines: Lines;
	/** Key of the column whose values fold the rows; null: none. */
	readonly group: string | null;
	/** Keys of the columns, in their order. */
	readonly keys: readonly string[];
	countVisibleRows(): number;
	/** @param place of a row */
	getValue(place: number, key: string): string | undefined;
	goTo(line: number, column: number): void;
	/** Focuses the menu of a column. */
	onFocusHead(column: number): void;
	onSortBy(key: string): void;
	onNarrow(key: string, value: string | null): void;
	onGroup(key: string | null): void;
	onToggleFold(fold: Fold): void;
}

function findMove(event: KeyboardEvent, input: GridInput): readonly [line: number, column: number] | undefined {
	const { row: line, column } = input.selection.cursor;
	const ctrl = event.ctrlKey || event.metaKey;
	const page = input.countVisibleRows();
	const [lastLine, lastColumn] = [input.lines.count - 1, input.keys.length - 1];
	const isAtHeadSide = column === 0 && input.lines.isFolded;
	const moves: Record<string, [number, number]> = {
		ArrowDown: [line + 1, column],
		ArrowUp: [line - 1, column],
		ArrowRight: [line, column + 1],
		ArrowLeft: isAtHeadSide ? [input.lines.findHeadLine(line), 0] : [line, column - 1],
		PageDown: [line + page, column],
		PageUp: [line - page, column],
		Home: ctrl ? [0, 0] : [line, 0],
		End: ctrl ? [lastLine, lastColumn] : [line, lastColumn],
		...(ctrl ? {} : { j: [line + 1, column], k: [line - 1, column] }),
	};
	return moves[event.key];
}

/** Handles a key at the head of a fold, as in a tree. Returns false for keys of any line. */
function handleFoldKey({ key }: KeyboardEvent, fold: Fold, input: GridInput): boolean {
	const { selection, group } = input;
	if (key === " " || key === "Enter") input.onToggleFold(fold);
	else if (key === "ArrowRight" && fold.isOpen) input.goTo(fold.line + 1, selection.cursor.column);
	else if (key === "ArrowRight") input.onToggleFold(fold);
	else if (key === "ArrowLeft" && fold.isOpen) input.onToggleFold(fold);
	else if (key === "x") selection.toggleRange(fold.from, fold.to);
	else if (key === "s" && group !== null) input.onSortBy(group);
	else if (key === "f" && group !== null) input.onNarrow(group, fold.value);
	else if (key === "b") input.onGroup(null);
	else return key === "ArrowLeft";
	return true;
}

/** Handles a key at the menu of a column, before the menu does. */
export function handleHeadKey(event: KeyboardEvent<HTMLElement>, { keys, onFocusHead }: GridInput): void {
	const head = (event.target as Element).matches("[aria-haspopup=menu]")
		? (event.target as Element).closest<HTMLElement>("[role=columnheader]")
		: null;
	if (head === null) return;
	const column = Number(head.ariaColIndex) - 2;
	if (event.key === "ArrowLeft") onFocusHead(Math.max(0, column - 1));
	else if (event.key === "ArrowRight") onFocusHead(Math.min(keys.length - 1, column + 1));
	else if (event.key === "ArrowDown" || event.key === "Escape") event.currentTarget.focus();
	else return;
	event.preventDefault();
	event.stopPropagation();
}

export function handleGridKey(event: KeyboardEvent, input: GridInput): void {
	if (event.target !== event.currentTarget) return;
	const { selection, rows, lines, keys } = input;
	const { selected, anchor } = selection;
	const { row: line, column } = selection.cursor;
	const fold = lines.getHead(line);
	const place = fold === null ? lines.getPlace(line) : -1;
	const ctrl = event.ctrlKey || event.metaKey;
	const hasModifier = ctrl || event.altKey || event.shiftKey;
	if (fold !== null && !hasModifier && handleFoldKey(event, fold, input)) {
		event.preventDefault();
		return;
	}
	if (event.key === "ArrowUp" && line === 0 && !hasModifier) {
		event.preventDefault();
		input.onFocusHead(column);
		return;
	}
	const move = findMove(event, input);
	const key = keys[column];
	if (move !== undefined) {
		const [to, toColumn] = move;
		const isDown = to > line;
		if (event.shiftKey && !selected.has(place)) anchor.current = findFirstPlace(lines, line, isDown);
		input.goTo(to, toColumn);
		const last = Math.max(0, Math.min(lines.count - 1, to));
		if (event.shiftKey) selection.span(anchor.current, findLastPlace(lines, last, isDown));
	} else if (ctrl && event.key === "a") selection.span(0, rows - 1);
	else if (ctrl && event.key === "c") {
		const isTextMarked = getSelection()?.isCollapsed === false;
		const value = fold !== null ? (fold.value ?? "") : key === undefined ? undefined : input.getValue(place, key);
		if (isTextMarked) return;
		if (selected.size > 0) void copyRows(input.worker, "tsv", keys, sortInOrder(selected));
		else if (value !== undefined) void sayCopied(value, "Cell");
	} else if (event.key === "Escape" && selected.size > 0) selection.clear();
	else if (ctrl || event.altKey || fold !== null) return;
	else if (event.key === "x") {
		anchor.current = place;
		selection.toggle(place);
	} else if (event.key === " " || event.key === "Enter") selection.setPeeked(place);
	else if (event.key === "s" && key) input.onSortBy(key);
	else if (event.key === "f" && key) input.onNarrow(key, input.getValue(place, key) ?? null);
	else if (event.key === "b" && key) input.onGroup(key === input.group ? null : key);
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
	{ selection, lines, onToggleFold }: Pick<GridInput, "selection" | "lines" | "onToggleFold">,
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
	const line = Number(element?.ariaRowIndex) - 2;
	const column = Number((target as Element).closest<HTMLElement>("[data-column]")?.dataset.column ?? -1);
	const fold = lines.getHead(line);
	const isMany = ctrlKey || metaKey;
	selection.setCursor({ row: line, column: Math.max(0, column) });
	if (shiftKey) {
		const isDown = fold === null || fold.from >= selection.anchor.current;
		selection.span(selection.anchor.current, findLastPlace(lines, line, isDown));
		return;
	}
	if (fold !== null) {
		selection.anchor.current = fold.from;
		if (isMany) selection.toggleRange(fold.from, fold.to);
		else onToggleFold(fold);
		return;
	}
	const place = lines.getPlace(line);
	selection.anchor.current = place;
	if (isMany || column < 0) selection.toggle(place);
	if (detail === 2) selection.setPeeked(place);
}
