/** States of checks for Prometheus. */
import type { CheckState } from "@weft/contracts";
import type { Sample } from "../../ports/metrics.ts";
import type { Store } from "../../ports/store.ts";
import { listMetricStates } from "./repo-states.ts";

/** Entries in the answer to a scrape; the best ones are left out above it. */
const SERIES_MAX = 10_000;
const VALUES: Readonly<Record<CheckState, number>> = { ok: 0, pending: 1, failing: 2, error: 3, unknown: 4 };

export interface CheckMetrics {
	states(): Promise<Sample[]>;
	violations(): Promise<Sample[]>;
}

export function createCheckMetrics({ store }: { readonly store: Pick<Store, "db"> }): CheckMetrics {
	/** Entries of one name, which checks of two owners may have, count as the worst of them. */
	async function readSamples(getLabels: (row: Row) => Record<string, string>, readNumber: (row: Row) => number) {
		const samples = new Map<string, Sample>();
		for (const row of await listMetricStates(store.db, SERIES_MAX)) {
			const labels = getLabels(row);
			const key = JSON.stringify(labels);
			if (!samples.has(key)) samples.set(key, { labels, value: readNumber(row) });
		}
		return [...samples.values()];
	}

	return {
		states: () =>
			readSamples(
				({ check, connection, severity }) => ({ check, connection, severity }),
				({ state }) => VALUES[state],
			),
		violations: () =>
			readSamples(
				({ check, connection }) => ({ check, connection }),
				({ violations }) => violations,
			),
	};
}

type Row = Awaited<ReturnType<typeof listMetricStates>>[number];
