/** SQL of searches on controllers. */
import { sql } from "kysely";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { LiveFindsTable, LiveObject } from "../tables.ts";

export interface LiveFindRow {
	readonly id: string;
	readonly kind: LiveFindsTable["kind"];
	readonly normalized: string;
	readonly created_at: Date;
}

export interface LiveRunRow {
	readonly id: string;
	readonly connection_id: string;
	readonly connection_name: string;
	readonly status: "running" | "completed" | "failed";
	readonly error: string | null;
	readonly objects: readonly LiveObject[];
	readonly total: number;
	readonly is_total_exact: boolean;
}

/** The user's searches that still run. Call it in the transaction that adds one. */
export async function countRunningFinds(tx: Tx, userId: number, since: Date): Promise<number> {
	await sql`select from users where id = ${userId} for update`.execute(tx.db);
	const { rows } = await sql<{ count: number }>`
		select count(*)::integer as count from live_finds f where f.user_id = ${userId} and f.created_at > ${since}
			and exists (select from live_find_runs r where r.live_find_id = f.id and r.status = 'running')`.execute(tx.db);
	return rows[0]?.count ?? 0;
}

export async function insertLiveFind(
	tx: Tx,
	find: LiveFindRow & { user_id: number },
	runs: readonly { id: string; connection_id: string; connection_name: string }[],
): Promise<void> {
	await tx.db.insertInto("live_finds").values(find).execute();
	await tx.db
		.insertInto("live_find_runs")
		.values(
			runs.map((run, position) => ({
				...run,
				live_find_id: find.id,
				position,
				status: "running" as const,
				error: null,
				objects: "[]",
			})),
		)
		.execute();
}

export async function endLiveRun(
	db: Db,
	id: string,
	end: Omit<LiveRunRow, "id" | "connection_id" | "connection_name">,
) {
	await db
		.updateTable("live_find_runs")
		.set({ ...end, objects: JSON.stringify(end.objects) })
		.where("id", "=", id)
		.where("status", "=", "running")
		.execute();
}

/** The search of a user, if it is not older than a time. */
export async function findLiveFind(
	db: Db,
	of: { id: string; userId: number; since: Date },
): Promise<LiveFindRow | undefined> {
	return db
		.selectFrom("live_finds")
		.select(["id", "kind", "normalized", "created_at"])
		.where("id", "=", of.id)
		.where("user_id", "=", of.userId)
		.where("created_at", ">", of.since)
		.executeTakeFirst();
}

export async function listLiveRuns(db: Db, findId: string): Promise<LiveRunRow[]> {
	return db
		.selectFrom("live_find_runs")
		.select(["id", "connection_id", "connection_name", "status", "error", "objects", "total", "is_total_exact"])
		.where("live_find_id", "=", findId)
		.orderBy("position")
		.execute();
}

export async function deleteOldFinds(db: Db, before: Date): Promise<void> {
	await db.deleteFrom("live_finds").where("created_at", "<=", before).execute();
}
