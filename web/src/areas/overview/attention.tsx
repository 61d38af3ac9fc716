/** What needs attention: failing checks, then connections, schedules and runs that failed. */
import { Link } from "@tanstack/react-router";
import type { Check, PipelineJob, ScheduledTask } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import { ArrowUpRight, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useMay } from "../../platform/profile.ts";
import { formatJobName } from "../../shell/jobs.ts";
import { Empty, ProblemBanner, Skeleton } from "../../ui/page.tsx";
import { CheckStrip } from "./check-strip.tsx";

const EVERY_MS = 60_000;

interface AttentionProps {
	/** Whether all lists below are the service's answers. */
	readonly isKnown: boolean;
	/** The reason why one of them could not be read; null: none. */
	readonly failure: unknown;
	readonly jobs: readonly PipelineJob[];
	readonly tasks: readonly ScheduledTask[];
	readonly connections: readonly {
		id: string;
		name: string;
		last_test_status: boolean | null;
		last_test_message: string;
	}[];
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
/** So that there is room for what failed besides checks. */
const MOST_CHECKS = 4;
/** The worst checks, which the strip counts. */
const COUNTED_CHECKS = "200";
const OPEN = "inline-flex shrink-0 items-center gap-1 rounded-cell font-medium text-accent-text hover:underline";

export function Attention({ isKnown, failure, jobs, tasks, connections }: AttentionProps) {
	const mayViewChecks = useMay()("view_check");
	const checks = useAnswer(
		checkRoutes.list,
		{ query: { page_size: COUNTED_CHECKS, ordering: "-state" } },
		{ enabled: mayViewChecks, staleTime: EVERY_MS, every: EVERY_MS },
	);
	const strip = checks.data && <CheckStrip checks={checks.data.results} total={checks.data.count} />;
	const failedQueries = new Set<string>();
	const points: Point[] = [
		...(checks.data?.results ?? []).filter(needsAttention).slice(0, MOST_CHECKS).map(getPoint),
		...connections
			.filter(({ last_test_status }) => last_test_status === false)
			.map(({ id, name, last_test_message }) => ({
				key: id,
				title: `${name} failed its last test`,
				detail: last_test_message,
				serious: true,
				link: (
					<Link to="/settings/connections" search={{ edit: id }} className={OPEN}>
						Open <ArrowUpRight size={13} aria-hidden="true" />
					</Link>
				),
			})),
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
		const error = failure ?? checks.error;
		if (error !== null) return <ProblemBanner error={error} />;
		if (!isKnown || (mayViewChecks && checks.data === undefined)) return <Skeleton lines={3} />;
		const succeeded = listSuccesses({ checks: checks.data?.results ?? [], connections, tasks, jobs });
		return (
			<>
				{strip}
				{succeeded.length > 0 ? (
					<Empty icon={CircleCheck}>No problems in the latest {succeeded.join(", ")}.</Empty>
				) : (
					<Empty icon={Info}>Nothing has run yet. Add a check, or schedule a query.</Empty>
				)}
			</>
		);
	}
	return (
		<>
			{strip}
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
		</>
	);
}

/** The kinds of things that have run, as words; none if nothing has. */
function listSuccesses({
	checks,
	connections,
	tasks,
	jobs,
}: Pick<AttentionProps, "connections" | "tasks" | "jobs"> & { readonly checks: readonly Check[] }): string[] {
	const kinds: readonly (readonly [string, boolean])[] = [
		["checks", checks.some(({ state }) => state === "ok")],
		["connection tests", connections.some(({ last_test_status }) => last_test_status === true)],
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
	const places = bad.map(({ controller_connection_name: place }) => place ?? "all connections").join(", ");
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
