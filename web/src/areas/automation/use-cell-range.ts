/** The selected cells of the table that is typed into, and its drawn rows. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useState } from "react";
import type { Cells, Place, Range } from "./grid-model.ts";
import { ROW_PX } from "./input-row.tsx";

export type CellRange = ReturnType<typeof useCellRange>;

/** @param frame the element that scrolls */
export function useCellRange(frame: RefObject<HTMLElement | null>, cells: Cells, width: number) {
	const [wanted, setRange] = useState<Range>({ from: { row: 0, column: 0 }, to: { row: 0, column: 0 } });
	const clamp = ({ row, column }: Place): Place => ({
		row: Math.max(0, Math.min(cells.length - 1, row)),
		column: Math.max(0, Math.min(width - 1, column)),
	});
	// An undone edit may have taken the selected rows away.
	const range: Range = { from: clamp(wanted.from), to: clamp(wanted.to) };
	const rows = useVirtualizer({
		count: cells.length,
		getScrollElement: () => frame.current,
		estimateSize: () => ROW_PX,
		overscan: 10,
		// The head, which is higher where columns have descriptions.
		scrollPaddingStart: 2 * ROW_PX,
	});
	const scrollTo = ({ row, column }: Place) => {
		rows.scrollToIndex(row);
		const element = frame.current;
		const head = element?.querySelector<HTMLElement>(`[data-head="${column}"]`);
		if (!element || !head) return;
		const [left, right] = [head.offsetLeft, head.offsetLeft + head.offsetWidth];
		if (column === 0) element.scrollLeft = 0;
		else if (left < element.scrollLeft) element.scrollLeft = left;
		else if (right > element.scrollLeft + element.clientWidth) element.scrollLeft = right - element.clientWidth;
	};
	const select = (from: Place, to: Place, extend = false) =>
		setRange((before) => ({ from: extend ? { ...from, row: before.from.row } : from, to }));
	return {
		range,
		/** The cell that is edited: the first one of a range that was drawn. */
		active: range.from,
		rows,
		setRange,
		/** Moves to a cell and brings it into sight. */
		go(to: Place, extend = false) {
			const place = clamp(to);
			setRange((before) => ({ from: extend ? before.from : place, to: place }));
			scrollTo(place);
		},
		/** @param extend keeps the row where the selection began */
		select,
		selectRow: (row: number, extend: boolean) => select({ row, column: 0 }, { row, column: width - 1 }, extend),
		selectColumn: (column: number) => select({ row: 0, column }, { row: cells.length - 1, column }),
		selectAll: () => select({ row: 0, column: 0 }, { row: cells.length - 1, column: width - 1 }),
		/** The cell beside, row by row; null beyond the first and the last. */
		findNeighbour({ row, column }: Place, step: 1 | -1): Place | null {
			const at = row * width + column + step;
			return at < 0 || at >= cells.length * width ? null : { row: Math.floor(at / width), column: at % width };
		},
	};
}
