/** Two fabrics side by side: the latest snapshots of one query on each of them. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { CompareAnswer } from "@weft/contracts";
import { timeMachineRoutes } from "@weft/contracts/browser";
import { Fingerprint, GitCompareArrows } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { callRoute, useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useTimes } from "../../platform/profile.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { SelectField } from "../../ui/field.tsx";
import { ObjectLink } from "../../ui/object-link.tsx";
import { Empty, Loaded, PageHead, ProblemBanner, Skeleton } from "../../ui/page.tsx";
import { chooseFabrics, type Fabric, listFabrics } from "./fabric-choice.ts";
import { type Both, listComparedLines } from "./fabric-lines.ts";
import { describeEqual, FabricTabs, type TabsSearch } from "./fabric-tabs.tsx";
import { PairFields } from "./pair-fields.tsx";

const route = getRouteApi("/app/time-machine/fabrics");

/** Snapshots that are read to find the fabrics with the newest ones. */
const NEWEST = 100;

export function FabricsPage() {
	const [search, set] = useSearchState(route.useSearch(), route.useNavigate(), { replace: true });
	const queries = useAnswer(timeMachineRoutes.queries, undefined, { staleTime: 60_000 });
	const query = search.query ?? queries.data?.queries[0]?.id;
	const name = queries.data?.queries.find(({ id }) => id === query)?.name;
	return (
		<>
			<PageHead
				title="Compare fabrics"
				crumbs={[
					{ label: "Snapshots", to: "/time-machine" },
					...(query && name
						? [{ label: name, to: "/time-machine/$queryId" as const, params: { queryId: query } }]
						: []),
				]}
				actions={
					queries.data &&
					query && (
						<SelectField
							label="Query"
							hideLabel
							className="max-w-72"
							value={query}
							options={queries.data.queries.map(({ id, name: label }) => ({ value: id, label }))}
							onChange={({ target }) => set({ query: target.value, a: undefined, b: undefined, page: undefined })}
						/>
					)
				}
			/>
			<div className="px-5 pb-5 max-sm:px-4">
				<Loaded answer={queries} lines={5}>
					{() =>
						query === undefined ? (
							<Empty icon={GitCompareArrows} action={<ButtonLink to="/library">Choose a query</ButtonLink>}>
								Fabrics are compared by the snapshots of a query. Turn on snapshots for a saved query, and run it on two
								fabrics.
							</Empty>
						) : (
							<ComparedFabrics
								key={query}
								queryId={query}
								name={name ?? "Query"}
								search={search}
								onSearch={(change) => set(change)}
							/>
						)
					}
				</Loaded>
			</div>
		</>
	);
}

export interface FabricsSearch extends TabsSearch {
	/** Ids of the two connections. */
	readonly a?: string | undefined;
	readonly b?: string | undefined;
	/** "1": ids that name an object inside one fabric are compared, too. */
	readonly ids?: string | undefined;
}

interface ComparedFabricsProps {
	readonly queryId: string;
	readonly name: string;
	/** Connections that may be compared; all that the query has snapshots of without it. */
	readonly among?: ReadonlySet<string>;
	/** Instant: the latest snapshots at or before it. The latest of all without it. */
	readonly until?: string | undefined;
	/** In place of the comparison where fewer than two fabrics have snapshots. */
	readonly otherwise?: ReactNode;
	readonly search: FabricsSearch;
	onSearch(change: FabricsSearch): void;
}

