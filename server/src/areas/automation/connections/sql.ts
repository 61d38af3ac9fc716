/** SQL of connections to automation servers, besides that of all stored connections. */
import { sql } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { isAdministrator } from "../../fabrics/sql/visible.ts";

/** Key of the advisory lock under which defaults are written. */
const DEFAULT_LOCK = 0x6164;

/** Whether the connection under the alias `c` may be the default of all users. */
const isOfTeam = sql<boolean>`(c.is_public and (c.created_by is null or exists (
	select from users u where u.id = c.created_by and ${isAdministrator("u")})))`;

async function isAdministratorId(db: Db, userId: number): Promise<boolean> {
	const user = db.selectFrom("users as u").select("u.id").where("u.id", "=", userId).where(isAdministrator("u"));
	return (await user.executeTakeFirst()) !== undefined;
}

/** The user's own default, or else that of all users; null if there is neither. */
export async function findDefaultConnectionId(db: Db, userId: number): Promise<string | null> {
	const row = await db
		.selectFrom("automation_connections as c")
		.select("c.id")
		.where("c.is_default", "=", true)
		.where(sql<boolean>`(c.created_by is not distinct from ${userId} or ${isOfTeam})`)
		.orderBy(sql`(c.created_by is not distinct from ${userId}) desc`)
		.orderBy("c.created_at")
		.orderBy("c.id")
		.executeTakeFirst();
	return row?.id ?? null;
}

/**
 * Keeps the default of an owner, and that of all users, single: clears the mark on the owner's
 * other connections, and where the given one is of the team, on others of the team.
 *
 * @returns whether the connection is of the team
 */
export async function clearOtherDefaults(
	tx: Tx,
	{ id, ownerId, isPublic }: { id: string; ownerId: number | null; isPublic: boolean },
): Promise<boolean> {
	await sql`select pg_advisory_xact_lock(${DEFAULT_LOCK}, 0)`.execute(tx.db);
	const isTeam = isPublic && (ownerId === null || (await isAdministratorId(tx.db, ownerId)));
	await tx.db
		.updateTable("automation_connections as c")
		.set({ is_default: false })
		.where("c.is_default", "=", true)
		.where("c.id", "<>", id)
		.where(sql<boolean>`(c.created_by is not distinct from ${ownerId}::integer or (${isTeam} and ${isOfTeam}))`)
		.execute();
	return isTeam;
}

/** The user whose token the connection has; null if it names none. */
export async function findConnectionUser(db: Db, id: string | null): Promise<string | null> {
	if (id === null) return null;
	const row = await db.selectFrom("automation_connections").select("username").where("id", "=", id).executeTakeFirst();
	return row?.username || null;
}

/** Ids of the connections whose address has this host and port. */
export async function listConnectionIdsByHost(db: Db, host: string): Promise<string[]> {
	const rows = await db.selectFrom("automation_connections").select(["id", "base_url"]).execute();
	return rows.filter(({ base_url }) => new URL(base_url).host === host).map(({ id }) => id);
}
