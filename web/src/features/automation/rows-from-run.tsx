/** Takes rows from a finished run: which attribute fills which column. */
import { pipelineRoutes } from "@weft/contracts";
import { useState } from "react";
import { useAction, useAnswer } from "../../platform/call.ts";
import { plural } from "../../platform/format.ts";
import { useTimes } from "../../platform/profile.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/field.tsx";
import { ProblemBanner } from "../../ui/page.tsx";
import { type Cells, type Column, cellsOf } from "./grid-model.ts";
import { type Attributes, guessMapping, readRunRows } from "./run-rows.ts";

interface RowsFromRunProps {
	/** Chosen already; empty: one of the list. */
	readonly runId: string;
	readonly columns: readonly Column[];
	onRows(cells: Cells): void;
	onClose(): void;
}

export function RowsFromRun({ runId, columns, onRows, onClose }: RowsFromRunProps) {
	const times = useTimes();
	const [chosen, setChosen] = useState(runId);
	const [mapping, setMapping] = useState<Record<string, string>>({});
	const runs = useAnswer(pipelineRoutes.list, { query: { status: "completed", page_size: "50" } });
	const read = useAction((id: string): Promise<Attributes[]> => readRunRows(id), {
		onSuccess: (rows) => setMapping(guessMapping(columns, rows)),
	});
	const rows = read.data;
	const names = [...new Set((rows ?? []).slice(0, 100).flatMap((row) => Object.keys(row)))].sort();
	const isMapped = Object.values(mapping).some((name) => name !== "");
	return (
		<Dialog
			open
			title="Rows from a run"
			description="The values are copied into the table, where you can change them."
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					{rows === undefined ? (
						<Button
							variant="primary"
							busy={read.isPending}
							disabled={chosen === ""}
							onClick={() => read.mutate(chosen)}
						>
							Read the rows
						</Button>
					) : (
						<Button
							variant="primary"
							disabled={!isMapped}
							onClick={() => {
								const named = rows.map((row) =>
									Object.fromEntries(columns.map(({ name }) => [name, row[mapping[name] ?? ""]])),
								);
								onRows(cellsOf(named, columns));
								onClose();
							}}
						>
							Use {plural(rows.length, "row")}
						</Button>
					)}
				</>
			}
		>
			<div className="flex flex-col gap-3">
				{read.error !== null && <ProblemBanner error={read.error} />}
				<SelectField
					label="Run"
					value={chosen}
					options={[
						{ value: "", label: "Choose a run" },
						...(runs.data?.results.map(({ id, query_name, total_rows, controller_connection_name, created_at }) => ({
							value: id,
							label: `${query_name ?? "Unsaved query"}: ${plural(total_rows ?? 0, "row")}, ${controller_connection_name}, ${times.dateTime(created_at)}`,
						})) ?? []),
						...(runId !== "" && !runs.data?.results.some(({ id }) => id === runId)
							? [{ value: runId, label: "The run that you came from" }]
							: []),
					]}
					onChange={(event) => {
						setChosen(event.target.value);
						read.reset();
					}}
				/>
				{rows !== undefined &&
					columns.map(({ name, label }) => (
						<SelectField
							key={name}
							label={label || name}
							value={mapping[name] ?? ""}
							options={[{ value: "", label: "(leave empty)" }, ...names.map((value) => ({ value, label: value }))]}
							onChange={(event) => setMapping({ ...mapping, [name]: event.target.value })}
						/>
					))}
			</div>
		</Dialog>
	);
}
