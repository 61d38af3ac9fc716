/** Takes rows from a file or pasted text into the sheets of a request, after a mapping step. */
import type { FileTable } from "@weft/contracts";
import { automationTemplateRoutes } from "@weft/contracts/browser";
import { X } from "lucide-react";
import { type DragEvent, type ReactNode, useEffect, useState } from "react";
import { useAction } from "../../platform/call.ts";
import { UserError } from "../../platform/failures.ts";
import { fetchWithRetryAfter } from "../../platform/fetch-with-retry.ts";
import { formatPlural } from "../../platform/format.ts";
import { findProblem } from "../../platform/problem.ts";
import { client } from "../../platform/weft.ts";
import { IconButton } from "../../ui/button.tsx";
import { Banner } from "../../ui/page.tsx";
import { putMapped } from "./column-map.ts";
import { ColumnMapDialog, type MappedSheet, type MapSource } from "./column-map-dialog.tsx";
import type { SheetState } from "./findings.tsx";
import { type Cells, isBlank, type Place } from "./grid-model.ts";

interface TableImportOptions {
	readonly templateId: string;
	readonly sheets: readonly SheetState[];
	/** The visible sheet. */
	readonly active: number;
	onCells(sheet: number, cells: Cells): void;
}

interface TableImport {
	readonly isReading: boolean;
	readFile(file: File): void;
	/** Asks which columns a pasted block fills, from a cell on. */
	askAbout(block: Cells, place: Place): void;
	/** Of the element that files are dropped on. */
	readonly dropHandlers: {
		onDragOver(event: DragEvent): void;
		onDragLeave(event: DragEvent): void;
		onDrop(event: DragEvent): void;
	};
	readonly isDropping: boolean;
	/** The mapping step, and what became of the last file. */
	readonly view: ReactNode;
}

/** The number of rows that came, and the columns that were left out. */
interface ImportResult {
	readonly title: string;
	readonly leftOut: readonly string[];
}

const countFilled = (cells: Cells): number => cells.findLastIndex((row) => !isBlank(row)) + 1;
const hasFiles = ({ dataTransfer }: { readonly dataTransfer: DataTransfer | null }): boolean =>
	dataTransfer?.types.includes("Files") ?? false;

export function useTableImport({ templateId, sheets, active, onCells }: TableImportOptions): TableImport {
	const [source, setSource] = useState<MapSource | null>(null);
	const [result, setResult] = useState<ImportResult | null>(null);
	const [isDropping, setDropping] = useState(false);
	const read = useAction((file: File) => readTables(templateId, file), {
		onSuccess: (tables, file) => setSource({ from: file.name, tables, place: null }),
		onMutate: () => setResult(null),
	});
	// A file that is dropped beside the table would open in place of the form.
	useEffect(() => {
		const keepPage = (event: globalThis.DragEvent) => {
			if (hasFiles(event)) event.preventDefault();
		};
		window.addEventListener("dragover", keepPage);
		window.addEventListener("drop", keepPage);
		return () => {
			window.removeEventListener("dragover", keepPage);
			window.removeEventListener("drop", keepPage);
		};
	}, []);
	const use = (
		{ from, place }: MapSource,
		parts: readonly MappedSheet[],
		leftTables: readonly string[],
		keep: boolean,
	) => {
		for (const { sheet, rows, targets } of parts) {
			const { history, columns } = sheets[sheet] as SheetState;
			const base = place === null && !keep ? [] : history.now;
			const at = place?.row ?? countFilled(base);
			onCells(sheet, putMapped(base, at, rows, targets, columns.length));
		}
		const total = parts.reduce((sum, { rows }) => sum + rows.filter((row) => !isBlank(row)).length, 0);
		setResult({
			title: `${formatPlural(total, "row")} came from ${from}.`,
			leftOut: [...parts.flatMap(({ leftOut }) => leftOut), ...leftTables.map((name) => `sheet ${name}`)],
		});
		setSource(null);
	};
	return {
		isReading: read.isPending,
		readFile: (file) => read.mutate(file),
		askAbout(block, place) {
			read.reset();
			setResult(null);
			const rows = block.map((row) => [...row]);
			setSource({ from: "the clipboard", tables: [{ name: null, rows, problem: null }], place });
		},
		dropHandlers: {
			onDragOver(event) {
				if (!hasFiles(event)) return;
				event.preventDefault();
				setDropping(true);
			},
			onDragLeave(event) {
				if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setDropping(false);
			},
			onDrop(event) {
				setDropping(false);
				const [dropped] = event.dataTransfer.files;
				if (dropped === undefined) return;
				event.preventDefault();
				read.mutate(dropped);
			},
		},
		isDropping,
		view: (
			<>
				{read.error !== null && (
					<div className="p-2">
						<Banner tone="bad" title="The file could not be read." detail={findProblem(read.error).detail} />
					</div>
				)}
				{result !== null && (
					<div className="p-2">
						<Banner
							tone={result.leftOut.length > 0 ? "info" : "ok"}
							title={result.title}
							detail={result.leftOut.length > 0 && `Left out: ${result.leftOut.join(", ")}.`}
							action={<IconButton variant="ghost" label="Dismiss" icon={X} onClick={() => setResult(null)} />}
						/>
					</div>
				)}
				{source !== null && (
					<ColumnMapDialog
						source={source}
						sheets={sheets}
						active={active}
						rowCount={sheets.reduce((sum, { history }) => sum + history.now.filter((row) => !isBlank(row)).length, 0)}
						onUse={(parts, leftTables, keep) => use(source, parts, leftTables, keep)}
						onClose={() => setSource(null)}
					/>
				)}
			</>
		),
	};
}

/** @throws UserError with the service's words about the file */
async function readTables(templateId: string, file: File): Promise<readonly FileTable[]> {
	const { url, headers } = await client.getRequest(automationTemplateRoutes.readTables, { params: { id: templateId } });
	const body = new FormData();
	body.append("file", file);
	const answer = await fetchWithRetryAfter(url, { method: "POST", headers, body });
	const read = (await answer.json()) as { tables?: FileTable[]; detail?: string; file?: string[] };
	if (!answer.ok || read.tables === undefined)
		throw new UserError(read.detail ?? read.file?.join(" ") ?? `The service answered ${answer.status}.`);
	if (read.tables.every(({ rows, problem }) => rows.length === 0 && problem === null))
		throw new UserError("It has no rows.");
	return read.tables;
}
