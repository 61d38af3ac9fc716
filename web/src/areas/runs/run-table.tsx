/** Runs as a table: on their page and on the overview. */
import { Link } from "@tanstack/react-router";
import type { PipelineJob } from "@weft/contracts";
import { formatCount, formatDuration } from "../../platform/format.ts";
import { useTimes } from "../../platform/profile.ts";
import { Status } from "../../ui/pill.tsx";
import { type Column, ShortName, Table } from "../../ui/table.tsx";

export function RunTable({ runs }: { runs: readonly PipelineJob[] }) {
	const times = useTimes();
	const columns: Column<PipelineJob>[] = [
		{
			key: "query",
			head: "Query",
			className: "w-2/5 min-w-40 max-w-0!",
			cell: ({ id, query_name, query_version }) => (
				<span className="flex min-w-0 items-center gap-2">
					<Link to="/runs/$id" params={{ id }} className="truncate rounded-cell font-medium hover:underline">
						{query_name ?? "Unsaved query"}
					</Link>
					{query_version && <span className="mono shrink-0 text-muted">{query_version}</span>}
				</span>
			),
		},
		{
			key: "controller",
			head: "Fabric",
			cell: ({ controller_connection_name }) => (
				<span className="text-muted">
					<ShortName name={controller_connection_name} />
				</span>
			),
		},
		{
			key: "result",
			head: "Result",
			// A long message takes the remaining width.
			className: "w-2/5 min-w-32 max-w-0!",
			cell: ({ status, errors }) => (
				<span className="flex min-w-0 items-center gap-2">
					<span className="shrink-0">
						<Status status={status} />
					</span>
					{errors[0] && (
						<span className="min-w-0 truncate text-muted" title={errors[0].message}>
							{errors[0].message}
						</span>
					)}
				</span>
			),
		},
		{
			key: "rows",
			head: "Rows",
			align: "right",
			cell: ({ total_rows }) => (total_rows === null ? <span className="text-muted">-</span> : formatCount(total_rows)),
		},
		{
			key: "duration",
			head: "Duration",
			align: "right",
			cell: ({ execution_time_ms }) => (
				<span className="text-muted">{execution_time_ms === null ? "-" : formatDuration(execution_time_ms)}</span>
			),
		},
		{
			key: "when",
			head: "Started",
			align: "right",
			cell: ({ created_at }) => (
				<span className="whitespace-nowrap text-muted" title={times.dateTime(created_at)}>
					{times.relative(created_at)}
				</span>
			),
		},
	];
	return <Table label="Runs" columns={columns} rows={runs} getKey={({ id }) => id} />;
}
