/** States of checks for Prometheus. */
import type { CheckState } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Sample } from "../../core/ports/metrics.ts";
import { listMetricStates } from "./sql/states.ts";

/** Entries in the answer to a scrape; the best ones are left out above it. */
const SERIES_MAX = 10_000;
const VALUES: Readonly<Record<CheckState, number>> = { ok: 0, pending: 1, failing: 2, error: 3, unknown: 4 };

export interface CheckMetrics {
	states(): Promise<Sample[]>;
	violations(): Promise<Sample[]>;
}

/** Entries of one name, which checks of two owners may have, count as the worst of them. */
async function readSamples(
	ctx: Context,
	getLabels: (row: Row) => Record<string, string>,
	readNumber: (row: Row) => number,
) {
	const samples = new Map<string, Sample>();
	for (const row of await listMetricStates(ctx.store.db, SERIES_MAX)) {
		const labels = getLabels(row);
		const key = JSON.stringify(labels);
		if (!samples.has(key)) samples.set(key, { labels, value: readNumber(row) });
	}
	return [...samples.values()];
}

export const readStateSamples = (ctx: Context) =>
	readSamples(
		ctx,
		({ check, connection, severity }) => ({ check, connection, severity }),
		({ state }) => VALUES[state],
	);
export const readViolationSamples = (ctx: Context) =>
	readSamples(
		ctx,
		({ check, connection }) => ({ check, connection }),
		({ violations }) => violations,
	);

type Row = Awaited<ReturnType<typeof listMetricStates>>[number];
