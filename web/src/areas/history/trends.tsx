/** A number of a query's snapshots over time. */
import { getRouteApi } from "@tanstack/react-router";
import type { SeriesAnswer } from "@weft/contracts";
import { SERIES_STEPS, SERIES_VALUES, savedQueryRoutes, timeMachineRoutes } from "@weft/contracts/browser";
import { useState } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useProfile, useTimes } from "../../platform/profile.ts";
import { saveFile } from "../../platform/save-file.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Banner, Loaded, PageHead, Panel } from "../../ui/page.tsx";
import { showProblem } from "../../ui/toast.tsx";
import { FabricField, SeriesMenu, SeriesView } from "./series-view.tsx";

const route = getRouteApi("/app/time-machine/$queryId/trends");
const HOUR_MS = 3_600_000;
const GAPS = { snapshot: null, hour: 1.5 * HOUR_MS, day: 37 * HOUR_MS } as const;
const VALUES = {
	count: "Count",
	sum: "Sum",
	avg: "Average",
	min: "Smallest value",
	max: "Largest value",
	distinct: "Distinct values",
} as const;
/** Of the other values it is the field. */
const UNITS: Partial<Record<keyof typeof VALUES, string>> = { count: "rows", distinct: "values" };
const STEPS = { snapshot: "Every snapshot", hour: "Last of each hour", day: "Last of each day" } as const;

export function TrendsPage() {
	const { queryId } = route.useParams();
	const [search, set] = useSearchState(route.useSearch(), route.useNavigate(), { replace: true });
	const times = useTimes();
	const value = SERIES_VALUES.find((one) => one === search.value) ?? "count";
	const step = SERIES_STEPS.find((one) => one === search.step) ?? "snapshot";
	const { field = "", group = "", controller } = search;
	const query = useAnswer(savedQueryRoutes.detail, { params: { id: queryId } }, { staleTime: 60_000 });
	const isWhole = value === "count" || field !== "";
	const asked = {
		saved_query_id: queryId,
		value,
		step,
		timezone: times.zone,
		...(field === "" ? {} : { field }),
		...(group === "" ? {} : { group_by: group }),
		...(controller === undefined ? {} : { controller_connection_id: controller }),
	};
	const isZoneKnown = useProfile() !== undefined;
	const [isComputing, setComputing] = useState(false);
	const answer = useAnswer(
		timeMachineRoutes.series,
		{ query: asked },
		{
			keepPrevious: true, // Points are of the profile's zone: before it is known nothing is asked.
			enabled: isWhole && isZoneKnown,
			every: isComputing ? 3_000 : false,
		},
	);
	const pending = answer.data?.computing === true;
	if (pending !== isComputing) setComputing(pending);
	const fabric = answer.data?.controller_connection ? `${answer.data.controller_connection.name}, ` : "";
	const title = `${VALUES[value]}${field === "" ? " of rows" : ` of ${field}`}`;
	return (
		<>
			<PageHead
				title="Trends"
				crumbs={[
					{ label: "Snapshots", to: "/time-machine" },
					{ label: query.data?.name ?? "Query", to: "/time-machine/$queryId", params: { queryId } },
				]}
				facts={answer.data && `${fabric}${formatPlural(answer.data.snapshots, "snapshot")}; times of ${times.zone}`}
				actions={
					<ExportButton
						asked={asked}
						series={isWhole && !pending && !answer.isPlaceholderData ? answer.data : undefined}
						query={query.data?.name ?? "trend"}
						label={title}
					/>
				}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				<div className="flex flex-wrap items-end gap-3">
					<FabricField
						queryId={queryId}
						value={controller ?? answer.data?.controller_connection?.id}
						onChange={(id) => set({ controller: id })}
					/>
					<SelectField
						label="Number"
						value={value}
						options={SERIES_VALUES.map((one) => ({ value: one, label: VALUES[one] }))}
						onChange={(event) => set({ value: event.target.value })}
					/>
					<FieldInput label="Field" placeholder="fvBD.mtu" value={field} onSet={(text) => set({ field: text })} />
					<FieldInput label="Group by" placeholder="fvBD.name" value={group} onSet={(text) => set({ group: text })} />
					<SelectField
						label="Points"
						value={step}
						options={SERIES_STEPS.map((one) => ({ value: one, label: STEPS[one] }))}
						onChange={(event) => set({ step: event.target.value })}
					/>
				</div>
				{isWhole ? (
					<Panel title={title}>
						<Loaded answer={answer} lines={8}>
							{(series) => <SeriesView label={title} unit={UNITS[value] ?? field} series={series} gapMs={GAPS[step]} />}
						</Loaded>
					</Panel>
				) : (
					<Banner tone="info" title="Enter a field, such as fvBD.mtu. Only the count can do without." />
				)}
			</div>
		</>
	);
}

interface FieldInputProps {
	readonly label: string;
	readonly placeholder: string;
	readonly value: string;
	onSet(text: string | undefined): void;
}

/** A field that counts once it is left, or with Enter. */
function FieldInput({ label, placeholder, value, onSet }: FieldInputProps) {
	return (
		<TextField
			mono
			key={value}
			label={label}
			placeholder={placeholder}
			defaultValue={value}
			spellCheck={false}
			autoComplete="off"
			onBlur={(event) => onSet(event.target.value.trim() || undefined)}
			onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
		/>
	);
}

interface ExportButtonProps {
	readonly asked: Record<string, string>;
	/** Undefined: nothing can be saved yet. */
	readonly series: SeriesAnswer | undefined;
	/** Name of the query. */
	readonly query: string;
	/** Names the numbers. */
	readonly label: string;
}

function ExportButton({ asked, series, query, label }: ExportButtonProps) {
	const download = useAction(
		async (file: string) => {
			// Files are texts; the contract's types describe the JSON alone.
			const query = { ...asked, saved_query_id: asked.saved_query_id ?? "", export: "openmetrics" };
			const text: unknown = await callRoute(timeMachineRoutes.series, { query: query as never });
			saveFile(`${file}.txt`, "application/openmetrics-text", String(text));
		},
		{ onError: (error: unknown) => showProblem(error) },
	);
	return <SeriesMenu query={query} label={label} series={series} onOpenMetrics={download.mutate} />;
}
