/** Carries a cancel out on the server. */
import { type AutomationDriver, AutomationError } from "../../ports/automation-server.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Jobs } from "../../ports/jobs.ts";
import type { Store } from "../../ports/store.ts";
import { CANCEL_QUEUE, type ExecutionNeeds } from "./needs.ts";
import type { ExecutionRepo } from "./repo.ts";
import type { PollRepo } from "./repo-polls.ts";

export interface CancellingDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly jobs: Pick<Jobs, "enqueue">;
	readonly automation: AutomationDriver;
	readonly connection: ExecutionNeeds["connection"];
	readonly executions: ExecutionRepo;
	readonly polls: PollRepo;
}

const AGAIN_MS = 5_000;
/** So long a server that does not answer is asked. */
const PATIENCE_MS = 3_600_000;

export function createCancelling({ store, clock, jobs, automation, connection, executions, polls }: CancellingDeps) {
	return async function cancel(data: unknown): Promise<void> {
		const { executionId } = data as { executionId: string };
		const row = await executions.row(store.db, executionId);
		if (row === undefined || row.finished_at !== null || row.cancel_requested_at === null || row.job_id === null)
			return;
		const asked = row.cancel_requested_at.getTime();
		const found = await connection(row.connection_id);
		const type = row.job_type === "workflow_job" ? "workflow_job" : "job";
		let problem: string | null = null;
		if ("target" in found) {
			try {
				// A job that is over is simply read once more.
				await automation.cancel(found.target, type, row.job_id);
			} catch (error) {
				if (!(error instanceof AutomationError)) throw error;
				problem = error.message;
				if (error.retryable && clock.now() - asked < PATIENCE_MS) {
					const runAfter = new Date(clock.now() + AGAIN_MS);
					await store.transaction((tx) => jobs.enqueue(tx, CANCEL_QUEUE, { executionId }, { runAfter }));
				}
			}
		} else problem = found.message;
		await store.transaction(async (tx) => {
			await executions.update(tx, executionId, { cancel_error: problem });
			await polls.hurry(tx.db, [executionId], new Date(clock.now()), new Date(clock.now()));
			await polls.wake(tx.db, [row.connection_id], new Date(clock.now()));
		});
	};
}
