/** Lines of numbers over time as a workbook: a row for each time, a column for each line. */
import type { Times } from "../platform/time.ts";
import { type Sheet, saveWorkbook, writeWorkbook } from "../platform/workbook.ts";
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

/** Saves the lines as a workbook. @param name of the file, without its ending */
export async function saveTrend(name: string, lines: readonly ChartLine[], times: Times): Promise<void> {
	saveWorkbook(name, await writeWorkbook([buildTrendSheet(lines, times)]));
}
