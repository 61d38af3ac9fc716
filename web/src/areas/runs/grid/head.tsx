/** Column heads. Rerendered only for changes of columns, sort order or horizontal range. */
import { memo } from "react";
import type { GridWorker } from "./grid-worker.ts";
import { HeadCell } from "./head-cell.tsx";
import { type Arrangement, type LaidOut, moveColumn } from "./layout.ts";
import { NUMBERS } from "./rows.ts";
import type { GridSort } from "./sort.ts";

/** Height of the head row, in pixels. */
export const HEAD = 30;

const findPlace = ({ pinned, left, width }: LaidOut) =>
	pinned
		? ({ position: "sticky", left: left + NUMBERS, width, zIndex: 1 } as const)
		: ({ position: "absolute", left: left + NUMBERS, width } as const);

interface HeadProps {
	readonly width: number;
	readonly laidOut: readonly LaidOut[];
	readonly shown: { readonly pinned: readonly LaidOut[]; readonly others: readonly LaidOut[] };
	readonly arrangement: Arrangement;
	readonly worker: GridWorker;
	readonly sort: GridSort | null;
	/** Key of the column whose values fold the rows; null: none. */
	readonly group: string | null;
	onSort(sort: GridSort | null): void;
	onNarrow(key: string, value: string | null, negated?: boolean): void;
	onGroup(group: string | null): void;
	onArrange(change: Partial<Arrangement>): void;
}

export const GridHead = memo(function GridHead({
	width,
	laidOut,
	shown,
	arrangement,
	worker,
	sort,
	group,
	onSort,
	onNarrow,
	onGroup,
	onArrange,
}: HeadProps) {
	return (
		// biome-ignore lint/a11y/useSemanticElements: see the grid
		<div
			role="row"
			aria-rowindex={1}
			tabIndex={-1}
			className="sticky top-0 z-[3] flex border-line border-b bg-sunken"
			style={{ width, height: HEAD }}
		>
			{/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
			<span
				role="columnheader"
				aria-colindex={1}
				tabIndex={-1}
				className="sticky left-0 z-[2] flex shrink-0 items-center justify-end bg-sunken pr-3 text-muted"
				style={{ width: NUMBERS }}
			>
				#
			</span>
			{[...shown.pinned, ...shown.others].map((column) => (
				<HeadCell
					key={column.key}
					column={column}
					index={laidOut.indexOf(column) + 2}
					style={findPlace(column)}
					sort={sort?.column === column.key ? sort : null}
					isGroup={group === column.key}
					worker={worker}
					onSort={onSort}
					onNarrow={(value, negated) => onNarrow(column.key, value, negated)}
					onGroup={() => onGroup(group === column.key ? null : column.key)}
					onHide={() => onArrange({ hidden: [...arrangement.hidden, column.key] })}
					onPin={() =>
						onArrange({
							pinned: column.pinned
								? arrangement.pinned.filter((key) => key !== column.key)
								: [...arrangement.pinned, column.key],
						})
					}
					onMove={(by) => onArrange({ order: moveColumn(laidOut, column.key, by) })}
					onResize={(size) => onArrange({ widths: { ...arrangement.widths, [column.key]: size } })}
				/>
			))}
		</div>
	);
});
