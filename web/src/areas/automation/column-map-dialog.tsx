/** Maps the columns of a file or of pasted text to those of the template, before rows are taken. */
import type { FileTable } from "@weft/contracts";
import { useId, useState } from "react";
import { formatPlural } from "../../platform/format.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, SelectField } from "../../ui/field.tsx";
import { Banner } from "../../ui/page.tsx";
import {
	type ColumnMap,
	chooseTables,
	findDoubled,
	hasHeadLine,
	LEFT_OUT,
	listValueRows,
	mapTitleColumns,
	suggestMap,
} from "./column-map.ts";
import type { SheetState } from "./findings.tsx";
import { type Cells, type Column, isBlank, type Place } from "./grid-model.ts";

/** Values of a column that are shown. */
const SAMPLES = 3;

export interface MapSource {
	/** "rows.csv", "the clipboard". */
	readonly from: string;
	readonly tables: readonly FileTable[];
	/** The cell that the text was pasted at; null for a file. */
	readonly place: Place | null;
}

/** The rows for one sheet of the template. */
export interface MappedSheet {
	readonly sheet: number;
	readonly rows: Cells;
	readonly targets: readonly number[];
	/** Titles of the columns without a target. */
	readonly leftOut: readonly string[];
}

interface Part extends ColumnMap {
	/** -1 for none. */
	readonly table: number;
}

interface ColumnMapDialogProps {
	readonly source: MapSource;
	readonly sheets: readonly SheetState[];
	/** The visible sheet. */
	readonly active: number;
	/** Rows that the table has already. */
	readonly rowCount: number;
	/** @param keep whether the rows of the table stay, above the new ones */
	onUse(parts: readonly MappedSheet[], leftTables: readonly string[], keep: boolean): void;
	onClose(): void;
}

export function ColumnMapDialog({ source, sheets, active, rowCount, onUse, onClose }: ColumnMapDialogProps) {
	const { from, tables, place } = source;
	const first = place?.column ?? 0;
	const suggestPart = (sheet: number, table: number): Part => {
		const rows = tables[table]?.rows ?? [];
		const columns = sheets[sheet]?.columns ?? [];
		const hasHead = place === null || hasHeadLine(rows, columns, first);
		return { table, ...suggestMap(rows, columns, hasHead, first) };
	};
	const [parts, setParts] = useState<readonly Part[]>(() =>
		chooseTables(tables, sheets, active).map((table, sheet) => suggestPart(sheet, table)),
	);
	const [keep, setKeep] = useState(false);
	const mapped = parts.flatMap(({ table, hasHead, targets }, sheet): MappedSheet[] => {
		const rows = tables[table]?.rows;
		if (rows === undefined || targets.every((target) => target === LEFT_OUT)) return [];
		const titles = mapTitleColumns(rows, hasHead);
		const leftOut = titles.filter((_, at) => targets[at] === LEFT_OUT);
		return [{ sheet, rows: listValueRows(rows, hasHead), targets, leftOut }];
	});
	const total = mapped.reduce((sum, { rows }) => sum + rows.filter((row) => !isBlank(row)).length, 0);
	const isDoubled = parts.some(({ targets }) => findDoubled(targets).length > 0);
	const leftTables = tables.flatMap(({ name }, at) =>
		name === null || mapped.some(({ sheet }) => parts[sheet]?.table === at) ? [] : [name],
	);
	const change = (sheet: number, part: Part) => setParts(parts.map((each, at) => (at === sheet ? part : each)));
	return (
		<Dialog
			open
			wide
			title={`Rows from ${from}`}
			description="Choose the column of the template that each column fills."
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button
						variant="primary"
						data-autofocus
						disabled={total === 0 || isDoubled}
						onClick={() => onUse(mapped, leftTables, keep)}
					>
						Use {formatPlural(total, "row")}
					</Button>
				</>
			}
		>
			<div className="flex flex-col gap-4">
				{parts.map((part, sheet) => {
					const { name = null, columns = [] } = sheets[sheet] ?? {};
					// Pasted text fills the visible sheet alone.
					if (place !== null && sheet !== active) return null;
					return (
						<MapPart
							key={name}
							{...{ part, columns, tables, first }}
							name={sheets.length > 1 ? name : null}
							onTable={(table) => change(sheet, suggestPart(sheet, table))}
							onMap={(map) => change(sheet, { ...part, ...map })}
						/>
					);
				})}
				{place === null && rowCount > 0 && (
					<SelectField
						label="Rows in the table"
						className="max-w-64"
						value={String(keep)}
						options={[
							{
								value: "false",
								label: `Replace ${rowCount === 1 ? "the row" : `the ${formatPlural(rowCount, "row")}`}`,
							},
							{ value: "true", label: "Keep them, add below" },
						]}
						onChange={(event) => setKeep(event.target.value === "true")}
					/>
				)}
			</div>
		</Dialog>
	);
}

