/** Recent activity: for administrators from the audit log, for other users their own. */
import { Link } from "@tanstack/react-router";
import type { AutomationRequest, PipelineJob, ScheduledTask, timeMachineRoutes } from "@weft/contracts";
import { auditRoutes, automationRequestRoutes } from "@weft/contracts/browser";
import type { ReactNode } from "react";
import { type AnswerOf, useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useMay, useProfile, useTimes } from "../../platform/profile.ts";
import { formatJobName, isUnderWay } from "../../shell/jobs.ts";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";

const SHOWN = 8;
const EVERY_MS = 60_000;

interface Known {
	/** Undefined while they are on their way. */
	readonly jobs: readonly PipelineJob[] | undefined;
	readonly tasks: readonly ScheduledTask[];
	readonly kept: AnswerOf<typeof timeMachineRoutes.queries>["queries"];
}

interface Happening {
	readonly key: string;
	readonly at: string;
	readonly what: ReactNode;
	/** Who did it, or what it was. */
	readonly about: string;
}

export function Activity(known: Known) {
	const profile = useProfile();
	return (
		<Panel title="Activity" aside={profile?.is_admin && <span className="text-muted">All users</span>}>
			{profile && (profile.is_admin ? <OfAllUsers /> : <Own {...known} />)}
		</Panel>
	);
}

function OfAllUsers() {
	const answer = useAnswer(
		auditRoutes.list,
		{ query: { page_size: String(SHOWN) } },
		{ staleTime: EVERY_MS, every: EVERY_MS },
	);
	return (
		<Loaded answer={answer} lines={5}>
			{({ results }) => (
				<Happenings
					list={results.map(({ id, created_at, description, action, username, category }) => ({
						key: String(id),
						at: created_at,
						what: description || action,
						about: [username, category.replaceAll("_", " ")].filter(Boolean).join(", "),
					}))}
				/>
			)}
		</Loaded>
	);
}

function Own({ jobs, tasks, kept }: Known) {
	const may = useMay();
	const requests = useAnswer(
		automationRequestRoutes.list,
		{ query: { page_size: String(SHOWN) } },
		{ enabled: may("view_automationrequest"), staleTime: EVERY_MS, every: EVERY_MS },
	);
	if (jobs === undefined && may("view_pipelineexecution")) return null;
	return <Happenings list={listActivities(jobs ?? [], tasks, kept, requests.data?.results ?? [])} />;
}

const LINK = "rounded-cell font-medium hover:underline";

/** The latest first. */
function listActivities(
	jobs: readonly PipelineJob[],
	tasks: readonly ScheduledTask[],
	kept: Known["kept"],
	requests: readonly AutomationRequest[],
): Happening[] {
	const all: Happening[] = [
		...jobs
			.filter((job) => !isUnderWay(job))
			.map((job) => ({
				key: job.id,
				at: job.completed_at ?? job.created_at,
				what: (
					<Link to="/runs/$id" params={{ id: job.id }} className={LINK}>
						{formatJobName(job)}
					</Link>
				),
				about: job.status === "completed" ? `run, ${formatPlural(job.total_rows ?? 0, "row")}` : `run, ${job.status}`,
			})),
		...tasks.flatMap(({ id, name, last_run_at, last_run_status }) =>
			last_run_at === null
				? []
				: {
						key: id,
						at: last_run_at,
						what: (
							<Link to="/schedules/$id" params={{ id }} className={LINK}>
								{name}
							</Link>
						),
						about: `schedule, ${last_run_status ?? "running"}`,
					},
		),
		...kept
			.filter(({ snapshot_count }) => snapshot_count > 0)
			.map(({ id, name, latest_execution, snapshot_count }) => ({
				key: `kept ${id}`,
				at: latest_execution,
				what: (
					<Link to="/time-machine/$queryId" params={{ queryId: id }} className={LINK}>
						{name}
					</Link>
				),
				about: `${formatPlural(snapshot_count, "snapshot")}, the latest`,
			})),
		...requests.map(({ id, title, status, requested_at }) => ({
			key: id,
			at: requested_at,
			what: title,
			about: `request, ${status.replaceAll("_", " ")}`,
		})),
	];
	return all.sort((a, b) => b.at.localeCompare(a.at)).slice(0, SHOWN);
}

function Happenings({ list }: { list: readonly Happening[] }) {
	const times = useTimes();
	if (list.length === 0) return <Empty>No activity yet. Runs, snapshots, schedules and requests appear here.</Empty>;
	return (
		<ul aria-label="Activity" className="m-0 list-none p-0">
			{list.map(({ key, at, what, about }) => (
				<li key={key} className="flex min-h-8 items-center gap-3 border-line border-b px-3 last:border-b-0">
					<span className="min-w-0 flex-1 truncate" title={typeof what === "string" ? what : undefined}>
						{what}
					</span>
					<span className="max-w-2/5 truncate text-muted">{about}</span>
					<span className="num w-24 shrink-0 text-right text-muted" title={times.dateTime(at)}>
						{times.relative(at)}
					</span>
				</li>
			))}
		</ul>
	);
}
