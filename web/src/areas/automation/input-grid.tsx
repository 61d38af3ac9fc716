/**
 * A table to type, paste and fill, with the mouse and the keys of a spreadsheet. Draws only visible
 * rows. It is one tab stop, and the focus stays on its frame, also after a click on a cell. After a
 * click or an edit, Tab moves inside it until Escape is pressed.
 */
import { type MouseEvent, type Ref, type RefObject, useId, useImperativeHandle, useMemo, useRef } from "react";
import { describeType } from "./column-types.ts";
import { type Column, fillDown, normalizeRange, type Place, type Problem, removeRows } from "./grid-model.ts";
import { EDITOR, InputRow, type RowHandlers } from "./input-row.tsx";
import { type CellEdit, type EditedTable, handleTableKey, useCellEdit, useTableClipboard } from "./use-cell-edit.ts";
import { type CellRange, useCellRange } from "./use-cell-range.ts";

export interface GridHandle {
	/** Selects a cell, brings it into sight and focuses the table. */
	show(place: Place): void;
	fillDown(): void;
	removeRows(): void;
}

interface InputGridProps extends EditedTable {
	readonly label: string;
	readonly problems: readonly Problem[];
	readonly ref: Ref<GridHandle>;
}

export function InputGrid({ label, problems, ref, ...table }: InputGridProps) {
	const { columns, cells, onChange } = table;
	const id = useId();
	const frame = useRef<HTMLDivElement>(null);
	const width = columns.length;
	const cursor = useCellRange(frame, cells, width);
	const { range, active, rows, go } = cursor;
	const edit = useCellEdit(frame, table, cursor);
	const { draft } = edit;
	const handlers = useRowHandlers(frame, cursor, edit);
	useTableClipboard(frame, table, cursor, edit);
	const byRow = useMemo(() => groupProblems(problems), [problems]);
	useImperativeHandle(ref, () => ({
		show(place) {
			edit.cancel();
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
	const selected = normalizeRange(range);
	const drawn = rows.getVirtualItems();
	const isDrawn = drawn.some(({ index }) => index === range.to.row);
	const layout = `52px repeat(${width}, minmax(132px, 1fr))`;
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
				onKeyDown={(event) => handleTableKey(event, table, cursor, edit)}
				// The focus stays on the frame, which ends an edit in another cell.
				onPointerDownCapture={(event) => isBesideEditor(event) && focusFrame(frame)}
				onMouseDown={(event) => isBesideEditor(event) && event.preventDefault()}
			>
				<div className="w-max min-w-full">
					<HeadRow layout={layout} columns={columns} cursor={cursor} />
					{/* biome-ignore lint/a11y/useSemanticElements: see above */}
					<div role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
						{drawn.map(({ index, start }) => (
							<InputRow
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

const HEAD = "truncate border-line border-r border-b px-2 leading-[28px]";

interface HeadRowProps {
	readonly layout: string;
	readonly columns: readonly Column[];
	readonly cursor: CellRange;
}

/** The names of the columns. A click selects a column, or all. */
function HeadRow({ layout, columns, cursor }: HeadRowProps) {
	return (
		// biome-ignore lint/a11y/useSemanticElements: see the grid
		<div
			role="row"
			tabIndex={-1}
			aria-rowindex={1}
			className="sticky top-0 z-[2] grid bg-sunken text-muted"
			style={{ gridTemplateColumns: layout }}
		>
			{/* biome-ignore lint/a11y/useSemanticElements: see the grid */}
			<span role="columnheader" tabIndex={-1} className={HEAD} onPointerDown={cursor.selectAll}>
				#
			</span>
			{columns.map(({ name, label: title, description, field_type, required }, column) => (
				// biome-ignore lint/a11y/useSemanticElements: see the grid
				<span
					role="columnheader"
					tabIndex={-1}
					key={name}
					data-head={column}
					className={HEAD}
					title={[`${name}, ${describeType(field_type)}`, description].filter(Boolean).join("\n")}
					onPointerDown={() => cursor.selectColumn(column)}
				>
					<span className="font-medium text-fg">{title || name}</span>
					{required && <span className="text-bad"> *</span>}{" "}
					<span className="text-2xs">{describeType(field_type)}</span>
					{description && <span className="block truncate pb-1 text-2xs leading-4">{description}</span>}
				</span>
			))}
		</div>
	);
}

/** Rows are drawn anew only where they change: their handlers stay the same functions. */
function useRowHandlers(frame: RefObject<HTMLElement | null>, cursor: CellRange, edit: CellEdit): RowHandlers {
	/** What a drag of the mouse selects. */
	const dragged = useRef<"cells" | "rows" | null>(null);
	const latest = useRef({ cursor, edit });
	latest.current = { cursor, edit };
	return useMemo((): RowHandlers => {
		const beginDrag = (kind: "cells" | "rows") => {
			latest.current.edit.holdsTab.current = true;
			dragged.current = kind;
			const endDrag = () => {
				dragged.current = null;
			};
			document.addEventListener("pointerup", endDrag, { once: true });
		};
		return {
			onPick(place, extend) {
				beginDrag("cells");
				latest.current.cursor.go(place, extend);
			},
			onPickRow(row, extend) {
				beginDrag("rows");
				latest.current.cursor.selectRow(row, extend);
			},
			onEnter(place) {
				if (dragged.current === "cells") latest.current.cursor.go(place, true);
				else if (dragged.current === "rows") latest.current.cursor.selectRow(place.row, true);
			},
			onEdit: (place) => latest.current.edit.beginAt(place),
			onCommit: (text, step, isTab) => latest.current.edit.commit(text, step, isTab),
			onLeave: (text) => latest.current.edit.end(text),
			onPasteTable(text) {
				latest.current.edit.cancel();
				focusFrame(frame);
				latest.current.edit.paste(text);
			},
		};
	}, [frame]);
}

/** Messages by row and column. */
function groupProblems(problems: readonly Problem[]): ReadonlyMap<number, ReadonlyMap<number, string>> {
	const found = new Map<number, Map<number, string>>();
	for (const { place, message } of problems) {
		if (place === null) continue;
		const row = found.get(place.row) ?? new Map<number, string>();
		row.set(place.column, [row.get(place.column), message].filter(Boolean).join(" "));
		found.set(place.row, row);
	}
	return found;
}

const focusFrame = (frame: RefObject<HTMLElement | null>) => frame.current?.focus({ preventScroll: true });

/** Whether a press is on a row, but not on the field of an edited cell. */
function isBesideEditor({ target }: MouseEvent): boolean {
	const element = target as Element;
	return element.closest("[role=row]") !== null && !element.matches(EDITOR);
}
