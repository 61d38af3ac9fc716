/** The history of a query: heatmap, snapshots of a day, comparison, timeline of an object. */
import { getRouteApi } from "@tanstack/react-router";
import { savedQueryRoutes, timeMachineRoutes } from "@weft/contracts/browser";
import { ChartLine, GitCompareArrows } from "lucide-react";
import { useState } from "react";
import { type AnswerOf, useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useMay, useProfile, useTimes } from "../../platform/profile.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { OpenWindowBanners } from "../../ui/open-window-banner.tsx";
import { Loaded, PageHead } from "../../ui/page.tsx";
import { Unloaded } from "../../ui/unloaded.tsx";
import { useChangeAlert } from "../checks/alert-on-changes.tsx";
import { CaptureButton } from "./capture-button.tsx";
import { ControllerField } from "./controller-field.tsx";
import { DayFields } from "./day-fields.tsx";
import { Heatmap } from "./heatmap.tsx";
import { OF_A_DAY, PAGE, SnapshotsPanel } from "./snapshots-panel.tsx";
import { TrackPanel } from "./track-panel.tsx";
import { usePair } from "./use-pair.ts";

const route = getRouteApi("/app/time-machine/$queryId");

const CRUMBS = [{ label: "Snapshots", to: "/time-machine" as const }];

export function HistoryPage() {
	const { queryId } = route.useParams();
	const [{ date, year, from, to, dn, controller }, set] = useSearchState(route.useSearch(), route.useNavigate(), {
		replace: true,
	});
	const times = useTimes();
	const may = useMay();
	const [offset, setOffset] = useState(0);
	/** The controller of the tracked object, where the page shows several. */
	const [followed, setFollowed] = useState<string | undefined>(undefined);
	const today = times.getDay(Date.now());
	const period = choosePeriod(year, date, today);
	const query = useAnswer(savedQueryRoutes.detail, { params: { id: queryId } }, { staleTime: 60_000 });
	const { scope, heat, list } = useSnapshots({ queryId, controller, period, today, date, offset });
	const snapshots = list.data?.snapshots ?? [];
	const pair = usePair(snapshots, { from, to }, set);
	const alert = useChangeAlert(
		queryId,
		(list.data?.controllers ?? []).flatMap(({ controller_connection_id: id }) => id ?? []),
	);
	/** Shows other snapshots and forgets the choice among the previous ones. */
	const narrow = (change: {
		date?: string | undefined;
		year?: string | undefined;
		controller?: string | undefined;
	}) => {
		setOffset(0);
		pair.reset();
		set({ ...change, from: undefined, to: undefined });
	};
	const chooseDay = (day: string | undefined) => narrow({ date: day });
	if (heat.data === undefined && heat.error !== null) {
		return <Unloaded what="Query" crumbs={CRUMBS} error={heat.error} onRetry={() => void heat.refetch()} />;
	}
	const days = heat.data?.data ?? {};
	const shown = PERIODS[period] ?? period;
	const total = Object.values(days).reduce((sum, { count }) => sum + count, 0);
	const changed = Object.values(days).filter(({ has_changes }) => has_changes).length;
	const changes = formatPlural(changed, period === "hours" ? "hour" : "day");
	return (
		<>
			<PageHead
				title={query.data?.name ?? "Snapshots"}
				crumbs={CRUMBS}
				facts={
					heat.data && `${formatPlural(total, "snapshot")} in ${shown}, ${changes} with changes; times of ${times.zone}`
				}
				actions={
					<>
						{alert.button}
						<ButtonLink
							icon={ChartLine}
							to="/time-machine/$queryId/trends"
							params={{ queryId }}
							search={{ controller }}
						>
							Trends
						</ButtonLink>
						<DayFields
							{...{ days, period, date, today }}
							onDay={chooseDay}
							onPeriod={(value) => narrow({ year: value || undefined, date: undefined })}
						/>
						<ControllerField
							controllers={list.data?.controllers ?? []}
							value={controller}
							onChange={(id) => narrow({ controller: id })}
						/>
						{(list.data?.controllers.length ?? 0) > 1 && (
							<ButtonLink icon={GitCompareArrows} to="/time-machine/fabrics" search={{ query: queryId }}>
								Compare fabrics
							</ButtonLink>
						)}
						<CopyAs call={() => ({ route: timeMachineRoutes.list, query: scope })} />
						{may("execute_savedquery") && query.data?.enable_time_machine === true && (
							<CaptureButton queryId={queryId} controller={controller} />
						)}
					</>
				}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				<OpenWindowBanners
					connections={
						controller === undefined
							? (list.data?.controllers ?? []).map((each) => each.controller_connection_id)
							: [controller]
					}
				/>
				{alert.result}
				<section aria-label="Heatmap" className="overflow-hidden rounded-card border border-line bg-surface">
					<Loaded answer={heat} lines={7}>
						{({ first, last, data, connections = [] }) => (
							<Heatmap
								period={shown}
								range={{ first, last }}
								step={period === "hours" ? "hour" : "day"}
								lanes={listLanes(data, connections)}
								now={period === "hours" ? `${today}T23` : today}
								chosen={date ?? null}
								onChoose={chooseDay}
							/>
						)}
					</Loaded>
				</section>
				<div className="grid gap-3 xl:grid-cols-[minmax(0,1.7fr)_minmax(0,1fr)]">
					<SnapshotsPanel
						{...{ queryId, list, pair, date, offset }}
						onLatest={() => chooseDay(undefined)}
						onOffset={setOffset}
					/>
					<TrackPanel
						queryId={queryId}
						controllers={controller === undefined ? (list.data?.controllers ?? []) : []}
						// One object is followed on one controller: on another one it would seem to be deleted.
						controller={controller ?? followed ?? snapshots[0]?.controller_connection_id ?? undefined}
						onController={setFollowed}
						dn={dn ?? ""}
						onDn={(next) => set({ dn: next || undefined })}
					/>
				</div>
			</div>
		</>
	);
}

