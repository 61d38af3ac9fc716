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

interface RowProps {
	readonly id: string;
	readonly row: number;
	readonly top: number;
	readonly height: number;
	readonly width: number;
	readonly cells: readonly string[] | undefined;
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
	function Row({ id, row, top, height, width, cells, shown, keys, cursor, selected, onPoint }: RowProps) {
		return (
			// biome-ignore lint/a11y/useSemanticElements: see the grid
			// biome-ignore lint/a11y/useKeyWithClickEvents: the grid hears the keys
			<div
				role="row"
				aria-rowindex={row + 2}
				aria-selected={selected}
				tabIndex={-1}
				className={cx("absolute flex border-line border-b", selected ? "bg-accent-soft" : "bg-surface hover:bg-sunken")}
				style={{ transform: `translateY(${top}px)`, height, width }}
				onClick={(event) => onPoint(row, columnOf(event.target), event)}
			>
				{/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
				<span
					role="rowheader"
					tabIndex={-1}
					className="num sticky left-0 z-[2] flex shrink-0 items-center justify-end bg-inherit pr-3 text-muted text-xs"
					style={{ width: NUMBERS }}
				>
					{row + 1}
				</span>
				{[...shown.pinned, ...shown.others].map((column) => {
					const at = keys.indexOf(column.key);
					const text = cells?.[at] ?? "";
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
								"mono flex h-full items-center px-2.5",
								column.pinned && "bg-inherit",
								column.numeric && "justify-end",
								cursor === at &&
									"group-focus-visible/grid:outline-2 group-focus/grid:outline-2 outline-accent outline-offset-[-2px]",
							)}
							style={placeOf(column)}
						>
							<Cell name={column.key} text={text} />
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
		a.shown === b.shown &&
		a.cursor === b.cursor &&
		a.selected === b.selected &&
		a.height === b.height &&
		a.width === b.width,
);

const columnOf = (target: EventTarget): number =>
	Number((target as Element).closest<HTMLElement>("[data-column]")?.dataset.column ?? -1);

/** States that a network engineer looks for have their shape and their colour. */
function Cell({ name, text }: { name: string; text: string }) {
	if (/st(ate|atus)?$/i.test(name)) {
		if (text === "up") return <span className="truncate text-ok">▲ up</span>;
		if (text === "down") return <span className="truncate text-bad">▼ down</span>;
	}
	return <span className="truncate">{text}</span>;
}
