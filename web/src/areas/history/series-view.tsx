/** Lines of a series with notes on missing numbers, and the choice of the fabric. */
import type { SeriesAnswer } from "@weft/contracts";
import { timeMachineRoutes } from "@weft/contracts/browser";
import { lazy, Suspense, useMemo } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useProfile, useTimes } from "../../platform/profile.ts";
import { nameFile } from "../../platform/workbook.ts";
import type { ChartLine } from "../../ui/chart-line.ts";
import { SelectField } from "../../ui/field.tsx";
import { Empty, Skeleton } from "../../ui/page.tsx";
import { SheetMenu } from "../../ui/sheet-menu.tsx";
import { buildTrendSheet } from "../../ui/trend-sheet.ts";

const TrendView = lazy(async () => ({ default: (await import("../../ui/trend-view.tsx")).TrendView }));

/** Lists the lines of a chart. @param label names the line of a series without groups */
const listLines = (groups: SeriesAnswer["groups"], label: string): ChartLine[] =>
	groups.map(({ key, points }) => ({ name: key === null ? label : key || "(empty)", points }));

interface SeriesMenuProps {
	/** Name of the query. */
	readonly query: string;
	/** Names the line of a series without groups. */
	readonly label: string;
	/** Undefined: nothing can be saved yet. */
	readonly series: SeriesAnswer | undefined;
	/** Saves a format that the service writes. @param file name without its ending */
	onOpenMetrics?(file: string): void;
}

/** The export of a series, in files that are named by the query, the fabric and today. */
export function SeriesMenu({ query, label, series, onOpenMetrics }: SeriesMenuProps) {
	const times = useTimes();
	const fabric = series?.controller_connection;
	const file = nameFile(query, fabric ? [fabric.name] : [], times.getDay(Date.now()));
	return (
		<SheetMenu
			name={file}
			disabled={series === undefined}
			read={() => buildTrendSheet(listLines(series?.groups ?? [], label), times)}
			more={onOpenMetrics ? [{ label: "As OpenMetrics", run: () => onOpenMetrics(file) }] : []}
		/>
	);
}

interface SeriesViewProps {
	readonly label: string;
	/** Unit of the numbers, such as "rows". */
	readonly unit: string;
	readonly series: SeriesAnswer;
	/** Milliseconds above which two neighbours are not connected; null: all are. */
	readonly gapMs: number | null;
}

export function SeriesView({ label, unit, series, gapMs }: SeriesViewProps) {
	const { groups, total_groups, missing, missing_reason, pending, left_out } = series;
	const lines = useMemo(() => listLines(groups, label), [groups, label]);
	const notes = [
		...(pending > 0 ? [`The numbers of ${formatPlural(pending, "snapshot")} are still being computed.`] : []),
		...(missing > 0 ? [`${formatPlural(missing, "point")} missing.${missing_reason ? ` ${missing_reason}` : ""}`] : []),
		...(left_out > 0 ? [`${formatPlural(left_out, "value")} of the latest snapshot no number.`] : []),
		...(total_groups > groups.length ? [`The largest ${groups.length} of ${total_groups} groups.`] : []),
	];
	return (
		<>
			{notes.length > 0 && <p className="m-0 px-3 pt-2 text-muted text-xs">{notes.join(" ")}</p>}
			{lines.length === 0 ? (
				<Empty>No snapshot has this number.</Empty>
			) : (
				<Suspense fallback={<Skeleton lines={8} className="p-3" />}>
					<TrendView label={label} unit={unit} lines={lines} gapMs={gapMs} />
				</Suspense>
			)}
		</>
	);
}

interface FabricFieldProps {
	readonly queryId: string;
	/** Id of the fabric that is shown; undefined before it is known. */
	readonly value: string | undefined;
	onChange(id: string): void;
}

/** Chooses one of the fabrics that have snapshots of a query; not there where only one has. */
export function FabricField({ queryId, value, onChange }: FabricFieldProps) {
	const times = useTimes();
	const isZoneKnown = useProfile() !== undefined;
	const query = { saved_query_id: queryId, timezone: times.zone, limit: "1" };
	const answer = useAnswer(timeMachineRoutes.list, { query }, { staleTime: 60_000, enabled: isZoneKnown });
	const fabrics = (answer.data?.controllers ?? []).flatMap(
		({ controller_connection_id: id, controller_connection_name: name }) => (id === null ? [] : [{ id, name }]),
	);
	if (fabrics.length < 2) return null;
	return (
		<SelectField
			label="Fabric"
			value={value ?? ""}
			options={[
				...(value === undefined ? [{ value: "", label: "(choose)" }] : []),
				...fabrics.map(({ id, name }) => ({ value: id, label: name })),
			]}
			onChange={(event) => onChange(event.target.value)}
		/>
	);
}
