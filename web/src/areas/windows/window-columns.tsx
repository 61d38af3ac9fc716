/** Before, work and after of a change window, with one row per fabric. */
import { Link } from "@tanstack/react-router";
import type { ChangeWindow, WindowConnection } from "@weft/contracts";
import type { ReactNode } from "react";
import { useTimes } from "../../platform/profile.ts";
import { Panel } from "../../ui/page.tsx";
import { State } from "../../ui/pill.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { formatReason, VERDICT_LOOKS } from "./words.ts";

export function WindowColumns({ window }: { window: ChangeWindow }) {
	const times = useTimes();
	const { before, after } = window.phases;
	const formatTime = (at: string | null) => (at === null ? "" : times.dateTime(at));
	const columns: Column<WindowConnection>[] = [
		{ key: "fabric", head: "Fabric", cell: ({ name }) => <span className="font-medium">{name}</span> },
		{
			key: "before",
			head: <Head title="Before" detail={before && formatTime(before.started_at)} />,
			cell: (connection) => <Side window={window} connection={connection} side="before" />,
		},
		{
			key: "work",
			head: <Head title="Work" detail={formatWork(window, formatTime)} />,
			cell: ({ release_before, release_after }) => (
				<span className="text-muted">
					{release_before === release_after || release_after === null
						? (release_before ?? "")
						: `${release_before ?? "unknown"} to ${release_after}`}
				</span>
			),
		},
		{
			key: "after",
			head: <Head title="After" detail={after && formatTime(after.started_at)} />,
			cell: (connection) => <Side window={window} connection={connection} side="after" />,
		},
		{
			key: "verdict",
			head: "Verdict",
			cell: ({ verdict, verdict_reasons }) =>
				verdict === null ? (
					<span className="text-muted">not judged</span>
				) : (
					<span className="flex flex-wrap items-center gap-2 py-1">
						<State looks={VERDICT_LOOKS} status={verdict} />
						<span className="text-muted text-xs">{verdict_reasons.map(formatReason).join(", ")}</span>
					</span>
				),
		},
	];
	return (
		<Panel title="Fabrics" aside={<SettledNote window={window} />}>
			<Table
				label="Fabrics of the change window"
				columns={columns}
				rows={window.connections}
				getKey={({ connection_id }) => connection_id}
			/>
		</Panel>
	);
}

function Head({ title, detail }: { title: string; detail: ReactNode }) {
	return (
		<span className="flex flex-col">
			<span className="font-medium text-fg">{title}</span>
			<span className="num text-xs">{detail}</span>
		</span>
	);
}

function formatWork({ opened_at, finished_at }: ChangeWindow, formatTime: (at: string | null) => string): string {
	if (opened_at === null) return "";
	return finished_at === null ? `since ${formatTime(opened_at)}` : `until ${formatTime(finished_at)}`;
}

function SettledNote({ window }: { window: ChangeWindow }) {
	const times = useTimes();
	const { state, next_at, phases } = window;
	const seconds = phases.after?.settled_after_s;
	if (state === "settling") {
		const next = next_at === null ? null : times.dateTime(next_at);
		const first = `The first round begins ${next === null ? "soon" : `at ${next}`}`;
		const text = phases.after === null ? first : formatRound(phases.after.round, next);
		return <span className="text-muted">{text}</span>;
	}
	if (seconds === null || seconds === undefined) return null;
	return <span className="text-muted">Settled after {seconds} s</span>;
}

const formatRound = (round: number, next: string | null): string =>
	next === null ? `Round ${round}` : `Round ${round}, the next at ${next}`;

interface SideProps {
	readonly window: ChangeWindow;
	readonly connection: WindowConnection;
	readonly side: "before" | "after";
}

/** Counts the items that have their snapshot. Names the errors of those that have none. */
function Side({ window, connection, side }: SideProps) {
	const all = connection.items.map((item) => ({
		...item[side],
		item: item.item,
		name: window.plan_items[item.item]?.name,
	}));
	const missing = all.filter(({ error }) => error !== null);
	const taken = all.filter(({ snapshot_id }) => snapshot_id !== null);
	const [first] = taken;
	if (missing.length > 0)
		return (
			<details>
				<summary className="w-fit cursor-pointer rounded-cell text-bad">
					{missing.length} of {all.length} missing
				</summary>
				<ul className="m-0 list-none p-0 pb-1 text-xs">
					{missing.map(({ item, name, error }) => (
						<li key={item} className="break-words">{`${name}: ${error}`}</li>
					))}
				</ul>
			</details>
		);
	if (first === undefined || first.snapshot_id === null) return <span className="text-muted">-</span>;
	const text = `${taken.length} of ${all.length} taken`;
	return all.length === 1 ? (
		<Link
			to="/time-machine/snapshots/$id"
			params={{ id: first.snapshot_id }}
			className="rounded-cell text-accent-text hover:underline"
		>
			{text}
		</Link>
	) : (
		text
	);
}
