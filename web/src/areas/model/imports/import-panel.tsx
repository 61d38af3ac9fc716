/** One import as it goes: its steps, counts, what failed, and stopping or taking it up again. */
import type { ImportJob, ImportRun } from "@weft/contracts";
import { mimImportChannel, mimRegistryRoutes } from "@weft/contracts/browser";
import { Check, Play, Square } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { callRoute, invalidateAreas, useAction, useAnswer } from "../../../platform/call.ts";
import { formatCount, formatDuration, formatPlural } from "../../../platform/format.ts";
import { useMay, useTimes } from "../../../platform/profile.ts";
import { useChannel } from "../../../platform/sockets.ts";
import { Button } from "../../../ui/button.tsx";
import { joinClasses } from "../../../ui/classes.ts";
import { Banner, Loaded, Panel, ProblemBanner } from "../../../ui/page.tsx";
import { Pill, Status } from "../../../ui/pill.tsx";
import { Progress } from "../../../ui/progress.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { isUnderWay, STEPS, stepOfPhase } from "./phases.ts";

const LIVE_MS = 3_000;
const POLLING_MS = 1_500;

/** What the socket says between two looks. */
interface Told {
	readonly phase: string | null;
	readonly classes: { readonly current: number; readonly total: number } | null;
}
const NOTHING: Told = { phase: null, classes: null };

export function ImportPanel({ id, onClose }: { id: string; onClose(): void }) {
	const [told, setTold] = useState(NOTHING);
	const [live, setLive] = useState(false);
	const [ended, setEnded] = useState(false);
	const answer = useAnswer(mimRegistryRoutes.run, { params: { run_id: id } }, { staleTime: 0 });
	const { refetch } = answer;
	const run = answer.data?.run;
	const under = run !== undefined && isUnderWay(run.state);
	useChannel(mimImportChannel, under && !ended ? { task_id: id } : null, {
		frame(frame) {
			if (frame.type === "phase") setTold((before) => ({ ...before, phase: frame.data.phase }));
			else if (frame.type === "progress") {
				const { step, current, total } = frame.data;
				if (step === "classes") setTold((before) => ({ ...before, classes: { current, total } }));
			} else {
				setEnded(true);
				void refetch();
			}
		},
		state: ({ kind }) => setLive(kind === "live"),
	});
	useEffect(() => {
		if (!under) return;
		const timer = setInterval(() => document.hidden || void refetch(), live && !ended ? LIVE_MS : POLLING_MS);
		return () => clearInterval(timer);
	}, [under, live, ended, refetch]);
	const state = run?.state;
	const before = useRef(state);
	useEffect(() => {
		const was = before.current;
		before.current = state;
		// One that had ended before anybody looked makes nothing old.
		if (was === undefined || !isUnderWay(was) || state === undefined || isUnderWay(state)) return;
		setTold(NOTHING);
		void invalidateAreas("mim_registry", "mim", "mim_classes", "mim_packages");
	}, [state]);
	const done = told.classes?.current ?? 0;
	const total = told.classes?.total ?? 0;
	const percent = total === 0 ? null : Math.floor((done / total) * 100);
	const version = run?.controller_version;
	useEffect(() => {
		if (under && percent !== null) document.title = `${percent} % - ${version} - Weft`;
	}, [under, percent, version]);
	return (
		<Panel
			title={run ? `Import of ${run.controller_version}` : "Import"}
			aside={
				run && (
					<Verbs
						run={run}
						onResumed={() => {
							setEnded(false);
							setTold(NOTHING);
						}}
						onClose={onClose}
					/>
				)
			}
		>
			<Loaded answer={answer} lines={5}>
				{({ run: row, failed_recent }) => (
					<div className="flex flex-col gap-3 p-3">
						<Outcome run={row} />
						{under && <Under run={row} told={told} />}
						<Counts run={row} />
						{failed_recent.length > 0 && <Failed run={row} jobs={failed_recent} />}
					</div>
				)}
			</Loaded>
		</Panel>
	);
}

function Verbs({ run, onResumed, onClose }: { run: ImportRun; onResumed(): void; onClose(): void }) {
	const may = useMay();
	const params = { run_id: run.id };
	const stale = ["mim_registry"];
	const cancel = useAction(() => callRoute(mimRegistryRoutes.cancel, { params }), { stale });
	const resume = useAction(() => callRoute(mimRegistryRoutes.resume, { params }), { stale, onSuccess: onResumed });
	const error = cancel.error ?? resume.error;
	const under = isUnderWay(run.state);
	const canResume = run.state === "cancelled" || run.state === "failed";
	return (
		<>
			{error !== null && <ProblemBanner error={error} />}
			{run.state === "cancelling" ? <Pill tone="warn">Stopping</Pill> : <Status status={run.state} />}
			{may("admin") && under && run.state !== "cancelling" && (
				<Button icon={Square} busy={cancel.isPending} onClick={() => cancel.mutate()}>
					Stop
				</Button>
			)}
			{may("admin") && canResume && (
				<Button variant="primary" icon={Play} busy={resume.isPending} onClick={() => resume.mutate()}>
					Resume
				</Button>
			)}
			{!under && (
				<Button variant="ghost" onClick={onClose}>
					Close
				</Button>
			)}
		</>
	);
}

