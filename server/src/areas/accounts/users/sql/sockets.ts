/** SQL of the open sockets of all processes. */
import { sql } from "kysely";
import type { Db, Tx } from "../../../../core/ports/store.ts";

export interface OpenSocket {
	readonly id: string;
	readonly user_id: number;
}

/** A user's sockets in processes whose lease has not ended. */
export async function countSocketRows(db: Db, userId: number, now: Date): Promise<number> {
	const { count } = await db
		.selectFrom("open_sockets as s")
		.innerJoin("socket_processes as p", "p.id", "s.process_id")
		.select(sql<number>`count(*)`.as("count"))
		.where("s.user_id", "=", userId)
		.where("p.expires_at", ">", now)
		.executeTakeFirstOrThrow();
	return count;
}

/** Extends the lease of a process. True if the lease is new, and its sockets are not stored. */
export async function extendSocketLease(tx: Tx, processId: string, expiresAt: Date): Promise<boolean> {
	const { isNew } = await tx.db
		.insertInto("socket_processes")
		.values({ id: processId, expires_at: expiresAt })
		.onConflict((conflict) => conflict.column("id").doUpdateSet({ expires_at: expiresAt }))
		.returning(sql<boolean>`xmax = 0`.as("isNew"))
		.executeTakeFirstOrThrow();
	return isNew;
}

/** False if the process has no lease. */
export async function insertSocket(tx: Tx, processId: string, { id, user_id }: OpenSocket): Promise<boolean> {
	const added = await sql`
		insert into open_sockets (id, process_id, user_id)
		select ${id}, p.id, ${user_id} from socket_processes p where p.id = ${processId} for key share
		returning id`.execute(tx.db);
	return added.rows.length > 0;
}

/** Stores the sockets of a process again; those of users who are gone are left out. */
export async function insertSockets(tx: Tx, processId: string, sockets: readonly OpenSocket[]): Promise<void> {
	await sql`
		insert into open_sockets (id, process_id, user_id)
		select s.id, ${processId}, u.id
		from unnest(${sockets.map(({ id }) => id)}::uuid[], ${sockets.map(({ user_id }) => user_id)}::integer[])
			as s (id, user_id)
		join users u on u.id = s.user_id
		on conflict (id) do nothing`.execute(tx.db);
}

export async function deleteSockets(db: Db, ids: readonly string[]): Promise<void> {
	await db.deleteFrom("open_sockets").where("id", "in", ids).execute();
}

/** Removes a process with its sockets. */
export async function deleteSocketProcess(db: Db, processId: string): Promise<void> {
	await db.deleteFrom("socket_processes").where("id", "=", processId).execute();
}

/** Removes the processes whose lease ended before a time, with their sockets. */
export async function deleteExpiredProcesses(tx: Tx, before: Date): Promise<void> {
	await sql`
		delete from socket_processes where id in
			(select id from socket_processes where expires_at < ${before} for update skip locked)`.execute(tx.db);
}
