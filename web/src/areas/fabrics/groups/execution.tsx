/** One group run: how each connection stands, the merged rows, and what differs between fabrics. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { GroupExecution, GroupRun } from "@weft/contracts";
import { groupExecutionRoutes } from "@weft/contracts/browser";
import { GitCompareArrows, RotateCcw, Square, Workflow } from "lucide-react";
import { useMemo } from "react";
import { callRoute, useAction } from "../../../platform/call.ts";
import { formatCount, formatPlural } from "../../../platform/format.ts";
import { useMay, useTimes } from "../../../platform/profile.ts";
import { useSearchState } from "../../../platform/search-state.ts";
import type { Times } from "../../../platform/time.ts";
import { client } from "../../../platform/weft.ts";
import { nameFile } from "../../../platform/workbook.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { getTabClass } from "../../../ui/classes.ts";
import { CopyAs } from "../../../ui/copy-as.tsx";
import { Banner, Empty, PageHead, ProblemBanner } from "../../../ui/page.tsx";
import { Status } from "../../../ui/pill.tsx";
import { Progress } from "../../../ui/progress.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { Unloaded } from "../../../ui/unloaded.tsx";
import { DownloadMenu } from "../../runs/grid/download-menu.tsx";
import { ResultGrid } from "../../runs/grid/grid.tsx";
import { readSort, writeSort } from "../../runs/grid/sort.ts";
import { useLiveGroupRun } from "./live.ts";
import { countEndedRuns, listFailedRuns } from "./order.ts";
import { GroupDifferences } from "./pivot.tsx";

const route = getRouteApi("/app/runs/groups/$id");

const TABS = [
	["connections", "Fabrics"],
	["rows", "All rows"],
	["pivot", "Differences"],
] as const;
type Tab = (typeof TABS)[number][0];

export function GroupRunPage() {
	const { id } = route.useParams();
	const [search, set] = useSearchState(route.useSearch(), route.useNavigate(), { replace: true });
	const { execution, error, refetch } = useLiveGroupRun(id);
	if (execution === undefined) {
		return (
			<Unloaded
				what="Group run"
				crumbs={[{ label: "Group runs", to: "/runs/groups" }]}
				error={error}
				gone="Group runs are deleted with the user who started them."
				onRetry={refetch}
			/>
		);
	}
	const tab: Tab = TABS.find(([name]) => name === search.tab)?.[0] ?? "connections";
	const hasRows = execution.status !== "running" && execution.runs.some(({ status }) => status === "completed");
	return (
		<div className="flex h-full min-h-0 flex-col">
			<Head execution={execution} tab={tab} hasRows={hasRows} />
			<div className="min-h-0 flex-1 overflow-auto">
				{tab === "connections" ? (
					<Runs execution={execution} />
				) : !hasRows ? (
					<Empty>
						{execution.status === "running"
							? "The rows are merged when all fabrics have answered."
							: "No fabric has rows."}
					</Empty>
				) : tab === "pivot" ? (
					<GroupDifferences
						key={search.key ?? ""}
						execution={execution}
						search={search}
						onSearch={(change) => set(change)}
					/>
				) : (
					<Rows execution={execution} />
				)}
			</div>
		</div>
	);
}

interface HeadProps {
	readonly execution: GroupExecution;
	readonly tab: Tab;
	readonly hasRows: boolean;
}

function Head({ execution, tab, hasRows }: HeadProps) {
	const { id, status, query_name, query_version, saved_query_id, total_rows, hidden_count } = execution;
	const times = useTimes();
	const canRun = useMay()("execute_savedquery");
	const failed = listFailedRuns(execution);
	const cancel = useAction(() => callRoute(groupExecutionRoutes.cancel, { params: { id } }), {
		stale: ["group_executions"],
		onSuccess: () => showToast("Stopping: runs that have ended keep their rows"),
	});
	const retry = useAction(() => callRoute(groupExecutionRoutes.retry, { params: { id } }), {
		stale: ["group_executions"],
	});
	const name = query_name ?? "Unsaved query";
	const problem = cancel.error ?? retry.error;
	return (
		<>
			<PageHead
				ruled
				title={name}
				crumbs={[{ label: "Group runs", to: "/runs/groups" }]}
				facts={
					<>
						<Status status={status} />
						{query_version && <span className="mono">{query_version}</span>}
						<span>{formatPlural(execution.runs.length, "fabric")}</span>
						{hidden_count > 0 && <span>and {hidden_count} that you do not see</span>}
						{total_rows !== null && <span className="num">{formatPlural(total_rows, "row")}</span>}
						<span title={times.zone}>{times.dateTime(execution.created_at)}</span>
					</>
				}
				actions={
					<>
						{hasRows && tab !== "pivot" && execution.runs.length > 1 && (
							<ButtonLink icon={GitCompareArrows} to="/runs/groups/$id" params={{ id }} search={{ tab: "pivot" }}>
								Compare fabrics
							</ButtonLink>
						)}
						{saved_query_id && (
							<ButtonLink icon={Workflow} to="/builder/$id" params={{ id: saved_query_id }}>
								Query
							</ButtonLink>
						)}
						<CopyAs call={() => ({ route: groupExecutionRoutes.results, params: { id }, query: { export: "json" } })} />
						{hasRows && (
							<DownloadMenu
								label="All rows"
								name={nameRows(execution, times)}
								request={(format) =>
									client.getRequest(groupExecutionRoutes.results, { params: { id }, query: { export: format } })
								}
							/>
						)}
						{status === "running" && canRun && (
							<Button icon={Square} busy={cancel.isPending} onClick={() => cancel.mutate(undefined)}>
								Stop
							</Button>
						)}
						{status !== "running" && failed.length > 0 && canRun && (
							<Button variant="primary" icon={RotateCcw} busy={retry.isPending} onClick={() => retry.mutate(undefined)}>
								{`Run the ${formatPlural(failed.length, "failed one")} again`}
							</Button>
						)}
					</>
				}
			/>
			<Notices execution={execution} problem={problem} />
			<nav aria-label="Views of the group run" className="flex gap-1 border-line border-b bg-surface px-4">
				{TABS.map(([value, label]) => (
					<Link
						key={value}
						from="/runs/groups/$id"
						search={{ tab: value === "connections" ? undefined : value }}
						aria-current={tab === value ? "page" : undefined}
						className={getTabClass(tab === value)}
					>
						{label}
					</Link>
				))}
			</nav>
		</>
	);
}

/** A result that lacks a fabric says so above every view of it. */
function Notices({ execution, problem }: { execution: GroupExecution; problem: unknown }) {
	const failed = listFailedRuns(execution);
	const unsupported = execution.runs.filter(({ status }) => status === "unsupported");
	const getName = ({ controller_connection_name }: GroupRun) => controller_connection_name;
	if (problem === null && failed.length === 0 && unsupported.length === 0) return null;
	return (
		<div className="flex flex-col gap-2 px-5 pt-2 max-sm:px-4">
			{problem !== null && <ProblemBanner error={problem} />}
			{execution.status !== "running" && failed.length > 0 && (
				<Banner
					tone={execution.status === "partial" ? "warn" : "bad"}
					title={`Without the rows of ${failed.map(getName).join(", ")}.`}
					detail={failed.map((run) => `${getName(run)}: ${run.error ?? "cancelled"}`).join(" ")}
				/>
			)}
			{unsupported.length > 0 && (
				<Banner
					tone="info"
					title={`${unsupported.map(getName).join(", ")}: the release lacks a class of the query.`}
					detail={unsupported.map(({ error }) => error ?? "").join(" ")}
				/>
			)}
		</div>
	);
}

