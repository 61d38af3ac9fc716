/** The history of a query: year, snapshots of a day, comparison of two, timeline of an object. */
import { getRouteApi } from "@tanstack/react-router";
import type { Snapshot } from "@weft/contracts";
import { backgroundRunRoutes, savedQueryRoutes, timeMachineRoutes } from "@weft/contracts/browser";
import { BellPlus, Camera, ChevronLeft, ChevronRight, GitCompareArrows } from "lucide-react";
import { useState } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { UserError } from "../../platform/failures.ts";
import { formatPlural } from "../../platform/format.ts";
import { useCommands } from "../../platform/keys.ts";
import { useMay, useProfile, useTimes } from "../../platform/profile.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { keepTarget, NO_TARGET, useTarget, useTargets } from "../../platform/target.ts";
import { Button, ButtonLink, IconButton } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Loaded, PageHead, Panel } from "../../ui/page.tsx";
import { sayProblem, showToast } from "../../ui/toast.tsx";
import { Unloaded } from "../../ui/unloaded.tsx";
import { nextChange } from "./calendar.ts";
import { ControllerField } from "./controller-field.tsx";
import { Heatmap } from "./heatmap.tsx";
import { type Choice, choosePair, controllerKey, isSameController, resolvePair } from "./pair.ts";
import { SnapshotList } from "./snapshot-list.tsx";
import { TrackPanel } from "./track-panel.tsx";

const route = getRouteApi("/app/time-machine/$queryId");

const CRUMBS = [{ label: "Time Machine", to: "/time-machine" as const }];
const PAGE = 25;
const OF_A_DAY = 100;
const YEARS_BACK = 5;

