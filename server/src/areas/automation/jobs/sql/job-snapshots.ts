/** SQL of the snapshots around an execution. */
import type { Selectable } from "kysely";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { AutomationWatchesTable } from "../../tables.ts";
import { listOpenStates, listSources } from "../rules/states.ts";

export type SnapshotRow = Selectable<AutomationWatchesTable>;
export type Phase = SnapshotRow["phase"];
export type SnapshotEnd = { readonly snapshotId: string } | { readonly problem: string };

/** The query whose rows are captured around a job, and the connection that is asked. */
export interface SnapshotTarget {
	readonly queryId: string;
	readonly controllerId: string;
}

export async function insertJobSnapshots(tx: Tx, executionId: string, of: SnapshotTarget): Promise<void> {
	const rows = (["before", "after"] as const).map((phase) => ({
		execution_id: executionId,
		phase,
		query_id: of.queryId,
		controller_id: of.controllerId,
	}));
	await tx.db.insertInto("automation_watches").values(rows).execute();
}

/** The snapshots of a phase that the jobs of a change window wait for. */
export async function listOpenSnapshots(db: Db, windowId: string, phase: Phase): Promise<SnapshotRow[]> {
	return db
		.selectFrom("automation_watches as w")
		.innerJoin("automation_executions as e", "e.id", "w.execution_id")
		.selectAll("w")
		.where("e.change_window_id", "=", windowId)
		.where("w.phase", "=", phase)
		.where("w.status", "in", listOpenStates("snapshot"))
		.orderBy("w.execution_id")
		.execute();
}

/** Changes nothing if it is over already. */
export async function finishJobSnapshot(
	tx: Tx,
	of: Pick<SnapshotRow, "execution_id" | "phase">,
	end: SnapshotEnd,
): Promise<void> {
	const [cause, status, values] =
		"problem" in end
			? (["fail", "failed", { problem: end.problem }] as const)
			: (["capture", "captured", { snapshot_id: end.snapshotId }] as const);
	await tx.db
		.updateTable("automation_watches")
		.set({ ...values, status })
		.where("execution_id", "=", of.execution_id)
		.where("phase", "=", of.phase)
		.where("status", "in", listSources("snapshot", cause, status))
		.execute();
}
