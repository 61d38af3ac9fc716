/** Snapshots, newest first, with two of them chosen for a comparison. */
import { Link } from "@tanstack/react-router";
import type { Snapshot } from "@weft/contracts";
import { CalendarClock, StickyNote, Tag } from "lucide-react";
import { useState } from "react";
import { formatBytes, formatCount } from "../../platform/format.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Empty } from "../../ui/page.tsx";
import { Pill } from "../../ui/pill.tsx";
import { type Column, ShortName, Table } from "../../ui/table.tsx";
import { AnnotateDialog } from "./annotate.tsx";
import type { Choice, End } from "./pair.ts";

interface SnapshotListProps {
	readonly snapshots: readonly Snapshot[];
	readonly total: number;
	readonly withDay: boolean;
	/** Whether the list is of several controllers. */
	readonly withController: boolean;
	readonly from: string | undefined;
	readonly to: string | undefined;
	readonly offset: number;
	readonly pageSize: number;
	onChoose(choice: Choice<Snapshot>): void;
	onOffset(offset: number): void;
}

export function SnapshotList({
	snapshots,
	total,
	withDay,
	withController,
	from,
	to,
	offset,
	pageSize,
	onChoose,
	onOffset,
}: SnapshotListProps) {
	const times = useTimes();
	const may = useMay();
	const [noted, setNoted] = useState<Snapshot | null>(null);
	if (snapshots.length === 0)
		return <Empty>{withDay ? "This query has no snapshots yet." : "No snapshots on this day."}</Empty>;
	const when = ({ executed_at }: Snapshot) =>
		withDay ? `${times.date(executed_at)} ${times.time(executed_at, true)}` : times.time(executed_at, true);
	const renderEnd = (end: End, snapshot: Snapshot) => (
		<EndRadio
			end={end}
			when={when(snapshot)}
			checked={(end === "from" ? from : to) === snapshot.id}
			onChoose={() => onChoose({ end, snapshot })}
		/>
	);
	const columns: Column<Snapshot>[] = [
		{ key: "from", head: "From", className: "w-px pr-0!", cell: (snapshot) => renderEnd("from", snapshot) },
		{ key: "to", head: "To", className: "w-px", cell: (snapshot) => renderEnd("to", snapshot) },
		{
			key: "time",
			head: "Time",
			cell: (snapshot) => <TimeCell snapshot={snapshot} when={when(snapshot)} />,
		},
		...(withController
			? [
					{
						key: "controller",
						head: "Fabric",
						cell: ({ controller_connection_name }: Snapshot) => <ShortName name={controller_connection_name} />,
					},
				]
			: []),
		{
			key: "objects",
			head: "Objects",
			align: "right",
			cell: ({ result_count, result_size_bytes }) => (
				<span title={formatBytes(result_size_bytes)}>{formatCount(result_count)}</span>
			),
		},
		{
			key: "changes",
			head: "Changes",
			cell: (snapshot) => <Changes {...snapshot} />,
		},
		{
			key: "label",
			head: "Label",
			className: "w-2/5",
			cell: (snapshot) => <LabelCell {...snapshot} />,
		},
		{
			key: "version",
			head: "Query",
			cell: ({ query_version }) => <span className="mono text-muted">{query_version}</span>,
		},
		...(may("change_snapshot")
			? [
					{
						key: "verbs",
						sticky: true,
						head: <span className="sr-only">Verbs</span>,
						align: "right" as const,
						cell: (snapshot: Snapshot) => (
							<IconButton
								variant="ghost"
								label={`Label the snapshot of ${when(snapshot)}`}
								icon={StickyNote}
								onClick={() => setNoted(snapshot)}
							/>
						),
					},
				]
			: []),
	];
	return (
		<>
			<Table label="Snapshots" columns={columns} rows={snapshots} getKey={({ id }) => id} />
			{total > pageSize && <Offsets {...{ offset, pageSize, total }} count={snapshots.length} onOffset={onOffset} />}
			{noted && (
				<AnnotateDialog snapshot={noted} when={times.dateTime(noted.executed_at)} onClose={() => setNoted(null)} />
			)}
		</>
	);
}

