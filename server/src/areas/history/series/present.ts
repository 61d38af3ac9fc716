/** A series in the form that the API shows. */
import type { SeriesExport } from "@weft/contracts";
import { buildUnavailableError } from "../../../core/errors.ts";
import type { ReadSeries } from "./read-series.ts";
import { writeSeriesCsv, writeSeriesOpenMetrics } from "./rules/export.ts";

/** JSON text: numbers keep all their digits. */
function* presentSeries(series: ReadSeries): Generator<string> {
	yield `{"controller_connection":${JSON.stringify(series.connection)},"groups":[`;
	for (const [at, { key, points }] of series.lines.entries()) {
		const shown = JSON.stringify(series.groupBy === null ? null : key);
		const text = points.map(([time, number]) => `["${time}",${number}]`).join(",");
		yield `${at === 0 ? "" : ","}{"key":${shown},"points":[${text}]}`;
	}
	const rest = JSON.stringify({
		total_groups: series.totalGroups,
		snapshots: series.snapshots,
		missing: series.missing,
		missing_reason: series.missingReason,
		computing: series.pending > 0,
		pending: series.pending,
		left_out: series.leftOut,
	});
	yield `],${rest.slice(1)}`;
}

/** The text of one of the formats, in pieces. */
export async function* writeSeries(
	read: Promise<ReadSeries>,
	format: SeriesExport | undefined,
): AsyncGenerator<string, void> {
	const series = await read;
	if (format !== undefined && series.pending > 0)
		throw buildUnavailableError(
			`The numbers of ${series.pending} snapshots are still being computed. Export them again in a minute.`,
		);
	if (format === "csv") yield* writeSeriesCsv(series);
	else if (format === "openmetrics") yield* writeSeriesOpenMetrics(series);
	else yield* presentSeries(series);
}
