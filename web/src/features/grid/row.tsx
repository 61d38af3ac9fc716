/** One row of the grid and its cells. Drawn anew only when something of its own changes. */
import { memo } from "react";
import { cx } from "../../ui/classes.ts";
import type { LaidOut } from "./layout.ts";

/** Pixels of the column with the numbers of the rows. */
export const NUMBERS = 56;

export const placeOf = ({ pinned, left, width }: LaidOut) =>
	pinned
		? ({ position: "sticky", left: left + NUMBERS, width, zIndex: 1 } as const)
		: ({ position: "absolute", left: left + NUMBERS, width } as const);

/** As above, in a row. What sticks has a layer of its own, so nothing does before there is something to stick for. */
const rowPlaceOf = (column: LaidOut, scrolled: boolean) =>
	column.pinned && !scrolled ? { ...placeOf(column), position: "absolute" as const } : placeOf(column);

interface RowProps {
	readonly id: string;
	readonly row: number;
	readonly top: number;
	readonly height: number;
	readonly width: number;
	/** Undefined while they are on their way. */
	readonly cells: readonly string[] | undefined;
	/** To the side. */
	readonly scrolled: boolean;
	readonly shown: { readonly pinned: readonly LaidOut[]; readonly others: readonly LaidOut[] };
	readonly keys: readonly string[];
	readonly cursor: number | null;
	readonly selected: boolean;
	onPoint(
		row: number,
		column: number,
		event: { shiftKey: boolean; ctrlKey: boolean; metaKey: boolean; detail: number },
	): void;
}

export const Row = memo(
	function Row({ id, row, top, height, width, cells, scrolled, shown, keys, cursor, selected, onPoint }: RowProps) {
		return (
			// biome-ignore lint/a11y/useSemanticElements: see the grid
			// biome-ignore lint/a11y/useKeyWithClickEvents: the grid hears the keys
			<div
				role="row"
				aria-rowindex={row + 2}
				aria-selected={selected}
				tabIndex={-1}
				className={cx(
					"absolute flex border-line border-b [contain:strict]",
					selected ? "bg-accent-soft" : "bg-surface hover:bg-sunken",
				)}
				style={{ top, height, width, lineHeight: `${height - 1}px` }}
				onClick={(event) => onPoint(row, columnOf(event.target), event)}
			>
				{/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
				<span
					role="rowheader"
					tabIndex={-1}
					className={cx(
						"num left-0 z-[2] shrink-0 bg-inherit pr-3 text-right text-muted text-xs leading-[inherit]!",
						scrolled ? "sticky" : "relative",
					)}
					style={{ width: NUMBERS }}
				>
					{row + 1}
				</span>
				{(cells === undefined ? [] : [...shown.pinned, ...shown.others]).map((column) => {
					const at = keys.indexOf(column.key);
					const { text, look } = cellOf(column.key, cells?.[at] ?? "");
					return (
						// biome-ignore lint/a11y/useSemanticElements: see the grid
						<span
							key={column.key}
							id={`${id}-${row}-${at}`}
							role="gridcell"
							aria-colindex={at + 2}
							tabIndex={-1}
							data-column={at}
							title={text.length > 24 ? text : undefined}
							className={cx(
								"mono h-full truncate px-2.5 leading-[inherit]!",
								look,
								column.pinned && "bg-inherit",
								column.numeric && "text-right",
								cursor === at &&
									"group-focus-visible/grid:outline-2 group-focus/grid:outline-2 outline-accent outline-offset-[-2px]",
							)}
							style={rowPlaceOf(column, scrolled)}
						>
							{text}
						</span>
					);
				})}
			</div>
		);
	},
	// What is called on a click is the grid's own and does the same.
	(a, b) =>
		a.row === b.row &&
		a.cells === b.cells &&
		a.scrolled === b.scrolled &&
		a.shown === b.shown &&
		a.cursor === b.cursor &&
		a.selected === b.selected &&
		a.height === b.height &&
		a.width === b.width,
);

const columnOf = (target: EventTarget): number =>
	Number((target as Element).closest<HTMLElement>("[data-column]")?.dataset.column ?? -1);

/** States that a network engineer looks for have their shape and their colour. */
function cellOf(name: string, text: string): { text: string; look?: string } {
	if (/st(ate|atus)?$/i.test(name)) {
		if (text === "up") return { text: "▲ up", look: "text-ok" };
		if (text === "down") return { text: "▼ down", look: "text-bad" };
	}
	return { text };
}
