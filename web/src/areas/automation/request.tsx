/** One request: its exact rows, the decision about it, and what became of it. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { AutomationExecution, AutomationRequestDetail } from "@weft/contracts";
import { automationExecutionRoutes, automationRequestChannel, automationRequestRoutes } from "@weft/contracts/browser";
import { Ban, Pencil, Play, RotateCcw, Undo2 } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { callRoute, invalidateAreas, useAction, useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useMay, useProfile, useTimes } from "../../platform/profile.ts";
import { useChannel } from "../../platform/sockets.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { Banner, Empty, Loaded, PageHead, Panel } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { showProblem } from "../../ui/toast.tsx";
import { Unloaded } from "../../ui/unloaded.tsx";
import { CopyRows, UseAgain } from "./copy-rows.tsx";
import { Decide } from "./decide.tsx";
import { HistoryPanel } from "./history-panel.tsx";
import { ReviewPanel } from "./review-panel.tsx";
import { getOutcomes } from "./rows-model.ts";
import { RowsView } from "./rows-table.tsx";
import {
	AskAboutJob,
	ExecutionStatus,
	isExecutionOver,
	type Question,
	RequestStatus,
	RunMode,
	Warned,
} from "./words.tsx";

const route = getRouteApi("/app/automation/requests/$id");
const CRUMBS = [{ label: "Requests", to: "/automation/requests" as const }];
const POLL_MS = 10_000;
/** States before a launch. */
const LAUNCHABLE = ["awaiting_approval", "approved", "pending"];
/** States from which a request does not change any more by itself. */
const OVER = ["rejected", "successful", "failed", "cancelled"];

export function RequestPage() {
	const { id } = route.useParams();
	const answer = useAnswer(automationRequestRoutes.detail, { params: { id } }, { every: POLL_MS });
	const latest = answer.data;
	const [read, setRead] = useState<AutomationRequestDetail | null>(null);
	const isLive = latest !== undefined && !OVER.includes(latest.status);
	useChannel(automationRequestChannel, isLive ? { request_id: id } : null, {
		frame({ type, data }) {
			// The first frame tells the state that was just read.
			const isKnown = type === "request_status" && data.executions_total === latest?.executions_total;
			if (!isKnown || data.status !== latest?.status)
				void invalidateAreas("automation_requests", "automation_executions");
		},
		state({ kind }) {
			// Frames may have been missed between two connections.
			if (kind === "waiting") void answer.refetch();
		},
	});
	// What an approver reads stays until they have seen what changed.
	const mustReadAgain = read?.id === id && read.can_approve && latest !== undefined && isOutdated(read, latest);
	useEffect(() => {
		if (latest !== undefined && !mustReadAgain) setRead(latest);
	}, [latest, mustReadAgain]);
	if (read === null || read.id !== id) {
		return <Unloaded what="Request" crumbs={CRUMBS} error={answer.error} onRetry={() => void answer.refetch()} />;
	}
	return (
		<Request
			request={read}
			latest={mustReadAgain ? (latest ?? null) : null}
			onRefresh={() => void answer.refetch()}
			onRead={setRead}
		/>
	);
}

/** Whether the request is the user's own, or the user an administrator. */
function useIsOwn({ requested_by }: AutomationRequestDetail): boolean {
	const profile = useProfile();
	return profile !== undefined && (profile.is_admin || profile.username === requested_by);
}

const isOutdated = (read: AutomationRequestDetail, latest: AutomationRequestDetail): boolean =>
	read.updated_at !== latest.updated_at;

interface RequestProps {
	readonly request: AutomationRequestDetail;
	/** The current state, where the caller must read it before deciding. */
	readonly latest: AutomationRequestDetail | null;
	onRefresh(): void;
	onRead(request: AutomationRequestDetail): void;
}

