/**
 * Takes the events of one job into the store: text, results of rows and counts, over the contiguous
 * prefix, each event once.
 */
import type { Context } from "../../../../context.ts";
import type { AutomationTarget } from "../../../../integrations/awx/port.ts";
import type { PreparedContent } from "../launch/content-cache.ts";
import { joinOutput, selectContiguousEvents, splitOutputText } from "../rules/output.ts";
import { countEvents } from "../rules/progress.ts";
import { type ItemResults, readItemResults } from "../rules/rows.ts";
import { endColumnLoops, storeColumnResults } from "../sql/column-results.ts";
import type { ExecutionRow } from "../sql/executions.ts";
import {
	advanceStream,
	findStream,
	mergeRowResults,
	type Piece,
	type StreamRow,
	writeStreamPieces,
} from "../sql/streams.ts";
import { getExecutionTopic } from "../topics.ts";

/** Events that one request asks for. */
const PAGE = 1_000;
/** Page size of servers that do not know the parameter of the limit. `PAGE` is a multiple of it. */
const SERVER_PAGE = 200;
/** Upper bound of the wait for a missing event while the job runs, in milliseconds. */
const GAP_MS = 60_000;

export interface Ingested {
	readonly stream: StreamRow;
	/** More events may be there already. */
	readonly more: boolean;
	/** Later events are there, and one before them is not. */
	readonly gap: boolean;
	/** The task that began last; null where none did. */
	readonly task: string | null;
}

/** @param complete the server has stored every event that it will ever store */
export async function ingestEvents(
	ctx: Context,
	target: AutomationTarget,
	execution: Pick<ExecutionRow, "id">,
	stream: StreamRow,
	prepared: PreparedContent,
	complete: boolean,
): Promise<Ingested> {
	const page = await ctx.automation.events(target, stream.job_id, stream.last_counter, PAGE);
	const now = ctx.clock.now();
	const isGapExpired = stream.gap_since !== null && now - stream.gap_since.getTime() >= GAP_MS;
	const skipped = complete ? "all" : isGapExpired ? "first" : "none";
	const prefix = selectContiguousEvents(stream.last_counter, page, skipped);
	// Large events and servers with small pages shorten a page: at the end only an empty one is last.
	const mayHaveMore = page.length > 0 && (complete || page.length % SERVER_PAGE === 0);
	const nothing = { stream, more: false, gap: prefix.gap, task: null };
	if (prefix.events.length === 0) {
		if (prefix.gap && stream.gap_since === null) await markGap(ctx, stream, new Date(now));
		return nothing;
	}
	const text = joinOutput(prefix.events, prepared.mask, prefix.lostBefore);
	const openLoops = stream.open_loops as ItemResults["openLoops"];
	const results = readItemResults(prefix.events, prepared.matcher, openLoops, prepared.mask);
	const counted = countEvents(
		{ tasks: stream.tasks_seen, ok: stream.ok_count, changed: stream.changed_count, failed: stream.failed_count },
		prefix.events,
	);
	const next = {
		last_counter: prefix.last,
		length: stream.length + text.length,
		lost: stream.lost + prefix.lost,
		// Events were read, so that the gap before is closed: this one is new.
		gap_since: prefix.gap ? new Date(now) : null,
		tasks_seen: counted.tasks,
		ok_count: counted.ok,
		changed_count: counted.changed,
		failed_count: counted.failed,
		hidden_items: stream.hidden_items + prefix.events.filter(({ item }) => item?.hidden).length,
	};
	const isAdvanced = await ctx.store.transaction(async (tx) => {
		const open_loops = JSON.stringify(results.openLoops);
		if (!(await advanceStream(tx, stream, { ...next, open_loops }))) return false;
		await writeStreamPieces(tx, stream, splitPieces(stream.length, text));
		await mergeRowResults(tx, execution.id, results.rows);
		await storeColumnResults(tx, stream, results.columns);
		await endColumnLoops(tx, stream, results.endedLoops);
		tx.afterCommit(() => ctx.pubsub.publish(getExecutionTopic(execution.id), ""));
		return true;
	});
	if (!isAdvanced) {
		// Another process advanced the stream first. Its counts are valid; the end is not decided
		// from stale data.
		const current = await findStream(ctx.store.db, execution.id, stream.job_id);
		return { ...nothing, stream: current ?? stream, more: true };
	}
	return {
		stream: { ...stream, ...next, open_loops: results.openLoops },
		more: mayHaveMore && !prefix.gap,
		gap: prefix.gap,
		task: counted.task,
	};
}

async function markGap(ctx: Context, stream: StreamRow, since: Date): Promise<void> {
	await ctx.store.transaction((tx) => advanceStream(tx, stream, { gap_since: since }));
}

export function splitPieces(start: number, text: string): Piece[] {
	let at = start;
	return splitOutputText(text).map((piece) => {
		const made = { start: at, length: piece.length, text: piece };
		at += piece.length;
		return made;
	});
}