function Outcome({ run }: { run: ImportRun }) {
	const { state, controller_version, error_summary, failed_count, is_active } = run;
	if (state === "completed") {
		return (
			<Banner
				tone={failed_count > 0 ? "warn" : "ok"}
				title={`${controller_version} is installed${is_active ? " and in use" : ""}.`}
				detail={failed_count > 0 ? `${formatPlural(failed_count, "class", "classes")} could not be fetched.` : ""}
			/>
		);
	}
	if (state === "failed")
		return (
			<Banner tone="bad" title="The import failed." detail={`${error_summary} What is there is kept: resume it.`} />
		);
	if (state === "cancelled")
		return <Banner tone="info" title="Stopped." detail="Fetched classes are kept. You can resume it." />;
	if (state === "cancelling") return <Banner tone="info" title="Stopping." detail="In-flight requests finish first." />;
	return null;
}

/** Where it is and how far that is. */
function Under({ run, told }: { run: ImportRun; told: Told }) {
	const step = stepOfPhase(told.phase ?? run.phase);
	const settled = run.completed_count + run.not_found_count + run.failed_count;
	const current = Math.max(settled, told.classes?.current ?? 0);
	const total = Math.max(run.total_classes, told.classes?.total ?? 0);
	const fetching = step === 0 && run.state !== "pending" && total > 0;
	const pace = [
		run.speed > 0 && `${formatCount(run.speed)} a second`,
		run.eta_seconds !== null && run.eta_seconds > 0 && `about ${formatDuration(run.eta_seconds * 1000)} left`,
	].filter(Boolean);
	return (
		<>
			<ol aria-label="Steps" className="m-0 flex list-none flex-wrap gap-x-5 gap-y-1 p-0">
				{STEPS.map((name, index) => {
					const over = step !== null && index < step;
					const now = index === step;
					return (
						<li
							key={name}
							aria-current={now ? "step" : undefined}
							className={joinClasses("flex items-center gap-1.5", now ? "font-medium" : "text-muted")}
						>
							<span
								className={joinClasses(
									"num grid size-5 place-items-center rounded-full text-2xs",
									over ? "bg-ok-soft text-ok" : now ? "bg-accent text-accent-fg" : "bg-sunken ring-1 ring-line",
								)}
							>
								{over ? <Check size={12} role="img" aria-label="Done" /> : index + 1}
							</span>
							{name}
						</li>
					);
				})}
			</ol>
			<Progress
				label={`Import of ${run.controller_version}`}
				done={current}
				total={fetching ? total : null}
				text={fetching ? `${formatCount(current)} of ${formatCount(total)} classes` : (STEPS[step ?? -1] ?? "Working")}
			/>
			<p className="num m-0 text-muted">
				{run.state === "pending"
					? "Queued."
					: fetching
						? [`${formatCount(current)} of ${formatCount(total)} classes known so far`, ...pace].join(", ")
						: (STEPS[step ?? -1] ?? "Working")}
			</p>
		</>
	);
}

function Counts({ run }: { run: ImportRun }) {
	const times = useTimes();
	const facts: readonly (readonly [string, string, string?])[] = [
		["Fetched", formatCount(run.completed_count)],
		["From older versions", formatCount(run.fallback_count), "Classes whose document this version lacks"],
		[
			"Not published",
			formatCount(run.not_found_count),
			"Named by other classes, but without a document in any version",
		],
		["Failed", formatCount(run.failed_count)],
		["Properties", formatCount(run.property_count)],
		["Concurrent requests", formatCount(run.concurrency)],
		["Started", `${times.dateTime(run.created_at)} by ${run.started_by_username}`],
	];
	return (
		<dl className="m-0 flex flex-wrap gap-x-6 gap-y-2">
			{facts.map(([term, value, title]) => (
				<div key={term} title={title}>
					<dt className="text-muted text-xs">{term}</dt>
					<dd className={joinClasses("num m-0 font-medium", term === "Failed" && run.failed_count > 0 && "text-bad")}>
						{value}
					</dd>
				</div>
			))}
		</dl>
	);
}

const COLUMNS: readonly Column<ImportJob>[] = [
	{ key: "name", head: "Class", cell: ({ qualified_name }) => <span className="mono">{qualified_name}</span> },
	{
		key: "versions",
		head: "Tried",
		cell: ({ attempted_versions }) => <span className="mono">{attempted_versions.join(", ")}</span>,
	},
	{ key: "status", head: "Answer", align: "right", cell: ({ http_status_last }) => http_status_last ?? "-" },
	{ key: "retries", head: "Tries", align: "right", cell: ({ retry_count }) => formatCount(retry_count) },
	{ key: "error", head: "Reason", className: "w-1/2", cell: ({ last_error }) => last_error },
];

function Failed({ run, jobs }: { run: ImportRun; jobs: readonly ImportJob[] }) {
	return (
		<section aria-label="Classes that failed">
			<h3 className="m-0 mb-1 font-semibold text-base">
				{run.failed_count > jobs.length
					? `The last ${jobs.length} of ${formatCount(run.failed_count)} that failed`
					: "Failed classes"}
			</h3>
			<div className="overflow-hidden rounded-control border border-line">
				<Table label="Failed classes" columns={COLUMNS} rows={jobs} getKey={({ id }) => String(id)} />
			</div>
		</section>
	);
}
