/** The fabric of a request, and the job that it launches as the automation server has it now. */
import { Link } from "@tanstack/react-router";
import type { AutomationRequestDetail, RequestReview } from "@weft/contracts";
import { automationRequestRoutes } from "@weft/contracts/browser";
import type { ReactNode } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { showGroupName } from "../../platform/group-names.ts";
import { useTimes } from "../../platform/profile.ts";
import { formatValue } from "../../platform/value-text.ts";
import { OutsideTextLink } from "../../ui/outside-link.tsx";
import { Banner, Loaded, Panel } from "../../ui/page.tsx";
import { WindowLink } from "./launch-gate.tsx";
import { formatRowCounts } from "./row-counts.ts";
import { RequestStatus } from "./words.tsx";

export type Fact = readonly [name: string, value: ReactNode];

export function Facts({ facts }: { facts: readonly Fact[] }) {
	return (
		<dl className="m-0 grid grid-cols-[repeat(auto-fill,minmax(220px,1fr))] gap-x-4 gap-y-2">
			{facts.map(([name, value]) => (
				<div key={name} className="min-w-0">
					<dt className="text-muted text-xs">{name}</dt>
					<dd className="m-0 break-words">{value}</dd>
				</div>
			))}
		</dl>
	);
}

export const useReview = (id: string, enabled: boolean) =>
	useAnswer(automationRequestRoutes.review, { params: { id } }, { enabled });

export function ReviewPanel({ request }: { request: AutomationRequestDetail }) {
	const answer = useReview(request.id, true);
	return (
		<Panel title="Job to launch" padded>
			{request.description !== "" && <p className="m-0 mb-3 whitespace-pre-wrap">{request.description}</p>}
			<Loaded answer={answer} lines={3}>
				{(review) => <Review {...{ request, review }} />}
			</Loaded>
		</Panel>
	);
}

const UNKNOWN = "not known";

/** Names the credential of the request, or those of the job, with their origin. */
function formatCredential(chosen: string, { job, problem }: RequestReview): string {
	if (chosen !== "") return chosen;
	if (job.credentials.length > 0) return `${job.credentials.join(", ")} (from the job)`;
	return problem === null ? "none (from the job)" : UNKNOWN;
}

/** Names the approvers, such as "Operator (ada, carol)". */
export function formatApprovers({ approver_groups, approvers }: RequestReview): string {
	const groups = approver_groups.map(showGroupName).join(", ") || "every approver";
	return approvers.length === 0 ? groups : `${groups} (${approvers.join(", ")})`;
}

/** The plan of the change window that each launch gets, or the window that they wait for. */
export function listChangeFacts(request: AutomationRequestDetail): Fact[] {
	const { change_plan_name, change_plan_revision, change_window } = request;
	if (change_plan_name !== null) return [["Change plan", `${change_plan_name}, revision ${change_plan_revision}`]];
	return change_window === null ? [] : [["Change window", <WindowLink key="window" id={change_window} />]];
}

function Review({ request, review }: { request: AutomationRequestDetail; review: RequestReview }) {
	const { server, job, constants, prompts, fabric, problem, dry_run } = review;
	const times = useTimes();
	const isJob = job.kind === "job";
	const name = job.name ?? `template ${job.id}`;
	const facts: Fact[] = [
		["Fabric", fabric?.name ?? "none named"],
		["Rows", formatPlural(request.row_count, "row")],
		...listChangeFacts(request),
		[
			isJob ? "Job template" : "Workflow",
			<OutsideTextLink key="job" href={job.url}>
				{name}
			</OutsideTextLink>,
		],
		...(isJob ? ([["Playbook", job.playbook ?? UNKNOWN]] as Fact[]) : []),
		["Inventory", job.inventory ?? (problem === null ? "none of its own" : UNKNOWN)],
		["Credential", formatCredential(request.automation_credential_name, review)],
		["Project", job.project ?? (problem === null ? "none" : UNKNOWN)],
		["Server", server.name],
		["Launch options", formatPrompts(prompts)],
		["Approval", request.requires_approval ? formatApprovers(review) : "not required"],
		[
			"Scheduled for",
			request.scheduled_for ? `${times.dateTime(request.scheduled_for)} (${times.zone})` : "launched by hand",
		],
		["Dry run of these rows", dry_run === null ? "none" : <DryRun key="dry run" dryRun={dry_run} />],
	];
	return (
		<div className="flex flex-col gap-3">
			{problem !== null && <Banner tone="warn" title="The server could not be asked." detail={problem} />}
			<Facts facts={facts} />
			<div>
				<h3 className="m-0 font-normal text-muted text-xs">Variables besides the rows</h3>
				<ul aria-label="Variables besides the rows" className="m-0 flex list-none flex-wrap gap-x-4 gap-y-1 p-0">
					{Object.entries(constants).map(([variable, value]) => (
						<li key={variable} className="mono [overflow-wrap:anywhere]">
							{variable}: {formatValue(value) ?? "null"}
						</li>
					))}
				</ul>
			</div>
		</div>
	);
}

const formatPrompts = (prompts: RequestReview["prompts"]): string =>
	Object.entries(prompts)
		.map(([name, value]) => `${name}: ${formatValue(value)}`)
		.join(", ") || "as the server has them";

function DryRun({ dryRun }: { dryRun: NonNullable<RequestReview["dry_run"]> }) {
	const times = useTimes();
	const counts = dryRun.row_counts === null ? null : formatRowCounts(dryRun.row_counts, true);
	return (
		<span className="flex flex-wrap items-center gap-2">
			<RequestStatus status={dryRun.status} />
			<Link to="/automation/requests/$id" params={{ id: dryRun.request }} className="rounded-cell hover:underline">
				{dryRun.title}
			</Link>
			{counts !== null && <span className="num">{counts}</span>}
			{dryRun.finished_at && <span className="text-muted">{times.dateTime(dryRun.finished_at)}</span>}
		</span>
	);
}
