/** One execution: how its job stands, its output, its nodes, and the results of its rows. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { AutomationExecution } from "@weft/contracts";
import { automationExecutionRoutes, automationRequestRoutes } from "@weft/contracts/browser";
import { Ban, GitCompareArrows, RotateCcw } from "lucide-react";
import { useMemo, useState } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { fetchWithRetryAfter } from "../../platform/fetch-with-retry.ts";
import { formatDuration, formatPlural } from "../../platform/format.ts";
import { useMay, useProfile, useTimes } from "../../platform/profile.ts";
import { saveFile } from "../../platform/save-file.ts";
import { client } from "../../platform/weft.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { getTabClass } from "../../ui/classes.ts";
import { CopyAs } from "../../ui/copy-as.tsx";
import { OutsideLink } from "../../ui/outside-link.tsx";
import { Banner, Loaded, PageHead } from "../../ui/page.tsx";
import { Progress } from "../../ui/progress.tsx";
import { showProblem, showToast } from "../../ui/toast.tsx";
import { Unloaded } from "../../ui/unloaded.tsx";
import { buildLaunchBody, showLaunchProblem, useFreezeOverride } from "../calendar/held.tsx";
import { CopyRows } from "./copy-rows.tsx";
import { isHeld, LaunchGate } from "./launch-gate.tsx";
import { Nodes } from "./nodes.tsx";
import { OutputView } from "./output-view.tsx";
import { formatRowCounts, sumRows } from "./row-counts.ts";
import { getOutcomes } from "./rows-model.ts";
import { RowsView } from "./rows-table.tsx";
import { useOutput } from "./use-output.ts";
import { AskAboutJob, ExecutionStatus, isExecutionOver, type Question, RunMode } from "./words.tsx";

const route = getRouteApi("/app/automation/executions/$id");
const POLL_MS = 3_000;
const TABS = [
	["output", "Output"],
	["rows", "Rows"],
	["nodes", "Workflow nodes"],
] as const;

export function ExecutionPage() {
	const { id } = route.useParams();
	return <Execution key={id} id={id} />;
}

type Tab = (typeof TABS)[number][0];

/** Chooses the first tab: a workflow's nodes, or a job's rows if some failed or are unknown. */
function chooseTab({ kind, row_counts }: AutomationExecution): Tab {
	if (kind === "workflow") return "nodes";
	if (row_counts === null) return "output";
	const { failed, unreachable, unknown, censored } = row_counts;
	return failed + unreachable + unknown + censored > 0 ? "rows" : "output";
}

function Execution({ id }: { id: string }) {
	const { tab } = route.useSearch();
	const [isOver, setOver] = useState<boolean>();
	/** The first tab. It stays if the job ends meanwhile. */
	const [first, setFirst] = useState<Tab>();
	const answer = useAnswer(
		automationExecutionRoutes.detail,
		{ params: { id } },
		{ every: isOver === false ? POLL_MS : false },
	);
	const execution = answer.data;
	const over = execution && isExecutionOver(execution.status);
	if (over !== isOver) setOver(over);
	const output = useOutput(id, over);
	if (execution === undefined) {
		return (
			<Unloaded
				what="Execution"
				crumbs={[{ label: "Requests", to: "/automation/requests" }]}
				error={answer.error}
				onRetry={() => void answer.refetch()}
			/>
		);
	}
	if (first === undefined) setFirst(chooseTab(execution));
	const tabs = TABS.filter(([name]) => name !== "nodes" || execution.kind === "workflow");
	const shown = tabs.some(([name]) => name === tab) ? tab : (first ?? chooseTab(execution));
	return (
		<div className="flex h-full min-h-0 flex-col">
			<Head execution={execution} />
			<nav aria-label="About the execution" className="flex gap-1 border-line border-b bg-surface px-5 max-sm:px-4">
				{tabs.map(([name, label]) => (
					<Link
						key={name}
						from="/automation/executions/$id"
						search={{ tab: name }}
						replace
						aria-current={shown === name ? "page" : undefined}
						className={getTabClass(shown === name)}
					>
						{label}
					</Link>
				))}
			</nav>
			<div className="min-h-0 flex-1 overflow-auto">
				{shown === "rows" ? (
					<Rows execution={execution} />
				) : shown === "nodes" ? (
					<Nodes execution={execution} />
				) : (
					<OutputView
						output={output}
						isOver={over ?? false}
						onDownload={() => void downloadOutput(execution).catch(showProblem)}
					/>
				)}
			</div>
		</div>
	);
}

