/**
 * A table to type, paste and fill, with the mouse and the keys of a spreadsheet. Draws only visible
 * rows. It is one tab stop, and the focus stays on its frame, also after a click on a cell. After a
 * click or an edit, Tab moves inside it until Escape is pressed.
 */
import { useVirtualizer } from "@tanstack/react-virtual";
import {
	type KeyboardEvent,
	type MouseEvent,
	memo,
	type Ref,
	useEffect,
	useId,
	useImperativeHandle,
	useMemo,
	useRef,
	useState,
} from "react";
import { joinClasses } from "../../ui/classes.ts";
import { needsMap } from "./column-map.ts";
import {
	asTsv,
	type Cells,
	type Column,
	clearRange,
	countColumns,
	fillDown,
	normalizeRange,
	type Place,
	type Problem,
	parseTable,
	putBlock,
	type Range,
	removeRows,
	repeatBlock,
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
	/** Pasted text whose columns the user must choose. */
	onAsk(block: Cells, place: Place): void;
	onUndo(): void;
	onRedo(): void;
}

/** The text of the edited cell at the beginning of the edit. */
interface Draft {
	readonly text: string;
	/** Whether typing replaced the cell; arrows end such an edit. */
	readonly replaces: boolean;
}

/** What a drag of the mouse selects. */
type Drag = "cells" | "rows";

