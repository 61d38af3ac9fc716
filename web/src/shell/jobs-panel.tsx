/** The jobs tray, opened: what runs now with its progress, and what ended lately. */
import { Link } from "@tanstack/react-router";
import type { PipelineJob } from "@weft/contracts";
import { mimRegistryRoutes } from "@weft/contracts/browser";
import type { RefObject } from "react";
import { useAnswer } from "../platform/call.ts";
import { formatCount, formatPlural } from "../platform/format.ts";
import { useMay } from "../platform/profile.ts";
import { Floating } from "../ui/floating.tsx";
import { Empty } from "../ui/page.tsx";
import { Status } from "../ui/pill.tsx";
import { Progress } from "../ui/progress.tsx";
import { JobList } from "./job-list.tsx";

const SHOWN = 8;
const BUSY_MS = 3_000;

interface JobsPanelProps {
	readonly anchor: RefObject<HTMLElement | null>;
	readonly jobs: readonly PipelineJob[];
	onClose(): void;
}

export function JobsPanel({ anchor, jobs, onClose }: JobsPanelProps) {
	return (
		<Floating
			anchor={anchor}
			align="end"
			className="w-[min(380px,calc(100vw-24px))] flex-col open:flex"
			onClose={onClose}
		>
			<h2 className="m-0 border-line border-b px-3 py-2 font-semibold text-base">Jobs</h2>
			<ModelImport onClose={onClose} />
			{jobs.length === 0 ? (
				<Empty>Runs and other background work appear here.</Empty>
			) : (
				<JobList jobs={jobs.slice(0, SHOWN)} />
			)}
			<div className="border-line border-t px-3 py-2">
				<Link to="/runs" className="font-medium text-accent-text hover:underline" onClick={onClose}>
					All runs
				</Link>
			</div>
		</Floating>
	);
}

/** The running import of a class model, of any user. */
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
				{formatCount(run.completed_count)} of {formatPlural(run.total_classes, "class", "classes")}
			</div>
			<Progress label={name} done={run.completed_count} total={run.total_classes || null} />
		</div>
	);
}
