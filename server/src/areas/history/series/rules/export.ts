/** Series as text of other formats. */
import type { SeriesExport } from "@weft/contracts";
import { formatCsvLine } from "../../../../core/csv.ts";
import type { SeriesLine } from "./points.ts";
import type { SeriesDefinition } from "./tally.ts";

export interface ExportedSeries extends SeriesDefinition {
	readonly queryName: string;
	readonly connectionName: string;
	readonly lines: readonly SeriesLine[];
}

export const SERIES_MEDIA_TYPES: Readonly<Record<SeriesExport, string>> = {
	csv: "text/csv; charset=utf-8",
	openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** One line per point: time, group if there are groups, number. */
export function* writeSeriesCsv({ groupBy, value, field, lines }: ExportedSeries): Generator<string> {
	const name = field === null ? value : `${value} of ${field}`;
	yield formatCsvLine(groupBy === null ? ["time", name] : ["time", groupBy, name]);
	for (const { key, points } of lines) {
		let text = "";
		for (const [at, number] of points) text += formatCsvLine(groupBy === null ? [at, number] : [at, key, number]);
		yield text;
	}
}

/** OpenMetrics 1.0 with the time of each point in seconds. */
export function* writeSeriesOpenMetrics(series: ExportedSeries): Generator<string> {
	yield "# TYPE weft_series gauge\n# HELP weft_series A number of the snapshots of a saved query.\n";
	const { queryName, connectionName, value, field, groupBy, lines } = series;
	const common = [
		["query", queryName],
		["connection", connectionName],
		["value", value],
		["field", field ?? ""],
		["group_by", groupBy ?? ""],
	] as const;
	for (const { key, points } of lines) {
		const labels = [...common, ["group", key] as const].map(([name, text]) => `${name}="${escapeLabel(text)}"`);
		const head = `weft_series{${labels.join(",")}}`;
		let text = "";
		// A sample with the time of another of its metric is refused by readers.
		let before = "";
		for (const [at, number] of points) {
			const seconds = (Date.parse(at) / 1000).toFixed(3);
			if (seconds !== before) text += `${head} ${number} ${seconds}\n`;
			before = seconds;
		}
		yield text;
	}
	yield "# EOF\n";
}

const escapeLabel = (text: string): string =>
	text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
