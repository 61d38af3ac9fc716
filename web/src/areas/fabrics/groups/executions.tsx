/** Group runs: one query on many connections at once, newest first. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { GroupExecution, GroupStatus } from "@weft/contracts";
import { GROUP_STATUSES, groupExecutionRoutes } from "@weft/contracts/browser";
import { Layers } from "lucide-react";
import { useAnswer } from "../../../platform/call.ts";
import { formatCount } from "../../../platform/format.ts";
import { useTimes } from "../../../platform/profile.ts";
import { useSearchState } from "../../../platform/search-state.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { CopyAs } from "../../../ui/copy-as.tsx";
import { FilterSelect } from "../../../ui/filter-select.tsx";
import { ListPage } from "../../../ui/list-page.tsx";
import { Empty } from "../../../ui/page.tsx";
import { Status } from "../../../ui/pill.tsx";
import { SearchField } from "../../../ui/search-field.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { countEndedRuns } from "./order.ts";
import { StartGroupRun } from "./start.tsx";

const route = getRouteApi("/app/runs/groups");
const SIZE = 50;
const BUSY_MS = 3_000;

const NAMES: Readonly<Record<GroupStatus, string>> = {
	running: "Running",
	completed: "Succeeded",
	partial: "Partial",
	failed: "Failed",
	cancelled: "Cancelled",
};
const isStatus = (text: string | undefined): text is GroupStatus => GROUP_STATUSES.some((status) => status === text);

export function GroupRunsPage() {
	const navigate = route.useNavigate();
	const [search, set] = useSearchState(route.useSearch(), navigate, { replace: true });
	const { q = "", status, page = "1" } = search;
	const query = {
		page,
		page_size: String(SIZE),
		...(q === "" ? {} : { search: q }),
		...(isStatus(status) ? { status } : {}),
	};
	const answer = useAnswer(groupExecutionRoutes.list, { query }, { keepPrevious: true });
	const isBusy = answer.data?.results.some((one) => one.status === "running") ?? false;
	// A second observer of the same answer: it looks again while something runs.
	useAnswer(groupExecutionRoutes.list, { query }, { every: isBusy ? BUSY_MS : false, keepPrevious: true });
	return (
		<>
			<ListPage
				title="Group runs"
				noun="group run"
				crumbs={[{ label: "Runs", to: "/runs" }]}
				actions={
					<>
						<ButtonLink icon={Layers} to="/settings/connection-groups">
							Groups
						</ButtonLink>
						<CopyAs call={() => ({ route: groupExecutionRoutes.list, query })} />
					</>
				}
				above={
					<search className="flex flex-wrap gap-2">
						<SearchField
							value={q}
							label="Query name"
							onChange={(text) => set({ q: text || undefined, page: undefined })}
						/>
						<FilterSelect
							label="State"
							any="Any state"
							value={status}
							options={GROUP_STATUSES.map((value) => ({ value, label: NAMES[value] }))}
							onChange={(value) => set({ status: value, page: undefined })}
						/>
					</search>
				}
				answer={answer}
				lines={6}
				page={Number(page)}
				pageSize={SIZE}
				empty={
					q === "" && !isStatus(status) ? (
						<Empty icon={Layers} action={<ButtonLink to="/library">Choose a query</ButtonLink>}>
							No group runs yet. A group run executes one query on several fabrics and merges their rows.
						</Empty>
					) : (
						<Empty>No group run matches the filters.</Empty>
					)
				}
				onPage={(to) => set({ page: String(to) })}
			>
				{(rows) => <ExecutionTable rows={rows} />}
			</ListPage>
			{search.new !== undefined && (
				<StartGroupRun
					query={search.new}
					onStarted={({ id }) => void navigate({ to: "/runs/groups/$id", params: { id } })}
					onClose={() => set({ new: undefined })}
				/>
			)}
		</>
	);
}

function ExecutionTable({ rows }: { rows: readonly GroupExecution[] }) {
	const times = useTimes();
	const columns: Column<GroupExecution>[] = [
		{
			key: "query",
			head: "Query",
			className: "w-1/2 min-w-40 max-w-0!",
			cell: ({ id, query_name, query_version }) => (
				<span className="flex min-w-0 items-center gap-2">
					<Link to="/runs/groups/$id" params={{ id }} className="truncate rounded-cell font-medium hover:underline">
						{query_name ?? "Unsaved query"}
					</Link>
					{query_version && <span className="mono shrink-0 text-muted">{query_version}</span>}
				</span>
			),
		},
		{ key: "result", head: "Result", cell: ({ status }) => <Status status={status} /> },
		{
			key: "connections",
			head: "Fabrics",
			align: "right",
			cell: (one) =>
				one.status === "running" ? `${countEndedRuns(one)} of ${one.runs.length}` : formatCount(one.runs.length),
		},
		{
			key: "rows",
			head: "Rows",
			align: "right",
			cell: ({ total_rows }) => (total_rows === null ? <span className="text-muted">-</span> : formatCount(total_rows)),
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
	return <Table label="Group runs" columns={columns} rows={rows} getKey={({ id }) => id} />;
}
