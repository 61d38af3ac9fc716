/** Running and recently ended work from any page; announces its end. */
import type { PipelineJob } from "@weft/contracts";
import { Activity } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { invalidateAreas } from "../platform/call.ts";
import { formatPlural } from "../platform/format.ts";
import { joinClasses } from "../ui/classes.ts";
import { useLater } from "../ui/later.ts";
import { showToast } from "../ui/toast.tsx";
import { formatJobName, isUnderWay, useRecentJobs } from "./jobs.ts";

export function JobsTray() {
	const { data } = useRecentJobs();
	const jobs = data?.results ?? [];
	const running = jobs.filter(isUnderWay);
	useEndings(jobs);
	const label = running.length === 0 ? "Jobs: nothing runs" : `Jobs: ${formatPlural(running.length, "job")} under way`;
	const button = useRef<HTMLButtonElement>(null);
	const wasOpen = useRef(false);
	const [open, setOpen] = useState(false);
	const parts = useLater(() => import("./jobs-panel.tsx"), open);
	return (
		<>
			<button
				ref={button}
				type="button"
				aria-label={label}
				aria-expanded={open}
				data-tip={label}
				className={joinClasses(
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
			{open && parts && <parts.JobsPanel anchor={button} jobs={jobs} onClose={() => setOpen(false)} />}
		</>
	);
}

/** Announces the end of runs that ran at the last poll, unless their page is open. */
function useEndings(jobs: readonly PipelineJob[]): void {
	const watched = useRef(new Set<string>());
	useEffect(() => {
		let ended = false;
		for (const job of jobs) {
			if (isUnderWay(job)) watched.current.add(job.id);
			else if (watched.current.delete(job.id)) {
				ended = true;
				if (!location.pathname.includes(job.id) && !location.pathname.includes("/builder")) showToast(describeJob(job));
			}
		}
		if (ended) void invalidateAreas("time_machine", "execution_logs", "saved_queries", "changes", "dashboard");
	}, [jobs]);
}

function describeJob(job: PipelineJob): string {
	const name = `${formatJobName(job)} on ${job.controller_connection_name}`;
	if (job.status === "completed") return `${name}: ${formatPlural(job.total_rows ?? 0, "row")}`;
	return `${name}: ${job.errors[0]?.message ?? job.status}`;
}
