/** Heads of folds, drawn like the rows from a fixed pool of elements. */
import { formatPlural } from "../../../platform/format.ts";
import { joinClasses } from "../../../ui/classes.ts";
import type { Fold, Lines } from "./lines.ts";

const HEAD = "group/fold absolute cursor-pointer border-line border-b bg-sunken [contain:strict] hover:bg-line";
/** Stays in sight however far the columns are scrolled. */
const LABEL = "left-0 inline-flex h-full max-w-full items-center gap-2 px-3 group-data-scrolled/rows:sticky";

interface DrawnHeads {
	readonly lines: Lines;
	/** Pixels of a line, of all columns, and of the part of them in sight. */
	readonly height: number;
	readonly width: number;
	readonly visibleWidth: number;
	/** Columns of the grid, with that of the numbers. */
	readonly columns: number;
	/** Line under the cursor. */
	readonly cursor: number;
}

interface Slot {
	readonly element: HTMLElement;
	readonly cell: HTMLElement;
	readonly mark: Text;
	readonly value: HTMLElement;
	readonly count: Text;
}

export interface FoldHeads {
	/** Draws the heads among the lines from one on, in a pool of as many elements. */
	draw(drawn: DrawnHeads, from: number, size: number): void;
	/** The element of the head at a line, if it is drawn. */
	find(line: number): HTMLElement | undefined;
	end(): void;
}

export function createFoldHeads(body: HTMLElement): FoldHeads {
	let slots: Slot[] = [];
	const removeSlots = () => {
		for (const { element } of slots) element.remove();
		slots = [];
	};
	return {
		draw(drawn, from, size) {
			const wanted = drawn.lines.isFolded ? size : 0;
			if (slots.length !== wanted) {
				removeSlots();
				slots = Array.from({ length: wanted }, makeSlot);
				body.append(...slots.map(({ element }) => element));
			}
			for (let line = from; line < from + wanted; line++) {
				const slot = slots[line % wanted];
				const fold = line < drawn.lines.count ? drawn.lines.getHead(line) : null;
				if (slot) writeSlot(slot, fold, drawn);
			}
		},
		find: (line) => {
			const element = slots[line % slots.length]?.element;
			return element?.ariaRowIndex === String(line + 2) ? element : undefined;
		},
		end: removeSlots,
	};
}

function makeSlot(): Slot {
	const [element, cell, arrow, value, counted] = Array.from({ length: 5 }, (_, at) =>
		document.createElement(at === 0 ? "div" : "span"),
	) as [HTMLElement, HTMLElement, HTMLElement, HTMLElement, HTMLElement];
	const [mark, count] = [document.createTextNode(""), document.createTextNode("")];
	element.setAttribute("role", "row");
	element.setAttribute("aria-level", "1");
	cell.setAttribute("role", "gridcell");
	cell.setAttribute("aria-colindex", "1");
	cell.className = LABEL;
	arrow.setAttribute("aria-hidden", "true");
	arrow.className = "shrink-0 text-muted";
	counted.className = "num shrink-0 text-muted";
	arrow.append(mark);
	counted.append(count);
	cell.append(arrow, value, counted);
	element.append(cell);
	return { element, cell, mark, value, count };
}

/** Names the value of a group. An absent and an empty one, which would be invisible, have names. */
const nameValue = (value: string | null): string => (value === null ? "(no value)" : value === "" ? "(empty)" : value);

function writeSlot({ element, cell, mark, value, count }: Slot, fold: Fold | null, drawn: DrawnHeads): void {
	element.hidden = fold === null;
	if (fold === null) {
		element.removeAttribute("aria-rowindex");
		return;
	}
	const { line, isOpen, from, to } = fold;
	element.setAttribute("aria-rowindex", String(line + 2));
	element.setAttribute("aria-expanded", String(isOpen));
	element.style.transform = `translateY(${line * drawn.height}px)`;
	element.style.height = `${drawn.height}px`;
	element.style.width = `${drawn.width}px`;
	cell.style.maxWidth = `${drawn.visibleWidth}px`;
	cell.setAttribute("aria-colspan", String(drawn.columns));
	mark.data = isOpen ? "▾" : "▸";
	const text = nameValue(fold.value);
	if (value.textContent !== text) value.textContent = text;
	value.title = text;
	value.className = joinClasses("truncate font-medium", fold.value ? "mono" : "text-muted italic");
	count.data = formatPlural(to - from, "row");
	element.className = joinClasses(
		HEAD,
		line === drawn.cursor &&
			"group-focus-visible/grid:outline-2 group-focus/grid:outline-2 outline-accent outline-offset-[-2px]",
	);
}
