/** The overview: present problems, changes, runs, upcoming tasks, and first steps. */
import { Link } from "@tanstack/react-router";
import type { PipelineJob, ScheduledTask } from "@weft/contracts";
import { scheduleRoutes, timeMachineRoutes } from "@weft/contracts/browser";
import { CalendarClock, Plus } from "lucide-react";
import type { ReactNode } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { readOpeningPart } from "../../platform/opening.ts";
import { useMay, useProfile, useTimes } from "../../platform/profile.ts";
import { useConnections } from "../../platform/target.ts";
import { JobList } from "../../shell/job-list.tsx";
import { isUnderWay, useRecentJobs } from "../../shell/jobs.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { useLater } from "../../ui/later.ts";
import { Empty, Loaded, PageHead, Panel, Skeleton } from "../../ui/page.tsx";
import { RunTable } from "../runs/run-table.tsx";

const RECENT = 8;
const COMING = 6;

export function OverviewPage() {
	const times = useTimes();
	const may = useMay();
	const profile = useProfile();
	const jobs = useRecentJobs();
	const connections = useConnections();
	const tasks = useAnswer(
		scheduleRoutes.list,
		{ query: { page_size: "100", ordering: "next_run_at" } },
		{ enabled: may("view_scheduledtask"), staleTime: 60_000, every: 60_000 },
	);
	const kept = useAnswer(timeMachineRoutes.queries, undefined, {
		enabled: may("view_snapshot"),
		staleTime: 60_000,
		through: (call) => readOpeningPart("snapshot_queries", call),
	});
	const all = jobs.data?.results ?? [];
	const running = all.filter(isUnderWay);
	const known =
		[profile, connections.data, jobs.data].every((one) => one !== undefined) &&
		(tasks.data !== undefined || !may("view_scheduledtask")) &&
		(kept.data !== undefined || !may("view_snapshot"));
	const done = {
		connected: (connections.data?.results.length ?? 0) > 0,
		saved: (profile?.query_count ?? 0) > 0,
		ran: (jobs.data?.count ?? 0) > 0,
		kept: (kept.data?.queries.length ?? 0) > 0,
		scheduled: (tasks.data?.count ?? 0) > 0,
	};
	const isNew = known && Object.values(done).includes(false);
	const hints = useLater(() => import("./hints.ts"), isNew);
	const parts = useLater(() => import("./parts.ts"), true);
	const chart = useLater(() => import("./change-chart.tsx"), may("view_snapshot"));
	return (
		<>
			<PageHead
				title="Overview"
				facts={`${times.longDay(times.getDay(Date.now()))}, ${times.time(Date.now())} ${times.zone}`}
				actions={
					may("add_savedquery") && (
						<ButtonLink variant="primary" icon={Plus} to="/builder">
							New query
						</ButtonLink>
					)
				}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				{hints && <hints.ZoneHint />}
				{isNew && hints && <hints.FirstSteps {...done} />}
				{parts ? <parts.ProblemStrip /> : <Skeleton lines={3} />}
				<div className="grid gap-3 xl:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
					<div className="flex min-w-0 flex-col gap-3">{may("view_snapshot") && parts && <parts.SinceYesterday />}</div>
					<Panel
						title="Needs attention"
						aside={
							may("view_check") && (
								<Link to="/checks" className="rounded-cell font-medium text-accent-text hover:underline">
									All checks
								</Link>
							)
						}
					>
						{parts && (
							<parts.Attention
								isKnown={known}
								failure={jobs.error ?? tasks.error ?? connections.error}
								jobs={all}
								tasks={tasks.data?.results ?? []}
							/>
						)}
					</Panel>
				</div>
				{may("view_snapshot") && chart && <chart.ChangeChart />}
				{running.length > 0 && (
					<Panel title="Running now" aside={<span className="text-muted">{formatPlural(running.length, "job")}</span>}>
						<JobList jobs={running} />
					</Panel>
				)}
				<div className="grid gap-3 xl:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
					<Panel
						title="Recent runs"
						aside={
							<Link to="/runs" className="rounded-cell font-medium text-accent-text hover:underline">
								All runs
							</Link>
						}
					>
						<Loaded answer={jobs} lines={5}>
							{({ results }) =>
								results.length === 0 ? (
									<Empty>No runs in the last days.</Empty>
								) : (
									<RunTable runs={results.slice(0, RECENT)} />
								)
							}
						</Loaded>
					</Panel>
					<Panel title="Upcoming">
						<Loaded answer={tasks} lines={4}>
							{({ results }) => (
								<Coming tasks={results.filter(({ next_run_at }) => next_run_at !== null).slice(0, COMING)} />
							)}
						</Loaded>
					</Panel>
				</div>
				<nav aria-label="Weft in numbers" className="flex flex-wrap gap-x-5 gap-y-1 text-muted">
					<Figure to="/library" one="saved query" many="saved queries" value={profile?.query_count} />
					<Figure to="/runs" one="run" value={jobs.data?.count} note={jobs.data && renderFailures(all)} />
					<Figure to="/schedules" one="schedule" value={tasks.data?.count} />
					<Figure
						to="/time-machine"
						one="snapshot"
						value={kept.data?.queries.reduce((sum, { snapshot_count }) => sum + snapshot_count, 0)}
					/>
				</nav>
			</div>
		</>
	);
}

function renderFailures(jobs: readonly PipelineJob[]): ReactNode {
	const failed = jobs.filter(({ status }) => status === "failed").length;
	return failed === 0 ? null : <span className="text-bad">{failed} of the latest failed</span>;
}

interface FigureProps {
	readonly to: "/library" | "/runs" | "/schedules" | "/time-machine";
	/** The counted thing in the singular. */
	readonly one: string;
	/** Its plural; by default with an s. */
	readonly many?: string;
	readonly value: number | undefined;
	readonly note?: ReactNode;
}

function Figure({ to, one, many, value, note }: FigureProps) {
	return (
		<Link to={to} className="num rounded-cell hover:text-fg hover:underline">
			{value === undefined ? `… ${many ?? `${one}s`}` : formatPlural(value, one, many)}
			{note && <>, {note}</>}
		</Link>
	);
}

function Coming({ tasks }: { tasks: readonly ScheduledTask[] }) {
	const times = useTimes();
	if (tasks.length === 0) return <Empty icon={CalendarClock}>Nothing is scheduled.</Empty>;
	return (
		<ul className="m-0 list-none p-0">
			{tasks.map(({ id, name, query_name, next_run_at }) => (
				<li key={id} className="flex items-center gap-3 border-line border-b px-3 py-2 last:border-b-0">
					<span className="min-w-0 flex-1">
						<Link
							to="/schedules/$id"
							params={{ id }}
							className="block truncate rounded-cell font-medium hover:underline"
						>
							{name}
						</Link>
						<span className="block truncate text-muted text-xs">{query_name}</span>
					</span>
					<span className="num shrink-0 text-muted" title={times.dateTime(next_run_at ?? "")}>
						{times.relative(next_run_at ?? "")}
					</span>
				</li>
			))}
		</ul>
	);
}
