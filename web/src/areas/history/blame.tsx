/**
 * For each attribute of an object: the snapshot that first had its current value, and the value
 * before.
 */
import { Link } from "@tanstack/react-router";
import { timeMachineRoutes } from "@weft/contracts/browser";
import { type AnswerOf, useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useTimes } from "../../platform/profile.ts";
import { CopyAs } from "../../ui/copy-as.tsx";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { formatCapturedValue } from "./written.ts";

type Blame = AnswerOf<typeof timeMachineRoutes.blame>;
type Attribute = Blame["attributes"][number];

interface BlamePanelProps {
	readonly queryId: string;
	/** Undefined: that of the latest snapshot. */
	readonly controller: string | undefined;
	readonly dn: string;
}

export function BlamePanel({ queryId, controller, dn }: BlamePanelProps) {
	const scope = controller === undefined ? {} : { controller_connection_id: controller };
	const query = { saved_query_id: queryId, dn, ...scope };
	const answer = useAnswer(timeMachineRoutes.blame, { query }, { keepPrevious: true });
	return (
		<Panel
			title="Last changes, by attribute"
			aside={
				<>
					{answer.data && <span className="text-muted">{describeExtent(answer.data)}</span>}
					<CopyAs call={() => ({ route: timeMachineRoutes.blame, query })} />
				</>
			}
		>
			<Loaded answer={answer} lines={6}>
				{(data) => <BlameTable blame={data} />}
			</Loaded>
		</Panel>
	);
}

/** How far back it was looked. */
function describeExtent({ snapshot_count, has_older, controller_connection_name }: Blame): string {
	const which = has_older
		? `the latest ${formatPlural(snapshot_count, "snapshot")}`
		: `all ${formatPlural(snapshot_count, "snapshot")}`;
	return controller_connection_name === "" ? which : `${which} of ${controller_connection_name}`;
}

function BlameTable({ blame: { attributes, present, last_seen } }: { blame: Blame }) {
	const times = useTimes();
	if (attributes.length === 0) return <Empty>No snapshot of this fabric contains this DN.</Empty>;
	const columns: Column<Attribute>[] = [
		{
			key: "attribute",
			head: "Attribute",
			cell: ({ attribute }) => <span className="mono whitespace-nowrap">{attribute}</span>,
		},
		{
			key: "value",
			head: present ? "Value" : "Last value",
			className: "w-1/3",
			cell: ({ value }) => <Value value={value} />,
		},
		{
			key: "previous",
			head: "Before",
			className: "w-1/4",
			cell: ({ changed, previous }) => changed && <Value value={previous} />,
		},
		{
			key: "since",
			head: "Since",
			cell: ({ changed, snapshot_id, executed_at }) => (
				<Link
					to="/time-machine/snapshots/$id"
					params={{ id: snapshot_id }}
					title={times.zone}
					className="num whitespace-nowrap rounded-cell text-accent-text hover:underline"
				>
					{!changed && <span className="text-muted">unchanged since </span>}
					{times.dateTime(executed_at)}
				</Link>
			),
		},
	];
	return (
		<>
			{!present && last_seen !== null && (
				<p className="m-0 border-line border-b px-3 py-2 text-warn">
					The latest snapshot does not have it any more; it was last seen on {times.dateTime(last_seen.executed_at)}.
				</p>
			)}
			<Table
				label="Last changes, by attribute"
				columns={columns}
				rows={attributes}
				getKey={({ attribute }) => attribute}
			/>
		</>
	);
}

function Value({ value }: { value: unknown }) {
	const text = formatCapturedValue(value);
	if (text === null) return <i className="text-muted">(absent)</i>;
	return (
		<span className="mono block truncate" title={text}>
			{text === "" ? '""' : text}
		</span>
	);
}
