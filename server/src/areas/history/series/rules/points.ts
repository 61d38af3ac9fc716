/** The lines of a series: per group its points, from the numbers of snapshots. */
import type { SeriesValue } from "@weft/contracts";
import { compareNumbers } from "@weft/contracts/decimal";
import type { GroupNumber } from "./tally.ts";

/** A step with the numbers of its last snapshot. */
export interface NumberedStep {
	readonly at: Date;
	/** `[[key, number], …]` as JSON text; null: the step has no numbers. */
	readonly numbers: string | null;
}

type SeriesPoint = readonly [at: string, number: string];

export interface SeriesLine {
	readonly key: string;
	/** Oldest first: time as ISO text, number in plain notation. */
	readonly points: readonly SeriesPoint[];
}

/** Numbers that groups without rows have. */
const isZeroWithoutRows = (value: SeriesValue): boolean => value === "count" || value === "distinct";

/**
 * The groups with the largest latest number, each with its points. A group of a count that a step
 * lacks has 0 there; of other values it has no point.
 */
export function buildLines(
	steps: readonly NumberedStep[],
	value: SeriesValue,
	groups: number,
): { readonly lines: SeriesLine[]; readonly total: number } {
	const read = createNumbersReader();
	const latest = new Map<string, string>();
	for (let at = steps.length - 1; at >= 0; at -= 1)
		for (const [key, number] of read(steps[at]?.numbers ?? null)) if (!latest.has(key)) latest.set(key, number);
	if (isZeroWithoutRows(value)) setZeros(latest, read(findLastNumbers(steps)));
	const largest = [...latest].sort(
		([key, number], [other, otherNumber]) => compareNumbers(otherNumber, number) || (key < other ? -1 : 1),
	);
	const lines = largest.slice(0, groups).map(([key]) => ({ key, points: [] as SeriesPoint[] }));
	const byKey = new Map(lines.map((line) => [line.key, line]));
	for (const { at, numbers } of steps) {
		if (numbers === null) continue;
		const time = at.toISOString();
		for (const [key, number] of read(numbers)) byKey.get(key)?.points.push([time, number]);
		if (!isZeroWithoutRows(value)) continue;
		for (const { points } of lines) if (points.at(-1)?.[0] !== time) points.push([time, "0"]);
	}
	return { lines, total: latest.size };
}

const findLastNumbers = (steps: readonly NumberedStep[]): string | null =>
	steps.findLast(({ numbers }) => numbers !== null)?.numbers ?? null;

/** The latest number of a group that the latest step lacks is 0. */
function setZeros(latest: Map<string, string>, present: readonly GroupNumber[]): void {
	const keys = new Set(present.map(([key]) => key));
	for (const key of latest.keys()) if (!keys.has(key)) latest.set(key, "0");
}

/** Reads numbers. Neighbours are often equal, so that the last text is remembered. */
function createNumbersReader(): (text: string | null) => readonly GroupNumber[] {
	let known: { readonly text: string | null; readonly numbers: readonly GroupNumber[] } = { text: null, numbers: [] };
	return (text) => {
		if (text !== known.text) known = { text, numbers: text === null ? [] : (JSON.parse(text) as GroupNumber[]) };
		return known.numbers;
	};
}
