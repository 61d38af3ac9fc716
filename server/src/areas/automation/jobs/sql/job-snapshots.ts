/** SQL of the snapshots around an execution. */
import { type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { AutomationWatchesTable } from "../../tables.ts";
import { listOpenStates, listSources } from "../rules/states.ts";

export type SnapshotRow = Selectable<AutomationWatchesTable>;
export type Phase = SnapshotRow["phase"];

export async function insertJobSnapshot(
	tx: Tx,
	executionId: string,
	of: { queryId: string; controllerId: string },
): Promise<void> {
	const rows = (["before", "after"] as const).map((phase) => ({
		execution_id: executionId,
		phase,
		query_id: of.queryId,
		controller_id: of.controllerId,
	}));
	await tx.db.insertInto("automation_watches").values(rows).execute();
}

export async function findJobSnapshot(db: Db, executionId: string, phase: Phase): Promise<SnapshotRow | undefined> {
	return db
		.selectFrom("automation_watches")
		.selectAll()
		.where("execution_id", "=", executionId)
		.where("phase", "=", phase)
		.executeTakeFirst();
}

export async function findJobSnapshotByRun(db: Db, runId: string): Promise<SnapshotRow | undefined> {
	return db.selectFrom("automation_watches").selectAll().where("run_id", "=", runId).executeTakeFirst();
}

/** False when another process has started a run for it, or it is over. */
export async function markSnapshotRunning(
	tx: Tx,
	{ execution_id, phase }: SnapshotRow,
	runId: string,
): Promise<boolean> {
	const { numUpdatedRows } = await tx.db
		.updateTable("automation_watches")
		.set({ run_id: runId })
		.where("execution_id", "=", execution_id)
		.where("phase", "=", phase)
		.where("status", "in", listOpenStates("snapshot"))
		.where("run_id", "is", null)
		.executeTakeFirst();
	return numUpdatedRows > 0n;
}

/** False when it is over already. */
export async function finishJobSnapshot(
	tx: Tx,
	executionId: string,
	phase: Phase,
	end: { readonly snapshotId: string } | { readonly problem: string },
): Promise<boolean> {
	const [cause, status, values] =
		"problem" in end
			? (["fail", "failed", { problem: end.problem }] as const)
			: (["capture", "captured", { snapshot_id: end.snapshotId }] as const);
	const { numUpdatedRows } = await tx.db
		.updateTable("automation_watches")
		.set({ ...values, status })
		.where("execution_id", "=", executionId)
		.where("phase", "=", phase)
		.where("status", "in", listSources("snapshot", cause, status))
		.executeTakeFirst();
	return numUpdatedRows > 0n;
}

/** Counts one more failed try; returns their number. */
export async function countSnapshotFailure(db: Db, { execution_id, phase }: SnapshotRow): Promise<number> {
	const { rows } = await sql<{ tries: number }>`update automation_watches set tries = tries + 1
		where execution_id = ${execution_id} and phase = ${phase} returning tries`.execute(db);
	return rows[0]?.tries ?? 0;
}
