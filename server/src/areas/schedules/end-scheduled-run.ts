/**
 * The outcome of an execution: ends it when its run has ended, and tells the query's owner of
 * drift.
 */
import type { Context } from "../../context.ts";
import { NOTICE_SEVERITY } from "../../core/notice-severity.ts";
import type { Tx } from "../../core/ports/store.ts";
import type { SnapshotOutcome } from "../history/index.ts";
import type { EndedRun, EndNote } from "../runs/background/index.ts";
import { holdDriftAlert } from "./hold-alerts.ts";
import { endExecution } from "./lifecycle.ts";
import { formatDrift } from "./rules/drift-text.ts";
import { findTaskExecution } from "./sql/runs.ts";
import { lockTaskRow, updateTaskRow } from "./sql/tasks.ts";

/** The name under which runs of scheduled tasks are recorded; their key is the execution's id. */
export const SCHEDULE = "schedule";

type StoredSnapshot = Extract<SnapshotOutcome, { kind: "stored" }>;

async function notifyOfDrift(
	ctx: Context,
	tx: Tx,
	run: EndedRun,
	taskName: string,
	snapshot: StoredSnapshot,
): Promise<void> {
	const { currentQuery: query, connection } = run;
	if (query === null || snapshot.drift === null) return;
	const { severity } = snapshot.drift.drift;
	if (severity === null) return;
	const alert = {
		severity: NOTICE_SEVERITY[severity],
		title: `"${query.name}" has changed on ${connection.name}`,
	};
	const of = { ownerId: query.ownerId, queryId: query.id, connectionId: connection.id };
	if (await holdDriftAlert(ctx, tx, of, alert)) return;
	await ctx.events.emit(tx, {
		type: "notification_due",
		userId: query.ownerId,
		category: "time_machine",
		...alert,
		body: `The scheduled task "${taskName}" found ${formatDrift(snapshot.drift)}`,
		link: `/time-machine/compare?from=${snapshot.drift.against}&to=${snapshot.id}&rules=query`,
		facts: {
			event: "drift_found",
			objects: [
				{
					kind: "saved_query",
					id: query.id,
					name: query.name,
					connection: connection.name,
					before: snapshot.drift.against,
					after: snapshot.id,
				},
			],
		},
		key: `drift:${snapshot.id}`,
	});
}

/**
 * Ends the execution whose run has ended, in the transaction that records the end.
 * @returns the audit entry; null if the execution has ended already
 */
export async function endScheduledRun(
	ctx: Context,
	tx: Tx,
	run: EndedRun,
	snapshot: SnapshotOutcome,
): Promise<EndNote | null> {
	const execution = run.originId === null ? undefined : await findTaskExecution(tx.db, run.originId);
	const task = execution && (await lockTaskRow(tx, execution.task_id));
	if (task === undefined || execution === undefined) return null;
	const isOpen = await endExecution(ctx, tx, task, execution, {
		...getStatus(run, snapshot),
		result_count: run.totalRows,
		snapshot_id: snapshot === null || snapshot.kind === "none" ? null : snapshot.id,
		started_at: run.startedAt ?? execution.started_at ?? execution.created_at,
		completed_at: run.completedAt,
	});
	if (!isOpen) return null;
	const name = run.currentQuery?.name ?? task.query_name;
	if (name !== task.query_name) await updateTaskRow(tx, task.id, { query_name: name });
	if (snapshot?.kind === "stored") await notifyOfDrift(ctx, tx, run, task.name, snapshot);
	return {
		description: `The scheduled task "${task.name}" ran ${run.query.name} against ${run.connection.name}`,
		metadata: { scheduled_task: task.id, scheduled_execution: execution.id },
	};
}

function getStatus({ status, errorMessage }: EndedRun, snapshot: SnapshotOutcome) {
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
