/** Below the canvas: how the run goes, and its rows. */
import { Link } from "@tanstack/react-router";
import type { PreviewAnswer } from "@weft/contracts";
import { pipelineRoutes } from "@weft/contracts/browser";
import { ArrowUpRight, X } from "lucide-react";
import { useState } from "react";
import { formatCount, formatDuration, formatPlural } from "../../../platform/format.ts";
import { useTimes } from "../../../platform/profile.ts";
import { client } from "../../../platform/weft.ts";
import { nameFile } from "../../../platform/workbook.ts";
import { IconButton } from "../../../ui/button.tsx";
import { Banner, Boundary } from "../../../ui/page.tsx";
import { Pill, Status } from "../../../ui/pill.tsx";
import { Progress } from "../../../ui/progress.tsx";
import { ResultGrid } from "../../runs/grid/grid.tsx";
import type { GridSort } from "../../runs/grid/sort.ts";
import type { RunDetail } from "../../runs/live.ts";

/** Percent of the height beside the inspector. */
const USUAL_HEIGHT = 34;
const LEAST_HEIGHT = 20;
const MOST_HEIGHT = 75;
const HEIGHT_STEP = 5;
const HEIGHT_KEY = "weft.dock";

interface DockProps {
	readonly job: RunDetail | undefined;
	/** Rows reported by nodes so far, while it runs. */
	readonly soFar: number;
	readonly preview: PreviewAnswer | null;
	readonly scope: string;
	onClose(): void;
}

export function Dock({ job, soFar, preview, scope, onClose }: DockProps) {
	const [height, setHeight] = useState(readHeight);
	const resize = (next: number) => {
		const bounded = Math.round(Math.min(MOST_HEIGHT, Math.max(LEAST_HEIGHT, next)));
		setHeight(bounded);
		keepHeight(bounded);
	};
	return (
		<section
			aria-label="Results"
			className="relative flex min-h-40 flex-col border-line border-t bg-surface"
			style={{ height: `${height}%` }}
		>
			<Divider height={height} onResize={resize} />
			<header className="flex min-h-9 flex-wrap items-center gap-2 px-5 py-1">
				<h2 className="m-0 font-semibold text-base">{preview ? `First rows of ${preview.class_name}` : "Results"}</h2>
				{preview ? (
					<span className="text-muted">
						{preview.count > preview.rows.length
							? `${formatCount(preview.rows.length)} of ${formatPlural(preview.count, "row")}`
							: formatPlural(preview.count, "row")}
						, {formatPlural(preview.request_count, "request")}
					</span>
				) : (
					job && <JobLine job={job} soFar={soFar} />
				)}
				<span className="flex-1" />
				{!preview && job && (
					<Link
						to="/runs/$id"
						params={{ id: job.id }}
						className="inline-flex items-center gap-1 rounded-cell font-medium text-accent-text hover:underline"
					>
						Open the run <ArrowUpRight size={13} aria-hidden="true" />
					</Link>
				)}
				<IconButton variant="ghost" label="Close the results" icon={X} onClick={onClose} />
			</header>
			<div className="min-h-0 flex-1">
				<Boundary>
					{preview ? (
						<Rows key={`preview:${preview.node_id}:${preview.queries.join()}`} preview={preview} scope={scope} />
					) : job?.status === "completed" ? (
						<Rows key={job.id} job={job} scope={scope} />
					) : job?.status === "failed" ? (
						<div className="flex flex-col gap-2 p-3">
							{job.errors.map(({ message, stage_index }) => (
								<Banner
									key={message}
									tone="bad"
									title={message}
									detail={stage_index === null ? "" : `In stage ${stage_index + 1}.`}
								/>
							))}
						</div>
					) : (
						job && (
							<div className="max-w-xl p-5">
								<Progress label="Stages of the run" done={job.completed_stages} total={job.total_stages} />
							</div>
						)
					)}
				</Boundary>
			</div>
		</section>
	);
}

/** Drags with the pointer, or moves with the arrow keys. */
function Divider({ height, onResize }: { height: number; onResize(height: number): void }) {
	return (
		// biome-ignore lint/a11y/useSemanticElements: a rule between two parts cannot be moved
		<div
			role="separator"
			aria-orientation="horizontal"
			aria-label="Height of the results"
			aria-valuenow={height}
			aria-valuemin={LEAST_HEIGHT}
			aria-valuemax={MOST_HEIGHT}
			tabIndex={0}
			className="absolute inset-x-0 -top-1 z-[4] h-2 cursor-row-resize touch-none hover:bg-accent focus-visible:bg-accent"
			onKeyDown={(event) => {
				const step = { ArrowUp: HEIGHT_STEP, ArrowDown: -HEIGHT_STEP }[event.key];
				if (step === undefined) return;
				event.preventDefault();
				onResize(height + step);
			}}
			onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
			onPointerMove={({ currentTarget, pointerId, clientY }) => {
				const room = currentTarget.parentElement?.parentElement?.getBoundingClientRect();
				if (!room || !currentTarget.hasPointerCapture(pointerId)) return;
				onResize((100 * (room.bottom - clientY)) / room.height);
			}}
		/>
	);
}

function readHeight(): number {
	try {
		return Number(localStorage.getItem(HEIGHT_KEY)) || USUAL_HEIGHT;
	} catch {
		return USUAL_HEIGHT;
	}
}

function keepHeight(height: number): void {
	try {
		localStorage.setItem(HEIGHT_KEY, String(height));
	} catch {
		// Nothing is kept here: the height lasts as long as the page.
	}
}

function JobLine({ job, soFar }: { job: RunDetail; soFar: number }) {
	const under = job.status === "running" || job.status === "pending";
	if (under) {
		return (
			<>
				<Pill tone="accent">
					Stage {Math.min(job.completed_stages + 1, job.total_stages)} of {job.total_stages}
				</Pill>
				<span className="max-w-48 truncate text-muted" title={job.controller_connection_name}>
					on {job.controller_connection_name}
				</span>
				<span className="num text-muted">{formatPlural(soFar, "row")} so far</span>
			</>
		);
	}
	return (
		<>
			<Status status={job.status} />
			<span className="max-w-48 truncate text-muted" title={job.controller_connection_name}>
				on {job.controller_connection_name}
			</span>
			<span className="num text-muted">
				{job.total_rows !== null && formatPlural(job.total_rows, "row")}
				{job.execution_time_ms !== null && `, ${formatDuration(job.execution_time_ms)}`}
			</span>
		</>
	);
}

function Rows({ job, preview, scope }: { job?: RunDetail; preview?: PreviewAnswer; scope: string }) {
	const [filter, setFilter] = useState("");
	const [sort, setSort] = useState<GridSort | null>(null);
	const [group, setGroup] = useState<string | null>(null);
	const times = useTimes();
	const name = job
		? nameFile(job.query_name ?? "rows", [job.controller_connection_name], times.getDay(job.created_at))
		: nameFile(preview?.class_name ?? "rows");
	const source = preview
		? { key: "preview", rows: preview.rows }
		: {
				key: job?.id ?? "",
				request: () =>
					client.getRequest(pipelineRoutes.results, { params: { id: job?.id ?? "" }, query: { export: "ndjson" } }),
			};
	return (
		<ResultGrid
			source={source}
			scope={scope}
			name={name}
			origin={{ query: job?.saved_query_id ?? null, controller: job?.controller_connection_id ?? null }}
			filter={filter}
			sort={sort}
			group={group}
			onFilter={setFilter}
			onSort={setSort}
			onGroup={setGroup}
		/>
	);
}
