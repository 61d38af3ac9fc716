/** Above the grid: the filter, how much of it is shown, columns, copying and files. */
import { Columns3, Copy, Download } from "lucide-react";
import { memo, useState } from "react";
import { useAction } from "../../../platform/call.ts";
import { formatCount, formatPlural } from "../../../platform/format.ts";
import { saveFile } from "../../../platform/save-file.ts";
import { saveWorkbook } from "../../../platform/workbook.ts";
import { Button, IconButton, TextButton } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { CheckField } from "../../../ui/field.tsx";
import { Menu } from "../../../ui/menu.tsx";
import { SearchField } from "../../../ui/search-field.tsx";
import { showProblem } from "../../../ui/toast.tsx";
import { copyRows, sortInOrder } from "./copy-rows.ts";
import type { GridWorker } from "./grid-worker.ts";
import type { Arrangement } from "./layout.ts";
import type { ColumnInfo } from "./protocol.ts";

interface ToolbarProps {
	readonly worker: GridWorker;
	readonly name: string;
	readonly filter: string;
	readonly rows: number;
	readonly total: number;
	readonly keys: readonly string[];
	readonly columns: readonly ColumnInfo[];
	readonly arrangement: Arrangement;
	readonly selected: ReadonlySet<number>;
	/** Number of columns without a value in any visible row. */
	readonly empty: number;
	onFilter(text: string): void;
	onArrange(change: Partial<Arrangement>): void;
	/** Restores the initial arrangement. */
	onReset(): void;
}

const TYPES = { csv: "text/csv", json: "application/json" } as const;

export const GridToolbar = memo(function GridToolbar({
	worker,
	name,
	filter,
	rows,
	total,
	keys,
	columns,
	arrangement,
	selected,
	empty,
	onFilter,
	onArrange,
	onReset,
}: ToolbarProps) {
	const [arranging, setArranging] = useState(false);
	const chosen = sortInOrder(selected);
	const copy = (format: "tsv" | "json") => copyRows(worker, format, keys, chosen);
	const save = async (format: "csv" | "json") => {
		const { text } = await worker.ask({ kind: "write", format, keys, at: chosen }, "written");
		saveFile(`${name}.${format}`, TYPES[format], text);
	};
	const excel = useAction(
		async () => saveWorkbook(name, (await worker.ask({ kind: "workbook", keys, at: chosen }, "workbook")).bytes),
		{ onError: (error: unknown) => showProblem(error) },
	);
	const what = chosen === null ? "" : `${formatPlural(chosen.length, "row")} as `;
	return (
		<div className="flex flex-wrap items-center gap-2 px-5 py-2 max-sm:px-3">
			<SearchField
				mono
				value={filter}
				label="Filter rows"
				placeholder="tenant:prod operSt=down -name:test"
				className="min-w-52 flex-1 basis-64 sm:max-w-md"
				onChange={onFilter}
			/>
			<span className="num text-muted" role="status">
				{rows === total ? formatPlural(total, "row") : `${formatCount(rows)} of ${formatPlural(total, "row")}`}
				{selected.size > 0 && `, ${formatCount(selected.size)} selected`}
			</span>
			{empty > 0 && (
				<TextButton onClick={() => onArrange({ withEmpty: !arrangement.withEmpty })}>
					{arrangement.withEmpty ? "Hide" : "Show"} {formatPlural(empty, "empty column")}
				</TextButton>
			)}
			<span className="flex-1" />
			<Button icon={Columns3} onClick={() => setArranging(true)}>
				Columns
			</Button>
			<Menu
				trigger={<IconButton label="Copy rows" icon={Copy} />}
				groups={[
					[
						{ label: `Copy ${what}table`, run: () => void copy("tsv") },
						{ label: `Copy ${what}JSON`, run: () => void copy("json") },
					],
				]}
			/>
			<Menu
				trigger={
					<Button icon={Download} busy={excel.isPending} aria-label="Export visible rows">
						Export
					</Button>
				}
				groups={[
					[
						{ label: `Save ${what}Excel`, run: () => excel.mutate() },
						{ label: `Save ${what}CSV`, run: () => void save("csv") },
						{ label: `Save ${what}JSON`, run: () => void save("json") },
					],
				]}
			/>
			<Dialog
				open={arranging}
				title="Columns"
				description="Change order, width and pinning in the column heads."
				onClose={() => setArranging(false)}
				actions={
					<>
						<Button onClick={onReset}>Reset</Button>
						<Button variant="primary" onClick={() => setArranging(false)}>
							Done
						</Button>
					</>
				}
			>
				<div className="columns-2 gap-4">
					{columns.map(({ key }) => (
						<CheckField
							key={key}
							className="mb-1.5"
							label={<span className="mono">{key}</span>}
							checked={!arrangement.hidden.includes(key)}
							onChange={(event) =>
								onArrange({
									hidden: event.target.checked
										? arrangement.hidden.filter((each) => each !== key)
										: [...arrangement.hidden, key],
								})
							}
						/>
					))}
				</div>
			</Dialog>
		</div>
	);
});
