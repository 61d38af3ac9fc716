/** Takes rows from a finished run or a comparison: which attribute fills which column. */
import { useQuery } from "@tanstack/react-query";
import { pipelineRoutes, SNAPSHOT_CHANGES } from "@weft/contracts/browser";
import { useMemo, useState } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatCount, formatPlural } from "../../platform/format.ts";
import { useTimes } from "../../platform/profile.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { CheckField, SelectField } from "../../ui/field.tsx";
import { Banner, ProblemBanner } from "../../ui/page.tsx";
import { type Cells, type Column, getCells } from "./grid-model.ts";
import {
	attributeNames,
	getChanges,
	guessAttribute,
	MOST_ROWS,
	readComparisonRows,
	readRunRows,
	type SourceSearch,
} from "./source-rows.ts";

interface SourceDialogProps {
	/** Chosen already; without one, a run of the list. */
	readonly source: SourceSearch;
	readonly columns: readonly Column[];
	onRows(cells: Cells): void;
	onClose(): void;
}

export function SourceDialog({ source, columns, onRows, onClose }: SourceDialogProps) {
	const isComparison = source.from !== undefined;
	const [runId, setRunId] = useState(source.run ?? "");
	const [changes, setChanges] = useState(() => getChanges(source.show));
	const [className, setClassName] = useState("");
	/** What the user chose, by column; else it is guessed. */
	const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
	const read = useQuery({
		queryKey: ["rows of a request", isComparison ? source : runId],
		queryFn: ({ signal }) => (isComparison ? readComparisonRows(source, signal) : readRunRows(runId, signal)),
		enabled: isComparison || runId !== "",
		staleTime: Number.POSITIVE_INFINITY,
	});
	const all = read.data;
	const classes = useMemo(() => [...new Set(all?.map((row) => row.className))].sort(), [all]);
	const rows = useMemo(
		() =>
			(all ?? []).filter(
				(row) =>
					(row.change === null || changes.includes(row.change)) && (className === "" || row.className === className),
			),
		[all, changes, className],
	);
	const names = useMemo(() => attributeNames(rows), [rows]);
	const attributeFor = (column: Column): string => {
		const name = chosen[column.name] ?? guessAttribute(column, names);
		return names.includes(name) ? name : "";
	};
	const isMapped = columns.some((column) => attributeFor(column) !== "");
	return (
		<Dialog
			open
			title={isComparison ? "Rows from a comparison" : "Rows from a run"}
			description="The values are copied into the table, where you can change them."
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button
						variant="primary"
						busy={read.isFetching}
						disabled={!isMapped || rows.length > MOST_ROWS}
						onClick={() => {
							const named = rows.map(({ attributes }) =>
								Object.fromEntries(columns.map((column) => [column.name, attributes[attributeFor(column)]])),
							);
							onRows(getCells(named, columns));
							onClose();
						}}
					>
						Use {formatPlural(rows.length, "row")}
					</Button>
				</>
			}
		>
			<div className="flex flex-col gap-3">
				{read.error !== null && <ProblemBanner error={read.error} onRetry={() => void read.refetch()} />}
				{!isComparison && <RunField value={runId} given={source.run} onChange={setRunId} />}
				{all !== undefined && (
					<>
						{isComparison && (
							<fieldset className="m-0 flex flex-wrap gap-x-5 gap-y-1 border-0 p-0">
								<legend className="mb-1 p-0 font-medium">Objects</legend>
								{SNAPSHOT_CHANGES.map((kind) => (
									<CheckField
										key={kind}
										label={`${(source.reverse === "1" ? KINDS_BACKWARDS : KINDS)[kind]} (${formatCount(all.filter(({ change }) => change === kind).length)})`}
										checked={changes.includes(kind)}
										onChange={({ target }) =>
											setChanges(target.checked ? [...changes, kind] : changes.filter((each) => each !== kind))
										}
									/>
								))}
							</fieldset>
						)}
						{classes.length > 1 && (
							<SelectField
								label="Class"
								value={className}
								options={[
									{ value: "", label: "All classes" },
									...classes.map((value) => ({ value, label: value || "(without a class)" })),
								]}
								onChange={(event) => setClassName(event.target.value)}
							/>
						)}
						{rows.length > MOST_ROWS && (
							<Banner
								tone="warn"
								title={`A request takes at most ${formatCount(MOST_ROWS)} rows.`}
								detail="Choose fewer kinds of change, or one class."
							/>
						)}
						{columns.map((column) => (
							<SelectField
								key={column.name}
								label={column.label || column.name}
								value={attributeFor(column)}
								options={[{ value: "", label: "(leave empty)" }, ...names.map((value) => ({ value, label: value }))]}
								onChange={(event) => setChosen({ ...chosen, [column.name]: event.target.value })}
							/>
						))}
					</>
				)}
			</div>
		</Dialog>
	);
}

const KINDS = { added: "Added", modified: "Modified, as they are now", deleted: "Deleted, as they were" } as const;
/** Labels for a comparison from the later snapshot to the earlier one. */
const KINDS_BACKWARDS = {
	added: "Deleted since, as they were",
	modified: "Modified, as they were",
	deleted: "Added since, as they are now",
} as const;

interface RunFieldProps {
	readonly value: string;
	/** A run that the list may lack. */
	readonly given: string | undefined;
	onChange(id: string): void;
}

function RunField({ value, given, onChange }: RunFieldProps) {
	const times = useTimes();
	const runs = useAnswer(pipelineRoutes.list, { query: { status: "completed", page_size: "50" } });
	const listed = runs.data?.results ?? [];
	const isMissing = given !== undefined && !listed.some(({ id }) => id === given);
	return (
		<SelectField
			label="Run"
			value={value}
			options={[
				{ value: "", label: "Choose a run" },
				...listed.map(({ id, query_name, total_rows, controller_connection_name, created_at }) => ({
					value: id,
					label: [
						`${query_name ?? "Unsaved query"}: ${formatPlural(total_rows ?? 0, "row")}`,
						controller_connection_name,
						times.dateTime(created_at),
					].join(", "),
				})),
				...(isMissing ? [{ value: given, label: "The run that you came from" }] : []),
			]}
			onChange={(event) => onChange(event.target.value)}
		/>
	);
}
