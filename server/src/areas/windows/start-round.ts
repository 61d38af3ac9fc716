/** Begins a round of a change window: one run for each query and connection. */
import { type Context, getNow } from "../../context.ts";
import { AppError } from "../../core/errors.ts";
import type { Db, Tx } from "../../core/ports/store.ts";
import { findIdentity } from "../accounts/sign-in/create-sessions.ts";
import { NotRunnable } from "../runs/background/index.ts";
import { prepareQueryRun, type RunnableQuery, startQueryRuns } from "../runs/background/start-background-runs.ts";
import { listPlanChecks } from "./read-items.ts";
import { isRecorded, isSettled } from "./rules/settle.ts";
import { computeNextAt } from "./rules/transitions.ts";
import { insertCaptures, insertRound, listLatestResults } from "./sql/rounds.ts";
import {
	findWindowRow,
	insertEvents,
	listAllConnections,
	lockWindowRow,
	updateWindowRow,
	type WindowRow,
} from "./sql/windows.ts";
import { getWindowTopic, ROUND_QUEUE } from "./topic.ts";
import { listPresentRules } from "./window-rules.ts";

/** Origin of the runs of a window; its id is their origin id. */
export const CHANGE_WINDOW = "change_window";

interface Wanted {
	readonly queryId: string;
	readonly connectionId: string;
}

/** The query of each item; null if its check was deleted. */
export async function listItemQueries(db: Db, { plan }: Pick<WindowRow, "plan">): Promise<(string | null)[]> {
	const checks = await listPlanChecks(db, { plan });
	return plan.items.map((item) => ("query" in item ? item.query : (checks.get(item.check)?.saved_query_id ?? null)));
}

/** Lists the queries to run per connection: all in a common round, else those not settled. */
async function listWanted(ctx: Context, window: WindowRow, isCommon: boolean): Promise<Wanted[]> {
	const queries = await listItemQueries(ctx.store.db, window);
	const connections = await listAllConnections(ctx.store.db, window.id);
	const results = await listLatestResults(ctx.store.db, window.id, { from: window.phase_round, to: window.round });
	const stable = new Map(results.map((row) => [`${row.item} ${row.connection_id}`, row.stable_rounds]));
	const wanted = new Map<string, Wanted>();
	for (const { connection_id: connectionId } of connections) {
		for (const [item, queryId] of queries.entries()) {
			if (queryId === null) continue;
			const rounds = stable.get(`${item} ${connectionId}`) ?? 0;
			if (!isCommon && isSettled(rounds, isRecorded(window.plan.items, item) && rounds > 0, window.plan.settle))
				continue;
			wanted.set(`${queryId} ${connectionId}`, { queryId, connectionId });
		}
	}
	return [...wanted.values()];
}

type Prepared = Wanted & ({ readonly run: Awaited<ReturnType<typeof prepareQueryRun>> } | { readonly error: string });

async function prepareRuns(ctx: Context, window: WindowRow, wanted: readonly Wanted[]): Promise<Prepared[]> {
	const identity = window.owner_id === null ? null : await findIdentity(ctx, window.owner_id);
	const prepared: Prepared[] = [];
	for (const one of wanted) {
		if (identity === null) {
			prepared.push({ ...one, error: `The user ${window.owner_name} is no longer active.` });
			continue;
		}
		try {
			const run = await prepareQueryRun(ctx, identity, one.queryId, one.connectionId);
			if (run.query.enableTimeMachine || one.queryId === window.plan.snapshot_query) prepared.push({ ...one, run });
			else prepared.push({ ...one, error: `Snapshots are switched off for the query "${run.query.name}".` });
		} catch (error) {
			if (!(error instanceof NotRunnable)) throw error;
			prepared.push({ ...one, error: error.message });
		}
	}
	return prepared;
}

async function startRuns(ctx: Context, tx: Tx, window: WindowRow, runs: readonly RunnableQuery[]): Promise<string[]> {
	return startQueryRuns(
		ctx,
		tx,
		runs.map((run) => ({
			...run,
			origin: CHANGE_WINDOW,
			originId: window.id,
			keepsSnapshot: true,
			isTrusted: true,
		})),
	);
}

/**
 * Begins the round that is due. If a quota does not allow the runs, the round has captures with
 * that error. Safe to call any number of times, and concurrently.
 */
