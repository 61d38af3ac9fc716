/** The reach of connections as samples for Prometheus. */
import type { Context } from "../../context.ts";
import type { Sample } from "../../core/ports/metrics.ts";
import { listMetricReach } from "./sql/reach.ts";

/** Upper bound of the connections in a scrape. Above it, connections that are up are left out. */
const SERIES_MAX = 10_000;

export interface ConnectionMetrics {
	/** 1 or 0. A connection that no test and no run has used yet has none. */
	up(): Promise<Sample[]>;
	/** Seconds since 1970. A connection that has reached no controller yet has none. */
	lastSuccess(): Promise<Sample[]>;
}

export async function readUpSamples(ctx: Context): Promise<Sample[]> {
	const rows = await listMetricReach(ctx.store.db, SERIES_MAX);
	return rows.map(({ connection, is_up }) => ({ labels: { connection }, value: is_up ? 1 : 0 }));
}

export async function readSuccessSamples(ctx: Context): Promise<Sample[]> {
	const rows = await listMetricReach(ctx.store.db, SERIES_MAX);
	return rows.flatMap(({ connection, reached_at }) =>
		reached_at === null ? [] : [{ labels: { connection }, value: reached_at.getTime() / 1_000 }],
	);
}
