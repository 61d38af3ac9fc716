/** What a saved query's snapshots tell together: days with changes, objects through time, and the dns that occur. */
import type { BlameQuery, dnsQuery, heatmapQuery, TimelineQuery } from "@weft/contracts";
import type * as z from "zod";
import type { Identity } from "../../platform/caller.ts";
import { notFound } from "../../platform/errors.ts";
import { createCompletions } from "./completions.ts";
import { asBuffer } from "./domain/bytes.ts";
import { yearAt, yearDays } from "./domain/year.ts";
import type { HistoryRepo, SpanCount } from "./repo-history.ts";
import type { TimeMachineDeps } from "./service.ts";
import { createLru } from "./workers/lru.ts";

type HistoryDeps = Pick<TimeMachineDeps, "store" | "clock" | "queries" | "work"> & {
	readonly histories: HistoryRepo;
};

const KEPT_BYTES = 4 * 1024 * 1024;
/** Of a counted day, about. */
const COUNT_BYTES = 64;

export function createHistoryReads(deps: HistoryDeps) {
	const { store, clock, queries, histories, work } = deps;

	const completions = createCompletions({ ...deps, histories });
	/** What heatmaps show, by query, year and zone, as long as the query's snapshots have the same revision. */
	const counts = createLru<{ revision: string; counted: SpanCount[] }>(KEPT_BYTES);

	async function seen(identity: Identity, queryId: string): Promise<void> {
		if (!(await queries.sees(identity, queryId))) throw notFound();
	}

	return {
		async heatmap(identity: Identity, input: z.output<typeof heatmapQuery>) {
			const { saved_query_id: queryId, timezone } = input;
			const revision = await histories.revision(store.db, identity, queryId);
			if (revision === undefined) throw notFound();
			const year = input.year ?? yearAt(clock.now(), timezone);
			const { days, starts } = yearDays(year, timezone);
			const key = `${queryId} ${year} ${timezone}`;
			const known = counts.get(key);
			// What is read after the revision is that of the revision or of a later one, which nobody asks for under this one.
			const counted =
				known?.revision === revision ? known.counted : await histories.countSpans(store.db, queryId, starts);
			counts.set(key, { revision, counted }, COUNT_BYTES * (counted.length + 1));
			const bySpan = new Map(counted.map(({ span, count, has_changes }) => [span, { count, has_changes }]));
			return {
				year,
				data: Object.fromEntries(days.map((day, at) => [day, bySpan.get(at) ?? { count: 0, has_changes: false }])),
			};
		},

		/** The timeline as JSON text: values are spelt as they were captured. */
		async *timeline(
			identity: Identity,
			input: TimelineQuery,
			signal: AbortSignal,
		): AsyncGenerator<Buffer | string, void> {
			const rows = await histories.timeline(store.db, identity, {
				savedQueryId: input.saved_query_id,
				limit: input.limit,
				from: input.from_date === undefined ? null : new Date(input.from_date),
				to: input.to_date === undefined ? null : new Date(input.to_date),
			});
			if (rows.length === 0) await seen(identity, input.saved_query_id);
			const snapshots = rows.map(({ id, executed_at }) => ({ id, executedAt: executed_at.toISOString() }));
			const size = Math.max(0, ...rows.map(({ result_size_bytes }) => result_size_bytes));
			const dns = input.dns ?? [input.dn ?? ""];
			const { texts, count } = await work.timelines({ dns, snapshots }, { size: size * dns.length, signal });
			const head = JSON.stringify({ saved_query_id: input.saved_query_id, snapshot_count: count }).slice(0, -1);
			if (input.dns === undefined) {
				yield `${head},"dn":${JSON.stringify(dns[0])},`;
				yield asBuffer(texts[0] as Uint8Array);
				yield "}";
				return;
			}
			for (const [at, text] of texts.entries()) {
				yield `${at === 0 ? `${head},"timelines":[` : ","}{"dn":${JSON.stringify(dns[at])},`;
				yield asBuffer(text);
				yield "}";
			}
			yield "]}";
		},

		/** As JSON text: values are spelt as they were captured. */
		async *blame(identity: Identity, input: BlameQuery, signal: AbortSignal): AsyncGenerator<Buffer | string, void> {
			await seen(identity, input.saved_query_id);
			// One more than is looked at tells whether there are older ones.
			const found = await histories.latestOfConnection(store.db, {
				savedQueryId: input.saved_query_id,
				connectionId: input.controller_connection_id ?? null,
				limit: input.limit + 1,
			});
			const rows = found.slice(-input.limit);
			const snapshots = rows.map(({ id, executed_at }) => ({ id, executedAt: executed_at.toISOString() }));
			const size = Math.max(0, ...rows.map(({ result_size_bytes }) => result_size_bytes));
			// Of many small snapshots the lists alone are something to read.
			const weight = size * Math.ceil(rows.length / 100);
			const { text, count } = await work.blame({ dn: input.dn, snapshots }, { size: weight, signal });
			const { controller_connection_id = null, controller_connection_name = "" } = rows.at(-1) ?? {};
			const head = JSON.stringify({
				dn: input.dn,
				saved_query_id: input.saved_query_id,
				controller_connection_id,
				controller_connection_name,
				snapshot_count: count,
				has_older: found.length > rows.length,
			});
			yield `${head.slice(0, -1)},`;
			yield asBuffer(text);
			yield "}";
		},

		async dns(identity: Identity, queryId: string, input: z.output<typeof dnsQuery>) {
			const revision = await histories.revision(store.db, identity, queryId);
			if (revision === undefined) throw notFound();
			const dns = (await completions.of(queryId, revision)).find(input.q, input.limit);
			return { dns, count: dns.length };
		},
	};
}
