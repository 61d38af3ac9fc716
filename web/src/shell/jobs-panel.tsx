/** The jobs tray, opened: what runs now with its progress, and what ended lately. */
import { Link } from "@tanstack/react-router";
import { mimRegistryRoutes, type PipelineJob } from "@weft/contracts";
import { useAction, useAnswer } from "../platform/call.ts";
import { count, duration, plural } from "../platform/format.ts";
import { useMay, useTimes } from "../platform/profile.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/page.tsx";
import { Status } from "../ui/pill.tsx";
import { Progress } from "../ui/progress.tsx";
import { cancelJob, isUnderWay, jobName } from "./jobs.ts";

const SHOWN = 8;
const BUSY_MS = 3_000;

export function JobsPanel({ jobs, onClose }: { jobs: readonly PipelineJob[]; onClose(): void }) {
	return (
		<>
			<h2 className="m-0 border-line border-b px-3 py-2 font-semibold text-base">Jobs</h2>
			<ModelImport onClose={onClose} />
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
				<Link to="/runs" className="font-medium text-accent-text hover:underline" onClick={onClose}>
					All runs
				</Link>
			</div>
		</>
	);
}

/** The import of a class model that is under way, whoever began it. */
function ModelImport({ onClose }: { onClose(): void }) {
	const may = useMay();
	const enabled = may("view_modelversion");
	const status = useAnswer(mimRegistryRoutes.status, undefined, { enabled });
	const runId = status.data?.active_import?.run_id;
	const answer = useAnswer(
		mimRegistryRoutes.run,
		{ params: { run_id: runId ?? "" } },
		{ enabled: runId !== undefined, every: BUSY_MS },
	);
	const run = answer.data?.run;
	if (run === undefined || run.finished_at !== null) return null;
	const name = `Class model ${run.controller_version}`;
	return (
		<div className="border-line border-b px-3 py-2">
			<div className="flex items-center gap-2">
				<Link
					to="/settings/model"
					search={{ run: run.id }}
					className="min-w-0 flex-1 truncate rounded-cell font-medium hover:underline"
					onClick={onClose}
				>
					{name}
				</Link>
				<Status status="running" />
			</div>
			<div className="num mt-0.5 mb-1.5 text-muted text-xs">
				{count(run.completed_count)} of {plural(run.total_classes, "class", "classes")}
			</div>
			<Progress label={name} done={run.completed_count} total={run.total_classes || null} />
		</div>
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
