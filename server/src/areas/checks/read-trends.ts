/** The earlier numbers that the lines of trends are drawn through. */
import type { Context } from "../../context.ts";
import { readPastNumbers } from "../history/series/read-series.ts";
import type { RowRule } from "./rules/evaluate.ts";
import { DAY_MS, getTrendDefinition, NO_PAST, TREND_DAYS, type TrendPast } from "./rules/trend.ts";

/** The rows of a run: their query, connection and time. */
export interface RowsPlace {
	readonly queryId: string;
	readonly connectionId: string;
	readonly at: Date;
}

/** The numbers of the last days before the rows; none for rules that need none. */
export async function readTrendPast(
	ctx: Context,
	rule: RowRule,
	place: RowsPlace | null,
	signal: AbortSignal,
): Promise<TrendPast> {
	if (rule.type !== "trend" || rule.config.within_days === undefined || place === null) return NO_PAST;
	const at = place.at.getTime();
	const { lines, pending } = await readPastNumbers(
		ctx,
		{ savedQueryId: place.queryId, connectionId: place.connectionId },
		getTrendDefinition(rule.config),
		{ from: new Date(at - TREND_DAYS * DAY_MS), to: place.at },
		signal,
	);
	return {
		at,
		lines: new Map(
			lines.map(({ key, points }) => [
				key,
				points.map(([time, number]) => [Date.parse(time), Number(number)] as const),
			]),
		),
		problem:
			pending === 0
				? null
				: `The numbers of ${pending} snapshots of the last ${TREND_DAYS} days are still being computed. The next run is evaluated with them.`,
	};
}
