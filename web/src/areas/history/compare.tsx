/** Two snapshots side by side, by object and attribute, as the service compared them. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { CompareAnswer } from "@weft/contracts";
import { timeMachineRoutes } from "@weft/contracts/browser";
import { EqualApproximately } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useCommands } from "../../platform/keys.ts";
import { useTimes } from "../../platform/profile.ts";
import { useSearchState } from "../../platform/search-state.ts";
import type { Times } from "../../platform/time.ts";
import { nameFile } from "../../platform/workbook.ts";
import { Button } from "../../ui/button.tsx";
import { OpenWindowBanners } from "../../ui/open-window-banner.tsx";
import { Banner, type Crumb, Empty, PageHead } from "../../ui/page.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { Unloaded } from "../../ui/unloaded.tsx";
import { AttributionNote } from "./changed-by.tsx";
import { CompareActions } from "./compare-actions.tsx";
import { getEntries, type Kind, type Shown, showEntries, stepFrom } from "./compare-model.ts";
import { type CompareHandle, CompareView, ObjectList } from "./compare-view.tsx";
import { readComparison } from "./comparison.ts";
import { IgnoreDialog, useIgnored } from "./ignored.tsx";
import { describeSides, type Sides } from "./sides.ts";

const route = getRouteApi("/app/time-machine/compare");

export function ComparePage() {
	const { from = "", to = "", query, rules, attribution, match, identity, reverse } = route.useSearch();
	const asked = { from, to, rules, attribution, match, identity, reverse };
	const answer = useQuery({
		queryKey: [timeMachineRoutes.compare.id, asked],
		queryFn: ({ signal }) => readComparison(asked, signal),
		enabled: from !== "" && to !== "",
		staleTime: Number.POSITIVE_INFINITY,
	});
	if (from === "" || to === "") {
		return (
			<>
				<PageHead title="Compare" crumbs={[{ label: "Snapshots", to: "/time-machine" }]} />
				<Empty>Choose two snapshots of a query under Snapshots.</Empty>
			</>
		);
	}
	if (answer.data === undefined) {
		return (
			<Unloaded
				what="Comparison"
				crumbs={[{ label: "Snapshots", to: "/time-machine" }]}
				error={answer.error}
				gone="One of its snapshots may have been deleted."
				onRetry={() => void answer.refetch()}
			/>
		);
	}
	return <Comparison answer={answer.data} query={query} />;
}

interface ComparisonProps {
	readonly answer: CompareAnswer;
	readonly query: string | undefined;
}

function Comparison({ answer, query }: ComparisonProps) {
	const [search, set] = useSearchState(route.useSearch(), route.useNavigate(), { replace: true });
	const { q = "", dn, reverse } = search;
	const times = useTimes();
	const { ignored, ignore } = useIgnored();
	const view = useRef<CompareHandle>(null);
	const [settings, setSettings] = useState(false);
	const all = useMemo(() => getEntries(answer), [answer]);
	const kind = isKind(search.show) ? search.show : null;
	const shown = useMemo(() => showEntries(all, ignored, kind, q), [all, ignored, kind, q]);
	const { entries } = shown;
	const at = Math.max(
		0,
		entries.findIndex((entry) => entry.dn === dn),
	);
	const goTo = (index: number) => {
		const entry = entries[Math.max(0, Math.min(entries.length - 1, index))];
		if (entry === undefined) return;
		set({ dn: entry.id });
		view.current?.show(entries.indexOf(entry));
	};
	const [previous, next] = [stepFrom(entries, at, -1), stepFrom(entries, at, 1)];
	useCommands([
		{ id: "compare.next", label: "Next change", group: "Compare", keys: "n", run: () => goTo(next) },
		{ id: "compare.previous", label: "Previous change", group: "Compare", keys: "p", run: () => goTo(previous) },
	]);
	const sides = describeSides(answer, times);
	const name = useQueryName(query);
	const file = nameComparison(name, answer, times);
	return (
		<div className="flex h-full min-h-0 flex-col">
			<PageHead
				ruled
				title={sides.title}
				crumbs={listCrumbs(query, name, sides.day)}
				facts={countObjects(answer, sides, reverse === "1")}
				actions={
					!answer.identical && (
						<CompareActions
							{...{ answer, sides, search, shown, kind, ignored, file }}
							steps={{
								previous: { isPossible: previous !== at, go: () => goTo(previous) },
								next: { isPossible: next !== at, go: () => goTo(next) },
							}}
							onSearch={set}
							onIgnore={() => setSettings(true)}
						/>
					)
				}
			/>
			<OpenWindowBanners
				connections={[answer.snapshot_to.controller_connection_id]}
				className="px-5 py-2 max-sm:px-4"
			/>
			<SidesBanner
				{...{ sides, reverse }}
				onTurn={() => set({ from: answer.snapshot_to.id, to: answer.snapshot_from.id, reverse: undefined })}
			/>
			<AttributionNote attribution={answer.attribution} />
			{answer.identical ? (
				<Empty icon={EqualApproximately}>
					The snapshots are equal: {formatPlural(answer.snapshot_from.result_count, "object")}, and not one attribute
					differs.
				</Empty>
			) : (
				<div className="flex min-h-0 flex-1">
					<ObjectsColumn {...{ shown, ignored, q, at }} words={sides.words} onFilter={set} onChoose={goTo} />
					{entries.length === 0 ? (
						<div className="flex-1">
							<Empty>
								{shown.quiet > 0 && q === "" ? `Nothing differs but ${[...ignored].join(", ")}.` : "No change matches."}
							</Empty>
						</div>
					) : (
						<CompareView
							ref={view}
							entries={entries}
							current={at}
							controller={answer.snapshot_to.controller_connection_id ?? undefined}
							words={sides.words}
							heads={sides.heads}
							query={query}
						/>
					)}
				</div>
			)}
			<IgnoreDialog
				open={settings}
				ignored={ignored}
				entries={all}
				onSave={ignore}
				onClose={() => setSettings(false)}
			/>
		</div>
	);
}

/** Name of the query; undefined while it is not known. */
function useQueryName(queryId: string | undefined): string | undefined {
	const { data } = useAnswer(timeMachineRoutes.queries, undefined, {
		enabled: queryId !== undefined,
		staleTime: 60_000,
	});
	return data?.queries.find(({ id }) => id === queryId)?.name;
}

