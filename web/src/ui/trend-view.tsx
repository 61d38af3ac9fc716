/** Lines with the same numbers as a table. */
import { useTimes } from "../platform/profile.ts";
import type { ChartLine } from "./chart-line.ts";
import { LineChart } from "./line-chart.tsx";
import { type Column, Table } from "./table.tsx";

/** Times and lines of the table; the chart has all of them. */
const ROWS_MAX = 100;
const LINES_MAX = 8;

interface TrendViewProps {
	readonly label: string;
	readonly unit: string;
	readonly lines: readonly ChartLine[];
	readonly gapMs: number | null;
}

type Row = readonly [at: string, numbers: ReadonlyMap<string, number>];

export function TrendView({ label, unit, lines, gapMs }: TrendViewProps) {
	const times = useTimes();
	const shown = lines.slice(0, LINES_MAX);
	const rows = new Map<string, Map<string, number>>();
	for (const { name, points } of shown)
		for (const [at, number] of points) rows.set(at, (rows.get(at) ?? new Map()).set(name, number));
	const all = [...rows].sort(([a], [b]) => (a < b ? 1 : -1));
	const columns: Column<Row>[] = [
		{ key: "at", head: "Time", cell: ([at]) => `${times.date(at)} ${times.time(at, true)}` },
		...shown.map(
			({ name }): Column<Row> => ({
				key: name,
				head: name,
				align: "right",
				cell: ([, numbers]) => numbers.get(name)?.toLocaleString("en", { maximumFractionDigits: 6 }) ?? "–",
			}),
		),
	];
	return (
		<>
			<LineChart label={label} unit={unit} lines={lines} gapMs={gapMs} zone={times.zone} />
			<Table label={`${label}: values`} columns={columns} rows={all.slice(0, ROWS_MAX)} getKey={([at]) => at} />
			{(all.length > ROWS_MAX || lines.length > LINES_MAX) && (
				<p className="m-0 px-3 py-2 text-muted text-xs">
					The table has the latest {Math.min(ROWS_MAX, all.length)} of {all.length} times and {shown.length} of{" "}
					{lines.length} lines. The export has all.
				</p>
			)}
		</>
	);
}
