/** SQL of invitations. */
import { type Insertable, type Selectable, sql } from "kysely";
import type { Page } from "../../../../core/http/paging.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { UserInvitationsTable } from "../tables.ts";

export type InvitationRow = Selectable<UserInvitationsTable>;

interface InvitationWithUser extends InvitationRow {
	readonly username: string;
	readonly email: string;
	readonly group_names: string[];
	readonly invited_by: string | null;
}

export async function insertInvitation(tx: Tx, row: Insertable<UserInvitationsTable>): Promise<void> {
	await tx.db.insertInto("user_invitations").values(row).execute();
}

/** Notes that the mail server accepted the mail with the link. */
export async function markInvitationMailed(db: Db, id: string, at: Date): Promise<void> {
	await db.updateTable("user_invitations").set({ mailed_at: at }).where("id", "=", id).execute();
}

export async function countInvitations(db: Db): Promise<number> {
	const { count } = await db
		.selectFrom("user_invitations")
		.select(sql<number>`count(*)`.as("count"))
		.executeTakeFirstOrThrow();
	return count;
}

/** By the id of its row. */
export async function findInvitation(db: Db, id: string): Promise<InvitationRow | undefined> {
	return db.selectFrom("user_invitations").selectAll().where("id", "=", id).executeTakeFirst();
}

/** A live invitation by the hash of its secret. */
export async function findInvitationByHash(db: Db, tokenHash: string, now: Date): Promise<InvitationRow | undefined> {
	return db
		.selectFrom("user_invitations")
		.selectAll()
		.where("token_hash", "=", tokenHash)
		.where("expires_at", ">", now)
		.executeTakeFirst();
}

/** Consumes a user's invitation. Returns false if there is none (any more). */
export async function consumeInvitation(tx: Tx, userId: number): Promise<boolean> {
	const result = await tx.db.deleteFrom("user_invitations").where("user_id", "=", userId).executeTakeFirst();
	return result.numDeletedRows > 0n;
}

/** The newest first. */
export async function listInvitationPage(db: Db, limit: number, offset: number): Promise<Page<InvitationWithUser>> {
	const count = await countInvitations(db);
	const rows = await db
		.selectFrom("user_invitations as i")
		.innerJoin("users as u", "u.id", "i.user_id")
		.leftJoin("users as by", "by.id", "i.invited_by_id")
		.selectAll("i")
		.select(["u.username", "u.email", "by.username as invited_by"])
		.select(
			sql<string[]>`array(select g.name from user_groups ug join groups g on g.id = ug.group_id
				where ug.user_id = u.id order by g.name)`.as("group_names"),
		)
		.orderBy("i.created_at", "desc")
		.orderBy("i.user_id", "desc")
		.limit(limit)
		.offset(offset)
		.execute();
	return { count, rows };
}
