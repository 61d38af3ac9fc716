/**
 * The grid of a result: a worker holds the rows, and only visible ones are drawn. It is one tab
 * stop with a cell cursor.
 */
import { SearchX } from "lucide-react";
import { useCallback, useId, useRef } from "react";
import { flushSync } from "react-dom";
import { UserError } from "../../../platform/failures.ts";
import { formatCount } from "../../../platform/format.ts";
import { Button } from "../../../ui/button.tsx";
import { useLater } from "../../../ui/later.ts";
import { Banner, Empty, ProblemBanner } from "../../../ui/page.tsx";
import { ClassTabs } from "./class-tabs.tsx";
import { writeCondition } from "./filter.ts";
import type { GridWorker } from "./grid-worker.ts";
import { GroupBar } from "./group-bar.tsx";
import { GridHead } from "./head.tsx";
import { handleGridClick, handleGridKey, handleHeadKey } from "./input.ts";
import { createArrangement } from "./layout.ts";
import type { Origin } from "./object-links.tsx";
import type { ColumnInfo } from "./protocol.ts";
import { computeNextSort } from "./sort.ts";
import { GridToolbar } from "./toolbar.tsx";
import { useAddresses } from "./use-addresses.ts";
import { useArrangement } from "./use-arrangement.ts";
import { useDrawing } from "./use-drawing.ts";
import { useFolds } from "./use-folds.ts";
import { type GridState, type Source, useGrid } from "./use-grid.ts";
import { useRowSelection } from "./use-row-selection.ts";
import { useView, type ViewSearch } from "./use-view.ts";

interface GridProps extends ViewSearch {
	/** What results share an arrangement of columns: a query, a class. */
	readonly scope: string;
	readonly name: string;
	/** Names the rows for screen readers; the name of the files by default. */
	readonly label?: string;
	/** Keys of the columns that stand before those that name an object. */
	readonly first?: readonly string[];
	/** Key of the column that names the columns of a row to mark, separated by commas. */
	readonly marks?: string;
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
	if (state.kind === "loading" && state.first !== undefined) {
		const { rows, columns } = state.first;
		return (
			<div className="flex h-full min-h-0 flex-col">
				<p className="m-0 px-3 py-1 text-muted" role="status">
					{`The first ${formatCount(rows)} rows. ${formatCount(state.rows)} rows are read so far.`}
				</p>
				<div className="min-h-0 flex-1">
					<Loaded key={`${id} first`} {...props} worker={worker} total={rows} columns={columns} />
				</div>
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
const NONE: readonly string[] = [];

interface LoadedProps extends GridProps {
	readonly worker: GridWorker;
	readonly total: number;
	readonly columns: readonly ColumnInfo[];
}

function Loaded(props: LoadedProps) {
	const { worker, total, columns, scope, name, label = name, first = NONE, marks, origin = UNKNOWN, ...search } = props;
	const id = useId();
	const frame = useRef<HTMLDivElement>(null);
	const body = useRef<HTMLDivElement>(null);
	const selection = useRowSelection();
	const { peeked } = selection;
	const peek = useLater(loadPeek, peeked !== null);
	const { view, wanted, setFilter, setSort, setGroup } = useView({ worker, total, columns }, search, () => {
		selection.reset();
		frame.current?.scrollTo({ top: 0 });
	});
	const { lines, ...folds } = useFolds(view);
	const { arrangement, arrange, laidOut, keys } = useArrangement(scope, columns, view.filled, first);
	const reset = useCallback(() => arrange(createArrangement(first)), [arrange, first]);
	const { getAddress, openAddress } = useAddresses(origin, keys);
	const drawn = { id, frame, body, worker, view, lines, laidOut, keys, selection, marks, getAddress };
	const drawing = useDrawing(drawn);
	const { width } = drawing;
	const { filter } = search;
	const goTo = (line: number, column: number) => {
		const to = {
			row: Math.max(0, Math.min(lines.count - 1, line)),
			column: Math.max(0, Math.min(laidOut.length - 1, column)),
		};
		selection.setCursor(to);
		drawing.scrollTo(to.row, laidOut[to.column]);
	};
	const focusHead = (column: number) => {
		// The head of a column that was out of sight is drawn before it is focused.
		flushSync(() => {
			goTo(0, column);
			drawing.look();
		});
		frame.current?.querySelector<HTMLElement>(`[aria-colindex="${column + 2}"] [aria-haspopup=menu]`)?.focus();
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
		lines,
		group: wanted.group,
		keys,
		countVisibleRows: drawing.countVisibleRows,
		getValue: (place: number, key: string) => drawing.cells.at(place)?.[keys.indexOf(key)],
		goTo,
		onFocusHead: focusHead,
		onSortBy: (key: string) => setSort(computeNextSort(wanted.sort, key)),
		onNarrow: narrow,
		onGroup: setGroup,
		onToggleFold: folds.toggle,
	};
	const goToStart = () => {
		selection.setCursor({ row: 0, column: 0 });
		frame.current?.scrollTo({ top: 0 });
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
				onReset={reset}
			/>
			<ClassTabs worker={worker} filter={wanted.filter} onFilter={setFilter} />
			{wanted.group !== null && (
				<GroupBar
					group={wanted.group}
					count={view.groups?.values.length ?? 0}
					onOpenAll={() => {
						folds.openAll();
						goToStart();
					}}
					onCloseAll={() => {
						folds.closeAll();
						goToStart();
					}}
					onRemove={() => setGroup(null)}
				/>
			)}
			{view.rows === 0 && <NoMatch filter={wanted.filter} example={columns[0]?.key} onClear={() => setFilter("")} />}
			{/* biome-ignore lint/a11y/noStaticElementInteractions: its role is one of two */}
			{/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles have them */}
			<div
				ref={frame}
				role={lines.isFolded ? "treegrid" : "grid"}
				aria-label={`${label}: rows`}
				aria-rowcount={lines.count + 1}
				aria-colcount={laidOut.length + 1}
				aria-multiselectable="true"
				tabIndex={0}
				className="group/grid relative min-h-0 flex-1 overflow-auto border-line border-t bg-surface outline-none"
				onScroll={drawing.look}
				onKeyDownCapture={(event) => handleHeadKey(event, input)}
				onKeyDown={(event) => handleGridKey(event, input)}
				onClick={(event) => handleGridClick(event, body.current, input, openAddress)}
			>
				<GridHead
					{...{ width, laidOut, arrangement, worker }}
					shown={drawing.shown}
					sort={wanted.sort}
					group={wanted.group}
					onSort={setSort}
					onNarrow={narrow}
					onGroup={setGroup}
					onArrange={arrange}
				/>
				<div
					ref={body}
					data-scrolled={drawing.isScrolled || undefined}
					className="group/rows relative"
					style={{ width, height: lines.count * drawing.rowHeight }}
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
						goTo(lines.getLine(to), selection.cursor.column);
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
