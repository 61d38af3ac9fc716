/** The rows of a request: typed, pasted, read from a file or from a run, with their problems. */
import type { AutomationTemplate } from "@weft/contracts";
import { automationTemplateRoutes } from "@weft/contracts/browser";
import { ArrowDownToLine, FileDown, FileUp, Redo2, Table2, Trash2, Undo2 } from "lucide-react";
import { type RefObject, useRef, useState } from "react";
import { useAction } from "../../platform/call.ts";
import { useDraft } from "../../platform/draft-state.ts";
import { UserError } from "../../platform/failures.ts";
import { fetchWithRetryAfter } from "../../platform/fetch-with-retry.ts";
import { formatCount } from "../../platform/format.ts";
import { findProblem } from "../../platform/problem.ts";
import { client } from "../../platform/weft.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { getTabClass, joinClasses } from "../../ui/classes.ts";
import { Banner, Panel } from "../../ui/page.tsx";
import { Findings, type SheetState } from "./findings.tsx";
import type { Problem } from "./grid-model.ts";
import { type GridHandle, InputGrid } from "./input-grid.tsx";
import { SourceDialog } from "./source-dialog.tsx";
import { hasSource, type SourceSearch } from "./source-rows.ts";
import { useTableImport } from "./table-import.tsx";
import type { Sheets } from "./use-sheets.ts";

interface RowsPanelProps {
	readonly template: AutomationTemplate;
	readonly rows: Sheets;
	/** Where rows come from at the beginning. */
	readonly source: SourceSearch;
}

/** There is at least one sheet. */
export function RowsPanel({ template, rows, source }: RowsPanelProps) {
	const draft = useDraft();
	const { sheets, problems, replace } = rows;
	const [at, setAt] = useState(0);
	/** Where rows are being taken from. Restored rows are not asked about again. */
	const [taking, setTaking] = useState<SourceSearch | null>(() =>
		hasSource(source) && draft?.restoredAt() == null ? source : null,
	);
	const grid = useRef<GridHandle>(null);
	const sheet = (sheets[at] ?? sheets[0]) as SheetState;
	const intake = useTableImport({ templateId: template.id, sheets, active: at, onCells: replace });
	const download = useAction(() => downloadSheet(template));
	const showProblem = (index: number, { place }: Problem) => {
		setAt(index);
		// The table of another sheet is there after the next drawing.
		if (place !== null) requestAnimationFrame(() => grid.current?.show(place));
	};
	return (
		<>
			<Panel
				title="Rows"
				aside={
					<>
						<EditButtons
							history={sheet.history}
							grid={grid}
							onUndo={() => rows.undo(at)}
							onRedo={() => rows.redo(at)}
						/>
						<Button icon={Table2} onClick={() => setTaking({ run: source.run })}>
							From a run
						</Button>
						<FileButton busy={intake.isReading} onFile={intake.readFile} />
						<IconButton
							label="Download an empty sheet"
							icon={FileDown}
							busy={download.isPending}
							onClick={() => download.mutate(undefined)}
						/>
					</>
				}
			>
				{intake.view}
				{download.error !== null && (
					<div className="p-2">
						<Banner tone="bad" title="The sheet could not be read." detail={findProblem(download.error).detail} />
					</div>
				)}
				{sheets.length > 1 && <SheetTabs rows={rows} at={at} onChoose={setAt} />}
				<div
					className={joinClasses(intake.isDropping && "outline-2 outline-accent outline-offset-[-2px]")}
					{...intake.dropHandlers}
				>
					<InputGrid
						key={sheet.name}
						ref={grid}
						label={sheet.name === null ? "Rows of the request" : `Rows of ${sheet.name}`}
						columns={sheet.columns}
						cells={sheet.history.now}
						problems={problems[at] ?? []}
						onChange={(cells) => replace(at, cells)}
						onAsk={intake.askAbout}
						onUndo={() => rows.undo(at)}
						onRedo={() => rows.redo(at)}
					/>
				</div>
				<Findings
					{...{ sheets, problems }}
					total={problems.flat().length}
					check={rows.check}
					rowCount={rows.rowCount}
					onShow={showProblem}
				/>
			</Panel>
			{taking !== null && (
				<SourceDialog
					source={taking}
					columns={sheet.columns}
					onRows={(cells) => replace(at, cells)}
					onClose={() => setTaking(null)}
				/>
			)}
		</>
	);
}

interface EditButtonsProps {
	readonly history: SheetState["history"];
	readonly grid: RefObject<GridHandle | null>;
	onUndo(): void;
	onRedo(): void;
}

function EditButtons({ history, grid, onUndo, onRedo }: EditButtonsProps) {
	return (
		<>
			<IconButton label="Undo" icon={Undo2} disabled={history.past.length === 0} onClick={onUndo} />
			<IconButton label="Redo" icon={Redo2} disabled={history.future.length === 0} onClick={onRedo} />
			<IconButton label="Fill down" icon={ArrowDownToLine} onClick={() => grid.current?.fillDown()} />
			<IconButton label="Delete the selected rows" icon={Trash2} onClick={() => grid.current?.removeRows()} />
		</>
	);
}

function FileButton({ busy, onFile }: { readonly busy: boolean; onFile(file: File): void }) {
	const input = useRef<HTMLInputElement>(null);
	return (
		<>
			<Button icon={FileUp} busy={busy} onClick={() => input.current?.click()}>
				CSV or XLSX
			</Button>
			<input
				ref={input}
				type="file"
				hidden
				aria-label="CSV or XLSX file"
				accept=".csv,.xlsx"
				onChange={(event) => {
					const [chosen] = event.target.files ?? [];
					if (chosen) onFile(chosen);
					event.target.value = "";
				}}
			/>
		</>
	);
}

interface SheetTabsProps {
	readonly rows: Sheets;
	/** Position of the visible sheet. */
	readonly at: number;
	onChoose(at: number): void;
}

function SheetTabs({ rows: { sheets, rowCounts }, at, onChoose }: SheetTabsProps) {
	return (
		<div role="tablist" aria-label="Sheets" className="flex gap-1 border-line border-b px-2">
			{sheets.map(({ name }, index) => (
				<button
					key={name}
					type="button"
					role="tab"
					aria-selected={index === at}
					className={getTabClass(index === at)}
					onClick={() => onChoose(index)}
				>
					{name} <span className="num text-muted">{formatCount(rowCounts[index] ?? 0)}</span>
				</button>
			))}
		</div>
	);
}

/** Saves the template's empty workbook as a file. */
async function downloadSheet({ id, name }: AutomationTemplate): Promise<void> {
	const { url, headers } = await client.getRequest(automationTemplateRoutes.sheet, { params: { id }, query: {} });
	const answer = await fetchWithRetryAfter(url, { headers });
	if (!answer.ok) throw new UserError(`The service answered ${answer.status}.`);
	const link = document.createElement("a");
	link.href = URL.createObjectURL(await answer.blob());
	link.download = `${name}.xlsx`;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