function Request({ request, latest, onRefresh, onRead }: RequestProps) {
	const { id, title, status, check_mode } = request;
	const times = useTimes();
	const may = useMay();
	const isOwn = useIsOwn(request);
	const executions = useAnswer(
		automationExecutionRoutes.list,
		{ query: { automation_request: id, page_size: "50" } },
		{ enabled: request.executions_total > 0 },
	);
	const newest = executions.data?.results[0];
	const results = useAnswer(
		automationExecutionRoutes.rowResults,
		{ params: { id: newest?.id ?? "" } },
		{ enabled: newest !== undefined, every: newest && !isExecutionOver(newest.status) ? POLL_MS : false },
	);
	const outcomes = useMemo(() => (results.data ? getOutcomes(results.data.rows) : null), [results.data]);
	return (
		<>
			<PageHead
				title={title}
				crumbs={CRUMBS}
				facts={
					<>
						<RequestStatus status={status} />
						<RunMode dryRun={check_mode} />
						<span className="num">{formatPlural(request.row_count, "row")}</span>
						<span>{request.template_name}</span>
						<span>
							by {request.requested_by}, {times.dateTime(request.requested_at)}
						</span>
					</>
				}
				actions={
					<>
						<CopyAs call={() => ({ route: automationRequestRoutes.detail, params: { id } })} />
						{results.data && OVER.includes(status) && <CopyRows id={id} summary={results.data.summary} />}
						<UseAgain id={id} />
						<Verbs request={request} onRefresh={onRefresh} />
						{request.can_approve && (
							<Decide read={request} latest={latest} onConflict={onRefresh} onRead={onRead} onDecided={onRead} />
						)}
					</>
				}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				<Notices request={request} />
				<Facts request={request} />
				{LAUNCHABLE.includes(status) && <ReviewPanel key={request.version} id={id} />}
				{request.executions_total > 0 && (
					<Panel title="Executions">
						<Loaded answer={executions} lines={3}>
							{({ results: list }) => <Executions list={list} />}
						</Loaded>
					</Panel>
				)}
				<Panel title={`Rows${status === "awaiting_approval" ? ", exactly as they will be sent" : ""}`}>
					{results.data?.warnings.map(({ code, message }) => (
						<div key={`${code} ${message}`} className="p-2">
							<Banner tone="warn" title={message} />
						</div>
					))}
					<RowsView data={request.input_data} snapshot={request.template_snapshot} outcomes={outcomes} />
				</Panel>
				<HistoryPanel id={id} version={request.version} canComment={isOwn || may("approve_automationrequest")} />
			</div>
		</>
	);
}

function Notices({ request }: { request: AutomationRequestDetail }) {
	const times = useTimes();
	const { status, warnings, launch_error, can_approve, can_edit } = request;
	return (
		<>
			{request.check_mode ? (
				<Banner
					tone="info"
					title="Dry run."
					detail="The job runs in check mode: it reports what it would change, and changes nothing."
				/>
			) : (
				<Banner
					tone="warn"
					title="This request makes changes"
					detail={`on ${request.target_controller_name || request.automation_connection_name}.`}
				/>
			)}
			{status === "awaiting_approval" && !can_approve && (
				<Banner
					tone="info"
					title="Waiting for approval."
					detail="Another user of the template's approver groups decides. You are not among those who may decide on it."
				/>
			)}
			{request.approved_by && (
				<Banner
					tone="ok"
					title={`Approved by ${request.approved_by}${request.approved_at ? `, ${times.dateTime(request.approved_at)}` : ""}.`}
					detail={request.approval_comment ?? ""}
				/>
			)}
			{request.rejected_by && (
				<Banner
					tone="bad"
					title={[
						`${request.changes_requested ? "Changes requested" : "Rejected"} by ${request.rejected_by}`,
						...(request.rejected_at ? [times.dateTime(request.rejected_at)] : []),
					]
						.join(", ")
						.concat(".")}
					detail={`${request.rejection_reason ?? ""}${can_edit ? " Edit the request to correct it and submit it again." : ""}`}
				/>
			)}
			{launch_error && <Banner tone="bad" title="The last launch failed." detail={launch_error} />}
			{warnings.map(({ code, message }) => (
				<Banner key={`${code} ${message}`} tone="warn" title={message} />
			))}
		</>
	);
}

function Facts({ request }: { request: AutomationRequestDetail }) {
	const times = useTimes();
	const facts: [string, string][] = [
		["Target controller", request.target_controller_name || "none"],
		["Automation server", request.automation_connection_name],
		["Credential", request.automation_credential_name || "that of the server's template"],
		["Approval", request.requires_approval ? "required" : "not required"],
		[
			"Scheduled for",
			request.scheduled_for ? `${times.dateTime(request.scheduled_for)} (${times.zone})` : "not scheduled",
		],
		...(request.description === "" ? [] : [["Description", request.description] as [string, string]]),
	];
	return (
		<dl className="m-0 grid grid-cols-[repeat(auto-fill,minmax(220px,1fr))] gap-x-4 gap-y-2 rounded-card border border-line bg-surface p-3">
			{facts.map(([name, value]) => (
				<div key={name} className="min-w-0">
					<dt className="text-muted text-xs">{name}</dt>
					<dd className="m-0 break-words">{value}</dd>
				</div>
			))}
		</dl>
	);
}

type Verb = "execute" | "cancel" | "retry" | "rollback";

