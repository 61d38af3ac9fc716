/** The jobs of a request, the newest first, with their rows by result. */
import { Link } from "@tanstack/react-router";
import type { AutomationExecution } from "@weft/contracts";
import { useTimes } from "../../platform/profile.ts";
import { Empty } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { formatRowCounts } from "./row-counts.ts";
import { ExecutionStatus, RunMode, Warned } from "./words.tsx";

export function Executions({ list }: { list: readonly AutomationExecution[] }) {
	const times = useTimes();
	if (list.length === 0) return <Empty>No execution has started.</Empty>;
	const columns: Column<AutomationExecution>[] = [
		{
			key: "job",
			head: "Job",
			cell: ({ id, automation_job_id, relaunch_of }) => (
				<Link to="/automation/executions/$id" params={{ id }} className="rounded-cell font-medium hover:underline">
					{automation_job_id === null ? "Execution" : `Job ${automation_job_id}`}
					{relaunch_of !== null && <span className="font-normal text-muted"> relaunched</span>}
				</Link>
			),
		},
		{
			key: "status",
			head: "State",
			cell: ({ status, warnings }) => (
				<span className="flex items-center gap-1.5 whitespace-nowrap">
					<ExecutionStatus status={status} />
					<Warned warnings={warnings} />
				</span>
			),
		},
		{ key: "mode", head: "Mode", cell: ({ check_mode }) => <RunMode dryRun={check_mode} /> },
		{
			key: "rows",
			head: "Rows",
			cell: ({ row_counts, check_mode }) =>
				row_counts !== null && <span className="num whitespace-nowrap">{formatRowCounts(row_counts, check_mode)}</span>,
		},
		{
			key: "when",
			head: "Started",
			align: "right",
			cell: ({ created_at }) => <span className="whitespace-nowrap text-muted">{times.dateTime(created_at)}</span>,
		},
	];
	return <Table label="Executions" columns={columns} rows={list} getKey={({ id }) => id} />;
}