/** The choice of two fabrics, and what differs between the snapshots of a query on them. */
export function ComparedFabrics(props: ComparedFabricsProps) {
	const { queryId, name, among, until, otherwise, search, onSearch } = props;
	const list = useAnswer(timeMachineRoutes.list, { query: { saved_query_id: queryId, limit: String(NEWEST) } });
	return (
		<Loaded answer={list} lines={5}>
			{({ snapshots, controllers }) => {
				const fabrics = listFabrics(snapshots, controllers).filter(({ id }) => among?.has(id) !== false);
				const both = chooseFabrics(fabrics, search.a, search.b);
				if (both === null) {
					if (otherwise !== undefined) return otherwise;
					return (
						<Empty icon={GitCompareArrows}>
							{fabrics[0] === undefined
								? "The query has no snapshots. Turn on snapshots in its settings, and run it on two fabrics."
								: `The query has snapshots of ${fabrics[0].name} only. Run it on another fabric, too.`}
						</Empty>
					);
				}
				return (
					<div className="flex flex-col gap-3">
						<Choice fabrics={fabrics} both={both} ids={search.ids} onSearch={onSearch} />
						<Compared {...{ queryId, name, both, until, search, onSearch }} />
					</div>
				);
			}}
		</Loaded>
	);
}

interface ChoiceProps {
	readonly fabrics: readonly Fabric[];
	readonly both: Both<Fabric>;
	readonly ids: string | undefined;
	onSearch(change: FabricsSearch): void;
}

function Choice({ fabrics, both: [first, second], ids, onSearch }: ChoiceProps) {
	return (
		<div className="flex flex-wrap items-end gap-2">
			<PairFields
				options={fabrics.map(({ id, name }) => ({ value: id, label: name }))}
				value={[first.id, second.id]}
				onChange={(a, b) => onSearch({ a, b, show: undefined, page: undefined })}
			/>
			<Button
				icon={Fingerprint}
				aria-pressed={ids === "1"}
				title="Compares ids that each fabric hands out on its own, too, and matches objects by their whole DN."
				onClick={() => onSearch({ ids: ids === "1" ? undefined : "1", page: undefined })}
			>
				Compare ids
			</Button>
		</div>
	);
}

interface ComparedProps extends Omit<ComparedFabricsProps, "among" | "otherwise"> {
	readonly both: Both<Fabric>;
}

function Compared({ queryId, name, both, until, search, onSearch }: ComparedProps) {
	const times = useTimes();
	const withIds = search.ids === "1";
	const body = {
		saved_query_id: queryId,
		connection_from_id: both[0].id,
		connection_to_id: both[1].id,
		...(until === undefined ? {} : { from: until, to: until }),
		ignore_volatile: true,
		...(withIds ? {} : { match: "name" as const }),
	};
	const answer = useQuery({
		queryKey: [timeMachineRoutes.compare.id, body],
		queryFn: async ({ signal }) =>
			(await callRoute(timeMachineRoutes.compare, { body, query: {} }, signal)) as CompareAnswer,
	});
	const { data } = answer;
	const differences = useMemo(() => data && listComparedLines(data), [data]);
	if (data === undefined || differences === undefined) {
		if (answer.error === null) return <Skeleton lines={6} />;
		return <ProblemBanner error={answer.error} onRetry={() => void answer.refetch()} />;
	}
	const { snapshot_from: first, snapshot_to: second, skipped } = data;
	const fabrics = [both[0].name, both[1].name] as const;
	const withoutDn = skipped.from + skipped.to;
	return (
		<>
			<div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted">
				{[first, second].map(({ id, executed_at, result_count }, at) => (
					<span key={id}>
						{fabrics[at]}: {formatPlural(result_count, "object")} of {times.dateTime(executed_at)}
					</span>
				))}
				{withoutDn > 0 && (
					<span>
						{formatPlural(withoutDn, "row")} without a DN {skipped.differ ? "differ and are not listed" : "are equal"}
					</span>
				)}
				<CopyAs call={() => ({ route: timeMachineRoutes.compare, body, query: {} })} />
			</div>
			<FabricTabs
				differences={differences}
				fabrics={fabrics}
				search={search}
				name={name}
				day={times.getDay(second.executed_at)}
				equal={describeEqual(
					fabrics,
					[first.result_count, second.result_count],
					withIds ? "without times and counters" : "without ids of one fabric, times and counters",
				)}
				linkObject={(dn, at) => <ObjectLink key={at} dn={dn} connection={both[at].id} />}
				onSearch={onSearch}
			/>
		</>
	);
}
