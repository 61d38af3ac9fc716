/** Draws the visible rows and columns of a view. */
import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef } from "react";
import { createCells } from "./cells.ts";
import type { GridWorker } from "./grid-worker.ts";
import { HEAD } from "./head.tsx";
import { isInSight, type LaidOut } from "./layout.ts";
import type { Lines } from "./lines.ts";
import { createRows, NUMBERS, type Rows } from "./rows.ts";
import { useRowHeight, useSide } from "./sight.ts";
import type { RowSelection } from "./use-row-selection.ts";

interface Drawing {
	/** Prefix of the cells' ids. */
	readonly id: string;
	/** What scrolls: the element of the grid. */
	readonly frame: RefObject<HTMLElement | null>;
	/** Element as high as all lines together. */
	readonly body: RefObject<HTMLElement | null>;
	readonly worker: GridWorker;
	readonly view: { readonly rows: number };
	readonly lines: Lines;
	readonly laidOut: readonly LaidOut[];
	readonly keys: readonly string[];
	readonly selection: Pick<RowSelection, "cursor" | "selected">;
	/** Key of the column that names the columns of a row to mark. */
	readonly marks: string | undefined;
	/** Address of the page of an object of a row, by its cells; null where there is none. */
	getAddress(dn: string, values: readonly string[]): string | null;
}

export function useDrawing(drawn: Drawing) {
	const { id, frame, body, worker, view, lines, laidOut, keys, selection, marks, getAddress } = drawn;
	const { cursor, selected } = selection;
	const drawing = useRef<Rows>(null);
	const rowHeight = useRowHeight();
	const { side, look: lookAside } = useSide(frame);
	const width = laidOut.reduce((sum, column) => sum + column.width, NUMBERS);
	const cells = useMemo(() => createCells(worker, keys, view.rows), [worker, keys, view]);
	const shown = useMemo(() => {
		const pinned = laidOut.filter((column) => column.pinned);
		return { pinned, others: isInSight(laidOut, side.left, side.width - NUMBERS) };
	}, [laidOut, side]);
	const look = useCallback(() => {
		drawing.current?.look();
		lookAside();
	}, [lookAside]);
	useLayoutEffect(() => {
		const [element, rows] = [frame.current, body.current];
		if (element === null || rows === null) return;
		drawing.current = createRows(element, rows);
		const watch = new ResizeObserver(look);
		watch.observe(element);
		return () => {
			watch.disconnect();
			drawing.current?.end();
		};
	}, [look, frame, body]);
	useLayoutEffect(() => {
		const marksAt = marks === undefined ? -1 : keys.indexOf(marks);
		const look = { id, lines, height: rowHeight, width, shown, keys, cells, marksAt };
		drawing.current?.draw({ ...look, cursor, selected, getAddress });
	}, [id, lines, rowHeight, width, shown, keys, cells, marks, cursor, selected, getAddress]);

	/** Brings a cell into sight. */
	const scrollTo = (line: number, target: LaidOut | undefined) => {
		const element = frame.current;
		if (element === null || target === undefined) return;
		const top = line * rowHeight;
		if (top < element.scrollTop) element.scrollTop = top;
		else if (top + rowHeight + HEAD > element.scrollTop + element.clientHeight) {
			element.scrollTop = top + rowHeight + HEAD - element.clientHeight;
		}
		if (target.pinned) return;
		const fixed = NUMBERS + shown.pinned.reduce((sum, each) => sum + each.width, 0);
		if (target.left + NUMBERS < element.scrollLeft + fixed) element.scrollLeft = target.left + NUMBERS - fixed;
		else if (target.left + target.width + NUMBERS > element.scrollLeft + element.clientWidth) {
			element.scrollLeft = target.left + target.width + NUMBERS - element.clientWidth;
		}
	};
	return {
		rowHeight,
		width,
		shown,
		cells,
		isScrolled: side.scrolled,
		/** After scrolling. */
		look,
		scrollTo,
		countVisibleRows: () => Math.max(1, Math.floor(((frame.current?.clientHeight ?? 300) - HEAD) / rowHeight) - 1),
	};
}