interface MapPartProps {
	readonly part: Part;
	readonly columns: readonly Column[];
	readonly tables: readonly FileTable[];
	/** Column of the paste; 0 for a file. */
	readonly first: number;
	/** The sheet of the template; null where it is the only one. */
	readonly name: string | null;
	onTable(table: number): void;
	onMap(map: ColumnMap): void;
}

function MapPart({ part: { table, hasHead, targets }, columns, tables, first, name, onTable, onMap }: MapPartProps) {
	const id = useId();
	const chosen = tables[table];
	const rows = chosen?.rows ?? [];
	const values = listValueRows(rows, hasHead);
	const formatTitle = (target: number) => columns[target]?.label || columns[target]?.name || "";
	const doubled = findDoubled(targets).map(formatTitle);
	const unfilled = columns.flatMap(({ required }, at) =>
		targets.includes(at) ? [] : [`${formatTitle(at)}${required ? " (required)" : ""}`],
	);
	const showSamples = (position: number): string => {
		const found = values.flatMap((row) => row[position]?.trim() || []).slice(0, SAMPLES);
		const isSecret = columns[targets[position] ?? LEFT_OUT]?.field_type === "password";
		return isSecret ? found.map(() => "••••••••").join(", ") : found.join(", ");
	};
	return (
		<section aria-labelledby={name === null ? undefined : id} className="flex flex-col gap-2">
			{name !== null && (
				<h3 id={id} className="m-0 font-semibold text-base">
					{name}
				</h3>
			)}
			{(tables.length > 1 || name !== null) && (
				<SelectField
					label={name === null ? "Sheet of the file" : `Sheet of the file for ${name}`}
					className="max-w-64"
					value={String(table)}
					options={[
						...(name === null ? [] : [{ value: "-1", label: "(none)" }]),
						...tables.map((each, at) => ({ value: String(at), label: each.name ?? "The table of the file" })),
					]}
					onChange={(event) => onTable(Number(event.target.value))}
				/>
			)}
			{chosen?.problem != null && <Banner tone="bad" title="The sheet cannot be read." detail={chosen.problem} />}
			{chosen?.notes?.map((note) => (
				<Banner key={note} tone="warn" title="The sheet has hidden rows." detail={note} />
			))}
			{rows.length > 0 && (
				<>
					<CheckField
						label="The first line names the columns"
						checked={hasHead}
						onChange={({ target }) => onMap(suggestMap(rows, columns, target.checked, first))}
					/>
					<table className="w-full table-fixed border-collapse text-left">
						<thead>
							<tr className="border-line border-b text-muted">
								<th scope="col" className="w-1/4 py-1 pr-2 font-normal">
									Column
								</th>
								<th scope="col" className="py-1 pr-2 font-normal">
									First values
								</th>
								<th scope="col" className="w-2/5 py-1 font-normal">
									Fills
								</th>
							</tr>
						</thead>
						<tbody>
							{mapTitleColumns(rows, hasHead).map((title, position) => (
								// biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
								<tr key={position} className="border-line border-b last:border-b-0">
									<th scope="row" className="truncate py-1 pr-2 font-medium" title={title}>
										{title}
									</th>
									<td className="mono truncate py-1 pr-2 text-muted">{showSamples(position)}</td>
									<td className="py-1">
										<SelectField
											hideLabel
											label={`Column for ${title}`}
											value={String(targets[position] ?? LEFT_OUT)}
											options={[
												{ value: String(LEFT_OUT), label: "Leave out" },
												...columns.map((_, at) => ({ value: String(at), label: formatTitle(at) })),
											]}
											onChange={(event) =>
												onMap({
													hasHead,
													targets: targets.map((each, at) => (at === position ? Number(event.target.value) : each)),
												})
											}
										/>
									</td>
								</tr>
							))}
						</tbody>
					</table>
					{doubled.length > 0 && (
						<Banner tone="bad" title={`Two columns fill ${doubled.join(", ")}.`} detail="Leave one of them out." />
					)}
					{unfilled.length > 0 && <p className="m-0 text-muted text-xs">Not filled: {unfilled.join(", ")}.</p>}
				</>
			)}
		</section>
	);
}
