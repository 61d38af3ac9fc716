/** Editors of lists and maps in a post-processor's config: a row of fields for each entry. */
import { ArrowUp, Plus, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, IconButton } from "../../../../ui/button.tsx";
import { CheckField, SelectField, TextField } from "../../../../ui/field.tsx";
import type { Row, RowColumn, RowsField } from "../model/processors.ts";

interface RowsControlProps {
	readonly field: RowsField;
	readonly rows: readonly Row[];
	onChange(rows: readonly Row[]): void;
}

export function RowsControl({
	field: { label, hint, item, columns, start, settle },
	rows,
	onChange,
}: RowsControlProps) {
	const set = (at: number, name: string, value: unknown) =>
		onChange(
			rows.map((row, index) => {
				if (index !== at) return row;
				const { [name]: _, ...rest } = row;
				const next = value === undefined ? rest : { ...row, [name]: value };
				return settle?.(next, name) ?? next;
			}),
		);
	const moveUp = (at: number) =>
		onChange(rows.map((row, index) => rows[index === at ? at - 1 : index === at - 1 ? at : index] ?? row));
	return (
		<fieldset className="m-0 flex min-w-0 flex-col gap-2 rounded-control border border-line p-2">
			<legend className="px-1 font-medium">{label}</legend>
			{hint && <p className="m-0 text-muted text-xs">{hint}</p>}
			{rows.map((row, at) => (
				<fieldset
					// biome-ignore lint/suspicious/noArrayIndexKey: an entry is its place
					key={at}
					aria-label={`${item} ${at + 1}`}
					className="m-0 flex min-w-0 flex-wrap items-center gap-1.5 border-0 border-line border-b px-0 pt-0 pb-2 last-of-type:border-b-0 last-of-type:pb-0"
				>
					{columns.map(
						(column) =>
							(column.when?.(row) ?? true) && (
								<Cell
									key={column.name}
									column={column}
									value={row[column.name]}
									onChange={(value) => set(at, column.name, value)}
								/>
							),
					)}
					<span className="ml-auto flex">
						{at > 0 && (
							<IconButton
								variant="ghost"
								label={`Move ${item} ${at + 1} up`}
								icon={ArrowUp}
								onClick={() => moveUp(at)}
							/>
						)}
						<IconButton
							variant="ghost"
							label={`Remove ${item} ${at + 1}`}
							icon={Trash2}
							onClick={() => onChange(rows.filter((_, index) => index !== at))}
						/>
					</span>
				</fieldset>
			))}
			<Button icon={Plus} onClick={() => onChange([...rows, start])}>
				{`Add ${/^[aeiou]/.test(item) ? "an" : "a"} ${item}`}
			</Button>
		</fieldset>
	);
}

function Cell({ column, value, onChange }: { column: RowColumn; value: unknown; onChange(value: unknown): void }) {
	const { label, kind, optional = false } = column;
	const text = value === undefined ? "" : Array.isArray(value) ? value.join(",") : String(value);
	if (kind === "choice") {
		return (
			<SelectField
				hideLabel
				label={label}
				className="min-w-24 flex-1"
				value={text || column.options[0] || ""}
				options={column.options.map((option) => ({ value: option, label: option }))}
				onChange={(event) => onChange(event.target.value)}
			/>
		);
	}
	if (kind === "flag") {
		return (
			<CheckField
				label={label}
				className="text-xs"
				checked={value === undefined ? column.fallback : value === true}
				onChange={(event) => onChange(event.target.checked)}
			/>
		);
	}
	return (
		<TextField
			mono
			hideLabel
			label={label}
			placeholder={label}
			title={label}
			className="min-w-20 flex-1"
			type={kind === "number" ? "number" : "text"}
			{...(column.kind === "text" && column.list ? { list: column.list } : {})}
			value={text}
			spellCheck={false}
			onChange={({ target: { value: written } }) => {
				if (written === "" && (optional || kind === "number")) onChange(undefined);
				else onChange(kind === "number" ? Number(written) : written);
			}}
		/>
	);
}

interface MapControlProps {
	readonly label: string;
	readonly value: unknown;
	onChange(value: Readonly<Record<string, unknown>>): void;
}

/** Entries that are shown; more stay in the config as they are. */
const MOST_SHOWN = 200;

/** A map of values. Holds rows that are not complete or occur twice until they are mended. */
export function MapControl({ label, value, onChange }: MapControlProps) {
	const given = JSON.stringify(typeof value === "object" && value !== null && !Array.isArray(value) ? value : {});
	const [rows, setRows] = useState(() => getEntries(given));
	// Undo changes it from outside.
	useEffect(() => {
		setRows((before) => (JSON.stringify(Object.fromEntries(before)) === given ? before : getEntries(given)));
	}, [given]);
	const write = (next: readonly (readonly [string, unknown])[]) => {
		setRows([...next]);
		onChange(Object.fromEntries(next));
	};
	const times = Map.groupBy(rows, ([from]) => from);
	return (
		<fieldset className="m-0 flex min-w-0 flex-col gap-2 rounded-control border border-line p-2">
			<legend className="px-1 font-medium">{label}</legend>
			{rows.slice(0, MOST_SHOWN).map(([from, to], at) => {
				const set = (pair: readonly [string, unknown]) => write(rows.map((row, index) => (index === at ? pair : row)));
				const isTwice = (times.get(from)?.length ?? 0) > 1;
				return (
					<fieldset
						// biome-ignore lint/suspicious/noArrayIndexKey: an entry is its place
						key={at}
						aria-label={`value ${at + 1}`}
						className="m-0 flex min-w-0 items-start gap-1.5 border-0 p-0"
					>
						<TextField
							mono
							hideLabel
							label="Value"
							placeholder="Value"
							className="min-w-0 flex-1"
							value={from}
							error={isTwice ? "Occurs twice: the last one counts." : undefined}
							spellCheck={false}
							onChange={(event) => set([event.target.value, to])}
							onPaste={(event) => {
								const pasted = splitPairs(event.clipboardData.getData("text/plain"));
								if (pasted.length === 0) return;
								event.preventDefault();
								write([...rows.slice(0, at), ...pasted, ...rows.slice(at + (from === "" ? 1 : 0))]);
							}}
						/>
						<span className="self-center text-muted" aria-hidden="true">
							→
						</span>
						<TextField
							mono
							hideLabel
							label="Replacement"
							placeholder="Replacement"
							className="min-w-0 flex-1"
							value={String(to)}
							spellCheck={false}
							onChange={(event) => set([from, event.target.value])}
						/>
						<IconButton
							variant="ghost"
							label={`Remove value ${at + 1}`}
							icon={Trash2}
							onClick={() => write(rows.filter((_, index) => index !== at))}
						/>
					</fieldset>
				);
			})}
			{rows.length > MOST_SHOWN && (
				<p className="m-0 text-muted text-xs">{`The first ${MOST_SHOWN} of ${rows.length} values.`}</p>
			)}
			<Button icon={Plus} onClick={() => setRows([...rows, ["", ""]])}>
				Add a value
			</Button>
			<p className="m-0 text-muted text-xs">Two columns of a spreadsheet can be pasted into a value.</p>
		</fieldset>
	);
}

const getEntries = (json: string): (readonly [string, unknown])[] => Object.entries(JSON.parse(json));

/** Rows of two columns, as a spreadsheet copies them; none for other text. */
function splitPairs(text: string): (readonly [string, string])[] {
	return text.split(/\r?\n/).flatMap((line) => {
		const [from = "", to] = line.split("\t");
		return to === undefined ? [] : [[from, to] as const];
	});
}
