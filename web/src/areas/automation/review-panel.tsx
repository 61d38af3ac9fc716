/** The job that a request launches, for those who decide on it: read from the server now. */
import { Link } from "@tanstack/react-router";
import type { RequestReview } from "@weft/contracts";
import { automationRequestRoutes } from "@weft/contracts/browser";
import type { ReactNode } from "react";
import { useAnswer } from "../../platform/call.ts";
import { useTimes } from "../../platform/profile.ts";
import { formatValue } from "../../platform/value-text.ts";
import { Banner, Loaded, Panel } from "../../ui/page.tsx";
import { RequestStatus } from "./words.tsx";

export function ReviewPanel({ id }: { id: string }) {
	const answer = useAnswer(automationRequestRoutes.review, { params: { id } });
	return (
		<Panel title="Job to launch" padded>
			<Loaded answer={answer} lines={3}>
				{(review) => <Review review={review} />}
			</Loaded>
		</Panel>
	);
}

const UNKNOWN = "not known";

function Review({ review: { server, job, constants, prompts, fabric, problem, dry_run } }: { review: RequestReview }) {
	const isJob = job.kind === "job";
	const facts: [string, ReactNode][] = [
		["Server", server.name],
		[isJob ? "Job template" : "Workflow", `${job.name ?? UNKNOWN} (${job.id})`],
		...(isJob ? ([["Playbook", job.playbook ?? UNKNOWN]] as [string, ReactNode][]) : []),
		["Inventory", job.inventory ?? (problem === null ? "none of its own" : UNKNOWN)],
		["Project", job.project ?? (problem === null ? "none" : UNKNOWN)],
		["Credentials of the template", job.credentials.join(", ") || (problem === null ? "none" : UNKNOWN)],
		["Launch options", formatPrompts(prompts)],
		["Fabric", fabric?.name ?? "none named"],
		["Dry run of these rows", dry_run === null ? "none" : <DryRun key="dry run" dryRun={dry_run} />],
	];
	return (
		<div className="flex flex-col gap-3">
			{problem !== null && <Banner tone="warn" title="The server could not be asked." detail={problem} />}
			<dl className="m-0 grid grid-cols-[repeat(auto-fill,minmax(220px,1fr))] gap-x-4 gap-y-2">
				{facts.map(([name, value]) => (
					<div key={name} className="min-w-0">
						<dt className="text-muted text-xs">{name}</dt>
						<dd className="m-0 break-words">{value}</dd>
					</div>
				))}
			</dl>
			<div>
				<h3 className="m-0 font-normal text-muted text-xs">Variables besides the rows</h3>
				<ul aria-label="Variables besides the rows" className="m-0 flex list-none flex-wrap gap-x-4 gap-y-1 p-0">
					{Object.entries(constants).map(([name, value]) => (
						<li key={name} className="mono [overflow-wrap:anywhere]">
							{name}: {formatValue(value) ?? "null"}
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
	const { ok, changed, failed } = dryRun.playbook_counts;
	return (
		<span className="flex flex-wrap items-center gap-2">
			<RequestStatus status={dryRun.status} />
			<Link to="/automation/requests/$id" params={{ id: dryRun.request }} className="rounded-cell hover:underline">
				{dryRun.title}
			</Link>
			<span className="num">
				tasks: {ok} ok, {changed} changed, {failed} failed
			</span>
			{dryRun.finished_at && <span className="text-muted">{times.dateTime(dryRun.finished_at)}</span>}
		</span>
	);
}
