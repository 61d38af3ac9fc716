/** Reads over all snapshots of a saved query: heatmap, timelines, blame and completion of dns. */
import type { BlameQuery, dnsQuery, heatmapQuery, TimelineQuery } from "@weft/contracts";
import { LRUCache } from "lru-cache";
import type * as z from "zod";
import type { Context } from "../../context.ts";
import type { Identity } from "../../core/caller.ts";
import { buildNotFoundError } from "../../core/errors.ts";
import { readDriftRules, requireVisibleQuery } from "../queries/saved/visible-query.ts";
import { createCompletions } from "./dn-completions.ts";
import { viewAsBuffer } from "./rules/bytes.ts";
import { findDayAt, getRangeUntil, getYearRange, type HeatSpans, listHeatSpans } from "./rules/heat-spans.ts";
import type { ConnectionSpanCount, SpanCount } from "./sql/history.ts";
import {
	countSpans,
	countSpansByConnection,
	findHistoryRevision,
	listLatestOfConnection,
	listTimeline,
} from "./sql/history.ts";

/** Entries of each cache. */
const CACHED_SPANS = 64;
const CACHED_HEATMAPS = 150;
/** Upper bound of the cells of all cached heatmaps. One by connections has many times as many. */
const CACHED_CELLS = 200_000;
/** Snapshots that make up one unit of work when an object is followed. */
const SNAPSHOTS_PER_UNIT = 100;

const NO_SNAPSHOT = { count: 0, has_changes: false, changes: 0 };

/** The reads of histories, with their caches. */
interface HistoryState {
	readonly ctx: Context;
	readonly completions: ReturnType<typeof createCompletions>;
	readonly spans: LRUCache<string, HeatSpans>;
	/**
	 * Snapshots per cell by query, connection, range and time zone, valid for one revision of the
	 * query's snapshots.
	 */
	readonly heatmaps: LRUCache<string, { revision: string; counts: SpanCount[] }>;
}

async function readHeatmap(history: HistoryState, identity: Identity, input: z.output<typeof heatmapQuery>) {
	const { saved_query_id: queryId, timezone } = input;
	const revision = await findHistoryRevision(history.ctx.store.db, identity, queryId);
	if (revision === undefined) throw buildNotFoundError();
	const { step } = input;
	const today = findDayAt(history.ctx.clock.now(), timezone);
	const range =
		input.until === undefined && step === "day"
			? getYearRange(input.year ?? Number(today.slice(0, 4)))
			: getRangeUntil(input.until ?? today, step);
	const spansKey = `${range.first} ${range.last} ${step} ${timezone}`;
	const spans = history.spans.get(spansKey) ?? listHeatSpans(range, step, timezone);
	history.spans.set(spansKey, spans);
	const of = { savedQueryId: queryId, connectionId: input.controller_connection_id ?? null };
	const key = `${queryId} ${of.connectionId} ${input.by_connection} ${spansKey}`;
	const cached = history.heatmaps.get(key);
	const count = input.by_connection ? countSpansByConnection : countSpans;
	// Counts may be newer than the revision, but then no request has the older revision any more.
	const counts = cached?.revision === revision ? cached.counts : await count(history.ctx.store.db, of, spans.starts);
	history.heatmaps.set(key, { revision, counts });
	return {
		year: Number(range.last.slice(0, 4)),
		...range,
		data: { ...Object.fromEntries(spans.keys.map((each) => [each, NO_SNAPSHOT])), ...sumCells(spans, counts) },
		...(input.by_connection ? { connections: listConnections(spans, counts as ConnectionSpanCount[]) } : {}),
	};
}

/** The cells that have snapshots, by key: an hour that clocks repeat has two spans. */
function sumCells({ keys }: HeatSpans, counts: readonly SpanCount[]): Record<string, typeof NO_SNAPSHOT> {
	const cells: Record<string, typeof NO_SNAPSHOT> = {};
	for (const { span, count, has_changes, changes } of counts) {
		const key = keys[span] ?? "";
		const before = cells[key] ?? NO_SNAPSHOT;
		cells[key] = {
			count: before.count + count,
			has_changes: before.has_changes || has_changes,
			changes: before.changes + changes,
		};
	}
	return cells;
}

function listConnections(spans: HeatSpans, counts: readonly ConnectionSpanCount[]) {
	const byConnection = new Map<string | null, ConnectionSpanCount[]>();
	for (const count of counts) {
		const own = byConnection.get(count.connection_id);
		if (own === undefined) byConnection.set(count.connection_id, [count]);
		else own.push(count);
	}
	return [...byConnection].map(([id, own]) => ({
		controller_connection_id: id,
		controller_connection_name: own[0]?.connection_name ?? "",
		data: sumCells(spans, own),
	}));
}

