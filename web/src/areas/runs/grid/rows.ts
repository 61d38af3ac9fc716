/**
 * Rows of the grid, drawn without React from a fixed pool of elements. A row that leaves one end
 * reappears at the other, and only differing texts are written.
 */
import { isDnAttribute, splitDnParts } from "../../../platform/dn-text.ts";
import { joinClasses } from "../../../ui/classes.ts";
import { headWidth } from "../../../ui/dn.tsx";
import type { Cells } from "./cells.ts";
import { createFoldHeads } from "./fold-heads.ts";
import type { LaidOut } from "./layout.ts";
import type { Lines } from "./lines.ts";

/** Pixels of the column with the numbers of the rows. */
export const NUMBERS = 56;
/** Rows drawn above and below the visible range. */
const OVERSCAN = 12;
const STATE = /st(ate|atus)?$/i;
/** Columns with DNs, which are shortened in the middle. */
const DN = /^dn$|Dn$/;
/** Longer ones may be cut: the pointer shows them whole. */
const LONG = 24;

/** Rows must not inherit styles explicitly: moving a row would restyle all of its cells. */
const ROW =
	"group/row absolute flex border-line border-b bg-surface [contain:strict] hover:bg-sunken aria-selected:bg-accent-soft";
/** What sticks has a layer of its own, so nothing does before there is something to stick for. */
const FROZEN =
	"left-0 z-[1] flex shrink-0 bg-surface group-hover/row:bg-sunken group-aria-selected/row:bg-accent-soft group-data-scrolled/rows:sticky";

interface Drawn {
	/** Of the grid: ids of cells begin with it. */
	readonly id: string;
	readonly lines: Lines;
	/** Pixels of a line, and of all columns. */
	readonly height: number;
	readonly width: number;
	readonly shown: { readonly pinned: readonly LaidOut[]; readonly others: readonly LaidOut[] };
	readonly keys: readonly string[];
	readonly cells: Cells;
	/** Place of the column that names the columns of its row to mark; -1 where there is none. */
	readonly marksAt: number;
	/** Its row is a line. */
	readonly cursor: { readonly row: number; readonly column: number };
	/** Places of rows. */
	readonly selected: ReadonlySet<number>;
	/** Address of the page of an object of a row; null where there is none. */
	getAddress(dn: string, values: readonly string[]): string | null;
}

interface Slot {
	readonly element: HTMLElement;
	/** Its number and the columns that stay in sight. */
	readonly frozen: HTMLElement;
	readonly number: Text;
	cells: readonly Cell[];
	/** Line that it shows, and the place of the row there; -1 for none. */
	line: number;
	place: number;
	values: readonly string[] | undefined;
	selected: boolean | null;
	/** Place of the column under the cursor, or -1. */
	cursor: number;
}

interface Cell {
	readonly element: HTMLElement;
	readonly text: Text;
	/** The link to the object, in a column of DNs; null in other columns. */
	readonly link: HTMLAnchorElement | null;
	/** The part of the DN before its last name; null where there is no link. */
	readonly head: HTMLElement | null;
	/** Name of its column. */
	readonly key: string;
	/** Place of its column among the keys. */
	readonly at: number;
	readonly numeric: boolean;
	/** Whether its column tells a state. */
	readonly state: boolean;
	look: string;
}

export interface Rows {
	draw(next: Drawn): void;
	/** After scrolling, or when the frame has another size. */
	look(): void;
	end(): void;
}

