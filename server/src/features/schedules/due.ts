/**
 * Periodic work: starts due tasks and due retries, checks lost runs, deletes old runs. Any number
 * of processes may do it at once.
 */

import type { ScheduleDependencies } from "./dependencies.ts";
import { nextRun } from "./domain/next-run.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { Move, TaskRow } from "./repo.ts";
import { lockDueTasks, lockTaskRow, moveTasks } from "./repo.ts";
import { claimLostExecutions, hasDueTasks, lockDueRetries, purgeScheduledRuns } from "./repo-runs.ts";

/** Tasks that one transaction takes. */
const BATCH = 100;
const PURGED_AT_ONCE = 500;
/** An execution that has waited to be started for this long has lost its queue task. */
const LOST_MS = 10 * 60_000;

export type DueDeps = Pick<ScheduleDependencies, "store" | "clock" | "log"> & {
	readonly lifecycle: Lifecycle;
};

export function createDue({ store, clock, log, lifecycle }: DueDeps) {
	/**
	 * Instants that were missed collapse into the one that is run now: the next is after the present.
	 */
	function planFollowingRun(task: TaskRow, now: number): Pick<Move, "next_run_at" | "status"> {
		if (task.frequency === "once") return { next_run_at: null, status: "disabled" };
		try {
			const next = nextRun(task, now);
			return { next_run_at: next === null ? null : new Date(next), status: "active" };
		} catch (error) {
			log.error({ err: error, task: task.id }, "a scheduled task has no next run any more and was disabled");
			return { next_run_at: null, status: "disabled" };
		}
	}

	async function runTasks(): Promise<number> {
		return store.transaction(async (tx) => {
			const at = new Date(clock.now());
			const due = await lockDueTasks(tx, at, BATCH);
			if (due.length === 0) return 0;
			const opened = await lifecycle.open(
				tx,
				due.map((task) => ({ task, dueAt: task.next_run_at })),
			);
			const moves = due.map((task) => {
				const executions = opened.get(task.id)?.length ?? 0;
				return {
					id: task.id,
					...planFollowingRun(task, at.getTime()),
					run: executions === 0 ? null : { at, executions },
				};
			});
			await moveTasks(tx, moves);
			return due.length;
		});
	}

	async function runRetries(): Promise<number> {
		return store.transaction(async (tx) => {
			const due = await lockDueRetries(tx, new Date(clock.now()), BATCH);
			for (const run of due) {
				const task = await lockTaskRow(tx, run.task_id);
				if (task !== undefined) await lifecycle.retry(tx, task, run);
			}
			return due.length;
		});
	}

	return {
		/** Everything that is due now. Costs one small read when nothing is. */
		async tick(signal: AbortSignal): Promise<void> {
			if (!(await hasDueTasks(store.db, new Date(clock.now())))) return;
			for (const work of [runTasks, runRetries]) {
				while (!signal.aborted && (await work()) === BATCH);
			}
		},

		/** Enqueues executions again that wait to be started and whose queue task was lost. */
		async enqueueLost(): Promise<void> {
			await store.transaction(async (tx) => {
				const now = clock.now();
				await lifecycle.enqueue(tx, await claimLostExecutions(tx, new Date(now - LOST_MS), new Date(now), BATCH));
			});
		},

		async purge(signal: AbortSignal): Promise<void> {
			const now = new Date(clock.now());
			while (!signal.aborted && (await purgeScheduledRuns(store.db, now, PURGED_AT_ONCE)) === PURGED_AT_ONCE);
		},
	};
}
export type Due = ReturnType<typeof createDue>;
