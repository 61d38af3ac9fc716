/** Jobs with their progress: in the tray, and those under way on the overview. */
import { Link } from "@tanstack/react-router";
import type { PipelineJob } from "@weft/contracts";
import { useAction } from "../platform/call.ts";
import { formatDuration } from "../platform/format.ts";
import { useTimes } from "../platform/profile.ts";
import { Button } from "../ui/button.tsx";
import { Status } from "../ui/pill.tsx";
import { Progress } from "../ui/progress.tsx";
import { showProblem } from "../ui/toast.tsx";
import { cancelJob, formatJobName, isUnderWay } from "./jobs.ts";

export function JobList({ jobs }: { jobs: readonly PipelineJob[] }) {
	return (
		<ul className="m-0 min-h-0 list-none overflow-y-auto p-0">
			{jobs.map((job) => (
				<Job key={job.id} job={job} />
			))}
		</ul>
	);
}

function Job({ job }: { job: PipelineJob }) {
	const times = useTimes();
	const cancel = useAction(cancelJob, { stale: ["pipelines"], onError: (error) => showProblem(error) });
	const under = isUnderWay(job);
	return (
		<li className="border-line border-b px-3 py-2 last:border-b-0">
			<div className="flex items-center gap-2">
				<Link
					to="/runs/$id"
					params={{ id: job.id }}
					className="min-w-0 flex-1 truncate rounded-cell font-medium hover:underline"
				>
					{formatJobName(job)}
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
						: `${job.execution_time_ms === null ? "" : `${formatDuration(job.execution_time_ms)}, `}${times.relative(job.completed_at ?? job.created_at)}`}
				</span>
			</div>
			{under && (
				<div className="mt-1.5">
					<Progress
						label={formatJobName(job)}
						done={job.completed_stages}
						total={job.status === "pending" ? null : job.total_stages}
					/>
				</div>
			)}
		</li>
	);
}