async function downloadOutput({ id, automation_job_id }: AutomationExecution): Promise<void> {
	const { url, headers } = await client.getRequest(automationExecutionRoutes.download, { params: { id } });
	const answer = await fetchWithRetryAfter(url, { headers });
	if (!answer.ok) return showToast(`The service answered ${answer.status}`);
	saveFile(`job-${automation_job_id ?? id}.txt`, "text/plain", await answer.text());
}

function Head({ execution }: { execution: AutomationExecution }) {
	const { id, status, check_mode, automation_job_id, automation_job_url, watch } = execution;
	const times = useTimes();
	const isOver = isExecutionOver(status);
	const both = watch?.before.snapshot_id && watch.after.snapshot_id ? watch : null;
	return (
		<>
			<PageHead
				title={automation_job_id === null ? "Execution" : `Job ${automation_job_id}`}
				name={`${execution.automation_request_title}: execution`}
				crumbs={[
					{ label: "Requests", to: "/automation/requests" },
					{
						label: execution.automation_request_title,
						to: "/automation/requests/$id",
						params: { id: execution.automation_request },
					},
				]}
				facts={
					<>
						<ExecutionStatus status={status} />
						<RunMode dryRun={check_mode} />
						<span>{execution.automation_connection_name}</span>
						<Counts execution={execution} />
						{execution.started_at && <span>{times.dateTime(execution.started_at)}</span>}
						{execution.elapsed_seconds > 0 && (
							<span className="num">{formatDuration(execution.elapsed_seconds * 1000)}</span>
						)}
					</>
				}
				actions={
					<>
						<CopyAs call={() => ({ route: automationExecutionRoutes.detail, params: { id } })} />
						{/^https?:/.test(automation_job_url) && (
							<OutsideLink href={automation_job_url}>Open on the server</OutsideLink>
						)}
						{both && (
							<ButtonLink
								icon={GitCompareArrows}
								to="/time-machine/compare"
								search={{
									from: both.before.snapshot_id ?? "",
									to: both.after.snapshot_id ?? "",
									query: both.saved_query_id,
								}}
							>
								Compare before and after
							</ButtonLink>
						)}
						<Verbs execution={execution} />
					</>
				}
			/>
			<div className="flex flex-col gap-2 border-line border-b bg-surface px-5 pb-2 max-sm:px-4">
				{!isOver && (
					<div className="flex items-center gap-3">
						<span className="min-w-0 max-w-[50%] truncate text-muted">
							{execution.current_task ?? (isHeld(execution) ? "Nothing was sent" : "Waiting for the server")}
						</span>
						<Progress
							label="Progress of the job"
							done={execution.progress_percentage}
							total={execution.started_at ? 100 : null}
						/>
						<span className="num text-muted">{execution.progress_percentage} %</span>
					</div>
				)}
				<LaunchGate execution={execution} />
				{execution.cancel_requested_at && !isOver && (
					<Banner tone="warn" title="Cancelling: the server ends the job." />
				)}
				{execution.cancel_error && (
					<Banner tone="bad" title="The job could not be cancelled." detail={execution.cancel_error} />
				)}
				{execution.error && <Banner tone="bad" title={execution.error} />}
				{execution.explanation !== "" && <Banner tone="info" title={execution.explanation} />}
				{execution.warnings.map(({ code, message }) => (
					<Banner key={`${code} ${message}`} tone="warn" title={message} />
				))}
				{(execution.rows_unknown ?? 0) > 0 && (
					<Banner
						tone="warn"
						title={`The result of ${formatPlural(execution.rows_unknown ?? 0, "row")} is unknown.`}
						detail="The job ended without a result for them. Check them on the controller."
					/>
				)}
				{watch && (watch.before.problem ?? watch.after.problem) && (
					<Banner
						tone="warn"
						title="A snapshot around the job failed."
						detail={watch.before.problem ?? watch.after.problem ?? ""}
					/>
				)}
			</div>
		</>
	);
}

