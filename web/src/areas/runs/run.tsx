/** One run: rows in a grid or as JSON, stages with their requests, and live progress. */
import { getRouteApi, Link } from "@tanstack/react-router";
import { backgroundRunRoutes, pipelineRoutes } from "@weft/contracts/browser";
import { CalendarClock, ClipboardList, History, Play, Square, Workflow } from "lucide-react";
import { useEffect, useMemo } from "react";
import { callRoute, useAction } from "../../platform/call.ts";
import { formatDuration, formatPlural } from "../../platform/format.ts";
import { useCommands } from "../../platform/keys.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { useSearchState } from "../../platform/search-state.ts";
import type { Times } from "../../platform/time.ts";
import { client } from "../../platform/weft.ts";
import { nameFile } from "../../platform/workbook.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { getTabClass } from "../../ui/classes.ts";
import { CopyAs } from "../../ui/copy-as.tsx";
import { OpenWindowBanners } from "../../ui/open-window-banner.tsx";
import { Banner, Empty, PageHead, ProblemBanner } from "../../ui/page.tsx";
import { Status } from "../../ui/pill.tsx";
import { Progress } from "../../ui/progress.tsx";
import { showProblem, showToast } from "../../ui/toast.tsx";
import { Unloaded } from "../../ui/unloaded.tsx";
import { DownloadMenu } from "./grid/download-menu.tsx";
import { ResultGrid } from "./grid/grid.tsx";
import { readSort, writeSort } from "./grid/sort.ts";
import { JsonView } from "./json-view.tsx";
import { isUnderWay, type RunDetail, useLiveRun } from "./live.ts";
import { Stages } from "./stages.tsx";

const route = getRouteApi("/app/runs/$id");

const TABS = [
	["table", "Table"],
	["json", "JSON"],
	["stages", "Stages"],
] as const;
type Tab = (typeof TABS)[number][0];

export function RunPage() {
	const { id } = route.useParams();
	const { tab = "table" } = route.useSearch();
	const { job, nodes, error, refetch } = useLiveRun(id);
	if (job === undefined) {
		return (
			<Unloaded
				what="Run"
				crumbs={[{ label: "Runs", to: "/runs" }]}
				error={error}
				gone="Runs are deleted with the query they ran or the user who started them."
				onRetry={refetch}
			/>
		);
	}
	const shown: Tab = TABS.some(([name]) => name === tab) ? (tab as Tab) : "table";
	return (
		<div className="flex h-full min-h-0 flex-col">
			<Head job={job} tab={shown} />
			<OpenWindowBanners connections={[job.controller_connection_id]} className="px-5 pt-3 max-sm:px-4" />
			<div className="min-h-0 flex-1 overflow-auto">
				{shown === "stages" ? (
					<Stages stages={job.stages} nodes={nodes} />
				) : job.status === "completed" ? (
					<Rows job={job} tab={shown} />
				) : (
					<Unfinished job={job} />
				)}
			</div>
		</div>
	);
}

