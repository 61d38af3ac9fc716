/**
 * A table to type, paste and fill, with the keys of a spreadsheet. Draws only visible rows. It is
 * one tab stop: arrows move inside, Enter or a letter edits, Escape leaves the cell as it was.
 */
import { useVirtualizer } from "@tanstack/react-virtual";
import {
	type ClipboardEvent,
	type KeyboardEvent,
	memo,
	type Ref,
	useId,
	useImperativeHandle,
	useMemo,
	useRef,
	useState,
} from "react";
import { cx } from "../../ui/classes.ts";
import {
	asTsv,
	type Cells,
	type Column,
	clearRange,
	fillDown,
	orderByHead,
	type Place,
	type Problem,
	parseTable,
	putBlock,
	type Range,
	removeRows,
	sorted,
} from "./grid-model.ts";

const ROW_PX = 29;
const PAGE_ROWS = 15;

export interface GridHandle {
	/** Selects a cell, brings it into sight and focuses the table. */
	show(place: Place): void;
	fillDown(): void;
	removeRows(): void;
}

interface InputGridProps {
	readonly label: string;
	readonly columns: readonly Column[];
	readonly cells: Cells;
	readonly problems: readonly Problem[];
	readonly ref: Ref<GridHandle>;
	onChange(cells: Cells): void;
	onUndo(): void;
	onRedo(): void;
}