export async function startDueRound(ctx: Context, windowId: string): Promise<void> {
	const seen = await findWindowRow(ctx.store.db, windowId);
	if (seen === undefined || !isRoundDue(ctx, seen)) return;
	// All rounds before the work have all items, and after it the first round and the judged ones.
	const mustBeCommon = seen.state === "checking_before" || seen.round < seen.phase_round || seen.common_next;
	const all = await listWanted(ctx, seen, true);
	const open = mustBeCommon ? all : await listWanted(ctx, seen, false);
	// If all have settled, a round before has failed, and this one is judged again.
	const wanted = open.length === 0 ? all : open;
	const isCommon = wanted.length === all.length;
	const prepared = await prepareRuns(ctx, seen, wanted);
	const model = (await ctx.classModel())?.version ?? null;
	const isFirst = seen.state === "checking_before" && seen.round < seen.phase_round;
	const rules = isFirst
		? await listPresentRules(
				ctx.store.db,
				wanted.map(({ queryId }) => queryId),
			)
		: null;
	const how = { isCommon, model, rules };
	try {
		await ctx.store.transaction((tx) => writeRound(ctx, tx, seen, prepared, { ...how, refusal: null }));
	} catch (error) {
		if (!(error instanceof AppError) || error.status >= 500) throw error;
		const refusal = error.message;
		await ctx.store.transaction((tx) => writeRound(ctx, tx, seen, prepared, { ...how, refusal }));
	}
}

const isRoundDue = (ctx: Context, { state, round_at }: WindowRow): boolean =>
	(state === "checking_before" || state === "settling") && round_at !== null && round_at.getTime() <= ctx.clock.now();

async function writeRound(
	ctx: Context,
	tx: Tx,
	seen: WindowRow,
	prepared: readonly Prepared[],
	how: {
		readonly isCommon: boolean;
		readonly model: string | null;
		/** The rules that hold from now on; null: those of the window. */
		readonly rules: Awaited<ReturnType<typeof listPresentRules>> | null;
		readonly refusal: string | null;
	},
): Promise<void> {
	const window = await lockWindowRow(tx, seen.id);
	if (window === undefined || window.round !== seen.round || !isRoundDue(ctx, window)) return;
	const now = getNow(ctx);
	const round = window.round + 1;
	const phase = window.state === "checking_before" ? "before" : "after";
	const runnable = how.refusal === null ? prepared.filter((one) => "run" in one) : [];
	const ids = await startRuns(
		ctx,
		tx,
		window,
		runnable.map(({ run }) => run),
	);
	const runs = new Map(runnable.map((one, at) => [`${one.queryId} ${one.connectionId}`, ids[at] ?? null]));
	await insertRound(tx, {
		window_id: window.id,
		round,
		phase,
		started_at: now,
		ended_at: runs.size === 0 ? now : null,
		is_common: how.isCommon,
		model: how.model,
	});
	await insertCaptures(
		tx,
		prepared.map((one) => {
			const runId = runs.get(`${one.queryId} ${one.connectionId}`) ?? null;
			const problem = "run" in one ? (how.refusal ?? "The run could not be started.") : one.error;
			return {
				window_id: window.id,
				round,
				saved_query_id: one.queryId,
				connection_id: one.connectionId,
				run_id: runId,
				query_version: "run" in one ? one.run.query.version : null,
				version_hash: "run" in one ? one.run.query.versionHash : null,
				snapshot_id: null,
				captured_at: null,
				is_complete: runId === null ? false : null,
				error: runId === null ? problem : null,
			};
		}),
	);
	// `updated_at` stays: a round does not change the window's version.
	await updateWindowRow(tx, window.id, {
		round,
		round_at: null,
		common_next: false,
		...(how.rules === null ? {} : { drift_rules: JSON.stringify(how.rules) }),
		next_at: computeNextAt({ ...window, round_at: null }),
	});
	await insertEvents(tx, [
		{
			id: ctx.ids.uuid(),
			window_id: window.id,
			at: now,
			user_name: null,
			event: "round",
			from_state: window.state,
			to_state: window.state,
			detail: `Round ${round} ${phase} the work, ${prepared.length} ${prepared.length === 1 ? "capture" : "captures"}`,
		},
	]);
	if (runs.size === 0) await ctx.jobs.enqueue(tx, ROUND_QUEUE, { windowId: window.id, round });
	tx.afterCommit(() => ctx.pubsub.publish(getWindowTopic(window.id), ""));
}