const ACTS: Readonly<Record<Verb, (id: string) => Promise<AutomationRequestDetail>>> = {
	execute: (id) => callRoute(automationRequestRoutes.execute, { params: { id } }),
	cancel: (id) => callRoute(automationRequestRoutes.cancel, { params: { id } }),
	retry: (id) => callRoute(automationRequestRoutes.retry, { params: { id } }),
	rollback: (id) => callRoute(automationRequestRoutes.rollback, { params: { id }, body: {} }),
};

function Verbs({ request, onRefresh }: { request: AutomationRequestDetail; onRefresh(): void }) {
	const { id, title, status, check_mode, can_execute, can_cancel, can_edit, can_rollback } = request;
	const navigate = route.useNavigate();
	const may = useMay();
	const isOwn = useIsOwn(request);
	const [asked, setAsked] = useState<Verb | null>(null);
	const canRetry = (status === "failed" || status === "cancelled") && isOwn && may("launch_automationrequest");
	const act = useAction((verb: Verb) => ACTS[verb](id), {
		stale: ["automation_requests", "automation_executions"],
		onSuccess(answer, verb) {
			if (verb === "rollback") void navigate({ to: "/automation/requests/$id", params: { id: answer.id } });
			else onRefresh();
		},
		onError: (error: unknown) => showProblem(error),
	});
	const where = request.target_controller_name || request.automation_connection_name;
	const launch = check_mode ? "Start the dry run" : "Launch the job";
	const words: Record<Verb, Question> = {
		execute: [
			`${launch}?`,
			launch,
			check_mode
				? `The job checks ${formatPlural(request.row_count, "row")} against ${where} and changes nothing.`
				: `The job applies ${formatPlural(request.row_count, "row")} to ${where}. This changes the network.`,
		],
		retry: [
			"Launch it again?",
			launch,
			`All ${formatPlural(request.row_count, "row")} are sent again, also those that are done. ${check_mode ? "It is a dry run." : "This changes the network."}`,
		],
		cancel: [
			`Cancel "${title}"?`,
			"Cancel the request",
			status === "running"
				? "The job is cancelled on the server. What it has changed already stays."
				: "It will not be launched.",
		],
		rollback: [
			"Roll back?",
			"Request the rollback",
			"A new request with the template's rollback is made. It launches nothing yet.",
		],
	};
	return (
		<>
			{can_rollback && (
				<Button icon={Undo2} onClick={() => setAsked("rollback")}>
					Roll back
				</Button>
			)}
			{can_edit && (
				<ButtonLink icon={Pencil} to="/automation/requests/$id/edit" params={{ id }}>
					Edit
				</ButtonLink>
			)}
			{can_cancel && (
				<Button icon={Ban} onClick={() => setAsked("cancel")}>
					Cancel request
				</Button>
			)}
			{canRetry && (
				<Button icon={RotateCcw} onClick={() => setAsked("retry")}>
					Retry
				</Button>
			)}
			{can_execute && (
				<Button variant="primary" icon={Play} onClick={() => setAsked("execute")}>
					{launch}
				</Button>
			)}
			{asked !== null && (
				<AskAboutJob
					question={words[asked]}
					dryRun={check_mode}
					onConfirm={() => act.mutateAsync(asked)}
					onClose={() => setAsked(null)}
				/>
			)}
		</>
	);
}

function Executions({ list }: { list: readonly AutomationExecution[] }) {
	const times = useTimes();
	if (list.length === 0) return <Empty>No execution has started.</Empty>;
	const columns: Column<AutomationExecution>[] = [
		{
			key: "job",
			head: "Job",
			cell: ({ id, automation_job_id, relaunch_of }) => (
				<Link to="/automation/executions/$id" params={{ id }} className="rounded-cell font-medium hover:underline">
					{automation_job_id === null ? "Execution" : `Job ${automation_job_id}`}
					{relaunch_of !== null && <span className="font-normal text-muted"> relaunched</span>}
				</Link>
			),
		},
		{
			key: "status",
			head: "State",
			cell: ({ status, warnings }) => (
				<span className="flex items-center gap-1.5 whitespace-nowrap">
					<ExecutionStatus status={status} />
					<Warned warnings={warnings} />
				</span>
			),
		},
		{ key: "mode", head: "Mode", cell: ({ check_mode }) => <RunMode dryRun={check_mode} /> },
		{
			key: "tasks",
			head: "Tasks",
			cell: ({ playbook_counts: { ok, changed, failed } }) => (
				<span className="num whitespace-nowrap">
					{ok} ok, {changed} changed, {failed} failed
				</span>
			),
		},
		{
			key: "when",
			head: "Started",
			align: "right",
			cell: ({ created_at }) => <span className="whitespace-nowrap text-muted">{times.dateTime(created_at)}</span>,
		},
	];
	return <Table label="Executions" columns={columns} rows={list} getKey={({ id }) => id} />;
}
