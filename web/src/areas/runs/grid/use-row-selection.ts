/** The cell cursor, the selected rows, and the row that is peeked at. */
import { useRef, useState } from "react";

export type RowSelection = ReturnType<typeof useRowSelection>;

export function useRowSelection() {
	/** Its row is a line of the grid. */
	const [cursor, setCursor] = useState({ row: 0, column: 0 });
	/** Places of rows in the view. */
	const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
	const [peeked, setPeeked] = useState<number | null>(null);
	/** Place of the row where a range begins. */
	const anchor = useRef(0);
	return {
		cursor,
		setCursor,
		selected,
		peeked,
		setPeeked,
		anchor,
		clear: () => setSelected(new Set()),
		/** Back to the first row of another view. */
		reset() {
			setSelected(new Set());
			setPeeked(null);
			setCursor(({ column }) => ({ row: 0, column }));
		},
		toggle: (row: number) =>
			setSelected((before) => {
				const next = new Set(before);
				if (!next.delete(row)) next.add(row);
				return next;
			}),
		/** Selects the rows of a range without its end; if all of them are, none of them. */
		toggleRange: (from: number, to: number) =>
			setSelected((before) => {
				const range = Array.from({ length: to - from }, (_, index) => from + index);
				const isWhole = range.every((place) => before.has(place));
				const next = new Set(before);
				for (const place of range) {
					if (isWhole) next.delete(place);
					else next.add(place);
				}
				return next;
			}),
		/** Selects all rows between two, with both. */
		span: (a: number, b: number) =>
			setSelected(new Set(Array.from({ length: Math.abs(a - b) + 1 }, (_, index) => Math.min(a, b) + index))),
	};
}
