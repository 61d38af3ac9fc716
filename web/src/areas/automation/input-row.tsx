/** One row of the table that is typed into, and the editor of its active cell. */
import { type KeyboardEvent, memo, useId, useRef } from "react";
import { joinClasses } from "../../ui/classes.ts";
import type { Column, Place } from "./grid-model.ts";

export const ROW_PX = 29;

/** The text of the edited cell at the beginning of the edit. */
export interface Draft {
	readonly text: string;
	/** Whether typing replaced the cell; arrows end such an edit. */
	readonly replaces: boolean;
}

/** The field of an edited cell. */
export const EDITOR = "input, textarea";

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

export interface RowHandlers {
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

export const InputRow = memo(function InputRow(props: RowProps) {
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
