/** Export of a comparison: the visible entries, or the service's complete file. */
import type { CompareAnswer } from "@weft/contracts";
import { timeMachineRoutes } from "@weft/contracts/browser";
import { Download } from "lucide-react";
import { callRoute, useAction } from "../../platform/call.ts";
import { saveFile } from "../../platform/save-file.ts";
import { saveWorkbook, writeWorkbook } from "../../platform/workbook.ts";
import { Button } from "../../ui/button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { showProblem } from "../../ui/toast.tsx";
import { buildSheet, type Entry, formatCsv } from "./compare-model.ts";
import { buildCompareOptions, type ComparisonSearch } from "./comparison.ts";

interface ExportMenuProps {
	readonly answer: CompareAnswer;
	/** The visible entries. */
	readonly entries: readonly Entry[];
	readonly ignored: ReadonlySet<string>;
	/** The comparison as the address has it. */
	readonly search: ComparisonSearch;
	/** Name of the files, without an ending. */
	readonly file: string;
}

const TYPES = { csv: "text/csv", html: "text/html" } as const;

export function ExportMenu({ answer, entries, ignored, search, file }: ExportMenuProps) {
	const { snapshot_from, snapshot_to } = answer;
	const download = useAction(
		async (format: keyof typeof TYPES) => {
			// Files are texts; the contract's types tell of the JSON alone.
			const text: unknown = await callRoute(timeMachineRoutes.compare, {
				body: {
					snapshot_from_id: snapshot_from.id,
					snapshot_to_id: snapshot_to.id,
					ignore: [...ignored],
					...buildCompareOptions(search, answer.ignored.identity),
				},
				query: { format },
			});
			saveFile(`${file}.${format}`, TYPES[format], String(text));
		},
		{ onError: (error: unknown) => showProblem(error) },
	);
	const excel = useAction(async () => saveWorkbook(`${file}-visible`, await writeWorkbook([buildSheet(entries)])), {
		onError: (error: unknown) => showProblem(error),
	});
	return (
		<Menu
			trigger={
				<Button icon={Download} busy={download.isPending || excel.isPending}>
					Export
				</Button>
			}
			groups={[
				[
					{ label: "Changes as CSV", run: () => download.mutate("csv") },
					{ label: "Changes as a report (HTML)", run: () => download.mutate("html") },
				],
				[
					{ label: "Visible changes as Excel", run: () => excel.mutate() },
					{
						label: "Visible changes as CSV",
						run: () => saveFile(`${file}-visible.csv`, "text/csv", formatCsv(entries)),
					},
					{
						label: "Complete comparison as JSON",
						run: () => saveFile(`${file}.json`, "application/json", JSON.stringify(answer, null, 2)),
					},
				],
			]}
		/>
	);
}
