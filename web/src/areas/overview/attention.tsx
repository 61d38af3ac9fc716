/** What needs attention: failing checks, then schedules and runs that failed. */
import { Link } from "@tanstack/react-router";
import type { Check, PipelineJob, ScheduledTask } from "@weft/contracts";
import { ArrowUpRight, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { formatPlural } from "../../platform/format.ts";
import { formatJobName } from "../../shell/jobs.ts";
import { Empty, ProblemBanner, Skeleton } from "../../ui/page.tsx";
import { useKnownProblems } from "./problems.ts";

interface AttentionProps {
	/** Whether all lists below are the service's answers. */
	readonly isKnown: boolean;
	/** The reason why one of them could not be read; null: none. */
	readonly failure: unknown;
	readonly jobs: readonly PipelineJob[];
	readonly tasks: readonly ScheduledTask[];
}

interface Point {
	readonly key: string;
	readonly title: string;
	readonly detail: string;
	readonly link: ReactNode;
	readonly serious: boolean;
}

/** How a schedule ended, where it did not simply fail. */
const ENDS: Readonly<Record<string, string>> = { partial: "succeeded in part" };
const MOST_POINTS = 6;
const OPEN = "inline-flex shrink-0 items-center gap-1 rounded-cell font-medium text-accent-text hover:underline";

export function Attention({ isKnown, failure, jobs, tasks }: AttentionProps) {
	const problems = useKnownProblems();
	const checks = problems.data?.checks ?? null;
	const failedQueries = new Set<string>();
	const points: Point[] = [
		...(checks?.worst ?? []).filter(needsAttention).map(getPoint),
		...tasks
			.filter(
				({ status, last_run_status }) =>
					status === "disabled" || last_run_status === "failed" || last_run_status === "partial",
			)
			.map(({ id, name, status, last_run_status }) => ({
				key: id,
				title: `Schedule "${name}" ${status === "disabled" ? "was switched off" : (ENDS[last_run_status ?? ""] ?? "failed")}`,
				detail: "See its runs for the reason.",
				serious: last_run_status === "failed",
				link: (
					<Link to="/schedules/$id" params={{ id }} className={OPEN}>
						Open <ArrowUpRight size={13} aria-hidden="true" />
					</Link>
				),
			})),
		...jobs
			.filter(({ status, query_name }) => {
				if (status !== "failed" || failedQueries.has(query_name ?? "")) return false;
				failedQueries.add(query_name ?? "");
				return true;
			})
			.map((job) => ({
				key: job.id,
				title: `${formatJobName(job)} failed`,
				detail: job.errors[0]?.message ?? "",
				serious: true,
				link: (
					<Link to="/runs/$id" params={{ id: job.id }} className={OPEN}>
						Open <ArrowUpRight size={13} aria-hidden="true" />
					</Link>
				),
			})),
	];
	if (points.length === 0) {
		const error = failure ?? problems.error;
		if (error !== null) return <ProblemBanner error={error} />;
		if (!isKnown || problems.data === undefined) return <Skeleton lines={3} />;
		const succeeded = listSuccesses({ okChecks: checks?.ok ?? 0, tasks, jobs });
		if (succeeded.length > 0)
			return <Empty icon={CircleCheck}>No problems in the latest {succeeded.join(", ")}.</Empty>;
		return <Empty icon={Info}>Nothing has run yet. Add a check, or schedule a query.</Empty>;
	}
	return (
		<ul className="m-0 list-none p-0">
			{points.slice(0, MOST_POINTS).map(({ key, title, detail, serious, link }) => (
				<li key={key} className="flex items-center gap-2.5 border-line border-b px-3 py-2 last:border-b-0">
					<TriangleAlert
						size={15}
						className={serious ? "shrink-0 text-bad" : "shrink-0 text-warn"}
						role="img"
						aria-label={serious ? "Failure" : "Warning"}
					/>
					<span className="min-w-0 flex-1">
						<span className="block truncate font-medium" title={title}>
							{title}
						</span>
						<span className="block truncate text-muted text-xs" title={detail}>
							{detail}
						</span>
					</span>
					{link}
				</li>
			))}
		</ul>
	);
}

/** The kinds of things that have run, as words; none if nothing has. */
function listSuccesses({
	okChecks,
	tasks,
	jobs,
}: Pick<AttentionProps, "tasks" | "jobs"> & { readonly okChecks: number }): string[] {
	const kinds: readonly (readonly [string, boolean])[] = [
		["checks", okChecks > 0],
		["schedules", tasks.some(({ last_run_status }) => last_run_status !== null)],
		["runs", jobs.some(({ status }) => status === "completed")],
	];
	return kinds.flatMap(([name, hasRun]) => (hasRun ? [name] : []));
}

const needsAttention = ({ is_active, state }: Check): boolean =>
	is_active && (state === "failing" || state === "error");

/** One that is acknowledged or muted everywhere is less serious. */
function getPoint({ id, name, state, severity, states }: Check): Point {
	const bad = states.filter((entry) => entry.state === state);
	const places = bad.map(({ controller_connection_name: place }) => place ?? "all fabrics").join(", ");
	const now = Date.now();
	const isKnown = bad.every(
		({ acknowledged_by, muted_until }) =>
			acknowledged_by !== null || (muted_until !== null && Date.parse(muted_until) > now),
	);
	const violations = bad.reduce((sum, entry) => sum + entry.violations, 0);
	const what = state === "failing" ? formatPlural(violations, "violation") : (bad[0]?.error ?? "");
	return {
		key: id,
		title: state === "failing" ? `Check "${name}" is failing` : `Check "${name}" could not be evaluated`,
		detail: [isKnown && "acknowledged or muted", places, what].filter(Boolean).join(": "),
		serious: state === "failing" && severity !== "info" && !isKnown,
		link: (
			<Link to="/checks/$id" params={{ id }} className={OPEN}>
				Open <ArrowUpRight size={13} aria-hidden="true" />
			</Link>
		),
	};
}
