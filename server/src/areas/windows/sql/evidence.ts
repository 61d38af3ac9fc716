/** SQL of the evidence of change windows. */
import { type Insertable, type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { ChangeWindowEvidenceTable } from "../tables.ts";

export type EvidenceRow = Selectable<ChangeWindowEvidenceTable> & {
	/** Name of the connection when the window was planned. */
	readonly connection_name: string;
};

const selectEvidence = (db: Db, windowId: string, connections: readonly string[]) =>
	db
		.selectFrom("change_window_evidence as e")
		.innerJoin("change_window_connections as c", (join) =>
			join.onRef("c.window_id", "=", "e.window_id").onRef("c.connection_id", "=", "e.connection_id"),
		)
		.selectAll("e")
		.select("c.connection_name")
		.where("e.window_id", "=", windowId)
		.where(sql<boolean>`e.connection_id = any(${connections}::uuid[])`);

/** Evidence of some connections, oldest first. */
export async function listEvidence(db: Db, windowId: string, connections: readonly string[]): Promise<EvidenceRow[]> {
	return selectEvidence(db, windowId, connections).orderBy("e.attached_at").orderBy("e.id").execute();
}

/** Number of sets of some connections. */
export async function countEvidence(db: Db, windowId: string, connections: readonly string[]): Promise<number> {
	const { count } = await db
		.selectFrom("change_window_evidence")
		.select(sql<number>`count(*)::integer`.as("count"))
		.where("window_id", "=", windowId)
		.where(sql<boolean>`connection_id = any(${connections}::uuid[])`)
		.executeTakeFirstOrThrow();
	return count;
}

export async function findEvidence(
	db: Db,
	windowId: string,
	id: string,
	connections: readonly string[],
): Promise<EvidenceRow | undefined> {
	return selectEvidence(db, windowId, connections).where("e.id", "=", id).executeTakeFirst();
}

/** Connection, digest and bytes of each set of a window. */
export async function listEvidenceSizes(
	db: Db,
	windowId: string,
): Promise<readonly { readonly connection_id: string; readonly sha256: string; readonly bytes: number }[]> {
	return db
		.selectFrom("change_window_evidence")
		.select(["connection_id", "sha256", "bytes"])
		.where("window_id", "=", windowId)
		.execute();
}

export async function insertEvidence(tx: Tx, row: Insertable<ChangeWindowEvidenceTable>): Promise<void> {
	await tx.db.insertInto("change_window_evidence").values(row).execute();
}

export async function deleteEvidence(tx: Tx, id: string): Promise<void> {
	await tx.db.deleteFrom("change_window_evidence").where("id", "=", id).execute();
}
