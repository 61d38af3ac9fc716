/**
 * Periodic work: starts due tasks and due retries, checks lost runs, deletes old runs. Any number
 * of processes may do it at once.
 */
import type { Context } from "../../context.ts";
import { enqueueExecutions, openRuns, retryRun } from "./lifecycle.ts";
import { findNextRun } from "./rules/next-run.ts";
import { claimLostExecutions, hasDueTasks, listRunningTasks, lockDueRetries, purgeScheduledRuns } from "./sql/runs.ts";
import type { Move, TaskRow } from "./sql/tasks.ts";
import { lockDueTasks, lockTaskRow, moveTasks } from "./sql/tasks.ts";

/** Tasks that one transaction takes. */
const BATCH = 100;
const PURGED_AT_ONCE = 500;
/** An execution that has waited to be started for this long has lost its queue task. */
const LOST_MS = 10 * 60_000;

/**
 * Instants that were missed collapse into the one that is run now: the next is after the present.
 */
function planFollowingRun(ctx: Context, task: TaskRow, now: number): Pick<Move, "next_run_at" | "status"> {
	if (task.frequency === "once") return { next_run_at: null, status: "disabled" };
	try {
		const next = findNextRun(task, now);
		return { next_run_at: next === null ? null : new Date(next), status: "active" };
	} catch (error) {
		ctx.log.error({ err: error, task: task.id }, "a scheduled task has no next run any more and was disabled");
		return { next_run_at: null, status: "disabled" };
	}
}

async function runTasks(ctx: Context): Promise<number> {
	return ctx.store.transaction(async (tx) => {
		const at = new Date(ctx.clock.now());
		const due = await lockDueTasks(tx, at, BATCH);
		if (due.length === 0) return 0;
		const skipped = await listRunningTasks(
			tx,
			due.filter(({ frequency }) => frequency === "minutes").map(({ id }) => id),
		);
		const opened = await openRuns(
			ctx,
			tx,
			due.filter(({ id }) => !skipped.has(id)).map((task) => ({ task, dueAt: task.next_run_at })),
		);
		const moves = due.map((task) => {
			const executions = opened.get(task.id)?.length ?? 0;
			return {
				id: task.id,
				...planFollowingRun(ctx, task, at.getTime()),
				run: executions === 0 ? null : { at, executions },
				isSkipped: skipped.has(task.id),
			};
		});
		await moveTasks(tx, moves);
		return due.length;
	});
}

async function runRetries(ctx: Context): Promise<number> {
	return ctx.store.transaction(async (tx) => {
		const due = await lockDueRetries(tx, new Date(ctx.clock.now()), BATCH);
		for (const run of due) {
			const task = await lockTaskRow(tx, run.task_id);
			if (task !== undefined) await retryRun(ctx, tx, task, run);
		}
		return due.length;
	});
}

/** Everything that is due now. Costs one small read when nothing is. */
export async function startDueTasks(ctx: Context, signal: AbortSignal): Promise<void> {
	if (!(await hasDueTasks(ctx.store.db, new Date(ctx.clock.now())))) return;
	for (const work of [() => runTasks(ctx), () => runRetries(ctx)]) {
		while (!signal.aborted && (await work()) === BATCH);
	}
}

/** Enqueues executions again that wait to be started and whose queue task was lost. */
export async function enqueueLostExecutions(ctx: Context): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const now = ctx.clock.now();
		await enqueueExecutions(ctx, tx, await claimLostExecutions(tx, new Date(now - LOST_MS), new Date(now), BATCH));
	});
}

export async function purgeExecutions(ctx: Context, signal: AbortSignal): Promise<void> {
	const now = new Date(ctx.clock.now());
	while (!signal.aborted && (await purgeScheduledRuns(ctx.store.db, now, PURGED_AT_ONCE)) === PURGED_AT_ONCE);
}
