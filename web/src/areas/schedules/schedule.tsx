/** One schedule: when it runs next, and how each of its runs went, controller by controller. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ScheduledExecution, ScheduledTask } from "@weft/contracts";
import { scheduleRoutes } from "@weft/contracts/browser";
import { Camera, Pencil, Table2 } from "lucide-react";
import { useState } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { formatCount, formatDuration, formatPerson, formatPlural } from "../../platform/format.ts";
import { useCommands } from "../../platform/keys.ts";
import { useTimes } from "../../platform/profile.ts";
import { Button } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { OpenWindowBanners } from "../../ui/open-window-banner.tsx";
import { Empty, Loaded, PageHead, Panel } from "../../ui/page.tsx";
import { Status } from "../../ui/pill.tsx";
import { type Column, Pager, ShortName, Table } from "../../ui/table.tsx";
import { Unloaded } from "../../ui/unloaded.tsx";
import { HeldBanner } from "../calendar/held.tsx";
import { Coming } from "./cadence-fields.tsx";
import { Changes } from "./changes.tsx";
import { readCadence, ScheduleForm } from "./form.tsx";
import { TaskVerbs } from "./schedules.tsx";

const route = getRouteApi("/app/schedules/$id");
const SIZE = 25;
const BUSY_MS = 3_000;

export function SchedulePage() {
	const { id } = route.useParams();
	const { page = "1" } = route.useSearch();
	const navigate = route.useNavigate();
	const times = useTimes();
	const answer = useAnswer(scheduleRoutes.detail, { params: { id } });
	const runs = useTaskRuns(id, page);
	const [editing, setEditing] = useState(false);
	const [removing, setRemoving] = useState(false);
	const remove = useAction(() => callRoute(scheduleRoutes.remove, { params: { id } }), {
		stale: ["schedules"],
		onSuccess: () => void navigate({ to: "/schedules" }),
	});
	const task = answer.data;
	useCommands(
		task?.can_edit
			? [{ id: "schedule.edit", label: "Edit the schedule", group: "Schedule", keys: "e", run: () => setEditing(true) }]
			: [],
	);
	if (task === undefined) {
		return (
			<Unloaded
				what="Schedule"
				crumbs={[{ label: "Schedules", to: "/schedules" }]}
				error={answer.error}
				onRetry={() => void answer.refetch()}
			/>
		);
	}
	return (
		<>
			<PageHead
				title={task.name}
				crumbs={[{ label: "Schedules", to: "/schedules" }]}
				facts={
					<>
						<Status status={task.status} />
						<span>{task.schedule_description}</span>
						<Link to="/builder/$id" params={{ id: task.saved_query }} className="text-accent-text hover:underline">
							{task.query_name}
						</Link>
						<span>by {formatPerson(task.created_by)}</span>
					</>
				}
				actions={
					<>
						<CopyAs call={() => ({ route: scheduleRoutes.taskExecutions, params: { id } })} />
						<TaskVerbs task={task} onRemove={() => setRemoving(true)} />
						{task.can_edit && (
							<Button variant="primary" icon={Pencil} keys="e" onClick={() => setEditing(true)}>
								Edit
							</Button>
						)}
					</>
				}
			/>
			<OpenWindowBanners connections={task.controller_connection_ids} className="px-5 pb-3 max-sm:px-4" />
			{task.held_by !== null && (
				<div className="px-5 pb-3 max-sm:px-4">
					<HeldBanner held={task.held_by} />
				</div>
			)}
			<div className="grid gap-3 px-5 pb-5 max-sm:px-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
				<RunsPanel
					task={task}
					runs={runs}
					page={page}
					onPage={(to) => void navigate({ search: { page: String(to) } })}
				/>
				<div className="flex flex-col gap-3">
					<Panel title="Next runs" padded>
						{task.status === "active" ? (
							<Coming cadence={readCadence(task, times.zone, "")} />
						) : (
							<p className="m-0 text-muted">It is {task.status} and runs only when you start it.</p>
						)}
					</Panel>
					<Changes queryId={task.saved_query} />
					<SettingsPanel task={task} />
				</div>
			</div>
			{editing && <ScheduleForm task={task} onSaved={() => setEditing(false)} onClose={() => setEditing(false)} />}
			<Confirm
				open={removing}
				title={`Delete ${task.name}?`}
				verb="Delete the schedule"
				onConfirm={() => remove.mutateAsync()}
				onClose={() => setRemoving(false)}
			>
				<p className="m-0">
					The record of its {formatPlural(task.execution_count, "run")} goes with it. The query and its snapshots stay.
				</p>
			</Confirm>
		</>
	);
}

/** A page of the schedule's runs; looks again while one is under way. */
function useTaskRuns(id: string, page: string) {
	const input = { params: { id }, query: { page, page_size: String(SIZE) } };
	const runs = useAnswer(scheduleRoutes.taskExecutions, input, { keepPrevious: true });
	const isBusy = runs.data?.results.some(({ status }) => status === "pending" || status === "running") ?? false;
	useAnswer(scheduleRoutes.taskExecutions, input, { every: isBusy ? BUSY_MS : false, keepPrevious: true });
	return runs;
}

