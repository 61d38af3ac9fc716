/** The transitions of a check. */
import { Link } from "@tanstack/react-router";
import type { Check, CheckEvent } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import { ArrowRight } from "lucide-react";
import { useAnswer } from "../../platform/call.ts";
import { formatCount, formatPerson, formatPlural } from "../../platform/format.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";
import { type Column, Pager, ShortName, Table } from "../../ui/table.tsx";
import { CheckState, formatConnectionName, formatState } from "./words.tsx";

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
							<Events events={results} />
							<Pager page={Number(page)} pageSize={SIZE} count={all} onPage={(to) => onPage(String(to))} />
						</>
					)
				}
			</Loaded>
		</Panel>
	);
}

function Events({ events }: { events: readonly CheckEvent[] }) {
	const times = useTimes();
	const may = useMay();
	const columns: Column<CheckEvent>[] = [
		{ key: "at", head: "When", cell: ({ at }) => <span className="num whitespace-nowrap">{times.dateTime(at)}</span> },
		{
			key: "connection",
			head: "Fabric",
			cell: (event) => <ShortName name={formatConnectionName(event)} />,
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
