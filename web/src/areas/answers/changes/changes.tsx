/** What changed on the fabrics and who changed it, over all queries. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { changeRoutes, FINDING_SEVERITIES } from "@weft/contracts/browser";
import { GitCompareArrows } from "lucide-react";
import { useMemo } from "react";
import { callRoute, useAnswer } from "../../../platform/call.ts";
import { formatPlural } from "../../../platform/format.ts";
import { useSearchState } from "../../../platform/search-state.ts";
import { useConnections } from "../../../platform/target.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { CopyAs } from "../../../ui/copy-as.tsx";
import { FilterSelect } from "../../../ui/filter-select.tsx";
import { OpenWindowBanners } from "../../../ui/open-window-banner.tsx";
import { Empty, PageHead, ProblemBanner, Skeleton } from "../../../ui/page.tsx";
import { SearchField } from "../../../ui/search-field.tsx";
import { ChangeGroups } from "./change-list.tsx";
import { groupChanges } from "./group-changes.ts";

const route = getRouteApi("/app/changes");
const SIZE = "100";
const HOUR_MS = 3_600_000;
const WINDOWS = [
	{ value: "1", label: "Last hour" },
	{ value: "168", label: "Last 7 days" },
	{ value: "720", label: "Last 30 days" },
	{ value: "2160", label: "Last 90 days" },
] as const;

export function ChangesPage() {
	const [search, set] = useSearchState(route.useSearch(), route.useNavigate(), { replace: true });
	const { q, fabric, tenant, class: className, person, severity, hours, by } = search;
	const connections = useConnections().data?.results ?? [];
	const window = useMemo(() => ({ since: getSince(hours) }), [hours]);
	const level = FINDING_SEVERITIES.find((known) => known === severity);
	const query = {
		...window,
		...(q ? { search: q } : {}),
		...(fabric ? { connection: fabric } : {}),
		...(tenant ? { tenant } : {}),
		...(className ? { class: className } : {}),
		...(person ? { user: person } : {}),
		...(level === undefined ? {} : { severity: level }),
	};
	const first: Record<string, string> = { ...query, page_size: SIZE };
	const answer = useInfiniteQuery({
		queryKey: [changeRoutes.list.id, first],
		initialPageParam: first,
		queryFn: ({ pageParam, signal }) => callRoute(changeRoutes.list, { query: pageParam }, signal),
		getNextPageParam: ({ next }) => (next === null ? null : Object.fromEntries(new URL(next).searchParams)),
	});
	const names = useAnswer(changeRoutes.summary, { query: { ...window, bucket: "day" } }, { keepPrevious: true }).data;
	const pages = answer.data?.pages ?? [];
	const all = pages.flatMap(({ results }) => results);
	const count = pages[0]?.count ?? 0;
	const isFiltered = Object.keys(query).length > 1;
	return (
		<>
			<PageHead
				title="Changes"
				crumbs={[{ label: "Observe" }]}
				facts={answer.data && formatPlural(count, "change")}
				actions={
					<>
						<SearchField value={q ?? ""} label="Filter changes" onChange={(text) => set({ q: text || undefined })} />
						<FilterSelect
							label="Time"
							any="Last 24 hours"
							value={hours}
							options={WINDOWS}
							onChange={(value) => set({ hours: value })}
						/>
						<FilterSelect
							label="Fabric"
							any="All fabrics"
							value={fabric}
							options={connections.map(({ id, name }) => ({ value: id, label: name }))}
							onChange={(value) => set({ fabric: value })}
						/>
						<FilterSelect
							label="Tenant"
							any="All tenants"
							value={tenant}
							options={listOptions(names?.tenants, tenant)}
							onChange={(value) => set({ tenant: value })}
						/>
						<FilterSelect
							label="Class"
							any="All classes"
							value={className}
							options={listOptions(names?.classes, className)}
							onChange={(value) => set({ class: value })}
						/>
						<FilterSelect
							label="Person"
							any="All persons"
							value={person}
							options={listOptions(names?.users, person)}
							onChange={(value) => set({ person: value })}
						/>
						<FilterSelect
							label="Severity"
							any="All severities"
							value={severity}
							options={FINDING_SEVERITIES.map((value) => ({ value, label: value }))}
							onChange={(value) => set({ severity: value })}
						/>
						<Button aria-pressed={by === "person"} onClick={() => set({ by: by === "person" ? undefined : "person" })}>
							Group by person
						</Button>
						<CopyAs call={() => ({ route: changeRoutes.list, query })} />
					</>
				}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				<OpenWindowBanners connections={[fabric]} />
				{answer.error !== null && <ProblemBanner error={answer.error} />}
				{answer.isPending && <Skeleton lines={6} />}
				{answer.data && all.length === 0 && <NoChanges isFiltered={isFiltered} />}
				<ChangeGroups groups={groupChanges(all, by === "person" ? "person" : "object")} />
				{answer.hasNextPage && (
					<div className="flex items-center gap-3">
						<Button busy={answer.isFetchingNextPage} onClick={() => void answer.fetchNextPage()}>
							Show older changes
						</Button>
						<span className="text-muted">
							{all.length} of {count}
						</span>
					</div>
				)}
			</div>
		</>
	);
}

function NoChanges({ isFiltered }: { readonly isFiltered: boolean }) {
	if (isFiltered) return <Empty>No change matches.</Empty>;
	return (
		<Empty icon={GitCompareArrows} action={<ButtonLink to="/library">Open the library</ButtonLink>}>
			No snapshot shows a change in this time. Changes come from snapshots of saved queries: turn snapshots on for a
			query, and schedule it.
		</Empty>
	);
}

/** To the minute, so that a page that is opened again asks for the same. */
const getSince = (hours = "24"): string => {
	const now = Date.now() - (/^\d{1,4}$/.test(hours) ? Number(hours) : 24) * HOUR_MS;
	return new Date(now - (now % 60_000)).toISOString();
};

/** Names with the most changes, and the chosen one. */
function listOptions(names: readonly { name: string }[] = [], chosen: string | undefined) {
	const all = names.map(({ name }) => name);
	if (chosen !== undefined && !all.includes(chosen)) all.push(chosen);
	return all.sort().map((name) => ({ value: name, label: name }));
}
