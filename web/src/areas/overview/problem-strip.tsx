/** Whether anything is wrong now, in one strip: checks, faults, and connections. */
import { Link } from "@tanstack/react-router";
import type { Problems } from "@weft/contracts";
import { CircleCheck, CircleHelp, CircleX, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { formatPlural } from "../../platform/format.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { Loaded, Panel } from "../../ui/page.tsx";
import { Pill, type Tone } from "../../ui/pill.tsx";
import { useProblems } from "./problems.ts";

type Part<Name extends keyof Problems> = NonNullable<Problems[Name]>;
type FabricFaults = Part<"faults">["fabrics"][number];

const CHECK_TONES = { info: "neutral", warning: "warn", critical: "bad" } as const;
const FAULT_TONES = { critical: "bad", major: "bad", minor: "warn", warning: "warn", info: "neutral" } as const;
/** Gallery's question whose snapshots the strip counts. */
const QUESTION = { key: "faults-by-severity" };
/** Milliseconds after which the age of a snapshot is a warning. */
const OLD_MS = 24 * 3_600_000;
const LINK = "rounded-cell font-medium text-accent-text hover:underline";

export function ProblemStrip() {
	const answer = useProblems();
	return (
		<section aria-label="Is anything wrong right now?">
			<Panel title="Is anything wrong right now?">
				<Loaded answer={answer} lines={2}>
					{({ checks, faults, connections }) => (
						<div className="grid divide-line max-lg:divide-y lg:grid-cols-[1fr_1.4fr_1fr] lg:divide-x">
							{checks && <Checks checks={checks} />}
							{faults && <Faults faults={faults} />}
							{connections && <Connections connections={connections} />}
						</div>
					)}
				</Loaded>
			</Panel>
		</section>
	);
}

function Column({ title, aside, children }: { title: string; aside: ReactNode; children: ReactNode }) {
	return (
		<section aria-label={title} className="min-w-0 px-3 py-2">
			<header className="flex items-center gap-2">
				<h3 className="m-0 flex-1 font-semibold text-base">{title}</h3>
				{aside}
			</header>
			<div className="flex flex-col gap-1.5 pt-1.5">{children}</div>
		</section>
	);
}

const LOOKS = {
	ok: [CircleCheck, "text-ok"],
	unknown: [CircleHelp, "text-muted"],
	bad: [CircleX, "text-bad"],
} as const satisfies Record<string, readonly [LucideIcon, string]>;

function Line({ look, children }: { look: keyof typeof LOOKS; children: ReactNode }) {
	const [Icon, color] = LOOKS[look];
	return (
		<p className="m-0 flex items-start gap-1.5">
			<Icon size={15} aria-hidden="true" className={`mt-0.5 shrink-0 ${color}`} />
			<span className="min-w-0 break-words">{children}</span>
		</p>
	);
}

function Checks({ checks }: { readonly checks: Part<"checks"> }) {
	const { total, ok, pending, unknown, severities } = checks;
	const may = useMay();
	const bad = severities.filter(({ failing, error }) => failing + error > 0);
	const isAsked = total > unknown;
	return (
		<Column
			title="Checks"
			aside={
				<Link to="/checks" className={LINK}>
					All checks
				</Link>
			}
		>
			{total === 0 && (
				<Line look="unknown">
					There is no check yet, so nothing is watched.{" "}
					{may("add_check") && (
						<Link to="/checks/templates" className={LINK}>
							Add a check
						</Link>
					)}
				</Line>
			)}
			{bad.length > 0 && (
				<p className="m-0 flex flex-wrap gap-1.5">
					{bad.map(({ severity, failing, error }) => (
						<Link key={severity} to="/checks" search={{ severity }} className="rounded-full hover:underline">
							<Pill tone={CHECK_TONES[severity]}>
								{[failing > 0 && `${failing} ${severity} failing`, error > 0 && `${error} ${severity} in error`]
									.filter(Boolean)
									.join(", ")}
							</Pill>
						</Link>
					))}
				</p>
			)}
			{total > 0 && !isAsked && <Line look="unknown">No check has been evaluated yet.</Line>}
			{isAsked && (
				<Line look={bad.length === 0 && pending === 0 ? "ok" : "unknown"}>
					{ok} ok, {pending} pending, {unknown} not evaluated
				</Line>
			)}
		</Column>
	);
}

function Faults({ faults: { fabrics, total, missing, missing_total } }: { readonly faults: Part<"faults"> }) {
	const others = missing_total - missing.length;
	const ask = (
		<Link to="/gallery" search={QUESTION} className={LINK}>
			Ask for faults by severity
		</Link>
	);
	return (
		<Column title="Faults" aside={fabrics.length > 0 && ask}>
			{fabrics.length === 0 && (
				<Line look="unknown">No snapshot has faults of a fabric. {ask}, and save it as a query with snapshots.</Line>
			)}
			{fabrics.map((fabric) => (
				<FabricFaultLine key={fabric.connection.id} faults={fabric} />
			))}
			{total > fabrics.length && <Line look="unknown">{total - fabrics.length} more fabrics are not listed.</Line>}
			{fabrics.length > 0 && missing_total > 0 && (
				<Line look="unknown">
					No snapshot has faults of {missing.map(({ name }) => name).join(", ")}
					{others > 0 && ` and ${others} more`}.
				</Line>
			)}
		</Column>
	);
}

function FabricFaultLine({ faults }: { readonly faults: FabricFaults }) {
	const { connection, saved_query, series, is_whole, at, is_computing, severities } = faults;
	const times = useTimes();
	const isOld = Date.now() - Date.parse(at) > OLD_MS;
	const shown = severities.filter(({ count, before }) => count > 0 || (before ?? 0) > 0);
	const { value, field, group_by: group } = series;
	const search = { value, group, step: "day", controller: connection.id, ...(field === null ? {} : { field }) };
	return (
		<div>
			<p className="m-0 flex flex-wrap items-center gap-1.5">
				<span className="font-medium">{connection.name}</span>
				{shown.map((one) => (
					<SeverityPill key={one.severity} fault={one} comparedTo={faults.compared_to} />
				))}
				{is_computing && <span className="text-muted">being counted</span>}
				{!is_computing && severities.length === 0 && <span className="text-muted">the rows cannot be counted</span>}
				{severities.length > 0 && shown.length === 0 && (
					<span className={is_whole ? "text-ok" : "text-muted"}>
						{is_whole ? "no active faults" : "none of the query’s faults"}
					</span>
				)}
			</p>
			<p className="m-0 text-muted text-xs">
				{!is_whole && "Only a part: "}
				<Link
					to="/time-machine/$queryId/trends"
					params={{ queryId: saved_query.id }}
					search={search}
					className="rounded-cell hover:underline"
				>
					{saved_query.name}
				</Link>
				,{" "}
				<span className={isOld ? "text-warn" : ""} title={times.dateTime(at)}>
					{times.relative(at)}
				</span>
			</p>
		</div>
	);
}

function SeverityPill({
	fault: { severity, count, before },
	comparedTo,
}: {
	readonly fault: FabricFaults["severities"][number];
	readonly comparedTo: string | null;
}) {
	const more = before === null ? 0 : count - before;
	const tone: Tone = count === 0 ? "neutral" : FAULT_TONES[severity];
	const day = comparedTo?.slice(0, 10);
	const change = more === 0 ? "as many as" : `${Math.abs(more)} ${more > 0 ? "more" : "fewer"} than`;
	return (
		<Pill tone={tone} {...(day === undefined ? {} : { title: `${change} on ${day}` })}>
			{count} {severity}
			{more !== 0 && (
				<>
					<span aria-hidden="true"> {more > 0 ? `▲ ${more}` : `▼ ${-more}`}</span>
					<span className="sr-only">
						, {change} on {day}
					</span>
				</>
			)}
		</Pill>
	);
}

function Connections({ connections }: { readonly connections: Part<"connections"> }) {
	const { total, unknown, down, down_total } = connections;
	const times = useTimes();
	const may = useMay();
	const up = total - unknown - down_total;
	return (
		<Column
			title="Connections"
			aside={
				<Link to="/settings/connections" className={LINK}>
					All connections
				</Link>
			}
		>
			{down.map(({ id, name, since, error }) => (
				<Line key={id} look="bad">
					<Link to="/settings/connections" search={{ edit: id }} className={LINK}>
						{name}
					</Link>{" "}
					is down since <time dateTime={since}>{times.dateTime(since)}</time>
					<span className="block break-words text-muted text-xs">{error}</span>
				</Line>
			))}
			{down_total > down.length && <Line look="bad">{down_total - down.length} more are down.</Line>}
			{up > 0 && <Line look="ok">{formatPlural(up, "fabric")} answered at the last run or test</Line>}
			{unknown > 0 && <Line look="unknown">{formatPlural(unknown, "fabric was", "fabrics were")} not asked yet</Line>}
			{total === 0 && (
				<Line look="unknown">
					No fabric is connected.{" "}
					{may("add_controllerconnection") && (
						<Link to="/settings/connections" search={{ edit: "new" }} className={LINK}>
							Add a fabric
						</Link>
					)}
				</Line>
			)}
		</Column>
	);
}