interface EndRadioProps {
	readonly end: End;
	readonly when: string;
	readonly checked: boolean;
	onChoose(): void;
}

function EndRadio({ end, when, checked, onChoose }: EndRadioProps) {
	return (
		<input
			type="radio"
			name={`compare-${end}`}
			aria-label={`${end === "from" ? "Compare from" : "Compare to"} ${when}`}
			className="m-0 block size-4"
			checked={checked}
			onChange={onChoose}
			// A click on a default end makes it a choice: the next choice leaves it.
			onClick={() => checked && onChoose()}
		/>
	);
}

function TimeCell({ snapshot, when }: { readonly snapshot: Snapshot; readonly when: string }) {
	const times = useTimes();
	return (
		<span
			className="num flex items-center gap-1.5 whitespace-nowrap"
			title={`${times.dateTime(snapshot.executed_at)} ${times.zone}`}
		>
			<Link
				to="/time-machine/snapshots/$id"
				params={{ id: snapshot.id }}
				className="rounded-cell text-accent-text hover:underline"
			>
				{when}
			</Link>
			{snapshot.execution_type === "scheduled" && (
				<CalendarClock size={13} className="text-muted" role="img" aria-label="scheduled" />
			)}
			{snapshot.is_private && (
				<span
					className="text-muted"
					title="Only you see this result, because another user owns the query. Checks and drift alerts do not read it."
				>
					only you
				</span>
			)}
			{snapshot.origin === "client" && (
				<span
					className="text-muted"
					title="A client sent this result; the service did not read it from the controller."
				>
					client
				</span>
			)}
		</span>
	);
}

function LabelCell({ label, annotation }: Snapshot) {
	return (
		<span className="flex min-w-0 items-center gap-1.5">
			{label && (
				<Pill tone="violet" icon={Tag} title={annotation ?? label}>
					{label}
				</Pill>
			)}
			{annotation && !label && (
				<span className="truncate text-muted" title={annotation}>
					{annotation}
				</span>
			)}
		</span>
	);
}

interface OffsetsProps {
	readonly offset: number;
	/** Number of the shown snapshots. */
	readonly count: number;
	readonly pageSize: number;
	readonly total: number;
	onOffset(offset: number): void;
}

function Offsets({ offset, count, pageSize, total, onOffset }: OffsetsProps) {
	return (
		<div className="flex items-center justify-end gap-2 border-line border-t px-3 py-2 text-muted">
			<span className="num">
				{offset + 1} to {offset + count} of {formatCount(total)}
			</span>
			<Button disabled={offset === 0} onClick={() => onOffset(Math.max(0, offset - pageSize))}>
				Newer
			</Button>
			<Button disabled={offset + pageSize >= total} onClick={() => onOffset(offset + pageSize)}>
				Older
			</Button>
		</div>
	);
}

const SEVERITY = { info: "accent", warning: "warn", critical: "bad" } as const;

/** The drift of a snapshot; of one without drift, whether anything differs at all. */
function Changes({ drift, has_changes, is_duplicate }: Snapshot) {
	if (drift?.severity) {
		const { added, deleted, modified, ignored, severity } = drift;
		const counts = [
			added > 0 && `+${formatCount(added)}`,
			deleted > 0 && `−${formatCount(deleted)}`,
			modified > 0 && `~${formatCount(modified)}`,
		].filter(Boolean);
		const words = `${added} added, ${deleted} deleted, ${modified} modified, ${ignored} ignored: ${severity}`;
		return (
			<Pill tone={SEVERITY[severity]} title={words}>
				<span aria-hidden="true">{counts.join(" ")}</span>
				<span className="sr-only">{words}</span>
			</Pill>
		);
	}
	if (!has_changes) return <span className="text-muted">{is_duplicate ? "the same" : "none"}</span>;
	if (drift) return <span className="text-muted">{drift.ignored} ignored</span>;
	return (
		<span className="flex items-center gap-1.5">
			<span className="size-2 rounded-full bg-change [forced-color-adjust:none]" aria-hidden="true" />
			found
		</span>
	);
}