export function InputGrid({ label, columns, cells, problems, ref, onChange, onUndo, onRedo }: InputGridProps) {
	const id = useId();
	const frame = useRef<HTMLDivElement>(null);
	const [range, setRange] = useState<Range>({ from: { row: 0, column: 0 }, to: { row: 0, column: 0 } });
	/** Text of the active cell while it is edited. */
	const [draft, setDraft] = useState<string | null>(null);
	const width = columns.length;
	const active = range.to;
	const rows = useVirtualizer({
		count: cells.length,
		getScrollElement: () => frame.current,
		estimateSize: () => ROW_PX,
		overscan: 10,
		scrollPaddingStart: ROW_PX,
	});
	const byRow = useMemo(() => {
		const found = new Map<number, Map<number, string>>();
		for (const { place, message } of problems) {
			if (place === null) continue;
			const row = found.get(place.row) ?? new Map<number, string>();
			row.set(place.column, [row.get(place.column), message].filter(Boolean).join(" "));
			found.set(place.row, row);
		}
		return found;
	}, [problems]);
	const go = (to: Place, extend = false) => {
		const place = {
			row: Math.max(0, Math.min(cells.length - 1, to.row)),
			column: Math.max(0, Math.min(width - 1, to.column)),
		};
		setRange((before) => ({ from: extend ? before.from : place, to: place }));
		rows.scrollToIndex(place.row);
	};
	useImperativeHandle(ref, () => ({
		show(place) {
			setDraft(null);
			go(place);
			frame.current?.focus();
		},
		fillDown: () => onChange(fillDown(cells, range)),
		removeRows() {
			const { from, to } = sorted(range);
			onChange(removeRows(cells, from.row, to.row));
			go({ row: from.row, column: from.column });
		},
	}));
	const commit = (text: string, step: { row: number; column: number }) => {
		setDraft(null);
		if (text !== cells[active.row]?.[active.column]) onChange(putBlock(cells, active, [[text]], width));
		go({ row: active.row + step.row, column: active.column + step.column });
		frame.current?.focus();
	};
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.target !== frame.current) return;
		const mod = event.ctrlKey || event.metaKey;
		const step = MOVES[event.key];
		if (step !== undefined) {
			const { row, column } = active;
			if (mod && event.key === "Home") go({ row: 0, column: 0 }, event.shiftKey);
			else if (mod && event.key === "End") go({ row: cells.length - 1, column: width - 1 }, event.shiftKey);
			else go(step({ row, column }, width), event.shiftKey);
		} else if (mod && event.key.toLowerCase() === "z") (event.shiftKey ? onRedo : onUndo)();
		else if (mod && event.key.toLowerCase() === "y") onRedo();
		else if (mod && event.key.toLowerCase() === "d") onChange(fillDown(cells, range));
		else if (mod && event.key.toLowerCase() === "a")
			setRange({ from: { row: 0, column: 0 }, to: { row: cells.length - 1, column: width - 1 } });
		else if (event.key === "Delete" || event.key === "Backspace") onChange(clearRange(cells, range));
		else if (event.key === "Enter" || event.key === "F2") setDraft(cells[active.row]?.[active.column] ?? "");
		else if (!mod && !event.altKey && event.key.length === 1) setDraft(event.key);
		else return;
		// Letters are text here, not commands of the page.
		event.preventDefault();
	};
	const onPaste = (event: ClipboardEvent) => {
		if (event.target !== frame.current) return;
		event.preventDefault();
		const text = event.clipboardData.getData("text/plain");
		const { from } = sorted(range);
		onChange(putBlock(cells, from, orderByHead(parseTable(text), columns), width));
	};
	const onCopy = (event: ClipboardEvent, cut: boolean) => {
		if (event.target !== frame.current) return;
		event.preventDefault();
		event.clipboardData.setData("text/plain", asTsv(cells, range));
		if (cut) onChange(clearRange(cells, range));
	};
	// Rows are drawn anew only where they change: what they call stays the same function.
	const latest = useRef({ go, commit });
	latest.current = { go, commit };
	const handlers = useMemo(
		() => ({
			onPick: (place: Place, extend?: boolean) => latest.current.go(place, extend),
			onEdit: (text: string) => setDraft(text),
			onCommit: (text: string, step: Place) => latest.current.commit(text, step),
		}),
		[],
	);
	const selected = sorted(range);
	const layout = `52px repeat(${width}, minmax(132px, 1fr))`;
	return (
		// biome-ignore lint/a11y/useSemanticElements: only the visible rows are in the page
		<div
			ref={frame}
			role="grid"
			aria-label={label}
			aria-rowcount={cells.length + 1}
			aria-colcount={width + 1}
			aria-multiselectable="true"
			aria-activedescendant={draft === null ? `${id}-${active.row}-${active.column}` : undefined}
			tabIndex={0}
			className="h-[52vh] min-h-56 overflow-auto bg-surface outline-offset-[-2px]"
			onKeyDown={onKeyDown}
			onPaste={onPaste}
			onCopy={(event) => onCopy(event, false)}
			onCut={(event) => onCopy(event, true)}
		>
			<div className="w-max min-w-full">
				{/* biome-ignore lint/a11y/useSemanticElements: see above */}
				<div
					role="row"
					tabIndex={-1}
					aria-rowindex={1}
					className="sticky top-0 z-[2] grid bg-sunken text-muted"
					style={{ gridTemplateColumns: layout }}
				>
					{/* biome-ignore lint/a11y/useSemanticElements: see above */}
					<span role="columnheader" tabIndex={-1} className={HEAD}>
						#
					</span>
					{columns.map(({ name, label: title, field_type, required }) => (
						// biome-ignore lint/a11y/useSemanticElements: see above
						<span role="columnheader" tabIndex={-1} key={name} className={HEAD} title={`${name}, ${field_type}`}>
							<span className="font-medium text-fg">{title || name}</span>
							{required && <span className="text-bad"> *</span>} <span className="text-2xs">{field_type}</span>
						</span>
					))}
				</div>
				{/* biome-ignore lint/a11y/useSemanticElements: see above */}
				<div role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
					{rows.getVirtualItems().map(({ index, start }) => (
						<Row
							key={index}
							{...{ id, index, start, layout, columns }}
							cells={cells[index] ?? []}
							problems={byRow.get(index)}
							from={index >= selected.from.row && index <= selected.to.row ? selected.from.column : -1}
							to={index >= selected.from.row && index <= selected.to.row ? selected.to.column : -1}
							active={index === active.row ? active.column : -1}
							draft={index === active.row ? draft : null}
							{...handlers}
						/>
					))}
				</div>
			</div>
		</div>
	);
}

const HEAD = "truncate border-line border-r border-b px-2 leading-[28px]";

const MOVES: Readonly<Record<string, (place: Place, width: number) => Place>> = {
	ArrowUp: ({ row, column }) => ({ row: row - 1, column }),
	ArrowDown: ({ row, column }) => ({ row: row + 1, column }),
	ArrowLeft: ({ row, column }) => ({ row, column: column - 1 }),
	ArrowRight: ({ row, column }) => ({ row, column: column + 1 }),
	PageUp: ({ row, column }) => ({ row: row - PAGE_ROWS, column }),
	PageDown: ({ row, column }) => ({ row: row + PAGE_ROWS, column }),
	Home: ({ row }) => ({ row, column: 0 }),
	End: ({ row }, width) => ({ row, column: width - 1 }),
};

