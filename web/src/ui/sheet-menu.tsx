/** The export of a table that a page has made: Excel, CSV and JSON under one name. */
import { Download } from "lucide-react";
import { useAction } from "../platform/call.ts";
import { saveFile } from "../platform/save-file.ts";
import { type Sheet, saveWorkbook, writeSheetAsCsv, writeSheetAsJson, writeWorkbook } from "../platform/workbook.ts";
import { Button } from "./button.tsx";
import { Menu } from "./menu.tsx";
import type { MenuItem } from "./menu-items.tsx";
import { showProblem } from "./toast.tsx";

type SheetFormat = "xlsx" | "csv" | "json";

interface SheetMenuProps {
	/** Name of the files, without an ending. */
	readonly name: string;
	readonly disabled?: boolean;
	/** Further items below the three formats. */
	readonly more?: readonly MenuItem[];
	/** Null: the person has cancelled. */
	read(): Sheet | Promise<Sheet | null>;
}

export function SheetMenu({ name, disabled = false, more = [], read }: SheetMenuProps) {
	const save = useAction(
		async (format: SheetFormat) => {
			const sheet = await read();
			if (sheet === null) return;
			if (format === "xlsx") saveWorkbook(name, await writeWorkbook([sheet]));
			else if (format === "csv") saveFile(`${name}.csv`, "text/csv", writeSheetAsCsv(sheet));
			else saveFile(`${name}.json`, "application/json", writeSheetAsJson(sheet));
		},
		{ onError: (error: unknown) => showProblem(error) },
	);
	return (
		<Menu
			trigger={
				<Button icon={Download} busy={save.isPending} disabled={disabled}>
					Export
				</Button>
			}
			groups={[
				[
					{ label: "As Excel", run: () => save.mutate("xlsx") },
					{ label: "As CSV", run: () => save.mutate("csv") },
					{ label: "As JSON", run: () => save.mutate("json") },
					...more,
				],
			]}
		/>
	);
}