export function InputGrid({ label, columns, cells, problems, ref, onChange, onAsk, onUndo, onRedo }: InputGridProps) {
	const id = useId();
	const frame = useRef<HTMLDivElement>(null);
	const [wanted, setRange] = useState<Range>({ from: { row: 0, column: 0 }, to: { row: 0, column: 0 } });
	const [draft, setDraft] = useState<Draft | null>(null);
	const dragged = useRef<Drag | null>(null);
	/** Whether Tab moves to the next cell. */
	const holdsTab = useRef(false);
	const width = columns.length;
	const clamp = ({ row, column }: Place): Place => ({
		row: Math.max(0, Math.min(cells.length - 1, row)),
		column: Math.max(0, Math.min(width - 1, column)),
	});
	// An undone edit may have taken the selected rows away.
	const range: Range = { from: clamp(wanted.from), to: clamp(wanted.to) };
	/** The cell that is edited: the first one of a range that was drawn. */
	const active = range.from;
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
	const scrollTo = ({ row, column }: Place) => {
		rows.scrollToIndex(row);
		const element = frame.current;
		const head = element?.querySelector<HTMLElement>(`[data-head="${column}"]`);
		if (!element || !head) return;
		const [left, right] = [head.offsetLeft, head.offsetLeft + head.offsetWidth];
		if (column === 0) element.scrollLeft = 0;
		else if (left < element.scrollLeft) element.scrollLeft = left;
		else if (right > element.scrollLeft + element.clientWidth) element.scrollLeft = right - element.clientWidth;
	};
	const go = (to: Place, extend = false) => {
		const place = clamp(to);
		setRange((before) => ({ from: extend ? before.from : place, to: place }));
		scrollTo(place);
	};
	const select = (from: Place, to: Place, extend = false) =>
		setRange((before) => ({ from: extend ? { ...from, row: before.from.row } : from, to }));
	const focusFrame = () => frame.current?.focus({ preventScroll: true });
	useImperativeHandle(ref, () => ({
		show(place) {
			setDraft(null);
			go(place);
			frame.current?.focus();
		},
		fillDown: () => onChange(fillDown(cells, range)),
		removeRows() {
			const { from, to } = normalizeRange(range);
			onChange(removeRows(cells, from.row, to.row));
			go({ row: from.row, column: from.column });
		},
	}));
	const beginEdit = (text: string, replaces: boolean) => {
		holdsTab.current = true;
		setRange({ from: active, to: active });
		setDraft({ text, replaces });
	};
	const endEdit = (text: string) => {
		setDraft(null);
		if (text !== cells[active.row]?.[active.column]) onChange(putBlock(cells, active, [[text]], width));
	};
	/** The cell beside, row by row; null beyond the first and the last. */
	const findNeighbour = ({ row, column }: Place, step: 1 | -1): Place | null => {
		const at = row * width + column + step;
		return at < 0 || at >= cells.length * width ? null : { row: Math.floor(at / width), column: at % width };
	};
	const commit = (text: string, { row, column }: Place, isTab: boolean) => {
		endEdit(text);
		const beside = isTab ? findNeighbour(active, column < 0 ? -1 : 1) : null;
		go(beside ?? { row: active.row + row, column: active.column + column });
		frame.current?.focus();
	};
	const onKeyDown = (event: KeyboardEvent) => {
		if (draft !== null) return;
		const mod = event.ctrlKey || event.metaKey;
		const key = event.key.toLowerCase();
		const step = MOVES[event.key];
		if (step !== undefined) {
			const { row, column } = range.to;
			if (mod && event.key === "Home") go({ row: 0, column: 0 }, event.shiftKey);
			else if (mod && event.key === "End") go({ row: cells.length - 1, column: width - 1 }, event.shiftKey);
			else go(step({ row, column }, width), event.shiftKey);
		} else if (event.key === "Tab") {
			const next = holdsTab.current && !mod ? findNeighbour(active, event.shiftKey ? -1 : 1) : null;
			if (next === null) return;
			go(next);
		} else if (event.key === "Escape") {
			holdsTab.current = false;
			setRange({ from: active, to: active });
		} else if (mod && key === "z") (event.shiftKey ? onRedo : onUndo)();
		else if (mod && key === "y") onRedo();
		else if (mod && key === "d") onChange(fillDown(cells, range));
		else if (mod && key === "a") select({ row: 0, column: 0 }, { row: cells.length - 1, column: width - 1 });
		else if (event.key === " " && event.shiftKey)
			select({ row: active.row, column: 0 }, { row: range.to.row, column: width - 1 });
		else if ((event.key === "Delete" && !event.shiftKey) || event.key === "Backspace")
			onChange(clearRange(cells, range));
		else if (event.key === "Enter" || event.key === "F2") beginEdit(cells[active.row]?.[active.column] ?? "", false);
		else if (beginsText(event)) {
			// The key goes to the editor, which has the focus then. Nothing else of the page takes it.
			beginEdit("", true);
			event.stopPropagation();
			return;
		} else return;
		event.preventDefault();
	};
	const paste = (text: string) => {
		const block = parseTable(text);
		const { from } = normalizeRange(range);
		if (block.length === 0) return;
		if (needsMap(block, columns, from.column)) return onAsk(block, from);
		const filling = repeatBlock(block, range);
		onChange(putBlock(cells, from, filling, width));
		const to = { row: from.row + filling.length - 1, column: from.column + countColumns(filling) - 1 };
		setRange({ from, to });
	};
	const onClipboard = (event: ClipboardEvent) => {
		if (draft !== null || document.activeElement !== frame.current || event.clipboardData === null) return;
		event.preventDefault();
		if (event.type === "paste") return paste(event.clipboardData.getData("text/plain"));
		event.clipboardData.setData("text/plain", asTsv(cells, range));
		if (event.type === "cut") onChange(clearRange(cells, range));
	};
	/** Begins a selection with the mouse. */
	const begin = (kind: Drag) => {
		holdsTab.current = true;
		dragged.current = kind;
		document.addEventListener(
			"pointerup",
			() => {
				dragged.current = null;
			},
			{ once: true },
		);
	};
	// Rows are drawn anew only where they change: what they call stays the same function.
	const latest = useRef({ go, select, begin, beginEdit, endEdit, commit, paste, onClipboard, width, cells });
	latest.current = { go, select, begin, beginEdit, endEdit, commit, paste, onClipboard, width, cells };
	const handlers = useMemo(
		(): RowHandlers => ({
			onPick(place, extend) {
				latest.current.begin("cells");
				latest.current.go(place, extend);
			},
			onPickRow(row, extend) {
				latest.current.begin("rows");
				latest.current.select({ row, column: 0 }, { row, column: latest.current.width - 1 }, extend);
			},
			onEnter({ row, column }) {
				if (dragged.current === "cells") latest.current.go({ row, column }, true);
				else if (dragged.current === "rows")
					latest.current.select({ row, column: 0 }, { row, column: latest.current.width - 1 }, true);
			},
			onEdit: ({ row, column }) => latest.current.beginEdit(latest.current.cells[row]?.[column] ?? "", false),
			onCommit: (text, step, isTab) => latest.current.commit(text, step, isTab),
			onLeave: (text) => latest.current.endEdit(text),
			onPasteTable(text) {
				setDraft(null);
				frame.current?.focus({ preventScroll: true });
				latest.current.paste(text);
			},
		}),
		[],
	);
	// Without a text cursor, the browser sends what concerns the clipboard to the page's body.
	useEffect(() => {
		const listen = (event: ClipboardEvent) => latest.current.onClipboard(event);
		const kinds = ["copy", "cut", "paste"] as const;
		for (const kind of kinds) document.addEventListener(kind, listen);
		return () => {
			for (const kind of kinds) document.removeEventListener(kind, listen);
		};
	}, []);
	/** Keeps the focus on the frame, which ends an edit in another cell. */
	const onPointerDown = (event: MouseEvent) => {
		const element = event.target as Element;
		if (element.closest("[role=row]") !== null && !element.matches(EDITOR)) focusFrame();
	};
	const onMouseDown = (event: MouseEvent) => {
		const element = event.target as Element;
		if (element.closest("[role=row]") !== null && !element.matches(EDITOR)) event.preventDefault();
	};
	const selected = normalizeRange(range);
	const drawn = rows.getVirtualItems();
	const isDrawn = drawn.some(({ index }) => index === range.to.row);
	const layout = `52px repeat(${width}, minmax(132px, 1fr))`;
	const lastRow = cells.length - 1;
	return (
		<>
			{/* biome-ignore lint/a11y/useSemanticElements: only the visible rows are in the page */}
			<div
				ref={frame}
				role="grid"
				aria-label={label}
				aria-describedby={`${id}-keys`}
				aria-rowcount={cells.length + 1}
				aria-colcount={width + 1}
				aria-multiselectable="true"
				aria-activedescendant={draft === null && isDrawn ? `${id}-${range.to.row}-${range.to.column}` : undefined}
				tabIndex={0}
				className="relative h-[52vh] min-h-56 select-none overflow-auto bg-surface outline-offset-[-2px]"
				onKeyDown={onKeyDown}
				onPointerDownCapture={onPointerDown}
				onMouseDown={onMouseDown}
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
						<span
							role="columnheader"
							tabIndex={-1}
							className={HEAD}
							onPointerDown={() => select({ row: 0, column: 0 }, { row: lastRow, column: width - 1 })}
						>
							#
						</span>
						{columns.map(({ name, label: title, field_type, required }, column) => (
							// biome-ignore lint/a11y/useSemanticElements: see above
							<span
								role="columnheader"
								tabIndex={-1}
								key={name}
								data-head={column}
								className={HEAD}
								title={`${name}, ${field_type}`}
								onPointerDown={() => select({ row: 0, column }, { row: lastRow, column })}
							>
								<span className="font-medium text-fg">{title || name}</span>
								{required && <span className="text-bad"> *</span>} <span className="text-2xs">{field_type}</span>
							</span>
						))}
					</div>
					{/* biome-ignore lint/a11y/useSemanticElements: see above */}
					<div role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
						{drawn.map(({ index, start }) => (
							<Row
								key={index}
								{...{ id, index, start, layout, columns, handlers }}
								cells={cells[index] ?? []}
								problems={byRow.get(index)}
								from={index >= selected.from.row && index <= selected.to.row ? selected.from.column : -1}
								to={index >= selected.from.row && index <= selected.to.row ? selected.to.column : -1}
								active={index === active.row ? active.column : -1}
								draft={index === active.row ? draft : null}
							/>
						))}
					</div>
				</div>
			</div>
			<span id={`${id}-keys`} className="sr-only">
				Enter edits a cell. Shift with an arrow selects. After an edit, Tab moves to the next cell; Escape, then Tab,
				leaves the table.
			</span>
		</>
	);
}

