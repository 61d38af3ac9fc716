/** SQL of the snapshots of a report. */
import type { Db } from "../../../core/ports/store.ts";

/** Capture time and SHA-256 of the rows of each snapshot of a window, by its id. */
export async function listReportSnapshots(
	db: Db,
	windowId: string,
	connections: readonly string[],
): Promise<ReadonlyMap<string, { readonly captured_at: string; readonly sha256: string }>> {
	if (connections.length === 0) return new Map();
	const rows = await db
		.selectFrom("change_window_captures as c")
		.innerJoin("snapshots as s", "s.id", "c.snapshot_id")
		.select(["s.id", "s.executed_at", "s.result_hash"])
		.distinct()
		.where("c.window_id", "=", windowId)
		.where("c.connection_id", "in", [...connections])
		.execute();
	return new Map(
		rows.map(({ id, executed_at, result_hash }) => [
			id,
			{ captured_at: executed_at.toISOString(), sha256: result_hash },
		]),
	);
}