interface RowProps {
	readonly id: string;
	readonly index: number;
	readonly start: number;
	readonly layout: string;
	readonly columns: readonly Column[];
	readonly cells: readonly string[];
	readonly problems: ReadonlyMap<number, string> | undefined;
	/** Selected columns; -1 where the row is not selected. */
	readonly from: number;
	readonly to: number;
	/** -1 where another row has the active cell. */
	readonly active: number;
	readonly draft: string | null;
	onPick(place: Place, extend?: boolean): void;
	onEdit(text: string): void;
	onCommit(text: string, step: { row: number; column: number }): void;
}

const Row = memo(function Row({
	id,
	index,
	start,
	layout,
	columns,
	cells,
	problems,
	from,
	to,
	active,
	draft,
	...on
}: RowProps) {
	return (
		// biome-ignore lint/a11y/useSemanticElements: see the grid
		<div
			role="row"
			tabIndex={-1}
			aria-rowindex={index + 2}
			className="absolute inset-x-0 grid"
			style={{ gridTemplateColumns: layout, height: ROW_PX, transform: `translateY(${start}px)` }}
		>
			{/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
			<span
				role="rowheader"
				tabIndex={-1}
				className="num select-none border-line border-r border-b bg-sunken px-2 leading-[28px] text-muted"
			>
				{index + 1}
			</span>
			{columns.map((column, at) => {
				const problem = problems?.get(at);
				const isActive = at === active;
				const text = cells[at] ?? "";
				return (
					// biome-ignore lint/a11y/useSemanticElements: see the grid
					<span
						key={column.name}
						id={`${id}-${index}-${at}`}
						role="gridcell"
						tabIndex={-1}
						aria-selected={at >= from && at <= to}
						aria-invalid={problem === undefined ? undefined : true}
						title={problem ?? text}
						className={cx(
							"mono relative truncate border-line border-r border-b px-2 leading-[28px]",
							at >= from && at <= to && "bg-accent-soft",
							problem !== undefined && "bg-bad-soft shadow-[inset_0_-2px_0_var(--bad)]",
							isActive && "outline-2 outline-accent outline-offset-[-2px]",
						)}
						onPointerDown={(event) => {
							if (draft !== null && isActive) return;
							on.onPick({ row: index, column: at }, event.shiftKey);
						}}
						onPointerEnter={(event) => event.buttons === 1 && on.onPick({ row: index, column: at }, true)}
						onDoubleClick={() => on.onEdit(text)}
					>
						{isActive && draft !== null ? (
							<Editor column={column} text={draft} onCommit={on.onCommit} original={text} />
						) : column.field_type === "password" && text !== "" ? (
							"••••••••"
						) : (
							text
						)}
						{problem !== undefined && <span className="sr-only">, invalid: {problem}</span>}
					</span>
				);
			})}
		</div>
	);
});

interface EditorProps {
	readonly column: Column;
	readonly text: string;
	readonly original: string;
	onCommit(text: string, step: { row: number; column: number }): void;
}

function Editor({ column, text, original, onCommit }: EditorProps) {
	const id = useId();
	const done = useRef(false);
	const end = (value: string, row: number, step: number) => {
		if (done.current) return;
		done.current = true;
		onCommit(value, { row, column: step });
	};
	const choices = column.field_type === "boolean" ? ["true", "false"] : (column.choices ?? []);
	return (
		<>
			<input
				// biome-ignore lint/a11y/noAutofocus: the person has just begun to type here
				autoFocus
				aria-label={column.label || column.name}
				type={column.field_type === "password" ? "password" : "text"}
				defaultValue={text}
				list={choices.length > 0 ? id : undefined}
				spellCheck={false}
				autoComplete="off"
				className="mono absolute inset-0 h-full w-full border-0 bg-surface px-2 outline-2 outline-accent outline-offset-[-2px]"
				onBlur={(event) => end(event.target.value, 0, 0)}
				onKeyDown={(event) => {
					event.stopPropagation();
					if (event.key === "Enter") end(event.currentTarget.value, event.shiftKey ? -1 : 1, 0);
					else if (event.key === "Tab") end(event.currentTarget.value, 0, event.shiftKey ? -1 : 1);
					else if (event.key === "Escape") end(original, 0, 0);
					else return;
					event.preventDefault();
				}}
			/>
			{choices.length > 0 && (
				<datalist id={id}>
					{choices.map((choice) => (
						<option key={choice} value={choice} />
					))}
				</datalist>
			)}
		</>
	);
}
