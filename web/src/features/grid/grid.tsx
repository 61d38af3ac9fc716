/**
 * The grid of a result: a worker holds the rows, and only visible ones are drawn. It is one tab
 * stop with a cell cursor.
 */
import { SearchX } from "lucide-react";
import {
	type KeyboardEvent,
	type MouseEvent,
	useCallback,
	useEffect,
	useId,
	useLayoutEffect,
	useMemo,
	useRef,
	useState,
} from "react";
import { UserError } from "../../platform/failures.ts";
import { formatCount } from "../../platform/format.ts";
import { Button } from "../../ui/button.tsx";
import { useLater } from "../../ui/later.ts";
import { Banner, Empty, ProblemBanner } from "../../ui/page.tsx";
import { createCells } from "./cells.ts";
import { ClassTabs } from "./class-tabs.tsx";
import { copyRows, inOrder, sayCopied } from "./copy-rows.ts";
import { writeCondition } from "./filter.ts";
import { GridHead, HEAD } from "./head.tsx";
import { type Arrangement, arrangeColumns, inSight, keepArrangement, readArrangement } from "./layout.ts";
import type { Origin } from "./object-links.tsx";
import type { ColumnInfo, View } from "./protocol.ts";
import { createRows, NUMBERS, type Rows } from "./rows.ts";
import { useRowHeight, useSide } from "./sight.ts";
import { type GridSort, nextSort } from "./sort.ts";
import { GridToolbar } from "./toolbar.tsx";
import { type GridState, type GridWorker, type Source, useGrid } from "./use-grid.ts";

interface GridProps {
	/** What results share an arrangement of columns: a query, a class. */
	readonly scope: string;
	readonly name: string;
	readonly filter: string;
	readonly sort: GridSort | null;
	/** Without it, rows do not lead to the history of their objects. */
	readonly origin?: Origin;
	onFilter(text: string): void;
	onSort(sort: GridSort | null): void;
}

export function ResultGrid(props: GridProps & { readonly source: Source }) {
	return <GridBody {...props} {...useGrid(props.source)} id={props.source.key} />;
}

/** A grid whose worker belongs to the page, which also shows other parts of the document. */
export function GridBody({ state, worker, id, ...props }: GridProps & GridOfProps) {
	if (state.kind === "failed") {
		return (
			<div className="p-3">
				{state.error instanceof UserError ? (
					<Banner tone="bad" title="The rows could not be read." detail={state.error.message} />
				) : (
					<ProblemBanner error={state.error} />
				)}
			</div>
		);
	}
	if (state.kind === "loading") {
		return (
			<div className="p-5 text-muted" role="status">
				{state.rows === 0 ? (
					<span className="skeleton inline-block h-3.5 w-40" />
				) : (
					`${formatCount(state.rows)} rows read`
				)}
			</div>
		);
	}
	if (state.rows === 0) return <Empty>The result is empty: no object matches the query.</Empty>;
	return <Loaded key={id} {...props} worker={worker} total={state.rows} columns={state.columns} />;
}

interface GridOfProps {
	readonly state: GridState;
	readonly worker: GridWorker;
	/** Of the source. */
	readonly id: string;
}

/** Of all rows. */
const filledAtFirst = (columns: readonly ColumnInfo[]): readonly string[] =>
	columns.filter(({ length }) => length > 0).map(({ key }) => key);

const loadPeek = () => import("./row-peek.tsx");
const UNKNOWN: Origin = { query: null, controller: null };

interface LoadedProps extends GridProps {
	readonly worker: GridWorker;
	readonly total: number;
	readonly columns: readonly ColumnInfo[];
}