/** Names the files of a comparison: the query, the fabrics and the days. */
function nameComparison(query: string | undefined, answer: CompareAnswer, times: Times): string {
	const sides = [answer.snapshot_from, answer.snapshot_to];
	const fabrics = new Set(sides.flatMap(({ controller_connection_name: fabric }) => fabric || []));
	const days = new Set(sides.map(({ executed_at }) => times.getDay(executed_at)));
	return nameFile(query ?? "comparison", [...fabrics], [...days].join(" "));
}

function listCrumbs(queryId: string | undefined, name: string | undefined, day: string | null): Crumb[] {
	return [
		{ label: "Snapshots", to: "/time-machine" },
		...(queryId ? [{ label: name ?? "Query", to: "/time-machine/$queryId" as const, params: { queryId } }] : []),
		...(day === null ? [] : [{ label: day }]),
	];
}

function countObjects(
	{ snapshot_from: a, snapshot_to: b, skipped, ignored }: CompareAnswer,
	{ crosses, names }: Sides,
	isReversed: boolean,
): string {
	const order = isReversed ? (["after", "before"] as const) : (["before", "after"] as const);
	const words = crosses ? ([`in ${names[0]}`, `in ${names[1]}`] as const) : order;
	const withoutDn = skipped.from + skipped.to;
	const rest = withoutDn > 0 ? `, ${withoutDn} without a DN${skipped.differ ? " that differ" : ""}` : "";
	const ids = ignored.identity ? ", without ids of one fabric" : "";
	return `${formatPlural(a.result_count, "object")} ${words[0]}, ${b.result_count} ${words[1]}${rest}${ids}`;
}

interface SidesBannerProps {
	readonly sides: Sides;
	readonly reverse: string | undefined;
	/** Back to the order of time. */
	onTurn(): void;
}

/** Warns of sides that are not an earlier and a later state of one controller. */
function SidesBanner({ sides, reverse, onTurn }: SidesBannerProps) {
	if (sides.crosses) {
		return (
			<div className="px-5 py-2">
				<Banner
					tone="warn"
					title={`This compares two fabrics: ${sides.names[0]} and ${sides.names[1]}.`}
					detail="Objects that only one of them has are listed with its name."
				/>
			</div>
		);
	}
	if (reverse !== "1") return null;
	return (
		<div className="px-5 py-2">
			<Banner
				tone="warn"
				title="Shown backwards: from the later snapshot to the earlier one."
				detail="This is what a rollback would change, not what happened."
				action={<Button onClick={onTurn}>Show in the order of time</Button>}
			/>
		</div>
	);
}

interface ObjectsColumnProps {
	readonly shown: Shown;
	readonly ignored: ReadonlySet<string>;
	readonly words: Sides["words"];
	readonly q: string;
	/** Position of the current entry. */
	readonly at: number;
	onFilter(change: { q: string | undefined }): void;
	onChoose(at: number): void;
}

/** The changed objects beside the comparison. */
function ObjectsColumn({ shown, ignored, words, q, at, onFilter, onChoose }: ObjectsColumnProps) {
	const { entries, quiet } = shown;
	return (
		<div className="flex w-72 shrink-0 flex-col border-line border-r bg-surface max-lg:hidden">
			<div className="border-line border-b p-2">
				<SearchField
					value={q}
					label="Filter DNs or attributes"
					className="w-full"
					onChange={(text) => onFilter({ q: text || undefined })}
				/>
			</div>
			<ObjectList entries={entries} words={words} current={at} onChoose={onChoose} />
			{quiet > 0 && (
				<p className="m-0 border-line border-t px-3 py-2 text-muted text-xs">
					{formatPlural(quiet, "object")} more {quiet === 1 ? "differs" : "differ"} only in {[...ignored].join(", ")}.
				</p>
			)}
		</div>
	);
}

const isKind = (value: string | undefined): value is Kind =>
	value === "added" || value === "deleted" || value === "modified";