const PERIODS: Readonly<Record<string, string>> = { "": "the last 12 months", hours: "the last 30 days" };

/** The chosen period, or else one that shows the chosen day. */
function choosePeriod(chosen: string | undefined, date: string | undefined, today: string): string {
	if (chosen === "hours" || (chosen !== undefined && /^\d{4}$/.test(chosen))) return chosen;
	const ended = `${Number(today.slice(0, 4)) - 1}${today.slice(4)}`;
	return date !== undefined && date <= ended ? date.slice(0, 4) : "";
}

type Heat = AnswerOf<typeof timeMachineRoutes.heatmap>;

/** A lane for each fabric where there are several. */
const listLanes = (data: Heat["data"], connections: NonNullable<Heat["connections"]>) =>
	connections.length < 2
		? [{ name: null, data }]
		: connections.map((each) => ({ name: each.controller_connection_name, data: each.data }));

interface ShownSnapshots {
	readonly queryId: string;
	readonly controller: string | undefined;
	/** A year, `hours`, or empty for the last twelve months. */
	readonly period: string;
	readonly today: string;
	readonly date: string | undefined;
	readonly offset: number;
}

/** The cells of the heatmap, and the latest snapshots or those of a day. */
function useSnapshots({ queryId, controller, period, today, date, offset }: ShownSnapshots) {
	const times = useTimes();
	// Days are of the profile's zone: before it is known nothing is asked.
	const enabled = useProfile() !== undefined;
	const scope = {
		saved_query_id: queryId,
		...(controller === undefined ? {} : { controller_connection_id: controller }),
	};
	const heat = useAnswer(
		timeMachineRoutes.heatmap,
		{
			query: {
				...scope,
				...(period === "" ? { until: today } : period === "hours" ? { step: "hour" } : { year: period }),
				by_connection: "true",
				timezone: times.zone,
			},
		},
		{ keepPrevious: true, enabled },
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
		{ keepPrevious: true, enabled },
	);
	return { scope, heat, list };
}