function Loaded({
	worker,
	total,
	columns,
	scope,
	name,
	filter,
	sort,
	origin = UNKNOWN,
	onFilter,
	onSort,
}: LoadedProps) {
	const id = useId();
	const frame = useRef<HTMLDivElement>(null);
	const body = useRef<HTMLDivElement>(null);
	const drawing = useRef<Rows>(null);
	const rowHeight = useRowHeight();
	const [arrangement, setArrangement] = useState(() => readArrangement(scope));
	const [view, setView] = useState(() => ({ version: 0, rows: total, filled: filledAtFirst(columns) }));
	// Most views fill the same columns: the layout stays the same object for them.
	const filledKey = JSON.stringify(view.filled);
	const laidOut = useMemo(
		() => arrangeColumns(columns, arrangement, new Set(JSON.parse(filledKey) as string[])),
		[columns, arrangement, filledKey],
	);
	const { side, look: lookAside } = useSide(frame);
	const [cursor, setCursor] = useState({ row: 0, column: 0 });
	const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
	const [peeked, setPeeked] = useState<number | null>(null);
	const peek = useLater(loadPeek, peeked !== null);
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

	// Applies a change at once, then stores it in the URL.
	const [wanted, setWanted] = useState({ filter, sort });
	const { column: sortColumn, descending } = sort ?? { column: null, descending: false };
	useEffect(() => {
		setWanted({ filter, sort: sortColumn === null ? null : { column: sortColumn, descending } });
	}, [filter, sortColumn, descending]);
	const setFilter = useCallback(
		(text: string) => {
			setWanted((before) => ({ ...before, filter: text }));
			onFilter(text);
		},
		[onFilter],
	);
	const setSort = useCallback(
		(next: GridSort | null) => {
			setWanted((before) => ({ ...before, sort: next }));
			onSort(next);
		},
		[onSort],
	);

	// Another filter or order is another view of the same rows.
	const first = useRef(true);
	const viewKey = JSON.stringify(wanted);
	useEffect(() => {
		const { filter, sort } = JSON.parse(viewKey) as View;
		if (first.current && filter === "" && sort === null) {
			first.current = false;
			return;
		}
		first.current = false;
		let current = true;
		void worker.ask({ kind: "view", view: { filter, sort } }, "view").then(({ rows, filled, ms }) => {
			if (!current) return;
			performance.measure("weft.grid.view", { start: performance.now() - ms, duration: ms });
			// An empty view keeps its columns: its condition is read from them.
			setView((before) => ({ version: before.version + 1, rows, filled: rows === 0 ? before.filled : filled }));
			setSelected(new Set());
			setCursor(({ column }) => ({ row: 0, column }));
			frame.current?.scrollTo({ top: 0 });
		});
		return () => {
			current = false;
		};
	}, [worker, viewKey]);

	const cells = useMemo(() => createCells(worker, keys, view.rows), [worker, keys, view]);
	const shown = useMemo(() => {
		const pinned = laidOut.filter((column) => column.pinned);
		return { pinned, others: inSight(laidOut, side.left, side.width - NUMBERS) };
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
	}, [look]);
	useLayoutEffect(() => {
		drawing.current?.draw({ id, rows: view.rows, height: rowHeight, width, shown, keys, cells, cursor, selected });
	}, [id, view, rowHeight, width, shown, keys, cells, cursor, selected]);

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
	const narrow = useCallback(
		(key: string, value: string | null, negated = false) =>
			setFilter(`${filter} ${writeCondition(key, value, negated)}`.trim()),
		[setFilter, filter],
	);
	const valueAt = (row: number, key: string): string | undefined => cells.at(row)?.[keys.indexOf(key)];

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
		else if (ctrl && event.key === "c") {
			const marked = getSelection()?.isCollapsed === false;
			const value = key === undefined ? undefined : valueAt(row, key);
			if (marked) return;
			if (selected.size > 0) void copyRows(worker, "tsv", keys, inOrder(selected));
			else if (value !== undefined) void sayCopied(value, "Cell");
		} else if (ctrl || event.altKey) return;
		else if (event.key === "x") {
			anchor.current = row;
			toggle(row);
		} else if (event.key === " " || event.key === "Enter") setPeeked(row);
		else if (event.key === "s" && key) setSort(nextSort(wanted.sort, key));
		else if (event.key === "f" && key) narrow(key, valueAt(row, key) ?? null);
		else if (event.key === "Escape" && selected.size > 0) setSelected(new Set());
		else return;
		event.preventDefault();
	};

	return (
		<div className="flex h-full min-h-0 flex-col">
			<GridToolbar
				{...{ worker, name, filter, total, keys, arrangement, columns }}
				onFilter={setFilter}
				rows={view.rows}
				selected={selected}
				empty={columns.length - view.filled.length}
				onArrange={change}
			/>
			<ClassTabs worker={worker} filter={wanted.filter} onFilter={setFilter} />
			{view.rows === 0 && (
				<div className="border-line border-t">
					<Empty icon={SearchX} action={<Button onClick={() => setFilter("")}>Clear the filter</Button>}>
						No row matches <code className="mono">{wanted.filter}</code>. A condition names a column, as in{" "}
						<code className="mono">{columns[0]?.key}:text</code>.
					</Empty>
				</div>
			)}
			{/* biome-ignore lint/a11y/useSemanticElements: a table of fifty thousand rows is drawn in part only */}
			<div
				ref={frame}
				role="grid"
				aria-label={`${name}: rows`}
				aria-rowcount={view.rows + 1}
				aria-colcount={laidOut.length + 1}
				aria-multiselectable="true"
				tabIndex={0}
				className="group/grid relative min-h-0 flex-1 overflow-auto border-line border-t bg-surface outline-none"
				onScroll={look}
				onKeyDown={onKeyDown}
				onClick={onClick}
			>
				<GridHead
					{...{ width, laidOut, shown, arrangement, worker }}
					sort={wanted.sort}
					onSort={setSort}
					onNarrow={narrow}
					onArrange={change}
				/>
				<div
					ref={body}
					data-scrolled={side.scrolled || undefined}
					className="group/rows relative"
					style={{ width, height: view.rows * rowHeight }}
				/>
			</div>
			{peeked !== null && peek !== null && (
				<peek.RowPeek
					worker={worker}
					at={peeked}
					rows={view.rows}
					origin={origin}
					onNarrow={(key, value) => {
						setPeeked(null);
						narrow(key, value);
					}}
					onMove={(to) => {
						setPeeked(to);
						goTo(to, cursor.column);
					}}
					onClose={() => setPeeked(null)}
				/>
			)}
		</div>
	);

	function onClick({ target, shiftKey, ctrlKey, metaKey, detail }: MouseEvent): void {
		const element = (target as Element).closest<HTMLElement>("[role=row]");
		if (!body.current?.contains(element)) return;
		const row = Number(element?.ariaRowIndex) - 2;
		const column = Number((target as Element).closest<HTMLElement>("[data-column]")?.dataset.column ?? -1);
		if (shiftKey) span(anchor.current, row);
		else {
			anchor.current = row;
			if (ctrlKey || metaKey || column < 0) toggle(row);
		}
		setCursor({ row, column: Math.max(0, column) });
		if (detail === 2) setPeeked(row);
	}
}
