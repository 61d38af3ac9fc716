/** Lines of numbers over time, with axes, the values at the pointer, and zoom by dragging. */
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { ChartLine } from "./chart-line.ts";

interface LineChartProps {
	readonly label: string;
	/** Beside the axis of the numbers. */
	readonly unit: string;
	readonly lines: readonly ChartLine[];
	/** Milliseconds above which two neighbours are not connected; null: all are. */
	readonly gapMs: number | null;
	readonly zone: string;
}

/** Lines of equal colour differ in their dashes. */
const COLORS = ["--accent", "--change", "--ok", "--violet", "--bad", "--warn"];
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
const HEIGHT = 300;
const FONT = '12px "Inter Variable", system-ui, sans-serif';

const readToken = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Columns of equal length: times in seconds, then a column per line; undefined is no break. */
function alignLines(lines: readonly ChartLine[], gapMs: number | null): uPlot.AlignedData {
	const seconds = new Set<number>();
	for (const { points, breaks = [] } of lines)
		for (const at of [...points.map(([time]) => time), ...breaks]) seconds.add(Date.parse(at) / 1000);
	const sorted = [...seconds].sort((a, b) => a - b);
	const times: number[] = [];
	for (const time of sorted) {
		const before = times.at(-1);
		// A time without a value in any line breaks all of them.
		if (gapMs !== null && before !== undefined && (time - before) * 1000 > gapMs) times.push(before + gapMs / 2000);
		times.push(time);
	}
	const columns = lines.map(({ points, breaks = [] }) => {
		const values = new Map<number, number | null>(breaks.map((at) => [Date.parse(at) / 1000, null]));
		for (const [at, number] of points) values.set(Date.parse(at) / 1000, number);
		return times.map((time) => {
			const value = values.get(time);
			return value === undefined && gapMs !== null ? null : value;
		});
	});
	return [times, ...columns];
}

/** Added to the first tick of a day. */
const DAY = "\n{YYYY}-{MM}-{DD}";
/**
 * Texts of the time axis, by the least seconds between two ticks: of every tick, and added to the
 * first tick of a year, month, day, hour, minute and second.
 */
const TIMES: uPlot.Axis.Values = [
	[365 * 86_400, "{YYYY}", null, null, null, null, null, null, 1],
	[28 * 86_400, "{YYYY}-{MM}", null, null, null, null, null, null, 1],
	[86_400, "{MM}-{DD}", "\n{YYYY}", null, null, null, null, null, 1],
	[60, "{HH}:{mm}", DAY, null, DAY, null, null, null, 1],
	[1, "{HH}:{mm}:{ss}", DAY, null, DAY, null, null, null, 1],
];

/** Seconds between two ticks of the time axis: none is shorter than the shortest text says. */
const SECONDS = [1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 10_800, 21_600, 43_200].concat(
	[1, 2, 4, 7, 14, 28, 56, 91, 182, 365, 730, 1_825, 3_650].map((days) => days * 86_400),
);
/** Pixels between two ticks of the time axis. */
const TICK_WIDTH = 90;
/** Steps between numbers that count something. */
const WHOLE = Array.from({ length: 15 }, (_, power) => [1, 2, 5].map((one) => one * 10 ** power)).flat();

function buildOptions({ unit, lines, zone }: LineChartProps, width: number): uPlot.Options {
	const axis = {
		stroke: () => readToken("--muted"),
		font: FONT,
		labelFont: FONT,
		grid: { stroke: () => readToken("--line"), width: 1 },
		ticks: { stroke: () => readToken("--line"), width: 1 },
	};
	const isWhole = lines.every(({ points }) => points.every(([, number]) => Number.isInteger(number)));
	return {
		width,
		height: HEIGHT,
		tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone),
		cursor: { drag: { x: true, y: false } },
		axes: [
			{ ...axis, values: TIMES, incrs: SECONDS, space: TICK_WIDTH },
			{ ...axis, size: 64, label: unit, labelSize: 20, ...(isWhole ? { incrs: WHOLE } : {}) },
		],
		scales: { y: { range: (_, min, max) => uPlot.rangeNum(Math.min(0, min ?? 0), max ?? 1, 0.1, true) } },
		series: [
			{ label: "Time", value: "{YYYY}-{MM}-{DD} {HH}:{mm}" },
			...lines.map(({ name }, at) => ({
				label: name,
				stroke: () => readToken(COLORS[at % COLORS.length] ?? "--accent"),
				dash: DASHES[Math.floor(at / COLORS.length) % DASHES.length] ?? [],
				width: 1.5,
				points: { size: 5 },
			})),
		],
	};
}

export function LineChart(props: LineChartProps) {
	const { label, unit, lines, gapMs, zone } = props;
	const frame = useRef<HTMLDivElement>(null);
	// biome-ignore lint/correctness/useExhaustiveDependencies: the properties that the options are built of
	useEffect(() => {
		const box = frame.current;
		if (box === null) return;
		const chart = new uPlot(buildOptions(props, box.clientWidth), alignLines(lines, gapMs), box);
		const size = new ResizeObserver(() => chart.setSize({ width: box.clientWidth, height: HEIGHT }));
		size.observe(box);
		const theme = new MutationObserver(() => chart.redraw());
		theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
		return () => {
			size.disconnect();
			theme.disconnect();
			chart.destroy();
		};
	}, [lines, gapMs, zone, unit]);
	return (
		<figure className="m-0 px-3 py-2" aria-label={label}>
			<div
				ref={frame}
				className="min-w-0 overflow-hidden [&_.u-legend]:text-xs! [&_.u-legend_th]:font-medium! [&_.uplot]:font-sans!"
			/>
			<figcaption className="text-muted text-xs">Drag over the chart to zoom in, double-click to zoom out.</figcaption>
		</figure>
	);
}