function Runs({ execution }: { execution: GroupExecution }) {
	const columns: Column<GroupRun>[] = [
		{
			key: "connection",
			head: "Fabric",
			className: "w-1/3 min-w-32 max-w-0!",
			cell: ({ controller_connection_name, pipeline_job_id }) => (
				<Link
					to="/runs/$id"
					params={{ id: pipeline_job_id }}
					className="block truncate rounded-cell font-medium hover:underline"
				>
					{controller_connection_name}
				</Link>
			),
		},
		{
			key: "status",
			head: "Result",
			className: "w-2/3 min-w-40 max-w-0!",
			cell: ({ status, error }) => (
				<span className="flex min-w-0 items-center gap-2">
					<span className="shrink-0">
						<Status status={status} />
					</span>
					{error && (
						<span className="min-w-0 truncate text-muted" title={error}>
							{error}
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
	];
	return (
		<div className="flex flex-col gap-3 p-5 max-sm:p-4">
			{execution.status === "running" && (
				<Progress label="Fabrics that have answered" done={countEndedRuns(execution)} total={execution.runs.length} />
			)}
			<div className="overflow-hidden rounded-card border border-line bg-surface">
				<Table
					label="Runs of the group"
					columns={columns}
					rows={execution.runs}
					getKey={({ pipeline_job_id }) => pipeline_job_id}
				/>
			</div>
		</div>
	);
}

/** The name of a file with the rows of all fabrics. */
function nameRows({ query_name, runs, created_at }: GroupExecution, times: Times): string {
	const fabrics = runs.map(({ controller_connection_name }) => controller_connection_name);
	return nameFile(query_name ?? "rows", fabrics, times.getDay(created_at));
}

function Rows({ execution }: { execution: GroupExecution }) {
	const { id, completed_at, saved_query_id } = execution;
	const times = useTimes();
	const [{ q = "", sort, group = null }, set] = useSearchState(route.useSearch(), route.useNavigate(), {
		replace: true,
	});
	const source = useMemo(
		() => ({
			key: `${id} ${completed_at}`,
			request: () => client.getRequest(groupExecutionRoutes.results, { params: { id }, query: { export: "ndjson" } }),
		}),
		[id, completed_at],
	);
	return (
		<ResultGrid
			source={source}
			scope={`group ${saved_query_id ?? id}`}
			name={nameRows(execution, times)}
			origin={{ query: saved_query_id, controller: null }}
			filter={q}
			sort={readSort(sort)}
			group={group}
			onFilter={(text) => set({ q: text || undefined })}
			onSort={(next) => set({ sort: writeSort(next) })}
			onGroup={(next) => set({ group: next ?? undefined })}
		/>
	);
}
