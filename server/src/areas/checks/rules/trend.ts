/** A number of the rows, and its line over time, against a threshold. */
import type { CheckConfig } from "@weft/contracts";
import { compareDecimals, parseDecimal } from "@weft/contracts/decimal";
import { createTally, readContribution, type SeriesDefinition } from "../../history/series/rules/tally.ts";
import { type Evaluator, refuseEvaluation } from "./keys.ts";
import { assignFieldNumber, type Fields } from "./row-reader.ts";
import { createSample } from "./sample.ts";

type Config = CheckConfig<"trend">;
type Point = readonly [at: number, number: number];

/** Earlier numbers by group, in the order of time; times are milliseconds. */
export interface TrendPast {
	/** The time of the rows. */
	readonly at: number;
	readonly lines: ReadonlyMap<string, readonly Point[]>;
	/** Why the earlier numbers are not known; null if they are. */
	readonly problem: string | null;
}

export const NO_PAST: TrendPast = { at: 0, lines: new Map(), problem: null };

/** Days whose numbers make the line. */
export const TREND_DAYS = 14;
export const DAY_MS = 86_400_000;
/** Groups of one evaluation. */
const GROUPS_MAX = 10_000;

/** How the numbers of a trend are computed. */
export const getTrendDefinition = ({ value, field, group_by }: Config): SeriesDefinition => ({
	value,
	field: field ?? null,
	groupBy: group_by ?? null,
});

/**
 * The value at a time of the line of least squares through some points; null if they have fewer
 * than two times.
 */
export function computeLineAt(points: readonly Point[], time: number): number | null {
	const [first] = points;
	if (first === undefined) return null;
	const days = points.map(([at]) => (at - first[0]) / DAY_MS);
	const meanDay = addUp(days) / days.length;
	const meanNumber = addUp(points.map(([, number]) => number)) / points.length;
	const spread = addUp(days.map((day) => (day - meanDay) ** 2));
	if (spread === 0) return null;
	const slope =
		addUp(points.map(([, number], at) => ((days[at] as number) - meanDay) * (number - meanNumber))) / spread;
	return meanNumber + slope * ((time - first[0]) / DAY_MS - meanDay);
}

const addUp = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const HOLDS: Readonly<Record<Config["operator"], (order: number) => boolean>> = {
	eq: (order) => order === 0,
	ne: (order) => order !== 0,
	gt: (order) => order > 0,
	lt: (order) => order < 0,
	ge: (order) => order >= 0,
	le: (order) => order <= 0,
};

/** Each group whose number, or line within `within_days`, does not hold is a violation. */
export function createTrendEvaluator(
	config: Config,
	past: TrendPast,
	connection: string | null,
	fields: Fields,
): Evaluator {
	const definition = getTrendDefinition(config);
	const numbers = new Map(
		[definition.field, definition.groupBy].flatMap((name) =>
			name === null ? [] : [[name, assignFieldNumber(fields, name)] as const],
		),
	);
	const tally = createTally(definition);
	return {
		take(row) {
			const contribution = readContribution(definition, (name) => row.texts(numbers.get(name) ?? 0));
			if (contribution !== null) tally.add(contribution, 1);
			if (tally.countGroups() > GROUPS_MAX)
				refuseEvaluation(`The rows have more than ${GROUPS_MAX} groups. Group by a field with fewer values.`);
		},
		endPass: () => false,
		result() {
			if (past.problem !== null) refuseEvaluation(past.problem);
			const found = tally.list();
			if (found.length === 0 && tally.countLeftOut() > 0)
				refuseEvaluation(`None of the values of ${config.field} is a number. Choose another field.`);
			const sample = createSample();
			let violations = 0;
			for (const [key, number] of found) {
				const line = computeTrend(config, past, key, number);
				if (isWithin(config, number) && (line === null || isWithin(config, String(line)))) continue;
				violations += 1;
				sample.add(connection, buildEvidence(config, key, number, line));
			}
			return { violations, sample: sample.rows };
		},
	};
}

/**
 * The value of the line at the end of `within_days`; null without it, or without earlier numbers.
 */
function computeTrend({ within_days }: Config, { at, lines }: TrendPast, key: string, number: string): number | null {
	if (within_days === undefined) return null;
	return computeLineAt([...(lines.get(key) ?? []), [at, Number(number)]], at + within_days * DAY_MS);
}

function isWithin({ operator, threshold }: Config, text: string): boolean {
	const [number, limit] = [parseDecimal(text), parseDecimal(String(threshold))];
	return number !== null && limit !== null && HOLDS[operator](compareDecimals(number, limit));
}

function buildEvidence(
	{ value, field, group_by, within_days }: Config,
	key: string,
	number: string,
	line: number | null,
): Record<string, string> {
	return {
		...(group_by === undefined ? {} : { [group_by]: key }),
		[field === undefined ? value : `${value} of ${field}`]: number,
		...(line === null ? {} : { [`in ${within_days} days`]: String(Number(line.toFixed(3))) }),
	};
}
