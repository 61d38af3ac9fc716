/** What runs by itself: the next seven days, and every schedule with how it went. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ScheduledTask, TaskStatus } from "@weft/contracts";
import { scheduleRoutes, TASK_STATUSES } from "@weft/contracts/browser";
import { CalendarClock, CopyPlus, Ellipsis, Pause, Play, PlayCircle, Plus, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useCommands } from "../../platform/keys.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { joinClasses } from "../../ui/classes.ts";
import { CopyAs } from "../../ui/copy-as.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";
import { Status } from "../../ui/pill.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { showProblem, showToast } from "../../ui/toast.tsx";
import { ScheduleForm } from "./form.tsx";
import { buildStrip } from "./strip.ts";

const route = getRouteApi("/app/schedules");
const SIZE = 50;
const DAYS = 7;
const SHOWN_RUNS = 6;

export function SchedulesPage() {
	const { q = "", status, page = "1", new: making } = route.useSearch();
	const navigate = route.useNavigate();
	const may = useMay();
	const query = {
		page,
		page_size: String(SIZE),
		...(q === "" ? {} : { search: q }),
		...(isStatus(status) ? { status } : {}),
	};
	const answer = useAnswer(scheduleRoutes.list, { query }, { keepPrevious: true });
	const canAdd = may("add_scheduledtask");
	const begin = () => void navigate({ search: (before) => ({ ...before, new: "1" }) });
	useCommands(
		canAdd ? [{ id: "schedules.new", label: "New schedule", group: "Schedules", keys: "c", run: begin }] : [],
	);
	return (
		<>
			<ListPage
				title="Schedules"
				noun="schedule"
				crumbs={[{ label: "Change" }]}
				actions={
					<>
						<SearchField
							value={q}
							label="Filter schedules"
							onChange={(text) =>
								void navigate({
									search: (before) => ({ ...before, q: text || undefined, page: undefined }),
									replace: true,
								})
							}
						/>
						<FilterSelect
							label="State"
							any="Any state"
							value={status}
							options={TASK_STATUSES.map((value) => ({ value, label: NAMES[value] }))}
							onChange={(value) =>
								void navigate({ search: (before) => ({ ...before, status: value, page: undefined }) })
							}
						/>
						<CopyAs call={() => ({ route: scheduleRoutes.list, query })} />
						{canAdd && (
							<Button variant="primary" icon={Plus} onClick={begin}>
								New schedule
							</Button>
						)}
					</>
				}
				above={<Strip />}
				answer={answer}
				lines={6}
				page={Number(page)}
				pageSize={SIZE}
				empty={
					<Empty
						icon={CalendarClock}
						action={
							canAdd &&
							q === "" && (
								<Button variant="primary" icon={Plus} onClick={begin}>
									New schedule
								</Button>
							)
						}
					>
						{q || status
							? "No schedule matches."
							: "A schedule runs a saved query once or periodically, in any time zone, and notifies you of the result."}
					</Empty>
				}
				onPage={(to) => void navigate({ search: (before) => ({ ...before, page: String(to) }) })}
			>
				{(results) => <TaskTable tasks={results} />}
			</ListPage>
			{making !== undefined && (
				<ScheduleForm
					task={null}
					queryId={making === "1" ? undefined : making}
					onSaved={(task) => void navigate({ to: "/schedules/$id", params: { id: task.id } })}
					onClose={() => void navigate({ search: ({ new: _, ...rest }) => rest })}
				/>
			)}
		</>
	);
}

const NAMES: Readonly<Record<TaskStatus, string>> = { active: "Active", paused: "Paused", disabled: "Disabled" };
const isStatus = (text: string | undefined): text is TaskStatus => TASK_STATUSES.some((status) => status === text);

function Strip() {
	const times = useTimes();
	const answer = useAnswer(scheduleRoutes.calendar, { query: { days: String(DAYS) } }, { staleTime: 60_000 });
	const { data } = answer;
	const days = useMemo(() => (data ? buildStrip(data, DAYS, times.getDay) : []), [data, times]);
	const today = times.getDay(Date.now());
	if (data?.tasks.length === 0) return null;
	return (
		<Panel title="The next seven days" aside={<span className="text-muted">{times.zone}</span>}>
			<Loaded answer={answer} lines={3}>
				{() => (
					<ol className="m-0 grid list-none grid-cols-7 p-0 max-lg:grid-cols-4 max-sm:grid-cols-1">
						{days.map(({ day, runs }) => (
							<li key={day} className="min-w-0 border-line border-r p-2 last:border-r-0">
								<h3
									className={joinClasses(
										"m-0 mb-1 font-medium text-xs",
										day === today ? "text-accent-text" : "text-muted",
									)}
								>
									{day === today ? "Today" : times.longDay(day).split(" ").slice(0, 2).join(" ")}
								</h3>
								{runs.length === 0 && <span className="text-muted text-xs">nothing</span>}
								<ul className="m-0 flex list-none flex-col gap-0.5 p-0">
									{runs.slice(0, SHOWN_RUNS).map(({ taskId, name, at, count }) => (
										<li key={`${taskId}:${at}`} className="flex min-w-0 items-baseline gap-1.5 text-xs">
											<span className="num shrink-0 text-muted">{at === null ? `${count}×` : times.time(at)}</span>
											<Link
												to="/schedules/$id"
												params={{ id: taskId }}
												title={name}
												className="truncate rounded-cell hover:underline"
											>
												{name}
											</Link>
										</li>
									))}
								</ul>
								{runs.length > SHOWN_RUNS && (
									<span className="text-muted text-xs">and {runs.length - SHOWN_RUNS} more</span>
								)}
							</li>
						))}
					</ol>
				)}
			</Loaded>
		</Panel>
	);
}

function TaskTable({ tasks }: { tasks: readonly ScheduledTask[] }) {
	const times = useTimes();
	const [removing, setRemoving] = useState<ScheduledTask | null>(null);
	const columns: Column<ScheduledTask>[] = [
		{
			key: "name",
			head: "Schedule",
			className: "w-1/4",
			cell: ({ id, name, query_name }) => (
				<span className="flex min-w-0 flex-col py-1">
					<Link to="/schedules/$id" params={{ id }} className="truncate rounded-cell font-medium hover:underline">
						{name}
					</Link>
					<span className="truncate text-muted text-xs">{query_name}</span>
				</span>
			),
		},
		{ key: "when", head: "When", cell: ({ schedule_description }) => schedule_description },
		{ key: "state", head: "State", cell: ({ status }) => <Status status={status} /> },
		{
			key: "last",
			head: "Last run",
			cell: ({ last_run_at, last_run_status }) =>
				last_run_at === null ? (
					<span className="text-muted">never</span>
				) : (
					<span className="flex items-center gap-2">
						{last_run_status && <Status status={last_run_status} />}
						<span className="whitespace-nowrap text-muted" title={times.dateTime(last_run_at)}>
							{times.relative(last_run_at)}
						</span>
					</span>
				),
		},
		{
			key: "next",
			head: "Next run",
			cell: ({ next_run_at }) =>
				next_run_at ? (
					<span className="whitespace-nowrap" title={times.dateTime(next_run_at)}>
						{times.relative(next_run_at)}
					</span>
				) : (
					<span className="text-muted">-</span>
				),
		},
		{
			key: "rate",
			head: "Succeeded",
			align: "right",
			cell: ({ execution_count, success_count }) =>
				execution_count === 0 ? <span className="text-muted">-</span> : `${success_count} of ${execution_count}`,
		},
		{
			key: "verbs",
			sticky: true,
			head: <span className="sr-only">Verbs</span>,
			align: "right",
			cell: (task) => <TaskVerbs task={task} onRemove={() => setRemoving(task)} />,
		},
	];
	const remove = useAction((id: string) => callRoute(scheduleRoutes.remove, { params: { id } }), {
		stale: ["schedules"],
	});
	return (
		<>
			<Table label="Schedules" columns={columns} rows={tasks} getKey={({ id }) => id} />
			<Confirm
				open={removing !== null}
				title={`Delete ${removing?.name}?`}
				verb="Delete the schedule"
				onConfirm={async () => removing && remove.mutateAsync(removing.id)}
				onClose={() => setRemoving(null)}
			>
				<p className="m-0">
					The record of its {formatPlural(removing?.execution_count ?? 0, "run")} goes with it. The query and its
					snapshots stay.
				</p>
			</Confirm>
		</>
	);
}

export function TaskVerbs({
	task: { id, name, status, can_edit },
	onRemove,
}: {
	task: ScheduledTask;
	onRemove(): void;
}) {
	const may = useMay();
	const navigate = route.useNavigate();
	const fail = (error: unknown) => showProblem(error, name);
	const stale = ["schedules", "pipelines"];
	const turn = useAction(
		() => callRoute(status === "active" ? scheduleRoutes.pause : scheduleRoutes.resume, { params: { id } }),
		{
			stale,
			onSuccess: ({ message }) => showToast(`${name}: ${message}`),
			onError: fail,
		},
	);
	const now = useAction(() => callRoute(scheduleRoutes.executeNow, { params: { id } }), {
		stale,
		onSuccess: ({ message }) => showToast(`${name}: ${message}`),
		onError: fail,
	});
	const copy = useAction(() => callRoute(scheduleRoutes.clone, { params: { id } }), {
		stale,
		onSuccess: (made) => void navigate({ to: "/schedules/$id", params: { id: made.id } }),
		onError: fail,
	});
	const active = status === "active";
	return (
		<span className="inline-flex items-center gap-1">
			{may("execute_savedquery") && can_edit && (
				<IconButton
					variant="ghost"
					label={`Run ${name} now`}
					icon={PlayCircle}
					busy={now.isPending}
					onClick={() => now.mutate()}
				/>
			)}
			{can_edit && (
				<IconButton
					variant="ghost"
					label={active ? `Pause ${name}` : `Resume ${name}`}
					icon={active ? Pause : Play}
					busy={turn.isPending}
					onClick={() => turn.mutate()}
				/>
			)}
			<Menu
				trigger={<IconButton variant="ghost" label={`More for ${name}`} icon={Ellipsis} />}
				groups={[
					may("add_scheduledtask") ? [{ label: "Duplicate", icon: CopyPlus, run: () => copy.mutate() }] : [],
					can_edit ? [{ label: "Delete", icon: Trash2, danger: true, run: onRemove }] : [],
				]}
			/>
		</span>
	);
}
