/** What runs now and what ended lately, whoever started it from which page; its end is told wherever one is. */
import { Link } from "@tanstack/react-router";
import { type PipelineJob, pipelineRoutes } from "@weft/contracts";
import { Activity } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { forget, send, useAction, useAnswer } from "../platform/call.ts";
import { duration, plural } from "../platform/format.ts";
import { useMay, useTimes } from "../platform/profile.ts";
import { Button } from "../ui/button.tsx";
import { cx } from "../ui/classes.ts";
import { Floating } from "../ui/floating.tsx";
import { Empty } from "../ui/page.tsx";
import { Status } from "../ui/pill.tsx";
import { Progress } from "../ui/progress.tsx";
import { say } from "../ui/toast.tsx";

const SHOWN = 8;
const BUSY_MS = 3_000;
const IDLE_MS = 30_000;

export const isUnderWay = ({ status }: Pick<PipelineJob, "status">): boolean =>
	status === "pending" || status === "running";
export const jobName = (job: PipelineJob): string => job.query_name ?? "Unsaved query";

/** The newest runs: the tray, the overview and the sidebar share this call. */
export function useRecentJobs() {
	const may = useMay();
	const enabled = may("view_pipelineexecution");
	const answer = useAnswer(pipelineRoutes.list, { query: { page_size: "20" } }, { enabled, every: IDLE_MS });
	const busy = answer.data?.results.some(isUnderWay) ?? false;
	useEffect(() => {
		if (!busy) return;
		const timer = setInterval(() => document.hidden || void answer.refetch(), BUSY_MS);
		return () => clearInterval(timer);
	}, [busy, answer.refetch]);
	return answer;
}

export function JobsTray() {
	const { data } = useRecentJobs();
	const jobs = data?.results ?? [];
	const running = jobs.filter(isUnderWay);
	useEndings(jobs);
	const label = running.length === 0 ? "Jobs: nothing runs" : `Jobs: ${plural(running.length, "job")} under way`;
	const button = useRef<HTMLButtonElement>(null);
	const wasOpen = useRef(false);
	const [open, setOpen] = useState(false);
	return (
		<>
			<button
				ref={button}
				type="button"
				aria-label={label}
				aria-expanded={open}
				data-tip={label}
				className={cx(
					"flex h-7 items-center gap-1.5 rounded-control px-1.5 hover:bg-sunken",
					running.length > 0 ? "text-accent-text" : "text-fg",
				)}
				onPointerDown={() => {
					wasOpen.current = open;
				}}
				onClick={() => {
					setOpen(!wasOpen.current);
					wasOpen.current = false;
				}}
			>
				<Activity size={15} aria-hidden="true" />
				{running.length > 0 && <span className="num font-medium text-xs">{running.length}</span>}
			</button>
			{open && (
				<Floating
					anchor={button}
					align="end"
					className="w-[min(380px,calc(100vw-24px))] flex-col open:flex"
					onClose={() => setOpen(false)}
				>
					<h2 className="m-0 border-line border-b px-3 py-2 font-semibold text-base">Jobs</h2>
					{jobs.length === 0 ? (
						<Empty>Runs, and whatever else works in the background, are listed here.</Empty>
					) : (
						<ul className="m-0 min-h-0 list-none overflow-y-auto p-0">
							{jobs.slice(0, SHOWN).map((job) => (
								<Job key={job.id} job={job} />
							))}
						</ul>
					)}
					<div className="border-line border-t px-3 py-2">
						<Link to="/runs" className="font-medium text-accent-text hover:underline" onClick={() => setOpen(false)}>
							All runs
						</Link>
					</div>
				</Floating>
			)}
		</>
	);
}

function Job({ job }: { job: PipelineJob }) {
	const times = useTimes();
	const cancel = useAction(cancelJob, { stale: ["pipelines"] });
	const under = isUnderWay(job);
	return (
		<li className="border-line border-b px-3 py-2 last:border-b-0">
			<div className="flex items-center gap-2">
				<Link
					to="/runs/$id"
					params={{ id: job.id }}
					className="min-w-0 flex-1 truncate rounded-cell font-medium hover:underline"
				>
					{jobName(job)}
				</Link>
				{under ? (
					<Button busy={cancel.isPending} onClick={() => cancel.mutate(job.id)}>
						Cancel
					</Button>
				) : (
					<Status status={job.status} />
				)}
			</div>
			<div className="mt-0.5 flex items-center gap-2 text-muted text-xs">
				<span className="truncate">{job.controller_connection_name}</span>
				<span className="num ml-auto shrink-0">
					{under
						? `stage ${Math.min(job.current_stage_index + 1, job.total_stages)} of ${job.total_stages}`
						: `${job.execution_time_ms === null ? "" : `${duration(job.execution_time_ms)}, `}${times.relative(job.completed_at ?? job.created_at)}`}
				</span>
			</div>
			{under && (
				<div className="mt-1.5">
					<Progress label={jobName(job)} done={job.completed_stages} total={job.total_stages} />
				</div>
			)}
		</li>
	);
}

export const cancelJob = (id: string) => send(pipelineRoutes.cancel, { params: { id } });

/** Says how a run ended that was under way when this tab last looked, unless its own page is open. */
function useEndings(jobs: readonly PipelineJob[]): void {
	const watched = useRef(new Set<string>());
	useEffect(() => {
		let ended = false;
		for (const job of jobs) {
			if (isUnderWay(job)) watched.current.add(job.id);
			else if (watched.current.delete(job.id)) {
				ended = true;
				if (!location.pathname.includes(job.id) && !location.pathname.includes("/builder")) say(sentence(job));
			}
		}
		if (ended) void forget("time_machine", "execution_logs", "saved_queries");
	}, [jobs]);
}

function sentence(job: PipelineJob): string {
	if (job.status === "completed") return `${jobName(job)}: ${plural(job.total_rows ?? 0, "row")}`;
	return `${jobName(job)}: ${job.errors[0]?.message ?? job.status}`;
}
