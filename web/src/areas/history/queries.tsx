/** Queries whose answers are kept: where the history of each begins. */
import { Link } from "@tanstack/react-router";
import { timeMachineRoutes } from "@weft/contracts/browser";
import { GitCompareArrows, History, Waypoints } from "lucide-react";
import { useState } from "react";
import { type AnswerOf, useAnswer } from "../../platform/call.ts";
import { formatCount, formatPlural } from "../../platform/format.ts";
import { useTimes } from "../../platform/profile.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { Empty, Loaded, PageHead } from "../../ui/page.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { type Column, Table } from "../../ui/table.tsx";

type Kept = AnswerOf<typeof timeMachineRoutes.queries>["queries"][number];

export function TimeMachinePage() {
	const answer = useAnswer(timeMachineRoutes.queries);
	const times = useTimes();
	const [q, setQ] = useState("");
	const columns: Column<Kept>[] = [
		{
			key: "name",
			head: "Query",
			className: "w-1/2",
			cell: ({ id, name }) => (
				<Link to="/time-machine/$queryId" params={{ queryId: id }} className="rounded-cell font-medium hover:underline">
					{name}
				</Link>
			),
		},
		{ key: "version", head: "Version", cell: ({ version }) => <span className="mono">{version}</span> },
		{ key: "count", head: "Snapshots", align: "right", cell: ({ snapshot_count }) => formatCount(snapshot_count) },
		{
			key: "latest",
			head: "Latest",
			align: "right",
			cell: ({ latest_execution }) => (
				<span className="text-muted" title={times.dateTime(latest_execution)}>
					{times.relative(latest_execution)}
				</span>
			),
		},
	];
	return (
		<>
			<PageHead
				title="Snapshots"
				crumbs={[{ label: "Observe" }]}
				facts={
					answer.data && formatPlural(answer.data.queries.length, "query with snapshots", "queries with snapshots")
				}
				actions={
					<>
						<SearchField value={q} label="Filter queries" onChange={setQ} />
						<ButtonLink icon={Waypoints} to="/pictures">
							Draw the network
						</ButtonLink>
						<ButtonLink icon={GitCompareArrows} to="/time-machine/fabrics">
							Compare fabrics
						</ButtonLink>
						<CopyAs call={() => ({ route: timeMachineRoutes.queries })} />
					</>
				}
			/>
			<div className="px-5 pb-5 max-sm:px-4">
				<div className="overflow-hidden rounded-card border border-line bg-surface">
					<Loaded answer={answer} lines={5}>
						{({ queries }) => {
							const shown = queries.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()));
							if (queries.length === 0) {
								return (
									<Empty icon={History} action={<ButtonLink to="/library">Choose a query</ButtonLink>}>
										Turn on snapshots in the settings of a saved query. Each run is then stored here, and can be
										compared with any other.
									</Empty>
								);
							}
							return shown.length === 0 ? (
								<Empty>No query matches.</Empty>
							) : (
								<Table label="Queries with snapshots" columns={columns} rows={shown} getKey={({ id }) => id} />
							);
						}}
					</Loaded>
				</div>
			</div>
		</>
	);
}
