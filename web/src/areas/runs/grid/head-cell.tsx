/** The head of a column: its name sorts, its menu does the rest. */
import {
	ArrowDown,
	ArrowUp,
	ChevronDown,
	EyeOff,
	Group,
	ListFilter,
	MoveHorizontal,
	MoveLeft,
	MoveRight,
	Pin,
	PinOff,
	Ungroup,
} from "lucide-react";
import { type CSSProperties, type PointerEvent, useRef, useState } from "react";
import { formatCount } from "../../../platform/format.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Menu } from "../../../ui/menu.tsx";
import type { GridWorker } from "./grid-worker.ts";
import { type LaidOut, LEAST_WIDTH } from "./layout.ts";
import { computeNextSort, type GridSort } from "./sort.ts";

interface HeadCellProps {
	readonly column: LaidOut;
	readonly index: number;
	readonly style: CSSProperties;
	readonly sort: GridSort | null;
	/** Whether the rows are folded by its values. */
	readonly isGroup: boolean;
	readonly worker: GridWorker;
	onSort(sort: GridSort | null): void;
	onNarrow(value: string | null, negated: boolean): void;
	onGroup(): void;
	onHide(): void;
	onPin(): void;
	onMove(by: -1 | 1): void;
	onResize(width: number): void;
}

const STEP = 60;

export function HeadCell({
	column,
	index,
	style,
	sort,
	isGroup,
	worker,
	onSort,
	onNarrow,
	onGroup,
	onHide,
	onPin,
	onMove,
	onResize,
}: HeadCellProps) {
	const { key, width, pinned, numeric } = column;
	const [values, setValues] = useState<readonly { value: string | null; count: number }[] | null>(null);
	const start = useRef({ x: 0, width: 0 });
	const Arrow = sort?.descending ? ArrowDown : ArrowUp;
	const open = async () => setValues((await worker.ask({ kind: "distinct", key, of: "view" }, "distinct")).values);
	const drag = (event: PointerEvent<HTMLSpanElement>) => {
		if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
		onResize(Math.max(LEAST_WIDTH, start.current.width + event.clientX - start.current.x));
	};
	return (
		// biome-ignore lint/a11y/useSemanticElements: see the grid
		<span
			role="columnheader"
			aria-colindex={index}
			aria-sort={sort === null ? "none" : sort.descending ? "descending" : "ascending"}
			tabIndex={-1}
			className="group/head flex h-full items-center bg-sunken pl-2.5"
			style={style}
		>
			<button
				type="button"
				tabIndex={-1}
				className={`flex h-full min-w-0 flex-1 items-center gap-1 text-left text-muted hover:text-fg ${numeric ? "justify-end" : ""}`}
				onClick={() => onSort(computeNextSort(sort, key))}
			>
				<span className="truncate">{key}</span>
				{sort && <Arrow size={12} className="shrink-0 text-accent-text" aria-hidden="true" />}
			</button>
			<Menu
				align="end"
				trigger={
					<button
						type="button"
						tabIndex={-1}
						aria-label={`Column ${key}`}
						className="grid h-6 w-6 shrink-0 place-items-center rounded-cell text-muted opacity-0 hover:bg-line focus-visible:opacity-100 group-hover/head:opacity-100 aria-expanded:opacity-100"
					>
						<ChevronDown size={13} aria-hidden="true" />
					</button>
				}
				groups={[
					[
						{ label: "Ascending", icon: ArrowUp, run: () => onSort({ column: key, descending: false }) },
						{ label: "Descending", icon: ArrowDown, run: () => onSort({ column: key, descending: true }) },
					],
					[
						{ label: "Values and counts", icon: ListFilter, run: () => void open() },
						isGroup
							? { label: "Remove the grouping", icon: Ungroup, run: onGroup }
							: { label: "Group by this column", icon: Group, keys: "b", run: onGroup },
					],
					[
						{ label: pinned ? "Unpin" : "Pin", icon: pinned ? PinOff : Pin, run: onPin },
						{ label: "Hide", icon: EyeOff, run: onHide },
						{ label: "Move left", icon: MoveLeft, run: () => onMove(-1) },
						{ label: "Move right", icon: MoveRight, run: () => onMove(1) },
						{ label: "Wider", icon: MoveHorizontal, run: () => onResize(width + STEP) },
						{ label: "Narrower", icon: MoveHorizontal, run: () => onResize(Math.max(LEAST_WIDTH, width - STEP)) },
					],
				]}
			/>
			<span
				aria-hidden="true"
				className="absolute inset-y-0 right-0 w-1.5 cursor-col-resize touch-none hover:bg-accent"
				onPointerDown={(event) => {
					event.preventDefault();
					event.currentTarget.setPointerCapture(event.pointerId);
					start.current = { x: event.clientX, width };
				}}
				onPointerMove={drag}
			/>
			<Dialog
				open={values !== null}
				title={`Distinct values of ${key}`}
				description="Of the visible rows, most frequent first."
				onClose={() => setValues(null)}
			>
				<ul className="m-0 list-none p-0">
					{values?.map(({ value, count: times }) => (
						<li key={value ?? ""} className="flex items-center gap-2 border-line border-b py-1 last:border-b-0">
							<span className="mono min-w-0 flex-1 truncate" title={value ?? ""}>
								{value === null ? (
									<i className="text-muted">(no value)</i>
								) : value === "" ? (
									<i className="text-muted">(empty)</i>
								) : (
									value
								)}
							</span>
							<span className="num text-muted">{formatCount(times)}</span>
							<button
								type="button"
								className="h-6 rounded-cell px-1.5 font-medium text-accent-text hover:underline"
								onClick={() => {
									setValues(null);
									onNarrow(value, false);
								}}
							>
								Only
							</button>
							<button
								type="button"
								className="h-6 rounded-cell px-1.5 font-medium text-accent-text hover:underline"
								onClick={() => {
									setValues(null);
									onNarrow(value, true);
								}}
							>
								Without
							</button>
						</li>
					))}
				</ul>
			</Dialog>
		</span>
	);
}
