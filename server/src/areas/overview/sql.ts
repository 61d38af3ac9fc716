/** SQL of the service's status and of its first setup. */
import type { SetupStep } from "@weft/contracts";
import { type Insertable, type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../core/ports/store.ts";
import type { ServiceNodesTable, SkippedSetupStepsTable, StoreBackupsTable } from "./tables.ts";

/** Writes the row of a process, and deletes the rows of processes that ended long ago. */
export async function saveNode(db: Db, row: Insertable<ServiceNodesTable>, forgottenBefore: Date): Promise<void> {
	await db
		.insertInto("service_nodes")
		.values(row)
		.onConflict((conflict) => conflict.column("id").doUpdateSet({ seen_at: row.seen_at }))
		.execute();
	await db.deleteFrom("service_nodes").where("seen_at", "<", forgottenBefore).execute();
}

export async function deleteNode(db: Db, id: string): Promise<void> {
	await db.deleteFrom("service_nodes").where("id", "=", id).execute();
}

/** Lists the processes by machine and start. */
export async function listNodes(db: Db): Promise<Selectable<ServiceNodesTable>[]> {
	return db.selectFrom("service_nodes").selectAll().orderBy("host").orderBy("started_at").orderBy("id").execute();
}

/** Lists backups, the newest first. */
export async function listBackups(db: Db, limit: number): Promise<Selectable<StoreBackupsTable>[]> {
	return db
		.selectFrom("store_backups")
		.selectAll()
		.orderBy("created_at", "desc")
		.orderBy("id", "desc")
		.limit(limit)
		.execute();
}

/** Returns the version of PostgreSQL, and the bytes of the whole database. */
export async function measureStore(db: Db): Promise<{ version: string; size_bytes: number }> {
	const { rows } = await sql<{ version: string; size_bytes: number }>`
		select current_setting('server_version') as version, pg_database_size(current_database()) as size_bytes`.execute(
		db,
	);
	const [row] = rows;
	return { version: row?.version ?? "", size_bytes: Number(row?.size_bytes ?? 0) };
}

export async function listSkippedSteps(db: Db): Promise<SetupStep[]> {
	const rows = await db.selectFrom("skipped_setup_steps").select("step").execute();
	return rows.map(({ step }) => step);
}

/** Makes these steps the skipped ones. A step that was skipped before keeps its user and time. */
export async function setSkippedSteps(tx: Tx, rows: readonly Insertable<SkippedSetupStepsTable>[]): Promise<void> {
	const steps = rows.map(({ step }) => step);
	await sql`delete from skipped_setup_steps where step <> all(${steps}::text[])`.execute(tx.db);
	if (rows.length > 0)
		await tx.db
			.insertInto("skipped_setup_steps")
			.values([...rows])
			.onConflict((conflict) => conflict.column("step").doNothing())
			.execute();
}

/** Finds the steps that are done by the data. `people` is done if there is a second user. */
export async function findSetupFacts(db: Db): Promise<Record<Exclude<SetupStep, "mail">, boolean>> {
	const { rows } = await sql<Record<Exclude<SetupStep, "mail">, boolean>>`select
		exists (select from controller_connections) as fabric,
		exists (select from automation_connections) as automation,
		(select count(*) from (select from users where auth_source <> 'service' limit 2) few) > 1 as people`.execute(db);
	return rows[0] ?? { fabric: false, automation: false, people: false };
}