/** Shows the rows by result; until they are known, the tasks of the playbook. */
function Counts({ execution: { row_counts, playbook_counts, check_mode } }: { execution: AutomationExecution }) {
	const rows = row_counts === null ? null : formatRowCounts(row_counts, check_mode);
	const { ok, changed, failed } = playbook_counts;
	const tasks = `tasks: ${ok} ok, ${changed} changed, ${failed} failed`;
	return (
		<span className="num" title={rows === null ? undefined : tasks}>
			{rows ?? tasks}
		</span>
	);
}

type Verb = "cancel" | "all" | "failed";

function Verbs({ execution }: { execution: AutomationExecution }) {
	const { id, status, check_mode, playbook_counts, host_count } = execution;
	const navigate = route.useNavigate();
	const may = useMay();
	const profile = useProfile();
	const [asked, setAsked] = useState<Verb | null>(null);
	const act = useAction(
		({ verb, override }: { readonly verb: Verb; readonly override: string | undefined }) =>
			verb === "cancel"
				? callRoute(automationExecutionRoutes.cancel, { params: { id } })
				: callRoute(automationExecutionRoutes.relaunch, {
						params: { id },
						body: { hosts: verb, ...buildLaunchBody(override) },
					}),
		{
			stale: ["automation_executions", "automation_requests"],
			onSuccess(next, { verb }) {
				if (verb !== "cancel") void navigate({ to: "/automation/executions/$id", params: { id: next.id } });
			},
			onError: showLaunchProblem,
		},
	);
	const freeze = useFreezeOverride((verb: Verb, override) => act.mutateAsync({ verb, override }));
	const isOwn = profile !== undefined && (profile.is_admin || profile.username === execution.launched_by);
	if (!isOwn || !may("launch_automationrequest")) return null;
	const isOver = isExecutionOver(status);
	const rows = execution.row_counts === null ? "all rows" : `all ${formatPlural(sumRows(execution.row_counts), "row")}`;
	const words: Record<Verb, Question> = {
		cancel: ["Cancel the job?", "Cancel the job", "The server ends the job. What it has changed already stays."],
		all: ["Run the job again?", "Run again", "All rows are sent again, also those that are done."],
		failed: ["Run again on failed hosts?", "Run again", "All rows are sent again, to the failed hosts only."],
	};
	return (
		<>
			{!isOver && execution.cancel_requested_at === null && (
				<Button variant="danger" icon={Ban} onClick={() => setAsked("cancel")}>
					Cancel job
				</Button>
			)}
			{isOver && (
				<Button icon={RotateCcw} onClick={() => setAsked("all")}>
					Run again ({rows})
				</Button>
			)}
			{isOver && playbook_counts.failed > 0 && (host_count ?? 1) > 1 && (
				<Button icon={RotateCcw} onClick={() => setAsked("failed")}>
					Run again on failed hosts ({rows})
				</Button>
			)}
			{asked !== null && (
				<AskAboutJob
					question={words[asked]}
					dryRun={check_mode}
					onConfirm={() => freeze.run(asked)}
					onClose={() => setAsked(null)}
				/>
			)}
			{freeze.dialog}
		</>
	);
}

function Rows({
	execution: { id, automation_request, automation_job_id, status },
}: {
	execution: AutomationExecution;
}) {
	const request = useAnswer(automationRequestRoutes.detail, { params: { id: automation_request } });
	const results = useAnswer(
		automationExecutionRoutes.rowResults,
		{ params: { id } },
		{ every: isExecutionOver(status) ? false : POLL_MS },
	);
	const outcomes = useMemo(() => (results.data ? getOutcomes(results.data.rows) : null), [results.data]);
	// A copy takes the results of the newest job.
	const isNewest = request.data !== undefined && request.data.automation_job_id === automation_job_id;
	return (
		<>
			{results.data && isNewest && isExecutionOver(status) && (
				<div className="flex flex-wrap gap-2 p-3 empty:hidden">
					<CopyRows id={automation_request} summary={results.data.summary} />
				</div>
			)}
			{results.data?.hint && (
				<div className="p-3">
					<Banner tone="info" title={results.data.hint} />
				</div>
			)}
			<Loaded answer={request} lines={6}>
				{({ input_data, template_snapshot, target_controller }) => (
					<RowsView data={input_data} snapshot={template_snapshot} outcomes={outcomes} connection={target_controller} />
				)}
			</Loaded>
		</>
	);
}
