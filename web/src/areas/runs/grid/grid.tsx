/**
 * The grid of a result: a worker holds the rows, and only visible ones are drawn. It is one tab
 * stop with a cell cursor.
 */
import { SearchX } from "lucide-react";
import { useCallback, useId, useRef } from "react";
import { UserError } from "../../../platform/failures.ts";
import { formatCount } from "../../../platform/format.ts";
import { Button } from "../../../ui/button.tsx";
import { useLater } from "../../../ui/later.ts";
import { Banner, Empty, ProblemBanner } from "../../../ui/page.tsx";
import { ClassTabs } from "./class-tabs.tsx";
import { writeCondition } from "./filter.ts";
import type { GridWorker } from "./grid-worker.ts";
import { GridHead } from "./head.tsx";
import { handleGridClick, handleGridKey } from "./input.ts";
import type { Origin } from "./object-links.tsx";
import type { ColumnInfo } from "./protocol.ts";
import { computeNextSort } from "./sort.ts";
import { GridToolbar } from "./toolbar.tsx";
import { useAddresses } from "./use-addresses.ts";
import { useArrangement } from "./use-arrangement.ts";
import { useDrawing } from "./use-drawing.ts";
import { type GridState, type Source, useGrid } from "./use-grid.ts";
import { useRowSelection } from "./use-row-selection.ts";
import { useView, type ViewSearch } from "./use-view.ts";

interface GridProps extends ViewSearch {
	/** What results share an arrangement of columns: a query, a class. */
	readonly scope: string;
	readonly name: string;
	/** Without it, rows do not lead to the history of their objects. */
	readonly origin?: Origin;
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

const loadPeek = () => import("./row-peek.tsx");
const UNKNOWN: Origin = { query: null, controller: null };

interface LoadedProps extends GridProps {
	readonly worker: GridWorker;
	readonly total: number;
	readonly columns: readonly ColumnInfo[];
}

function Loaded({ worker, total, columns, scope, name, origin = UNKNOWN, ...search }: LoadedProps) {
	const id = useId();
	const frame = useRef<HTMLDivElement>(null);
	const body = useRef<HTMLDivElement>(null);
	const selection = useRowSelection();
	const { peeked } = selection;
	const peek = useLater(loadPeek, peeked !== null);
	const { view, wanted, setFilter, setSort } = useView({ worker, total, columns }, search, () => {
		selection.reset();
		frame.current?.scrollTo({ top: 0 });
	});
	const { arrangement, arrange, laidOut, keys } = useArrangement(scope, columns, view.filled);
	const { getAddress, openAddress } = useAddresses(origin, keys);
	const drawing = useDrawing({ id, frame, body, worker, view, laidOut, keys, selection, getAddress });
	const { width } = drawing;
	const { filter } = search;
	const goTo = (row: number, column: number) => {
		const to = {
			row: Math.max(0, Math.min(view.rows - 1, row)),
			column: Math.max(0, Math.min(laidOut.length - 1, column)),
		};
		selection.setCursor(to);
		drawing.scrollTo(to.row, laidOut[to.column]);
	};
	const narrow = useCallback(
		(key: string, value: string | null, negated = false) =>
			setFilter(`${filter} ${writeCondition(key, value, negated)}`.trim()),
		[setFilter, filter],
	);
	const input = {
		worker,
		selection,
		rows: view.rows,
		keys,
		countVisibleRows: drawing.countVisibleRows,
		getValue: (row: number, key: string) => drawing.cells.at(row)?.[keys.indexOf(key)],
		goTo,
		onSortBy: (key: string) => setSort(computeNextSort(wanted.sort, key)),
		onNarrow: narrow,
	};
	return (
		<div className="flex h-full min-h-0 flex-col">
			<GridToolbar
				{...{ worker, name, filter, total, keys, arrangement, columns }}
				onFilter={setFilter}
				rows={view.rows}
				selected={selection.selected}
				empty={columns.length - view.filled.length}
				onArrange={arrange}
			/>
			<ClassTabs worker={worker} filter={wanted.filter} onFilter={setFilter} />
			{view.rows === 0 && <NoMatch filter={wanted.filter} example={columns[0]?.key} onClear={() => setFilter("")} />}
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
				onScroll={drawing.look}
				onKeyDown={(event) => handleGridKey(event, input)}
				onClick={(event) => handleGridClick(event, body.current, selection, openAddress)}
			>
				<GridHead
					{...{ width, laidOut, arrangement, worker }}
					shown={drawing.shown}
					sort={wanted.sort}
					onSort={setSort}
					onNarrow={narrow}
					onArrange={arrange}
				/>
				<div
					ref={body}
					data-scrolled={drawing.isScrolled || undefined}
					className="group/rows relative"
					style={{ width, height: view.rows * drawing.rowHeight }}
				/>
			</div>
			{peeked !== null && peek !== null && (
				<peek.RowPeek
					worker={worker}
					at={peeked}
					rows={view.rows}
					origin={origin}
					onNarrow={(key, value) => {
						selection.setPeeked(null);
						narrow(key, value);
					}}
					onMove={(to) => {
						selection.setPeeked(to);
						goTo(to, selection.cursor.column);
					}}
					onClose={() => selection.setPeeked(null)}
				/>
			)}
		</div>
	);
}

interface NoMatchProps {
	readonly filter: string;
	/** Key of a column. */
	readonly example: string | undefined;
	onClear(): void;
}

function NoMatch({ filter, example, onClear }: NoMatchProps) {
	return (
		<div className="border-line border-t">
			<Empty icon={SearchX} action={<Button onClick={onClear}>Clear the filter</Button>}>
				No row matches <code className="mono">{filter}</code>. A condition names a column, as in{" "}
				<code className="mono">{example}:text</code>.
			</Empty>
		</div>
	);
}