/** @param frame what scrolls: the element of the grid. @param body as high as all rows are */
export function createRows(frame: HTMLElement, body: HTMLElement): Rows {
	let slots: Slot[] = [];
	let drawn: Drawn | null = null;
	let active: HTMLElement | null = null;
	const heads = createFoldHeads(body);

	function drawRows(): void {
		if (drawn === null) return;
		const { height, width, lines, cells, cursor, keys } = drawn;
		const size = Math.ceil(frame.clientHeight / height) + 2 * OVERSCAN;
		if (slots.length !== size) createSlots(size);
		const from = Math.max(0, Math.floor(frame.scrollTop / height) - OVERSCAN);
		for (let line = from; line < from + size; line++) {
			const slot = slots[line % size];
			if (slot) writeSlot(slot, line, drawn);
		}
		const look = { lines, height, width, visibleWidth: frame.clientWidth, columns: keys.length + 1 };
		heads.draw({ ...look, cursor: cursor.row }, from, size);
		markActiveElement(drawn);
		if (lines.count > 0) cells.want(lines.listPlaces(from, Math.min(lines.count, from + size)), drawRows);
	}

	function createSlots(size: number): void {
		for (const { element } of slots) element.remove();
		slots = Array.from({ length: size }, makeSlot);
		body.append(...slots.map(({ element }) => element));
		if (drawn) for (const slot of slots) layOut(slot, drawn);
	}

	/** Points assistive technology to the cell or the head under the cursor, when it is drawn. */
	function markActiveElement({ id, lines, cursor: { row: line, column } }: Drawn): void {
		const isHead = lines.getHead(line) !== null;
		const slot = slots[line % slots.length];
		const cell = slot?.line === line ? slot.cells.find(({ at }) => at === column) : undefined;
		const next = isHead ? heads.find(line) : cell?.element;
		if (active !== null && active !== next) active.removeAttribute("id");
		active = next ?? null;
		if (active === null) {
			frame.removeAttribute("aria-activedescendant");
			return;
		}
		const name = isHead ? `${id}-${line}` : `${id}-${line}-${column}`;
		if (active.id === name) return;
		active.id = name;
		frame.setAttribute("aria-activedescendant", name);
	}

	/** Only for the cell under the pointer, so that rows do not carry it along. */
	function setCellTitle({ target }: PointerEvent): void {
		const cell = (target as Element).closest<HTMLElement>("[data-column]");
		const text = cell?.textContent ?? "";
		if (cell) cell.title = text.length > LONG ? text : "";
	}
	body.addEventListener("pointerover", setCellTitle);

	return {
		look: drawRows,
		draw(next) {
			const before = drawn;
			drawn = next;
			const isSameSize = before?.height === next.height && before.width === next.width;
			const isSame = isSameSize && before.shown === next.shown && before.lines.isFolded === next.lines.isFolded;
			if (!isSame) for (const slot of slots) layOut(slot, next);
			drawRows();
		},
		end() {
			body.removeEventListener("pointerover", setCellTitle);
			heads.end();
			for (const { element } of slots) element.remove();
		},
	};
}

function makeSlot(): Slot {
	const element = document.createElement("div");
	const frozen = document.createElement("div");
	const header = document.createElement("span");
	const number = document.createTextNode("");
	element.className = ROW;
	element.setAttribute("role", "row");
	frozen.className = FROZEN;
	header.setAttribute("role", "rowheader");
	header.className = "num shrink-0 self-center pr-3 text-right text-muted text-xs";
	header.style.width = `${NUMBERS}px`;
	header.append(number);
	frozen.append(header);
	element.append(frozen);
	return { element, frozen, number, cells: [], line: -1, place: -1, values: undefined, selected: null, cursor: -1 };
}

/** Gives a row its size and its cells. They are written afterwards. */
function layOut(slot: Slot, { shown: { pinned, others }, keys, height, width, lines }: Drawn): void {
	const { element, frozen } = slot;
	for (const cell of slot.cells) cell.element.remove();
	const make = (column: LaidOut) => makeCell(column, keys.indexOf(column.key));
	const [kept, rest] = [pinned.map(make), others.map(make)];
	frozen.append(...kept.map((cell) => cell.element));
	element.append(...rest.map((cell) => cell.element));
	// Columns left of the first visible one are not drawn.
	const start = pinned.reduce((sum, column) => sum + column.width, 0);
	const skipped = (others[0]?.left ?? start) - start;
	frozen.style.marginRight = `${skipped}px`;
	element.style.height = `${height}px`;
	element.style.width = `${width}px`;
	element.style.lineHeight = `${height - 1}px`;
	if (lines.isFolded) element.setAttribute("aria-level", "2");
	else element.removeAttribute("aria-level");
	slot.cells = [...kept, ...rest];
	slot.line = -1;
}

