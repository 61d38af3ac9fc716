/** Two snapshots side by side, by object and attribute, as the service compared them. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { CompareAnswer } from "@weft/contracts";
import { timeMachineRoutes } from "@weft/contracts/browser";
import {
	ArrowLeftRight,
	ChevronDown,
	ChevronUp,
	ClipboardList,
	EqualApproximately,
	Filter,
	Settings2,
	Tags,
	UserSearch,
} from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useCommands } from "../../platform/keys.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { Button, ButtonLink, IconButton } from "../../ui/button.tsx";
import { joinClasses } from "../../ui/classes.ts";
import { CopyAs } from "../../ui/copy-as.tsx";
import { Banner, Empty, PageHead } from "../../ui/page.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { Unloaded } from "../../ui/unloaded.tsx";
import { AttributionNote } from "./changed-by.tsx";
import { getEntries, type Kind, showEntries, stepFrom } from "./compare-model.ts";
import { type CompareHandle, CompareView, type KindWords, ObjectList, SIGNS } from "./compare-view.tsx";
import { matchBody, readComparison } from "./comparison.ts";
import { ExportMenu } from "./export-menu.tsx";
import { IgnoreDialog, useIgnored } from "./ignored.tsx";
import { isSameController, labelSides } from "./pair.ts";

const route = getRouteApi("/app/time-machine/compare");

export function ComparePage() {
	const { from = "", to = "", query, rules, attribution, match, reverse } = route.useSearch();
	const asked = { from, to, rules, attribution, match, reverse };
	const answer = useQuery({
		queryKey: [timeMachineRoutes.compare.id, asked],
		queryFn: ({ signal }) => readComparison(asked, signal),
		enabled: from !== "" && to !== "",
		staleTime: Number.POSITIVE_INFINITY,
	});
	if (from === "" || to === "") {
		return (
			<>
				<PageHead title="Compare" crumbs={[{ label: "Time Machine", to: "/time-machine" }]} />
				<Empty>Choose two snapshots of a query in the Time Machine.</Empty>
			</>
		);
	}
	if (answer.data === undefined) {
		return (
			<Unloaded
				what="Comparison"
				crumbs={[{ label: "Time Machine", to: "/time-machine" }]}
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
	const [{ show, q = "", dn, rules, attribution, match, reverse }, set] = useSearchState(
		route.useSearch(),
		route.useNavigate(),
		{
			replace: true,
		},
	);
	const times = useTimes();
	const may = useMay();
	const { ignored, ignore } = useIgnored();
	const { data: kept } = useAnswer(timeMachineRoutes.queries, undefined, {
		enabled: query !== undefined,
		staleTime: 60_000,
	});
	const view = useRef<CompareHandle>(null);
	const [settings, setSettings] = useState(false);
	const all = useMemo(() => getEntries(answer), [answer]);
	const wanted = isKind(show) ? show : null;
	const { entries, quiet, counts } = useMemo(() => showEntries(all, ignored, wanted, q), [all, ignored, wanted, q]);
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
	const { snapshot_from: a, snapshot_to: b } = answer;
	const sameDay = times.getDay(a.executed_at) === times.getDay(b.executed_at);
	const sameMinute = times.dateTime(a.executed_at) === times.dateTime(b.executed_at);
	const when = (time: string) => (sameDay ? times.time(time, sameMinute) : times.dateTime(time));
	const name = kept?.queries.find(({ id }) => id === query)?.name;
	const total = counts.added + counts.deleted + counts.modified;
	const crosses = !isSameController(a, b);
	const sides = labelSides(a, b);
	const words = crosses ? wordsBetween(sides) : WORDS;
	const [titleFrom, titleTo] = [a, b].map(({ executed_at }, side) =>
		crosses ? `${sides[side]} ${when(executed_at)}` : when(executed_at),
	);
	return (
		<div className="flex h-full min-h-0 flex-col">
			<PageHead
				ruled
				title={`${titleFrom} compared with ${titleTo}`}
				crumbs={[
					{ label: "Time Machine", to: "/time-machine" },
					...(query
						? [{ label: name ?? "Query", to: "/time-machine/$queryId" as const, params: { queryId: query } }]
						: []),
					...(sameDay ? [{ label: times.date(a.executed_at) }] : []),
				]}
				facts={`${formatPlural(a.result_count, "object")} and ${b.result_count}${answer.skipped.from + answer.skipped.to > 0 ? `, ${answer.skipped.from + answer.skipped.to} without a DN${answer.skipped.differ ? " that differ" : ""}` : ""}`}
				actions={
					!answer.identical && (
						<>
							<nav
								aria-label="Kinds of changes"
								className="flex overflow-hidden rounded-control border border-line bg-surface"
							>
								{([null, "added", "deleted", "modified"] as const).map((kind) => (
									<Link
										key={kind ?? "all"}
										from="/time-machine/compare"
										search={(before: Record<string, string | undefined>) => ({ ...before, show: kind ?? undefined })}
										replace
										aria-current={wanted === kind ? "true" : undefined}
										className={joinClasses(
											"num grid h-7 place-items-center whitespace-nowrap border-line border-l px-2.5 first:border-l-0",
											wanted === kind ? "bg-accent-soft font-medium text-accent-text" : "hover:bg-sunken",
										)}
									>
										{kind === null ? `All ${total}` : `${SIGNS[kind].sign} ${counts[kind]} ${lowerFirst(words[kind])}`}
									</Link>
								))}
							</nav>
							<IconButton
								label="Previous change"
								keys="p"
								icon={ChevronUp}
								disabled={previous === at}
								onClick={() => goTo(previous)}
							/>
							<IconButton
								label="Next change"
								keys="n"
								icon={ChevronDown}
								disabled={next === at}
								onClick={() => goTo(next)}
							/>
							<Button
								icon={Filter}
								aria-pressed={rules === "query"}
								title="Leaves out what the query's drift rules ignore."
								onClick={() => set({ rules: rules === "query" ? undefined : "query" })}
							>
								{rules === "query" ? `Drift only, ${answer.ignored.objects} ignored` : "Drift only"}
							</Button>
							{crosses && (
								<Button
									icon={Tags}
									aria-pressed={match === "name"}
									title="Matches objects without the numbers of nodes and pods."
									onClick={() => set({ match: match === "name" ? undefined : "name", dn: undefined })}
								>
									Match by name
								</Button>
							)}
							{attribution !== "1" &&
								answer.attribution?.complete !== true &&
								!crosses &&
								may("execute_savedquery") && (
									<Button
										icon={UserSearch}
										title="Asks the controller for its records of these changes."
										onClick={() => set({ attribution: "1" })}
									>
										Look up who changed it
									</Button>
								)}
							<IconButton label="Ignore" icon={Settings2} onClick={() => setSettings(true)} />
							<Link
								from="/time-machine/compare"
								search={(before: Record<string, string | undefined>) => ({
									...before,
									from: b.id,
									to: a.id,
									reverse: reverse === "1" ? undefined : "1",
								})}
								aria-label="Swap sides"
								data-tip="Swap sides"
								className="inline-grid size-7 place-items-center rounded-control border border-line bg-surface hover:bg-sunken"
							>
								<ArrowLeftRight size={15} aria-hidden="true" />
							</Link>
							{may("add_automationrequest") && (
								<ButtonLink
									icon={ClipboardList}
									to="/automation/templates"
									search={{ from: a.id, to: b.id, show, rules, match, reverse }}
								>
									Use these rows
								</ButtonLink>
							)}
							<CopyAs
								call={() => ({
									route: timeMachineRoutes.compare,
									body: { snapshot_from_id: a.id, snapshot_to_id: b.id, ...matchBody(match) },
								})}
							/>
							<ExportMenu byName={match === "name"} {...{ answer, entries, ignored }} />
						</>
					)
				}
			/>
			{crosses && (
				<div className="px-5 py-2">
					<Banner
						tone="warn"
						title={`This compares two controllers: ${sides[0]} and ${sides[1]}.`}
						detail="Objects that only one of them has are listed with its name."
					/>
				</div>
			)}
			{reverse === "1" && !crosses && (
				<div className="px-5 py-2">
					<Banner
						tone="warn"
						title="Shown backwards: from the later snapshot to the earlier one."
						detail="This is what a rollback would change, not what happened."
						action={
							<Button onClick={() => set({ from: b.id, to: a.id, reverse: undefined })}>
								Show in the order of time
							</Button>
						}
					/>
				</div>
			)}
			<AttributionNote attribution={answer.attribution} />
			{answer.identical ? (
				<Empty icon={EqualApproximately}>
					The snapshots are equal: {formatPlural(a.result_count, "object")}, and not one attribute differs.
				</Empty>
			) : (
				<div className="flex min-h-0 flex-1">
					<div className="flex w-72 shrink-0 flex-col border-line border-r bg-surface max-lg:hidden">
						<div className="border-line border-b p-2">
							<SearchField
								value={q}
								label="Filter DNs or attributes"
								className="w-full"
								onChange={(text) => set({ q: text || undefined })}
							/>
						</div>
						<ObjectList entries={entries} words={words} current={at} onChoose={goTo} />
						{quiet > 0 && (
							<p className="m-0 border-line border-t px-3 py-2 text-muted text-xs">
								{formatPlural(quiet, "object")} more {quiet === 1 ? "differs" : "differ"} only in{" "}
								{[...ignored].join(", ")}.
							</p>
						)}
					</div>
					{entries.length === 0 ? (
						<div className="flex-1">
							<Empty>
								{quiet > 0 && q === "" ? `Nothing differs but ${[...ignored].join(", ")}.` : "No change matches."}
							</Empty>
						</div>
					) : (
						<CompareView
							ref={view}
							entries={entries}
							current={at}
							controller={b.controller_connection_id ?? undefined}
							words={words}
							heads={[
								`${sides[0]}, ${times.date(a.executed_at)} ${times.time(a.executed_at, sameMinute)}`,
								`${sides[1]}, ${times.date(b.executed_at)} ${times.time(b.executed_at, sameMinute)}`,
							]}
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

const isKind = (value: string | undefined): value is Kind =>
	value === "added" || value === "deleted" || value === "modified";

const WORDS: KindWords = { added: SIGNS.added.word, deleted: SIGNS.deleted.word, modified: SIGNS.modified.word };

/** Between two controllers nothing was added or deleted: one of them has the object. */
const wordsBetween = ([from, to]: readonly [string, string]): KindWords => ({
	added: `Only in ${to}`,
	deleted: `Only in ${from}`,
	modified: "Differs",
});

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