function Head({ job, tab }: { job: RunDetail; tab: Tab }) {
	const { id, query_name, query_version, saved_query_id, status, controller_connection_name } = job;
	const times = useTimes();
	const may = useMay();
	const navigate = route.useNavigate();
	const under = isUnderWay(status);
	const name = query_name ?? "Unsaved query";
	const stop = useAction(() => callRoute(pipelineRoutes.cancel, { params: { id } }), {
		stale: ["pipelines"],
		onSuccess: () => showToast("Stopping: requests under way finish, later stages do not start"),
		onError: (error) => showProblem(error),
	});
	const again = useAction(
		() =>
			callRoute(backgroundRunRoutes.start, {
				params: { id: saved_query_id ?? "" },
				body: { controller_connection_id: job.controller_connection_id },
			}),
		{ stale: ["pipelines"], onSuccess: (next) => void navigate({ to: "/runs/$id", params: { id: next.id } }) },
	);
	const canRun = may("execute_savedquery");
	useCommands(
		canRun && saved_query_id !== null && !under
			? [{ id: "run.again", label: "Run it again", group: "Run", keys: "r", run: () => again.mutate() }]
			: [],
	);
	const percent = job.total_stages === 0 ? 0 : Math.round((job.completed_stages / job.total_stages) * 100);
	useEffect(() => {
		if (under) document.title = `${percent} % - ${name} - Weft`;
	}, [under, percent, name]);
	return (
		<>
			<PageHead
				ruled
				title={name}
				crumbs={[{ label: "Runs", to: "/runs" }]}
				facts={
					<>
						<Status status={status} />
						{query_version && <span className="mono">{query_version}</span>}
						<span title={job.member_url ?? undefined}>{controller_connection_name}</span>
						{job.member_url && <span className="mono text-muted">{new URL(job.member_url).host}</span>}
						{job.total_rows !== null && <span className="num">{formatPlural(job.total_rows, "row")}</span>}
						{job.execution_time_ms !== null && <span className="num">{formatDuration(job.execution_time_ms)}</span>}
						<span title={times.zone}>{times.dateTime(job.created_at)}</span>
					</>
				}
				actions={
					<>
						{saved_query_id && (
							<ButtonLink icon={Workflow} to="/builder/$id" params={{ id: saved_query_id }}>
								Query
							</ButtonLink>
						)}
						{saved_query_id && may("add_scheduledtask") && (
							<ButtonLink icon={CalendarClock} to="/schedules" search={{ new: saved_query_id }}>
								Schedule
							</ButtonLink>
						)}
						{job.snapshot_id && may("view_snapshot") && (
							<ButtonLink icon={History} to="/time-machine/snapshots/$id" params={{ id: job.snapshot_id }}>
								Snapshot
							</ButtonLink>
						)}
						{status === "completed" && may("add_automationrequest") && (
							<ButtonLink icon={ClipboardList} to="/automation/templates" search={{ run: id }}>
								Make a request from these rows
							</ButtonLink>
						)}
						<CopyAs call={() => ({ route: pipelineRoutes.results, params: { id }, query: { export: "json" } })} />
						{status === "completed" && (
							<DownloadMenu
								label="Complete result"
								name={nameRun(job, times)}
								request={(format) =>
									client.getRequest(pipelineRoutes.results, { params: { id }, query: { export: format } })
								}
							/>
						)}
						{under && canRun && (
							<Button icon={Square} busy={stop.isPending} onClick={() => stop.mutate()}>
								Stop
							</Button>
						)}
						{!under && saved_query_id && canRun && (
							<Button variant="primary" icon={Play} keys="r" busy={again.isPending} onClick={() => again.mutate()}>
								Run again
							</Button>
						)}
					</>
				}
			/>
			{again.error !== null && (
				<div className="px-5 pt-2">
					<ProblemBanner error={again.error} />
				</div>
			)}
			<nav aria-label="Views of the run" className="flex gap-1 border-line border-b bg-surface px-4">
				{TABS.map(([value, label]) => (
					<Link
						key={value}
						from="/runs/$id"
						search={(search: Record<string, string | undefined>) => ({
							...search,
							tab: value === "table" ? undefined : value,
						})}
						aria-current={tab === value ? "page" : undefined}
						className={getTabClass(tab === value)}
					>
						{label}
						{value === "stages" && <span className="num ml-1 text-muted">{job.stages.length}</span>}
					</Link>
				))}
			</nav>
		</>
	);
}

function Unfinished({ job }: { job: RunDetail }) {
	if (isUnderWay(job.status)) {
		const soFar = job.stages.reduce((sum, stage) => sum + stage.outputs.result_count, 0);
		return (
			<div className="flex max-w-xl flex-col gap-2 p-5">
				<p className="m-0">
					{job.status === "pending"
						? "Queued."
						: `Stage ${Math.min(job.completed_stages + 1, job.total_stages)} of ${job.total_stages}, ${formatPlural(soFar, "row")} so far.`}
				</p>
				<Progress
					label="Stages of the run"
					done={job.completed_stages}
					total={job.status === "pending" ? null : job.total_stages}
				/>
			</div>
		);
	}
	if (job.errors.length === 0) return <Empty>Cancelled before the end. The stages show the rows read so far.</Empty>;
	return (
		<div className="flex max-w-3xl flex-col gap-2 p-5">
			{job.errors.map(({ message, stage_index }) => (
				<Banner
					key={message}
					tone="bad"
					title={message}
					detail={stage_index === null ? "" : `In stage ${stage_index + 1}.`}
				/>
			))}
		</div>
	);
}

/** The name of a file with rows of a run. */
const nameRun = ({ query_name, controller_connection_name, created_at }: RunDetail, times: Times): string =>
	nameFile(query_name ?? "rows", [controller_connection_name], times.getDay(created_at));

function Rows({ job, tab }: { job: RunDetail; tab: Tab }) {
	const [{ q = "", sort, group = null }, set] = useSearchState(route.useSearch(), route.useNavigate(), {
		replace: true,
	});
	const source = useMemo(
		() => ({
			key: job.id,
			request: () => client.getRequest(pipelineRoutes.results, { params: { id: job.id }, query: { export: "ndjson" } }),
		}),
		[job.id],
	);
	const times = useTimes();
	if (tab === "json") return <JsonView jobId={job.id} rows={job.total_rows ?? 0} />;
	return (
		<ResultGrid
			source={source}
			scope={job.saved_query_id ?? job.stages.at(-1)?.class_name ?? "run"}
			name={nameRun(job, times)}
			origin={{ query: job.saved_query_id, controller: job.controller_connection_id }}
			filter={q}
			sort={readSort(sort)}
			group={group}
			onFilter={(text) => set({ q: text || undefined })}
			onSort={(next) => set({ sort: writeSort(next) })}
			onGroup={(next) => set({ group: next ?? undefined })}
		/>
	);
}
