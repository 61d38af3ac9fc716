/**
 * Carries a cancel out on the server. A wanted cancel is kept until the job is over: each poll of
 * the job sends it again until the server has taken it.
 */
import { LRUCache } from "lru-cache";
import { type AutomationDriver, AutomationError, type AutomationTarget } from "../../../ports/automation-server.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Store } from "../../../ports/store.ts";
import type { ExecutionDependencies } from "./dependencies.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { ExecutionRow } from "./repo.ts";
import { findExecutionRow } from "./repo.ts";
import { advancePolls, makeExecutionsDue } from "./repo-polls.ts";

export interface CancellingDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly automation: Pick<AutomationDriver, "cancel">;
	readonly connection: ExecutionDependencies["connection"];
	readonly lifecycle: Pick<Lifecycle, "update">;
}

/** Least time between two attempts of one process with the same credentials, in milliseconds. */
const AGAIN_MS = 5_000;
const REMEMBERED = 10_000;

export function createCancelling(deps: CancellingDeps) {
	const { store, clock, automation, connection, lifecycle } = deps;
	const sentAt = new LRUCache<string, number>({ max: REMEMBERED });

	/** Returns why the server did not take it; null: it did, or the job is over. */
	async function sendCancellation(target: AutomationTarget, row: ExecutionRow): Promise<string | null> {
		sentAt.set(`${row.id} ${target.revision}`, clock.now());
		try {
			await automation.cancel(target, row.job_type === "workflow_job" ? "workflow_job" : "job", row.job_id ?? 0);
			return null;
		} catch (error) {
			if (error instanceof AutomationError) return error.message;
			throw error;
		}
	}

	return {
		/** The first attempt, by the queue. */
		async handle(data: unknown): Promise<void> {
			const { executionId } = data as { executionId: string };
			const row = await findExecutionRow(store.db, executionId);
			if (row === undefined || row.finished_at !== null || row.cancel_requested_at === null || row.job_id === null)
				return;
			const found = await connection(row.connection_id);
			const problem = "target" in found ? await sendCancellation(found.target, row) : found.message;
			await store.transaction(async (tx) => {
				await lifecycle.update(tx, row, { cancel_error: problem });
				await makeExecutionsDue(tx.db, [executionId], new Date(clock.now()), new Date(clock.now()));
				await advancePolls(tx.db, [row.connection_id], new Date(clock.now()));
			});
		},

		/**
		 * Sends a wanted cancel again that the server has not taken. Returns the changes of the row.
		 * @param taken whether the server shows that the job is to be cancelled
		 */
		async again(
			target: AutomationTarget,
			row: ExecutionRow,
			taken: boolean,
		): Promise<{ cancel_error?: string | null }> {
			if (row.cancel_requested_at === null) return {};
			if (taken) return { cancel_error: null };
			const last = sentAt.get(`${row.id} ${target.revision}`);
			if (last !== undefined && clock.now() - last < AGAIN_MS) return {};
			return { cancel_error: await sendCancellation(target, row) };
		},
	};
}
export type Cancelling = ReturnType<typeof createCancelling>;
