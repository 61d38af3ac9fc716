/** The state of a check on each connection. */
import { Link } from "@tanstack/react-router";
import type { Check, CheckStateEntry } from "@weft/contracts";
import { Table2 } from "lucide-react";
import { formatCount } from "../../platform/format.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { TextButton } from "../../ui/button.tsx";
import { Empty } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { buildEntryKey } from "./entries.ts";
import { CheckState, formatConnectionName, Marks } from "./words.tsx";

interface StateTableProps {
	readonly check: Check;
	/** The entry whose evidence is shown. */
	readonly shown: CheckStateEntry | undefined;
	onShow(entry: CheckStateEntry): void;
}

export function StateTable({ check, shown, onShow }: StateTableProps) {
	const times = useTimes();
	const may = useMay();
	const [next] = check.schedules.flatMap(({ next_run_at }) => next_run_at ?? []).sort();
	if (check.states.length === 0) {
		return (
			<Empty>
				{next === undefined
					? "No state yet: it comes with the first run of the query. Evaluate the check, or schedule the query."
					: `No state yet: it comes with the next run of the query, at ${times.dateTime(next)}. "Evaluate now" runs it at once.`}
			</Empty>
		);
	}
	const columns: Column<CheckStateEntry>[] = [
		{
			key: "connection",
			head: "Fabric",
			className: "min-w-32",
			cell: (entry) => (
				<TextButton
					className="block max-w-64 truncate"
					aria-label={`Evidence of ${formatConnectionName(entry)}`}
					onClick={() => onShow(entry)}
				>
					{formatConnectionName(entry)}
				</TextButton>
			),
		},
		{
			key: "state",
			head: "State",
			className: "w-2/5",
			cell: (entry) => (
				<span className="flex min-w-0 flex-col py-0.5">
					<span className="flex items-center gap-1.5">
						<CheckState state={entry.state} />
						<Marks entry={entry} />
					</span>
					{entry.error && (
						<span className="text-muted text-xs" title={entry.error}>
							{entry.error}
						</span>
					)}
				</span>
			),
		},
		{
			key: "since",
			head: "Since",
			className: "max-sm:hidden",
			cell: ({ since }) => (
				<span className="whitespace-nowrap" title={times.relative(since)}>
					{times.dateTime(since)}
				</span>
			),
		},
		{ key: "violations", head: "Violations", align: "right", cell: ({ violations }) => formatCount(violations) },
		{
			key: "evaluated",
			head: "Evaluated",
			className: "max-sm:hidden",
			cell: ({ last_evaluated_at: at }) => (
				<span className="whitespace-nowrap text-muted" title={at === null ? undefined : times.dateTime(at)}>
					{at === null ? "never" : times.relative(at)}
				</span>
			),
		},
		{
			key: "run",
			sticky: true,
			head: <span className="sr-only">Last run</span>,
			align: "right",
			cell: (entry) =>
				entry.last_run !== null &&
				may("view_pipelineexecution") && (
					<Link
						to="/runs/$id"
						params={{ id: entry.last_run }}
						className="inline-flex items-center gap-1 rounded-cell font-medium text-accent-text hover:underline"
					>
						<Table2 size={13} aria-hidden="true" /> Run
						<span className="sr-only">on {formatConnectionName(entry)}</span>
					</Link>
				),
		},
	];
	return (
		<Table
			label="States of the check"
			columns={columns}
			rows={check.states}
			getKey={buildEntryKey}
			isCurrent={(entry) =>
				check.states.length > 1 && shown !== undefined && buildEntryKey(entry) === buildEntryKey(shown)
			}
		/>
	);
}
