/**
 * The grid of a result: tens of thousands of rows that a worker holds, of which only what is in sight is drawn. One stop for
 * the tab key, with a cell cursor inside.
 */
import {
	type KeyboardEvent,
	memo,
	useCallback,
	useEffect,
	useId,
	useLayoutEffect,
	useMemo,
	useRef,
	useState,
} from "react";
import { count } from "../../platform/format.ts";
import { cx } from "../../ui/classes.ts";
import { Banner, Empty } from "../../ui/page.tsx";
import { writeCondition } from "./filter.ts";
import { HeadCell } from "./head-cell.tsx";
import { type Arrangement, arrange, inSight, keepArrangement, type LaidOut, moved, readArrangement } from "./layout.ts";
import { RowPeek } from "./row-peek.tsx";
import { type GridSort, nextSort } from "./sort.ts";
import { GridToolbar } from "./toolbar.tsx";
import type { GridWorker, Source } from "./use-grid.ts";
import { useGrid } from "./use-grid.ts";

interface GridProps {
	readonly source: Source;
	/** What results share an arrangement of columns: a query, a class. */
	readonly scope: string;
	readonly name: string;
	readonly filter: string;
	readonly sort: GridSort | null;
	onFilter(text: string): void;
	onSort(sort: GridSort | null): void;
}

const HEAD = 30;
const NUMBERS = 56;
const OVERSCAN = 24;

export function ResultGrid(props: GridProps) {
	const { state, worker } = useGrid(props.source);
	if (state.kind === "failed") {
		return (
			<div className="p-3">
				<Banner tone="bad" title="The rows could not be read." detail={state.message} />
			</div>
		);
	}
	if (state.kind === "loading") {
		return (
			<div className="p-5 text-muted" role="status">
				{state.rows === 0 ? <span className="skeleton inline-block h-3.5 w-40" /> : `${count(state.rows)} rows read`}
			</div>
		);
	}
	if (state.rows === 0) return <Empty>The answer is empty: no object meets what the query asks.</Empty>;
	return <Loaded key={props.source.key} {...props} worker={worker} total={state.rows} columns={state.columns} />;
}

interface LoadedProps extends GridProps {
	readonly worker: GridWorker;
	readonly total: number;
	readonly columns: Parameters<typeof arrange>[0];
}

interface Sight {
	readonly first: number;
	readonly last: number;
	readonly left: number;
	readonly width: number;
}

/** Cells that were fetched: of rows from `from` on, under these keys. `version` tells views apart. */
interface Fetched {
	readonly version: number;
	readonly from: number;
	readonly keys: readonly string[];
	readonly cells: readonly (readonly string[])[];
}

