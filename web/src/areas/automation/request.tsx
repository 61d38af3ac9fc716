/** One request: its exact rows, the decision about it, and what became of it. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { AutomationRequestDetail } from "@weft/contracts";
import {
	automationExecutionRoutes,
	automationRequestChannel,
	automationRequestRoutes,
	FINAL_REQUEST_STATUSES,
} from "@weft/contracts/browser";
import { useMemo, useState } from "react";
import { invalidateAreas, useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { useChannel } from "../../platform/sockets.ts";
import { CopyAs } from "../../ui/copy-as.tsx";
import { Banner, Loaded, PageHead, Panel } from "../../ui/page.tsx";
import { Unloaded } from "../../ui/unloaded.tsx";
import { HeldLaunchBanner } from "../calendar/held.tsx";
import { CopyRows, UseAgain } from "./copy-rows.tsx";
import { Decide } from "./decide.tsx";
import { Executions } from "./executions-table.tsx";
import { HistoryPanel, POLL_MS } from "./history-panel.tsx";
import { LaunchGate } from "./launch-gate.tsx";
import { useIsOwn, Verbs } from "./request-verbs.tsx";
import { type Fact, Facts, formatApprovers, listChangeFacts, ReviewPanel, useReview } from "./review-panel.tsx";
import { formatRowCounts } from "./row-counts.ts";
import { getOutcomes } from "./rows-model.ts";
import { RowsView } from "./rows-table.tsx";
import { ChangedWhileRead, VersionChanges } from "./version-changes.tsx";
import { isExecutionOver, RequestStatus, RunMode } from "./words.tsx";

const route = getRouteApi("/app/automation/requests/$id");
const CRUMBS = [{ label: "Requests", to: "/automation/requests" as const }];
/** States before a launch. */
const LAUNCHABLE = ["awaiting_approval", "approved", "pending"];

export function RequestPage() {
	const { id } = route.useParams();
	const answer = useAnswer(automationRequestRoutes.detail, { params: { id } }, { every: POLL_MS });
	const latest = answer.data;
	const isLive = latest !== undefined && !FINAL_REQUEST_STATUSES.includes(latest.status);
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
	if (latest === undefined) {
		return <Unloaded what="Request" crumbs={CRUMBS} error={answer.error} onRetry={() => void answer.refetch()} />;
	}
	return <Request key={id} request={latest} onRefresh={() => void answer.refetch()} />;
}

interface RequestProps {
	readonly request: AutomationRequestDetail;
	onRefresh(): void;
}

function Request({ request, onRefresh }: RequestProps) {
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
	// An approver may still be reading an earlier version when the page shows a later one.
	const [read, setRead] = useState(request);
	const changed = request.can_approve && read.version !== request.version ? read : null;
	const isWaiting = LAUNCHABLE.includes(status);
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
						<span className="num">{describeRows(request)}</span>
						{request.template === null ? (
							<span>{request.template_name}</span>
						) : (
							<Link
								to="/automation/templates/$id"
								params={{ id: request.template }}
								className="rounded-cell hover:text-fg hover:underline"
							>
								{request.template_name}
							</Link>
						)}
						<span>
							by {request.requested_by}, {times.dateTime(request.requested_at)}
						</span>
					</>
				}
				actions={
					<>
						<CopyAs call={() => ({ route: automationRequestRoutes.detail, params: { id } })} />
						{results.data && FINAL_REQUEST_STATUSES.includes(status) && (
							<CopyRows id={id} summary={results.data.summary} />
						)}
						<UseAgain id={id} />
						<Verbs request={request} onRefresh={onRefresh} />
						{request.can_approve && (
							<Decide
								request={request}
								changedSince={changed}
								onConflict={onRefresh}
								onDecided={() => setRead(request)}
							/>
						)}
					</>
				}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				<Notices request={request} />
				{newest !== undefined && <LaunchGate execution={newest} />}
				{changed !== null && <ChangedWhileRead before={changed} after={request} onRead={() => setRead(request)} />}
				{isWaiting ? <ReviewPanel key={request.version} request={request} /> : <LaunchedFacts request={request} />}
				{isWaiting && request.version > 1 && <VersionChanges request={request} />}
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
					<RowsView
						data={request.input_data}
						snapshot={request.template_snapshot}
						outcomes={outcomes}
						connection={request.target_controller}
					/>
				</Panel>
				<HistoryPanel request={request} canComment={isOwn || may("approve_automationrequest")} />
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
				!FINAL_REQUEST_STATUSES.includes(status) && (
					<Banner
						tone="warn"
						title="This request makes changes"
						detail={`on ${request.target_controller_name || request.automation_connection_name}.`}
					/>
				)
			)}
			{status === "awaiting_approval" && !can_approve && <WaitingForApproval id={request.id} />}
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
			{request.held_by !== null && <HeldLaunchBanner freeze={request.held_by.freeze} />}
			{launch_error && <Banner tone="bad" title="The last launch failed." detail={launch_error} />}
			{warnings.map(({ code, message }) => (
				<Banner key={`${code} ${message}`} tone="warn" title={message} />
			))}
		</>
	);
}

/** Names the approvers. The page reads them once, with the review. */
function WaitingForApproval({ id }: { id: string }) {
	const { data } = useReview(id, true);
	const names = data === undefined ? "approval" : formatApprovers(data);
	return <Banner tone="info" title={`Waiting for ${names}.`} />;
}

function LaunchedFacts({ request }: { request: AutomationRequestDetail }) {
	const times = useTimes();
	// The launch shows the way to its window.
	const planned = request.executions_total === 0 ? request : { ...request, change_window: null };
	const facts: Fact[] = [
		["Fabric", request.target_controller_name || "none"],
		...listChangeFacts(planned),
		["Automation server", request.automation_connection_name],
		["Credential", request.automation_credential_name || "that of the job"],
		...(request.scheduled_for === null
			? []
			: [["Scheduled for", `${times.dateTime(request.scheduled_for)} (${times.zone})`] as Fact]),
		...(request.description === "" ? [] : [["Description", request.description] as Fact]),
	];
	return (
		<div className="rounded-card border border-line bg-surface p-3">
			<Facts facts={facts} />
		</div>
	);
}

/** Describes the rows by their result in the newest job, or their number. */
function describeRows({ row_count, row_counts, check_mode }: AutomationRequestDetail): string {
	const result = row_counts === null ? null : formatRowCounts(row_counts, check_mode);
	return result ?? formatPlural(row_count, "row");
}
