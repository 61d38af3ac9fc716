/** The transitions of a check: as a strip over time, and in a list. */
import { Link } from "@tanstack/react-router";
import type { Check, CheckEvent, CheckState as State } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import { ArrowRight } from "lucide-react";
import { useAnswer } from "../../platform/call.ts";
import { formatCount, formatPerson, formatPlural } from "../../platform/format.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { joinClasses } from "../../ui/classes.ts";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";
import { type Column, Pager, ShortName, Table } from "../../ui/table.tsx";
import { buildLanes, type Lane } from "./lanes.ts";
import { CheckState, formatState, placeName } from "./words.tsx";

const SIZE = 50;

interface HistoryProps {
	readonly check: Check;
	readonly page: string;
	onPage(page: string): void;
}

export function History({ check, page, onPage }: HistoryProps) {
	const answer = useAnswer(
		checkRoutes.events,
		{ params: { id: check.id }, query: { page, page_size: String(SIZE) } },
		{ keepPrevious: true },
	);
	const all = answer.data?.count ?? 0;
	return (
		<Panel title="History" aside={answer.data && <span className="num text-muted">{formatPlural(all, "change")}</span>}>
			<Loaded answer={answer} lines={4}>
				{({ results }) =>
					results.length === 0 ? (
						<Empty>No change of the state yet.</Empty>
					) : (
						<>
							{page === "1" && <Strip check={check} events={results} />}
							<Events events={results} />
							<Pager page={Number(page)} pageSize={SIZE} count={all} onPage={(to) => onPage(String(to))} />
						</>
					)
				}
			</Loaded>
		</Panel>
	);
}

/** The worse the state, the higher its bar: colour is not needed to tell them apart. */
const BARS: Readonly<Record<State, string>> = {
	ok: "h-1.5 bg-ok",
	unknown: "h-1 border-strong border-t border-dotted",
	pending: "h-3 bg-warn",
	error: "h-4 border border-violet bg-violet-soft",
	failing: "h-5 bg-bad",
};
const LANES_MAX = 12;

function Strip({ check, events }: { check: Check; events: readonly CheckEvent[] }) {
	const times = useTimes();
	const { from, to, lanes } = buildLanes(events, check.states, Date.now());
	if (to <= from) return null;
	const shown = lanes.slice(0, LANES_MAX);
	return (
		<div className="border-line border-b px-3 py-2">
			<ul aria-label="States over time" className="m-0 flex list-none flex-col gap-1.5 p-0">
				{shown.map((lane) => (
					<li key={lane.key} className="flex items-end gap-3">
						<span
							className="w-32 shrink-0 truncate text-muted text-xs max-sm:w-20"
							title={placeName({ controller_connection_name: lane.name })}
						>
							{placeName({ controller_connection_name: lane.name })}
						</span>
						<Bars lane={lane} from={from} to={to} />
					</li>
				))}
			</ul>
			<div className="num mt-1 flex justify-between pl-35 text-2xs text-muted max-sm:pl-23">
				<span>{times.dateTime(from)}</span>
				<span className="max-sm:hidden">{times.zone}</span>
				<span>now</span>
			</div>
			{lanes.length > shown.length && (
				<p className="m-0 text-muted text-xs">{`The first ${LANES_MAX} of ${formatCount(lanes.length)} connections.`}</p>
			)}
		</div>
	);
}

function Bars({ lane, from, to }: { lane: Lane; from: number; to: number }) {
	const times = useTimes();
	const said = lane.stretches.map((stretch) => `${formatState(stretch.state)} from ${times.dateTime(stretch.from)}`);
	return (
		<span role="img" aria-label={said.join(", ")} className="flex h-5 min-w-0 flex-1 items-end">
			{lane.stretches.map((stretch) => (
				<span
					key={stretch.from}
					title={`${formatState(stretch.state)}, ${times.dateTime(stretch.from)} to ${times.dateTime(stretch.to)}`}
					style={{ flexGrow: (stretch.to - stretch.from) / (to - from) }}
					className={joinClasses("min-w-px basis-0 forced-color-adjust-none", BARS[stretch.state] ?? BARS.unknown)}
				/>
			))}
		</span>
	);
}

function Events({ events }: { events: readonly CheckEvent[] }) {
	const times = useTimes();
	const may = useMay();
	const columns: Column<CheckEvent>[] = [
		{ key: "at", head: "When", cell: ({ at }) => <span className="num whitespace-nowrap">{times.dateTime(at)}</span> },
		{
			key: "connection",
			head: "Connection",
			cell: (event) => <ShortName name={placeName(event)} />,
		},
		{
			key: "change",
			head: "Change",
			cell: ({ from_state, to_state }) => (
				<span className="flex items-center gap-1.5 whitespace-nowrap">
					<span className="text-muted">{formatState(from_state)}</span>
					<ArrowRight size={12} className="text-muted" role="img" aria-label="to" />
					<CheckState state={to_state} />
				</span>
			),
		},
		{ key: "violations", head: "Violations", align: "right", cell: ({ violations }) => formatCount(violations) },
		{
			key: "notes",
			head: "Notes",
			className: "w-2/5",
			cell: (event) => <Notes event={event} />,
		},
		{
			key: "run",
			sticky: true,
			head: <span className="sr-only">Run</span>,
			align: "right",
			cell: ({ run_id, at }) =>
				run_id !== null &&
				may("view_pipelineexecution") && (
					<Link
						to="/runs/$id"
						params={{ id: run_id }}
						className="rounded-cell font-medium text-accent-text hover:underline"
					>
						Run<span className="sr-only"> of {times.dateTime(at)}</span>
					</Link>
				),
		},
	];
	return <Table label="Changes of the state" columns={columns} rows={events} getKey={({ id }) => id} />;
}

function Notes({ event }: { event: CheckEvent }) {
	const times = useTimes();
	const { acknowledged_by, acknowledged_at, comment, muted_by, muted_until } = event;
	return (
		<span className="flex min-w-0 flex-col">
			{acknowledged_by && (
				<span title={acknowledged_at === null ? undefined : times.dateTime(acknowledged_at)}>
					Acknowledged by {formatPerson(acknowledged_by)}
					{comment && `: ${comment}`}
				</span>
			)}
			{muted_until && (
				<span className="text-muted">
					Muted until {times.dateTime(muted_until)}
					{muted_by && ` by ${formatPerson(muted_by)}`}
				</span>
			)}
		</span>
	);
}
