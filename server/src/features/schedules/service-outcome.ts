/**
 * The outcome of an execution: ends it when its run has ended, and tells the query's owner of a
 * change.
 */
import type { Events } from "../../platform/events.ts";
import type { Tx } from "../../ports/store.ts";
import type { EndedRun, RunOrigin, SnapshotOutcome } from "../query-runs/index.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { TaskRepo } from "./repo.ts";
import type { RunRepo } from "./repo-runs.ts";

/** The name under which runs of scheduled tasks are recorded; their key is the execution's id. */
export const SCHEDULE = "schedule";

export interface OutcomeDeps {
	readonly events: Pick<Events, "emit">;
	readonly tasks: TaskRepo;
	readonly runs: RunRepo;
	readonly lifecycle: Lifecycle;
}

export function createOutcome({ events, tasks, runs, lifecycle }: OutcomeDeps): RunOrigin {
	async function notifyOfChange(tx: Tx, run: EndedRun, taskName: string, snapshotId: string): Promise<void> {
		const { currentQuery: query, connection } = run;
		if (query === null) return;
		await events.emit(tx, {
			type: "notification_due",
			userId: query.ownerId,
			category: "time_machine",
			severity: "warning",
			title: `"${query.name}" has changed on ${connection.name}`,
			body: `The scheduled task "${taskName}" found objects that differ from the snapshot before.`,
			link: `/api/time-machine/snapshots/${snapshotId}/`,
			key: `drift:${snapshotId}`,
		});
	}

	return {
		name: SCHEDULE,
		executionType: "scheduled",
		async ended(tx, run, snapshot) {
			const execution = run.originId === null ? undefined : await runs.execution(tx.db, run.originId);
			const task = execution && (await tasks.lock(tx, execution.task_id));
			if (task === undefined || execution === undefined) return null;
			const isOpen = await lifecycle.end(tx, task, execution, {
				...statusOf(run, snapshot),
				result_count: run.totalRows,
				snapshot_id: snapshot === null || snapshot.kind === "none" ? null : snapshot.id,
				started_at: run.startedAt ?? execution.started_at ?? execution.created_at,
				completed_at: run.completedAt,
			});
			if (!isOpen) return null;
			const name = run.currentQuery?.name ?? task.query_name;
			if (name !== task.query_name) await tasks.update(tx, task.id, { query_name: name });
			if (snapshot?.kind === "stored" && snapshot.hasChanges) await notifyOfChange(tx, run, task.name, snapshot.id);
			return {
				description: `The scheduled task "${task.name}" ran ${run.query.name} against ${run.connection.name}`,
				metadata: { scheduled_task: task.id, scheduled_execution: execution.id },
			};
		},
	};
}

function statusOf({ status, errorMessage }: EndedRun, snapshot: SnapshotOutcome) {
	if (status === "completed") {
		const isMissing = snapshot?.kind === "none";
		return {
			status: "success" as const,
			error_type: isMissing ? "snapshot" : null,
			error_message: isMissing ? `No snapshot was kept. ${snapshot.reason}` : null,
		};
	}
	return status === "cancelled"
		? { status: "cancelled" as const, error_type: null, error_message: errorMessage }
		: { status: "failed" as const, error_type: "run", error_message: errorMessage };
}