/** The field of an edited cell. */
const EDITOR = "input, textarea";

/** Whether a key types something, also with the help of an input method. */
function beginsText(event: KeyboardEvent): boolean {
	if (event.key === "Dead" || event.key === "Process") return true;
	const isCommand = event.ctrlKey || event.metaKey || event.altKey;
	return event.key.length === 1 && (!isCommand || event.getModifierState("AltGraph"));
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
	readonly draft: Draft | null;
	readonly handlers: RowHandlers;
}

interface RowHandlers {
	onPick(place: Place, extend: boolean): void;
	onPickRow(row: number, extend: boolean): void;
	/** The mouse enters a cell, perhaps with its button held down. */
	onEnter(place: Place): void;
	onEdit(place: Place): void;
	/** The edit ends by a key that moves on. */
	onCommit(text: string, step: Place, isTab: boolean): void;
	/** The edit ends because the focus goes elsewhere. */
	onLeave(text: string): void;
	/** A table was pasted into the editor of one cell. */
	onPasteTable(text: string): void;
}

const Row = memo(function Row(props: RowProps) {
	const { id, index, start, layout, columns, cells, problems, from, to, active, draft, handlers } = props;
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
				className="num border-line border-r border-b bg-sunken px-2 text-muted leading-[28px]"
				onPointerDown={(event) => event.button === 0 && handlers.onPickRow(index, event.shiftKey)}
				onPointerEnter={() => handlers.onEnter({ row: index, column: 0 })}
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
						className={joinClasses(
							"mono relative cursor-cell truncate border-line border-r border-b px-2 leading-[28px]",
							at >= from && at <= to && "bg-accent-soft",
							problem !== undefined && "bg-bad-soft shadow-[inset_0_-2px_0_var(--bad)]",
							isActive && "outline-2 outline-accent outline-offset-[-2px]",
						)}
						onPointerDown={(event) => {
							if (event.button !== 0 || (event.target as Element).matches(EDITOR)) return;
							handlers.onPick({ row: index, column: at }, event.shiftKey);
						}}
						onPointerEnter={() => handlers.onEnter({ row: index, column: at })}
						onDoubleClick={() => draft === null && handlers.onEdit({ row: index, column: at })}
					>
						{isActive && draft !== null ? (
							<Editor column={column} draft={draft} original={text} handlers={handlers} />
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
	readonly draft: Draft;
	readonly original: string;
	readonly handlers: RowHandlers;
}

type EditorElement = HTMLInputElement | HTMLTextAreaElement;

/** Steps of the keys that end an edit; arrows end it only where typing replaced the cell. */
const ENDS: Readonly<Record<string, Place>> = {
	Enter: { row: 1, column: 0 },
	Tab: { row: 0, column: 1 },
};
const ARROW_ENDS: Readonly<Record<string, Place>> = {
	ArrowUp: { row: -1, column: 0 },
	ArrowDown: { row: 1, column: 0 },
	ArrowLeft: { row: 0, column: -1 },
	ArrowRight: { row: 0, column: 1 },
};

function Editor({ column, draft, original, handlers }: EditorProps) {
	const id = useId();
	const isDone = useRef(false);
	const choices = column.field_type === "boolean" ? ["true", "false"] : (column.choices ?? []);
	const hasLines = column.field_type === "textarea" || /[\r\n]/.test(draft.text);
	const end = (value: string, step: Place, isTab = false) => {
		isDone.current = true;
		handlers.onCommit(value, step, isTab);
	};
	const onKeyDown = (event: KeyboardEvent<EditorElement>) => {
		event.stopPropagation();
		if (event.nativeEvent.isComposing) return;
		const element = event.currentTarget;
		const step = ENDS[event.key] ?? (draft.replaces && choices.length === 0 ? ARROW_ENDS[event.key] : undefined);
		if (hasLines && event.key === "Enter" && event.altKey)
			element.setRangeText("\n", element.selectionStart ?? 0, element.selectionEnd ?? 0, "end");
		else if (step !== undefined) {
			const sign = event.shiftKey && event.key in ENDS ? -1 : 1;
			end(element.value, { row: step.row * sign, column: step.column * sign }, event.key === "Tab");
		} else if (event.key === "Escape") end(original, { row: 0, column: 0 });
		else return;
		event.preventDefault();
	};
	const shared = {
		// The person has just begun to type here.
		autoFocus: true,
		"aria-label": column.label || column.name,
		defaultValue: draft.text,
		spellCheck: false,
		autoComplete: "off",
		onFocus: ({ target }: { readonly target: EditorElement }) =>
			target.setSelectionRange(target.value.length, target.value.length),
		onBlur: (event: { readonly target: EditorElement }) => {
			if (!isDone.current) handlers.onLeave(event.target.value);
		},
		onKeyDown,
		onPaste: (event: { readonly clipboardData: DataTransfer; preventDefault(): void }) => {
			const text = event.clipboardData.getData("text/plain");
			if (!/\t/.test(text) && (hasLines || !/[\r\n]/.test(text.trimEnd()))) return;
			event.preventDefault();
			isDone.current = true;
			handlers.onPasteTable(text);
		},
	};
	const look = "mono absolute inset-0 w-full border-0 bg-surface px-2 outline-2 outline-accent outline-offset-[-2px]";
	if (hasLines) return <textarea {...shared} className={joinClasses(look, "h-full resize-none leading-[28px]")} />;
	return (
		<>
			<input
				{...shared}
				type={column.field_type === "password" ? "password" : "text"}
				list={choices.length > 0 ? id : undefined}
				className={joinClasses(look, "h-full")}
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
