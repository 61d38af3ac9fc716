/** The differences of two connections of a group run: by their snapshots, or by a property. */
import { useQuery } from "@tanstack/react-query";
import type { GroupExecution, PivotEntry } from "@weft/contracts";
import { groupExecutionRoutes } from "@weft/contracts/browser";
import { Camera } from "lucide-react";
import { useMemo, useState } from "react";
import { callRoute } from "../../../platform/call.ts";
import { formatCount } from "../../../platform/format.ts";
import { useMay, useTimes } from "../../../platform/profile.ts";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { ObjectLink } from "../../../ui/object-link.tsx";
import { Banner, Empty, ProblemBanner, Skeleton } from "../../../ui/page.tsx";
import { listPivotLines } from "../../history/fabric-lines.ts";
import { FabricTabs } from "../../history/fabric-tabs.tsx";
import { ComparedFabrics, type FabricsSearch } from "../../history/fabrics.tsx";
import { PairFields } from "../../history/pair-fields.tsx";

/** Values of a property that are read, 200 a page. */
const PAGES = 4;
const PAGE_SIZE = 200;
const WITHOUT_IDS = "and equal attributes without ids of one fabric";

interface DifferencesSearch extends FabricsSearch {
	/** The property by which rows belong together; undefined: snapshots are compared. */
	readonly key?: string | undefined;
}

interface DifferencesProps {
	readonly execution: GroupExecution;
	readonly search: DifferencesSearch;
	onSearch(change: DifferencesSearch): void;
}

export function GroupDifferences({ execution, search, onSearch }: DifferencesProps) {
	const may = useMay();
	const { saved_query_id: queryId, completed_at, query_name, runs } = execution;
	const among = useMemo(
		() => new Set(runs.flatMap(({ controller_connection_id: id }) => (id === null ? [] : [id]))),
		[runs],
	);
	const canCompareSnapshots = queryId !== null && may("view_snapshot");
	const pivot = (
		<Pivot
			execution={execution}
			property={search.key ?? "name"}
			search={search}
			onSnapshots={canCompareSnapshots && search.key ? () => onSearch({ ...CLEARED, key: undefined }) : null}
			onSearch={onSearch}
		/>
	);
	if (!canCompareSnapshots || search.key !== undefined) return <div className="p-5 max-sm:p-4">{pivot}</div>;
	return (
		<div className="flex flex-col gap-3 p-5 max-sm:p-4">
			<ComparedFabrics
				queryId={queryId}
				name={query_name ?? "Query"}
				among={among}
				until={completed_at ?? undefined}
				otherwise={pivot}
				search={search}
				onSearch={onSearch}
			/>
		</div>
	);
}

const CLEARED: FabricsSearch = { a: undefined, b: undefined, show: undefined, page: undefined, ids: undefined };

const isEntry = (row: unknown): row is PivotEntry =>
	typeof row === "object" && row !== null && "key" in row && "differing" in row && "missing" in row;

/** The first values of a property, and how many there are. */
async function readPivot(id: string, property: string, signal: AbortSignal) {
	const entries: PivotEntry[] = [];
	for (let page = 1; ; page++) {
		const query = {
			pivot: property,
			ignore_identity: "true",
			page: String(page),
			page_size: String(PAGE_SIZE),
		} as const;
		const { results, count, next } = await callRoute(groupExecutionRoutes.results, { params: { id }, query }, signal);
		entries.push(...results.filter(isEntry));
		if (next === null || page === PAGES) return { entries, count };
	}
}

interface PivotProps {
	readonly execution: GroupExecution;
	readonly property: string;
	readonly search: DifferencesSearch;
	/** Leads to the comparison of snapshots; null where there is none. */
	readonly onSnapshots: (() => void) | null;
	onSearch(change: DifferencesSearch): void;
}

const names = new Intl.Collator("en", { numeric: true });

function Pivot({
	execution: { id, query_name, runs, created_at },
	property,
	search,
	onSnapshots,
	onSearch,
}: PivotProps) {
	const times = useTimes();
	const answer = useQuery({
		queryKey: [groupExecutionRoutes.results.id, id, property],
		queryFn: ({ signal }) => readPivot(id, property, signal),
	});
	const { data, error } = answer;
	const fabrics = useMemo(() => listFabricNames(data?.entries ?? []), [data]);
	const [first, second] = choosePair(fabrics, search);
	const findConnection = (name: string) =>
		runs.find((run) => run.controller_connection_name === name)?.controller_connection_id;
	const differences = useMemo(
		() => data && first !== undefined && second !== undefined && listPivotLines(data.entries, [first, second]),
		[data, first, second],
	);
	return (
		<div className="flex flex-col gap-3">
			<div className="flex flex-wrap items-end gap-2">
				{first !== undefined && second !== undefined && (
					<PairFields
						options={fabrics.map((name) => ({ value: name, label: name }))}
						value={[first, second]}
						onChange={(a, b) => onSearch({ a, b, show: undefined, page: undefined })}
					/>
				)}
				<PropertyField property={property} onProperty={(key) => onSearch({ ...CLEARED, key })} />
				{onSnapshots !== null && (
					<Button icon={Camera} onClick={onSnapshots}>
						Compare snapshots
					</Button>
				)}
			</div>
			{error !== null && <ProblemBanner error={error} onRetry={() => void answer.refetch()} />}
			{data === undefined && error === null && <Skeleton lines={6} />}
			{data !== undefined && data.entries.length < data.count && (
				<Banner
					tone="warn"
					title={`The first ${formatCount(data.entries.length)} of ${formatCount(data.count)} values of ${property} are compared.`}
					detail="Turn on snapshots for the query to compare all objects."
				/>
			)}
			{data !== undefined &&
				(differences && first !== undefined && second !== undefined ? (
					<FabricTabs
						differences={differences}
						fabrics={[first, second]}
						search={search}
						name={query_name ?? "rows"}
						day={times.getDay(created_at)}
						equal={`No differences between ${first} and ${second}: the same values of ${property}, ${WITHOUT_IDS}.`}
						linkObject={(name, at) =>
							property.endsWith("dn") ? (
								<ObjectLink key={at} dn={name} connection={findConnection(at === 0 ? first : second)} />
							) : (
								<span key={at} className="mono block truncate" title={name}>
									{name}
								</span>
							)
						}
						onSearch={onSearch}
					/>
				) : (
					<Empty>Fewer than two fabrics have rows.</Empty>
				))}
		</div>
	);
}

const listFabricNames = (entries: readonly PivotEntry[]): string[] =>
	[...new Set(entries.flatMap(({ connections, missing }) => [...connections, ...missing]))].sort(names.compare);

function choosePair(fabrics: readonly string[], { a, b }: FabricsSearch): readonly (string | undefined)[] {
	const first = fabrics.find((name) => name === a) ?? fabrics.find((name) => name !== b);
	return [first, fabrics.find((name) => name === b && name !== first) ?? fabrics.find((name) => name !== first)];
}

function PropertyField({ property, onProperty }: { property: string; onProperty(property: string): void }) {
	const [text, setText] = useState(property);
	return (
		<form
			className="flex items-end gap-2"
			onSubmit={(event) => {
				event.preventDefault();
				if (text.trim() !== "") onProperty(text.trim());
			}}
		>
			<TextField
				mono
				label="Match objects by"
				className="w-48"
				value={text}
				onChange={({ target }) => setText(target.value)}
			/>
			<Button type="submit">Show</Button>
		</form>
	);
}