export function HistoryPage() {
	const { queryId } = route.useParams();
	const [{ date, year: yearText, from, to, dn, controller }, set] = useSearchState(
		route.useSearch(),
		route.useNavigate(),
		{ replace: true },
	);
	const times = useTimes();
	// Days are of the profile's zone: before it is known nothing is asked.
	const zoned = useProfile() !== undefined;
	const may = useMay();
	const standard = useTarget();
	const targets = useTargets();
	// A capture beside the snapshots of one controller is of that controller.
	const target = controller === undefined ? standard : targets.find(({ id }) => id === controller);
	const [offset, setOffset] = useState(0);
	const today = times.getDay(Date.now());
	const thisYear = Number(today.slice(0, 4));
	const year = Number(date?.slice(0, 4) ?? yearText ?? thisYear) || thisYear;
	const query = useAnswer(savedQueryRoutes.detail, { params: { id: queryId } }, { staleTime: 60_000 });
	const scope = {
		saved_query_id: queryId,
		...(controller === undefined ? {} : { controller_connection_id: controller }),
	};
	const heat = useAnswer(
		timeMachineRoutes.heatmap,
		{ query: { ...scope, year: String(year), timezone: times.zone } },
		{ keepPrevious: true, enabled: zoned },
	);
	const list = useAnswer(
		timeMachineRoutes.list,
		{
			query: {
				...scope,
				timezone: times.zone,
				...(date === undefined ? { limit: String(PAGE), offset: String(offset) } : { date, limit: String(OF_A_DAY) }),
			},
		},
		{ keepPrevious: true, enabled: zoned },
	);
	/** Snapshots that were chosen, of whatever page of the list, and the latest choice among them. */
	const [chosen, setChosen] = useState<ReadonlyMap<string, Snapshot>>(new Map());
	const [latest, setLatest] = useState<Choice<Snapshot> | null>(null);
	/** Shows other snapshots and forgets the choice among the previous ones. */
	const narrow = (change: { date?: string | undefined; year?: string; controller?: string | undefined }) => {
		setOffset(0);
		setChosen(new Map());
		setLatest(null);
		set({ ...change, from: undefined, to: undefined });
	};
	const choose = (day: string | undefined) => narrow({ date: day });
	const capture = useAction(
		async () => {
			if (target === undefined) throw new UserError(NO_TARGET);
			if (controller === undefined) keepTarget(target.id);
			return callRoute(backgroundRunRoutes.start, {
				params: { id: queryId },
				body: { controller_connection_id: target.id },
			});
		},
		{
			stale: ["pipelines"],
			onSuccess: () => showToast(`Running on ${target?.name}. The snapshot appears when the run ends.`),
			onError: (error: unknown) => sayProblem(error),
		},
	);
	const data = heat.data?.data ?? {};
	const around = date ?? today;
	const [before, after] = [nextChange(data, around, -1), nextChange(data, around, 1)];
	const snapshots = list.data?.snapshots ?? [];
	const controllers = list.data?.controllers ?? [];
	const known = [...new Map([...chosen, ...snapshots.map((each) => [each.id, each] as const)]).values()];
	const shown = resolvePair(known, from, to);
	const { from: earlier, to: later } = shown;
	const crosses = earlier !== undefined && later !== undefined && !isSameController(earlier, later);
	// One object is followed on one controller: on another one it would seem to be deleted.
	const tracked = controller ?? snapshots[0]?.controller_connection_id ?? undefined;
	// An end that is on another page of the list is known by its id alone.
	const pair = { from: earlier?.id ?? from, to: later?.id ?? to };
	const close = earlier && later && times.dateTime(earlier.executed_at) === times.dateTime(later.executed_at);
	const clock = (time: string) => times.time(time, close ?? false);
	const choosePairEnd = (choice: Choice<Snapshot>) => {
		const next = choosePair(known, shown, latest, choice);
		setLatest(choice);
		setChosen(new Map([next.from, next.to].flatMap((each) => (each === undefined ? [] : [[each.id, each] as const]))));
		const other = choice.end === "from" ? "to" : "from";
		const isMoved =
			next[choice.end]?.id !== choice.snapshot.id || (pair[other] !== undefined && next[other]?.id !== pair[other]);
		if (isMoved && next.from && next.to) {
			const [before, after] = [next.from, next.to].map(
				({ executed_at }) => `${times.date(executed_at)} ${times.time(executed_at, true)}`,
			);
			showToast(`From is ${before}, To is ${after}: From is never newer than To.`);
		}
		set({ from: next.from?.id, to: next.to?.id });
	};
	const canCompare = pair.from !== undefined && pair.to !== undefined && pair.from !== pair.to;
	const canCapture = may("execute_savedquery") && query.data?.enable_time_machine === true;
	useCommands([
		...(before
			? [
					{
						id: "tm.before",
						label: "Previous day with changes",
						group: "Time Machine",
						keys: "p",
						run: () => choose(before),
					},
				]
			: []),
		...(after
			? [{ id: "tm.after", label: "Next day with changes", group: "Time Machine", keys: "n", run: () => choose(after) }]
			: []),
	]);
	if (heat.data === undefined && heat.error !== null) {
		return <Unloaded what="Query" crumbs={CRUMBS} error={heat.error} onRetry={() => void heat.refetch()} />;
	}
	const total = Object.values(data).reduce((sum, { count }) => sum + count, 0);
	const changed = Object.values(data).filter(({ has_changes }) => has_changes).length;
	return (
		<>
			<PageHead
				title={query.data?.name ?? "Time Machine"}
				crumbs={CRUMBS}
				facts={
					heat.data &&
					`${formatPlural(total, "snapshot")} in ${year}, ${formatPlural(changed, "day")} with changes; times of ${times.zone}`
				}
				actions={
					<>
						{may("add_check") && (
							<ButtonLink icon={BellPlus} to="/checks/new" search={{ query: queryId, type: "unchanged" }}>
								Alert on changes
							</ButtonLink>
						)}
						<IconButton
							label="Previous day with changes"
							keys="p"
							icon={ChevronLeft}
							disabled={before === null}
							onClick={() => before && choose(before)}
						/>
						<IconButton
							label="Next day with changes"
							keys="n"
							icon={ChevronRight}
							disabled={after === null}
							onClick={() => after && choose(after)}
						/>
						<TextField
							hideLabel
							label="Day"
							type="date"
							value={date ?? ""}
							max={today}
							onChange={(event) => choose(event.target.value || undefined)}
						/>
						<SelectField
							hideLabel
							label="Year"
							value={String(year)}
							options={Array.from({ length: YEARS_BACK }, (_, index) => String(thisYear - index)).map((value) => ({
								value,
								label: value,
							}))}
							onChange={(event) => narrow({ year: event.target.value, date: undefined })}
						/>
						<ControllerField
							controllers={controllers}
							value={controller}
							onChange={(id) => narrow({ controller: id })}
						/>
						<CopyAs call={() => ({ route: timeMachineRoutes.list, query: scope })} />
						{canCapture && (
							<Button icon={Camera} busy={capture.isPending} onClick={() => capture.mutate()}>
								<span className="max-w-44 truncate">{target ? `Capture on ${target.name}` : "Capture now"}</span>
							</Button>
						)}
					</>
				}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				<section aria-label="Year" className="overflow-hidden rounded-card border border-line bg-surface">
					<Loaded answer={heat} lines={7}>
						{({ data: days }) => (
							<Heatmap year={year} data={days} today={today} chosen={date ?? null} onChoose={choose} />
						)}
					</Loaded>
				</section>
				<div className="grid gap-3 xl:grid-cols-[minmax(0,1.7fr)_minmax(0,1fr)]">
					<Panel
						title={date === undefined ? "Latest snapshots" : `Snapshots on ${times.day(date)}`}
						aside={
							<>
								{date !== undefined && (
									<Button variant="ghost" onClick={() => choose(undefined)}>
										Show the latest
									</Button>
								)}
								{canCompare && (
									<ButtonLink
										variant={crosses ? "default" : "primary"}
										icon={GitCompareArrows}
										to="/time-machine/compare"
										search={{ from: pair.from, to: pair.to, query: queryId }}
									>
										{crosses
											? `Compare ${earlier.controller_connection_name} with ${later.controller_connection_name}`
											: earlier && later
												? `Compare ${clock(earlier.executed_at)} with ${clock(later.executed_at)}`
												: "Compare"}
									</ButtonLink>
								)}
							</>
						}
					>
						<Loaded answer={list} lines={6}>
							{({ snapshots: shown, total_count }) => (
								<SnapshotList
									snapshots={shown}
									total={total_count}
									withDay={date === undefined}
									withController={new Set(controllers.map(controllerKey)).size > 1}
									from={pair.from}
									to={pair.to}
									offset={date === undefined ? offset : 0}
									pageSize={date === undefined ? PAGE : OF_A_DAY}
									onChoose={choosePairEnd}
									onOffset={setOffset}
								/>
							)}
						</Loaded>
					</Panel>
					<TrackPanel
						queryId={queryId}
						controller={tracked}
						dn={dn ?? ""}
						onDn={(next) => set({ dn: next || undefined })}
					/>
				</div>
			</div>
		</>
	);
}
