/** Builds the series of each connection from counts by period. */
import type { ChangeSummary, ObjectChangeKind } from "@weft/contracts";

/** Entries of a kind on a connection in a period. */
interface PeriodCount {
	readonly connection_id: string;
	readonly connection_name: string;
	readonly change: ObjectChangeKind;
	readonly period: Date;
	readonly count: number;
}

/** A period of a connection in which a run that stores snapshots completed. */
interface ObservedPeriod {
	readonly connection_id: string;
	readonly period: Date;
}

type Connection = Omit<ChangeSummary["connections"][number], "users" | "users_total">;

/**
 * Each connection of the counts, in their order, with a point for every period. A change proves
 * that its period was observed.
 * @param periods beginnings of the periods, ascending
 */
export function buildSeries(
	periods: readonly Date[],
	counts: readonly PeriodCount[],
	observed: readonly ObservedPeriod[],
): Connection[] {
	const connections = new Map<string, Connection>();
	const points = new Map<string, Connection["series"][number]>();
	const getKey = (id: string, period: Date): string => `${id} ${period.getTime()}`;
	for (const { connection_id: id, connection_name: name, change, period, count } of counts) {
		let connection = connections.get(id);
		if (connection === undefined) {
			const series = periods.map((at) => ({
				at: at.toISOString(),
				added: 0,
				deleted: 0,
				modified: 0,
				is_observed: false,
			}));
			for (const [at, point] of series.entries()) points.set(getKey(id, periods[at] as Date), point);
			connection = { id, name, added: 0, deleted: 0, modified: 0, series };
			connections.set(id, connection);
		}
		connection[change] += count;
		const point = points.get(getKey(id, period));
		if (point === undefined) continue;
		point[change] += count;
		point.is_observed = true;
	}
	for (const { connection_id: id, period } of observed) {
		const point = points.get(getKey(id, period));
		if (point !== undefined) point.is_observed = true;
	}
	return [...connections.values()];
}
