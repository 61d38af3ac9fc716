/** Lines of numbers over time as a sheet: a row for each time, a column for each line. */
import type { Times } from "../platform/time.ts";
import type { Sheet } from "../platform/workbook.ts";
import type { ChartLine } from "./chart-line.ts";

/** Builds a sheet, oldest time first. A line without a number at a time has an empty cell there. */
export function buildTrendSheet(lines: readonly ChartLine[], times: Pick<Times, "zone" | "date" | "time">): Sheet {
	const numbers = lines.map(({ points }) => new Map(points));
	const all = new Set(lines.flatMap(({ points, breaks = [] }) => [...points.map(([at]) => at), ...breaks]));
	const sorted = [...all].sort((a, b) => Date.parse(a) - Date.parse(b));
	return {
		name: "Trend",
		columns: [`Time (${times.zone})`, ...lines.map(({ name }) => name)],
		count: sorted.length,
		row(index) {
			const at = sorted[index] ?? "";
			return [`${times.date(at)} ${times.time(at, true)}`, ...numbers.map((points) => String(points.get(at) ?? ""))];
		},
	};
}
