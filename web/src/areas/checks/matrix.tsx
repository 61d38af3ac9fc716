/** Checks as rows, connections as columns, a state in each cell. */
import { Link } from "@tanstack/react-router";
import type { Check, CheckStateEntry } from "@weft/contracts";
import { useState } from "react";
import { formatCount } from "../../platform/format.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { TextButton } from "../../ui/button.tsx";
import { type Column, ShortName, Table } from "../../ui/table.tsx";
import { buildEntryKey, buildMatrix, collectOthers, findWorstEntry, isUnwatched } from "./entries.ts";
import { WatchDialog } from "./watch-dialog.tsx";
import { CheckFlags, CheckState, formatConnectionName, Marks, Severity } from "./words.tsx";

interface MatrixProps {
	readonly checks: readonly Check[];
	/** The only connection that is shown. */
	readonly only?: string | undefined;
}

export function CheckMatrix({ checks, only }: MatrixProps) {
	const matrix = buildMatrix(checks, only);
	const canSchedule = useMay()("add_scheduledtask");
	const [watched, setWatched] = useState<Check | null>(null);
	const columns: Column<Check>[] = [
		{
			key: "name",
			head: "Check",
			className: "w-2/5 min-w-48 max-sm:max-w-0!",
			cell: (check) => (
				<span className="flex min-w-0 flex-col py-1">
					<span className="flex min-w-0 items-center gap-x-2 gap-y-0.5 max-sm:flex-wrap">
						<Link
							to="/checks/$id"
							params={{ id: check.id }}
							title={check.name}
							className="truncate rounded-cell font-medium hover:underline"
						>
							{check.name}
						</Link>
						<CheckFlags check={check} />
						{canSchedule && isUnwatched(check) && check.schedules.length === 0 && (
							<TextButton onClick={() => setWatched(check)}>
								Watch<span className="sr-only"> this check: {check.name}</span>
							</TextButton>
						)}
					</span>
					<span className="truncate text-muted text-xs">{check.query_name}</span>
				</span>
			),
		},
		{ key: "state", head: "State", cell: (check) => <Worst check={check} /> },
		{
			key: "severity",
			head: "Severity",
			className: "max-sm:hidden",
			cell: ({ severity }) => <Severity severity={severity} />,
		},
		...matrix.columns.map(
			({ id, name }): Column<Check> => ({
				key: id,
				head: <ShortName name={name} />,
				className: "max-md:hidden",
				cell: (check) => (
					<Cell check={check} entry={check.states.find((entry) => entry.controller_connection_id === id)} />
				),
			}),
		),
		...(matrix.hasAcross
			? [
					{
						key: "all",
						head: "All fabrics",
						className: "max-md:hidden",
						cell: (check: Check) => (
							<Cell check={check} entry={check.states.find((entry) => entry.controller_connection_id === null)} />
						),
					},
				]
			: []),
		...(matrix.hasOthers
			? [
					{
						key: "others",
						head: "Other fabrics",
						className: "max-md:hidden",
						cell: (check: Check) => <Others entries={collectOthers(check, matrix)} />,
					},
				]
			: []),
	];
	return (
		<>
			<Table label="Checks" columns={columns} rows={checks} getKey={({ id }) => id} />
			{watched && <WatchDialog check={watched} onClose={() => setWatched(null)} />}
		</>
	);
}

function Worst({ check }: { check: Check }) {
	const times = useTimes();
	const entry = findWorstEntry(check.states);
	const same = check.states.filter(({ state }) => state === check.state).length;
	return (
		<span className="flex items-center gap-2 whitespace-nowrap">
			<CheckState state={check.state} />
			{entry && (
				<span className="text-muted text-xs max-sm:hidden" title={times.dateTime(entry.since)}>
					{check.states.length > 1 && `${same} of ${check.states.length}, `}
					{times.relative(entry.since)}
				</span>
			)}
			{entry && <Marks entry={entry} />}
		</span>
	);
}

function Cell({ check, entry }: { check: Check; entry: CheckStateEntry | undefined }) {
	if (entry === undefined) return <span className="text-muted">-</span>;
	const { violations } = entry;
	return (
		<Link
			to="/checks/$id"
			params={{ id: check.id }}
			search={{ connection: buildEntryKey(entry) }}
			title={entry.error ?? undefined}
			className="inline-flex items-center gap-1.5 whitespace-nowrap rounded-cell"
		>
			<CheckState state={entry.state} />
			{violations > 0 && <span className="num text-muted text-xs">{formatCount(violations)}</span>}
			<Marks entry={entry} />
			<span className="sr-only">
				{check.name} on {formatConnectionName(entry)}
			</span>
		</Link>
	);
}

function Others({ entries }: { entries: readonly CheckStateEntry[] }) {
	const worst = findWorstEntry(entries);
	if (worst === undefined) return <span className="text-muted">-</span>;
	const same = entries.filter(({ state }) => state === worst.state).length;
	return (
		<span className="inline-flex items-center gap-1.5 whitespace-nowrap">
			<CheckState state={worst.state} />
			<span className="text-muted text-xs">
				{same} of {entries.length}
			</span>
		</span>
	);
}