function Loaded({ worker, total, columns, scope, name, filter, sort, onFilter, onSort }: LoadedProps) {
	const id = useId();
	const frame = useRef<HTMLDivElement>(null);
	const rowHeight = useRowHeight();
	const [arrangement, setArrangement] = useState(() => readArrangement(scope));
	const laidOut = useMemo(() => arrange(columns, arrangement), [columns, arrangement]);
	const [view, setView] = useState({ version: 0, rows: total });
	const [sight, setSight] = useState<Sight>({ first: 0, last: 40, left: 0, width: 1200 });
	const [fetched, setFetched] = useState<Fetched>({ version: -1, from: 0, keys: [], cells: [] });
	const [cursor, setCursor] = useState({ row: 0, column: 0 });
	const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
	const [peeked, setPeeked] = useState<number | null>(null);
	const anchor = useRef(0);
	const keys = useMemo(() => laidOut.map(({ key }) => key), [laidOut]);
	const width = laidOut.reduce((sum, column) => sum + column.width, NUMBERS);

	const change = useCallback(
		(next: Partial<Arrangement>) => {
			setArrangement((before) => {
				const after = { ...before, ...next };
				keepArrangement(scope, after);
				return after;
			});
		},
		[scope],
	);

	// Another filter or order is another view of the same rows.
	const first = useRef(true);
	useEffect(() => {
		if (first.current && filter === "" && sort === null) {
			first.current = false;
			return;
		}
		first.current = false;
		let current = true;
		void worker.ask({ kind: "view", view: { filter, sort } }, "view").then(({ rows, ms }) => {
			if (!current) return;
			performance.measure("weft.grid.view", { start: performance.now() - ms, duration: ms });
			setView(({ version }) => ({ version: version + 1, rows }));
			setSelected(new Set());
			setCursor(({ column }) => ({ row: 0, column }));
			frame.current?.scrollTo({ top: 0 });
		});
		return () => {
			current = false;
		};
	}, [worker, filter, sort]);

	const look = useCallback(() => {
		const element = frame.current;
		if (element === null) return;
		const from = Math.max(0, Math.floor(element.scrollTop / rowHeight) - OVERSCAN);
		const to = Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + OVERSCAN;
		// In steps, so that not every pixel draws anew.
		const next = {
			first: from - (from % 8),
			last: to + 8 - (to % 8),
			left: element.scrollLeft,
			width: element.clientWidth,
		};
		setSight((before) =>
			before.first === next.first &&
			before.last === next.last &&
			before.left === next.left &&
			before.width === next.width
				? before
				: next,
		);
	}, [rowHeight]);
	useLayoutEffect(() => {
		look();
		const element = frame.current;
		if (element === null) return;
		const watch = new ResizeObserver(look);
		watch.observe(element);
		return () => watch.disconnect();
	}, [look]);

	const [from, to] = [sight.first, Math.min(view.rows, sight.last)];
	useEffect(() => {
		let current = true;
		void worker.ask({ kind: "cells", from, to, keys }, "cells").then(({ cells }) => {
			if (current) setFetched({ version: view.version, from, keys, cells });
		});
		return () => {
			current = false;
		};
	}, [worker, from, to, keys, view]);

	const shown = useMemo(() => {
		const pinned = laidOut.filter((column) => column.pinned);
		return { pinned, others: inSight(laidOut, sight.left, sight.width - NUMBERS) };
	}, [laidOut, sight.left, sight.width]);
	const places = useMemo(() => new Map(fetched.keys.map((key, index) => [key, index])), [fetched.keys]);

	const goTo = (row: number, column: number) => {
		const to = {
			row: Math.max(0, Math.min(view.rows - 1, row)),
			column: Math.max(0, Math.min(laidOut.length - 1, column)),
		};
		setCursor(to);
		const element = frame.current;
		const target = laidOut[to.column];
		if (element === null || target === undefined) return;
		const top = to.row * rowHeight;
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
	const toggle = (row: number) =>
		setSelected((before) => {
			const next = new Set(before);
			if (!next.delete(row)) next.add(row);
			return next;
		});
	const span = (a: number, b: number) =>
		setSelected(new Set(Array.from({ length: Math.abs(a - b) + 1 }, (_, index) => Math.min(a, b) + index)));
	const narrow = (key: string, value: string | null, negated = false) =>
		onFilter(`${filter} ${writeCondition(key, value, negated)}`.trim());
	const valueAt = (row: number, key: string): string | undefined =>
		fetched.cells[row - fetched.from]?.[places.get(key) ?? -1];

	const onKeyDown = (event: KeyboardEvent) => {
		if (event.target !== frame.current) return;
		const page = Math.max(1, Math.floor(((frame.current?.clientHeight ?? 300) - HEAD) / rowHeight) - 1);
		const { row, column } = cursor;
		const ctrl = event.ctrlKey || event.metaKey;
		const moves: Record<string, [number, number]> = {
			ArrowDown: [row + 1, column],
			ArrowUp: [row - 1, column],
			ArrowRight: [row, column + 1],
			ArrowLeft: [row, column - 1],
			PageDown: [row + page, column],
			PageUp: [row - page, column],
			Home: ctrl ? [0, 0] : [row, 0],
			End: ctrl ? [view.rows - 1, laidOut.length - 1] : [row, laidOut.length - 1],
			...(ctrl ? {} : { j: [row + 1, column], k: [row - 1, column] }),
		};
		const move = moves[event.key];
		const key = laidOut[column]?.key;
		if (move !== undefined) {
			if (event.shiftKey && !selected.has(row)) anchor.current = row;
			goTo(...move);
			if (event.shiftKey) span(anchor.current, Math.max(0, Math.min(view.rows - 1, move[0])));
		} else if (ctrl && event.key === "a") span(0, view.rows - 1);
		else if (ctrl || event.altKey) return;
		else if (event.key === "x") {
			anchor.current = row;
			toggle(row);
		} else if (event.key === " " || event.key === "Enter") setPeeked(row);
		else if (event.key === "s" && key) onSort(nextSort(sort, key));
		else if (event.key === "f" && key) narrow(key, valueAt(row, key) ?? null);
		else if (event.key === "Escape" && selected.size > 0) setSelected(new Set());
		else return;
		event.preventDefault();
	};

	const drawn: number[] = [];
	for (let row = from; row < to; row++) drawn.push(row);
	const rowIsThere = cursor.row >= from && cursor.row < to;
	return (
		<div className="flex h-full min-h-0 flex-col">
			<GridToolbar
				{...{ worker, name, filter, onFilter, total, keys, arrangement, columns }}
				rows={view.rows}
				selected={selected}
				onArrange={change}
			/>
			{/* biome-ignore lint/a11y/useSemanticElements: a table of fifty thousand rows is drawn in part only */}
			<div
				ref={frame}
				role="grid"
				aria-label={`${name}: rows`}
				aria-rowcount={view.rows + 1}
				aria-colcount={laidOut.length + 1}
				aria-multiselectable="true"
				aria-activedescendant={rowIsThere ? `${id}-${cursor.row}-${cursor.column}` : undefined}
				tabIndex={0}
				className="group/grid relative min-h-0 flex-1 overflow-auto border-line border-t bg-surface outline-none"
				onScroll={look}
				onKeyDown={onKeyDown}
			>
				{/* biome-ignore lint/a11y/useSemanticElements: see above */}
				<div
					role="row"
					aria-rowindex={1}
					tabIndex={-1}
					className="sticky top-0 z-[3] flex border-line border-b bg-sunken"
					style={{ width, height: HEAD }}
				>
					{/* biome-ignore lint/a11y/useSemanticElements: see above */}
					<span
						role="columnheader"
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
							style={placeOf(column)}
							sort={sort?.column === column.key ? sort : null}
							worker={worker}
							onSort={onSort}
							onNarrow={(value, negated) => narrow(column.key, value, negated)}
							onHide={() => change({ hidden: [...arrangement.hidden, column.key] })}
							onPin={() =>
								change({
									pinned: column.pinned
										? arrangement.pinned.filter((key) => key !== column.key)
										: [...arrangement.pinned, column.key],
								})
							}
							onMove={(by) => change({ order: moved(laidOut, column.key, by) })}
							onResize={(size) => change({ widths: { ...arrangement.widths, [column.key]: size } })}
						/>
					))}
				</div>
				<div className="relative" style={{ width, height: view.rows * rowHeight }}>
					{drawn.map((row) => (
						<Row
							key={row}
							{...{ id, row, width, places, shown, keys }}
							top={row * rowHeight}
							height={rowHeight}
							cells={fetched.version === view.version ? fetched.cells[row - fetched.from] : undefined}
							cursor={cursor.row === row ? cursor.column : null}
							selected={selected.has(row)}
							onPoint={setPoint}
						/>
					))}
				</div>
			</div>
			{peeked !== null && (
				<RowPeek
					worker={worker}
					at={peeked}
					rows={view.rows}
					onMove={(to) => {
						setPeeked(to);
						goTo(to, cursor.column);
					}}
					onClose={() => setPeeked(null)}
				/>
			)}
		</div>
	);

	function setPoint(
		row: number,
		column: number,
		event: { shiftKey: boolean; ctrlKey: boolean; metaKey: boolean; detail: number },
	) {
		if (event.shiftKey) span(anchor.current, row);
		else if (event.ctrlKey || event.metaKey || column < 0) {
			anchor.current = row;
			toggle(row);
		} else anchor.current = row;
		setCursor({ row, column: Math.max(0, column) });
		if (event.detail === 2) setPeeked(row);
	}
}

const placeOf = ({ pinned, left, width }: LaidOut) =>
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
	readonly places: ReadonlyMap<string, number>;
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

const Row = memo(
	function Row({ id, row, top, height, width, cells, places, shown, keys, cursor, selected, onPoint }: RowProps) {
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
					const text = cells?.[places.get(column.key) ?? -1] ?? "";
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
		a.width === b.width &&
		a.places === b.places,
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

/** Follows the density. */
function useRowHeight(): number {
	const [height, setHeight] = useState(28);
	useLayoutEffect(() => {
		const root = document.documentElement;
		const read = () => {
			const rem = Number.parseFloat(getComputedStyle(root).getPropertyValue("--row"));
			setHeight(Math.round(rem * Number.parseFloat(getComputedStyle(root).fontSize)));
		};
		read();
		const watch = new MutationObserver(read);
		watch.observe(root, { attributes: true, attributeFilter: ["data-density"] });
		return () => watch.disconnect();
	}, []);
	return height;
}