function makeCell(column: LaidOut, at: number): Cell {
	const element = document.createElement("span");
	const text = document.createTextNode("");
	const isDn = DN.test(column.key);
	const [head, link] = isDn ? [document.createElement("span"), document.createElement("a")] : [null, null];
	element.setAttribute("role", "gridcell");
	element.setAttribute("aria-colindex", String(at + 2));
	element.dataset.column = String(at);
	element.style.width = `${column.width}px`;
	if (head && link) {
		head.className = "inline-block truncate align-bottom";
		link.className = "[&[href]]:hover:underline";
		// The grid is one tab stop; Enter opens the row, whose panel has the link, too.
		link.tabIndex = -1;
		link.append(head, text);
		element.append(link);
	} else element.append(text);
	const { key, numeric } = column;
	return { element, text, link, head, key, at, numeric, state: STATE.test(key), look: "" };
}

function writeSlot(slot: Slot, line: number, drawn: Drawn): void {
	const { element } = slot;
	const place = line < drawn.lines.count ? drawn.lines.getPlace(line) : -1;
	if (place < 0) {
		element.hidden = true;
		slot.line = -1;
		return;
	}
	const values = drawn.cells.at(place);
	const selected = drawn.selected.has(place);
	const cursor = drawn.cursor.row === line ? drawn.cursor.column : -1;
	const moved = slot.line !== line || slot.place !== place;
	if (moved) {
		element.hidden = false;
		element.style.transform = `translateY(${line * drawn.height}px)`;
		element.setAttribute("aria-rowindex", String(line + 2));
		slot.number.data = String(place + 1);
	}
	if (slot.selected !== selected) element.setAttribute("aria-selected", String(selected));
	if (moved || slot.values !== values || slot.cursor !== cursor) {
		const marked = values?.[drawn.marksAt]?.split(", ") ?? [];
		for (const cell of slot.cells) {
			const value = values?.[cell.at] ?? "";
			writeCell(cell, value, cell.at === cursor, marked.includes(cell.key));
			if (cell.link && values)
				writeAddress(cell.link, isDnAttribute(cell.key, value) ? drawn.getAddress(value, values) : null);
		}
	}
	Object.assign(slot, { line, place, values, selected, cursor });
}

/** States that a network engineer looks for have their shape and their colour. */
function writeCell(cell: Cell, value: string, cursor: boolean, isMarked: boolean): void {
	const up = cell.state && value === "up";
	const down = cell.state && value === "down";
	const text = up ? "▲ up" : down ? "▼ down" : value;
	if (cell.head !== null) writeDn(cell.head, cell.text, value);
	else if (cell.text.data !== text) cell.text.data = text;
	const look = joinClasses(
		"mono h-full shrink-0 truncate px-2.5",
		cell.numeric && "text-right",
		isMarked ? "bg-bad-soft font-medium text-bad" : up ? "text-ok" : down && "text-bad",
		cursor && "group-focus-visible/grid:outline-2 group-focus/grid:outline-2 outline-accent outline-offset-[-2px]",
	);
	if (cell.look === look) return;
	cell.look = look;
	cell.element.className = look;
	if (isMarked) cell.element.setAttribute("aria-invalid", "true");
	else cell.element.removeAttribute("aria-invalid");
}

function writeAddress(link: HTMLAnchorElement, address: string | null): void {
	if (address === link.getAttribute("href")) return;
	if (address === null) link.removeAttribute("href");
	else link.href = address;
}

function writeDn(element: HTMLElement, text: Text, dn: string): void {
	const { head, tail } = splitDnParts(dn);
	if (text.data.length !== tail.length) element.style.maxWidth = headWidth(tail);
	if (text.data !== tail) text.data = tail;
	if (element.textContent !== head) element.textContent = head;
}
