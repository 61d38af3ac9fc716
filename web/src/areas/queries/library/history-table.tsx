/** Executions of saved queries, the latest first. */
import { Link } from "@tanstack/react-router";
import type { ExecutionLog } from "@weft/contracts";
import { executionLogRoutes } from "@weft/contracts/browser";
import { History } from "lucide-react";
import { useAnswer } from "../../../platform/call.ts";
import { formatCount, formatDuration } from "../../../platform/format.ts";
import { useTimes } from "../../../platform/profile.ts";
import { Empty, Loaded } from "../../../ui/page.tsx";
import { Status } from "../../../ui/pill.tsx";
import { type Column, Pager, Table } from "../../../ui/table.tsx";

/** Rows of a page. */
export const SIZE = 50;

export function HistoryTable({ page, onPage }: { page: string; onPage(page: number): void }) {
	const times = useTimes();
	const answer = useAnswer(
		executionLogRoutes.list,
		{ query: { page, page_size: String(SIZE) } },
		{ keepPrevious: true },
	);
	const columns: Column<ExecutionLog>[] = [
		{
			key: "query",
			head: "Query",
			className: "w-1/3",
			cell: ({ query, query_name }) =>
				query ? (
					<Link to="/builder/$id" params={{ id: query }} className="rounded-cell font-medium hover:underline">
						{query_name}
					</Link>
				) : (
					<span className="text-muted">{query_name} (deleted)</span>
				),
		},
		{ key: "who", head: "By", cell: ({ executed_by }) => executed_by },
		{
			key: "result",
			head: "Result",
			cell: ({ success, error_message }) => (
				<span className="flex items-center gap-2">
					<Status status={success ? "success" : "failed"} />
					{error_message && (
						<span className="max-w-80 truncate text-muted" title={error_message}>
							{error_message}
						</span>
					)}
				</span>
			),
		},
		{ key: "rows", head: "Rows", align: "right", cell: ({ result_count }) => formatCount(result_count) },
		{
			key: "duration",
			head: "Duration",
			align: "right",
			cell: ({ execution_time_ms }) => <span className="text-muted">{formatDuration(execution_time_ms)}</span>,
		},
		{
			key: "when",
			head: "When",
			align: "right",
			cell: ({ executed_at }) => <span className="whitespace-nowrap text-muted">{times.dateTime(executed_at)}</span>,
		},
	];
	return (
		<Loaded answer={answer} lines={8}>
			{({ results, count: all }) =>
				results.length === 0 ? (
					<Empty icon={History}>Executions of saved queries appear here.</Empty>
				) : (
					<>
						<Table label="Executions" columns={columns} rows={results} getKey={({ id }) => id} />
						<Pager page={Number(page)} pageSize={SIZE} count={all} onPage={onPage} />
					</>
				)
			}
		</Loaded>
	);
}