/** The timeline as JSON text: values keep the spelling that they were captured with. */
async function* readTimeline(
	history: HistoryState,
	identity: Identity,
	input: TimelineQuery,
	signal: AbortSignal,
): AsyncGenerator<Buffer | string, void> {
	const rows = await listTimeline(history.ctx.store.db, identity, {
		savedQueryId: input.saved_query_id,
		connectionId: input.controller_connection_id ?? null,
		limit: input.limit,
		from: input.from_date === undefined ? null : new Date(input.from_date),
		to: input.to_date === undefined ? null : new Date(input.to_date),
	});
	if (rows.length === 0) await requireVisibleQuery(history.ctx.store.db, identity, input.saved_query_id);
	const snapshots = rows.map(({ id, executed_at }) => ({ id, executedAt: executed_at.toISOString() }));
	const size = Math.max(0, ...rows.map(({ result_size_bytes }) => result_size_bytes));
	const dns = input.dns ?? [input.dn ?? ""];
	const rules = input.rules === "query" ? await readDriftRules(history.ctx.store.db, input.saved_query_id) : null;
	const { texts, count } = await history.ctx.areas.history.threads.timelines(
		{ dns, snapshots, rules },
		{ size: size * dns.length, signal },
	);
	const head = JSON.stringify({ saved_query_id: input.saved_query_id, snapshot_count: count }).slice(0, -1);
	if (input.dns === undefined) {
		yield `${head},"dn":${JSON.stringify(dns[0])},`;
		yield viewAsBuffer(texts[0] as Uint8Array);
		yield "}";
		return;
	}
	for (const [at, text] of texts.entries()) {
		yield `${at === 0 ? `${head},"timelines":[` : ","}{"dn":${JSON.stringify(dns[at])},`;
		yield viewAsBuffer(text);
		yield "}";
	}
	yield "]}";
}

/** JSON text: values keep the spelling that they were captured with. */
async function* readBlame(
	history: HistoryState,
	identity: Identity,
	input: BlameQuery,
	signal: AbortSignal,
): AsyncGenerator<Buffer | string, void> {
	await requireVisibleQuery(history.ctx.store.db, identity, input.saved_query_id);
	// One more than is read shows whether there are older ones.
	const found = await listLatestOfConnection(history.ctx.store.db, {
		savedQueryId: input.saved_query_id,
		connectionId: input.controller_connection_id ?? null,
		limit: input.limit + 1,
	});
	const rows = found.slice(-input.limit);
	const snapshots = rows.map(({ id, executed_at }) => ({ id, executedAt: executed_at.toISOString() }));
	const size = Math.max(0, ...rows.map(({ result_size_bytes }) => result_size_bytes));
	const weight = size * Math.ceil(rows.length / SNAPSHOTS_PER_UNIT);
	const { text, count } = await history.ctx.areas.history.threads.blame(
		{ dn: input.dn, snapshots },
		{ size: weight, signal },
	);
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
	yield viewAsBuffer(text);
	yield "}";
}

async function listDns(history: HistoryState, identity: Identity, queryId: string, input: z.output<typeof dnsQuery>) {
	const revision = await findHistoryRevision(history.ctx.store.db, identity, queryId);
	if (revision === undefined) throw buildNotFoundError();
	const scope = { savedQueryId: queryId, connectionId: input.controller_connection_id ?? null };
	const dns = (await history.completions.read(scope, revision)).find(input.q, input.limit);
	return { dns, count: dns.length };
}

export function createHistoryReads(ctx: Context) {
	const history: HistoryState = {
		ctx,
		completions: createCompletions(ctx),
		spans: new LRUCache({ max: CACHED_SPANS }),
		heatmaps: new LRUCache({
			max: CACHED_HEATMAPS,
			maxSize: CACHED_CELLS,
			sizeCalculation: ({ counts }) => counts.length + 1,
		}),
	};

	return {
		heatmap: (identity: Identity, input: z.output<typeof heatmapQuery>) => readHeatmap(history, identity, input),

		timeline: (identity: Identity, input: TimelineQuery, signal: AbortSignal) =>
			readTimeline(history, identity, input, signal),

		blame: (identity: Identity, input: BlameQuery, signal: AbortSignal) => readBlame(history, identity, input, signal),

		dns: (identity: Identity, queryId: string, input: z.output<typeof dnsQuery>) =>
			listDns(history, identity, queryId, input),
	};
}