interface RunsPanelProps {
	readonly runs: ReturnType<typeof useTaskRuns>;
	readonly task: ScheduledTask;
	readonly page: string;
	onPage(page: number): void;
}

function RunsPanel({ task, runs, page, onPage }: RunsPanelProps) {
	const times = useTimes();
	return (
		<Panel
			title="Runs"
			aside={
				task.execution_count > 0 && (
					<span className="num text-muted">{`${task.success_count} of ${task.execution_count} succeeded`}</span>
				)
			}
		>
			<Loaded answer={runs} lines={6}>
				{({ results, count: all }) =>
					results.length === 0 ? (
						<Empty>
							Not run yet{task.next_run_at ? `; the first time is ${times.relative(task.next_run_at)}` : ""}.
						</Empty>
					) : (
						<>
							<Executions rows={results} />
							<Pager page={Number(page)} pageSize={SIZE} count={all} onPage={onPage} />
						</>
					)
				}
			</Loaded>
		</Panel>
	);
}

function describeFabrics({ controller_connection_ids: ids, connection_group_name: group }: ScheduledTask): string {
	const named = ids.length > 0 || !group ? [formatPlural(ids.length, "fabric")] : [];
	return [...named, ...(group ? [`all of the group ${group}`] : [])].join(" and ");
}

function SettingsPanel({ task }: { readonly task: ScheduledTask }) {
	return (
		<Panel title="Settings" padded>
			<dl className="m-0 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
				<dt className="text-muted">Fabrics</dt>
				<dd className="m-0">{describeFabrics(task)}</dd>
				<dt className="text-muted">Mail</dt>
				<dd className="m-0">
					{[task.email_on_failure && "on failure", task.email_on_success && "on success"]
						.filter(Boolean)
						.join(" and ") || "none"}
				</dd>
				<dt className="text-muted">Retries</dt>
				<dd className="m-0">
					{task.retry_enabled ? `up to ${task.retry_count}, ${task.retry_interval_minutes} min apart` : "none"}
				</dd>
				<dt className="text-muted">Record</dt>
				<dd className="m-0">{formatPlural(task.log_retention_days, "day")}</dd>
				{task.description && (
					<>
						<dt className="text-muted">About</dt>
						<dd className="m-0">{task.description}</dd>
					</>
				)}
			</dl>
		</Panel>
	);
}

function Executions({ rows }: { rows: readonly ScheduledExecution[] }) {
	const times = useTimes();
	const columns: Column<ScheduledExecution>[] = [
		{
			key: "when",
			head: "Started",
			cell: ({ created_at }) => <span className="num whitespace-nowrap">{times.dateTime(created_at)}</span>,
		},
		{
			key: "controller",
			head: "Fabric",
			cell: ({ controller_connection_name, is_retry, retry_attempt }) => (
				<span className="flex gap-1">
					<ShortName name={controller_connection_name} />
					{is_retry && <span className="shrink-0 text-muted">(try {retry_attempt + 1})</span>}
				</span>
			),
		},
		{
			key: "result",
			head: "Result",
			className: "w-2/5",
			cell: ({ status, error_message }) => (
				<span className="flex min-w-0 items-center gap-2">
					<Status status={status} />
					{error_message && (
						<span className="truncate text-muted" title={error_message}>
							{error_message}
						</span>
					)}
				</span>
			),
		},
		{
			key: "rows",
			head: "Rows",
			align: "right",
			cell: ({ result_count }) => (result_count === null ? "-" : formatCount(result_count)),
		},
		{
			key: "ms",
			head: "Duration",
			align: "right",
			cell: ({ execution_time_ms }) => (
				<span className="text-muted">{execution_time_ms === null ? "-" : formatDuration(execution_time_ms)}</span>
			),
		},
		{
			key: "links",
			sticky: true,
			head: <span className="sr-only">Open</span>,
			align: "right",
			cell: ({ pipeline_job_id, snapshot_id }) => (
				<span className="inline-flex gap-3">
					{pipeline_job_id && (
						<Link
							to="/runs/$id"
							params={{ id: pipeline_job_id }}
							className="inline-flex items-center gap-1 rounded-cell font-medium text-accent-text hover:underline"
						>
							<Table2 size={13} aria-hidden="true" /> Rows
						</Link>
					)}
					{snapshot_id && (
						<Link
							to="/time-machine/snapshots/$id"
							params={{ id: snapshot_id }}
							className="inline-flex items-center gap-1 rounded-cell font-medium text-accent-text hover:underline"
						>
							<Camera size={13} aria-hidden="true" /> Snapshot
						</Link>
					)}
				</span>
			),
		},
	];
	return <Table label="Runs of the schedule" columns={columns} rows={rows} getKey={({ id }) => id} />;
}
