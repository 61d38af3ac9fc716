/** SQL of the check whether accounts still exist where their people sign in. */
import { type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { UsersTable } from "../tables.ts";

export type CheckedRow = Pick<Selectable<UsersTable>, "id" | "username" | "gone_since" | "last_login">;

interface DueTimes {
	readonly now: Date;
	/** Accounts that are not gone are due if the last answer or sign-in is not after this. */
	readonly heardBefore: Date;
	/** Accounts that are gone are due if the last answer is not after this. */
	readonly goneHeardBefore: Date;
	/** An account without an answer is not asked for again until its last question is this old. */
	readonly askedBefore: Date;
}

/** Takes active accounts of the directory that are due. Another node does not get them. */
export async function claimDirectoryAccounts(
	db: Db,
	times: DueTimes,
	limit: number,
): Promise<{ id: number; username: string }[]> {
	const { now, heardBefore, goneHeardBefore, askedBefore } = times;
	const { rows } = await sql<{ id: number; username: string }>`
		update users set source_asked_at = ${now} where id in (
			select id from users where auth_source = 'ldap' and is_active
				and (source_asked_at is null or source_asked_at <= ${askedBefore})
				and case when gone_since is null
					then greatest(source_answered_at, last_login, date_joined) <= ${heardBefore}
					else greatest(source_answered_at, gone_since) <= ${goneHeardBefore} end
			order by source_asked_at nulls first, id limit ${limit} for update skip locked
		) returning id, username`.execute(db);
	return rows;
}

/** Active accounts of an identity provider without a sign-in since, that are not gone yet. */
export async function listSilentAccounts(db: Db, since: Date, limit: number): Promise<number[]> {
	const rows = await db
		.selectFrom("users")
		.select("id")
		.where("auth_source", "=", "oidc")
		.where("is_active", "=", true)
		.where("gone_since", "is", null)
		.where(sql<boolean>`greatest(last_login, date_joined) <= ${since}`)
		.orderBy("id")
		.limit(limit)
		.execute();
	return rows.map(({ id }) => id);
}

/** The accounts, locked until the transaction ends. */
export async function lockAccounts(tx: Tx, ids: readonly number[]): Promise<CheckedRow[]> {
	return tx.db
		.selectFrom("users")
		.select(["id", "username", "gone_since", "last_login"])
		.where(sql<boolean>`id = any(${ids})`)
		.orderBy("id")
		.forUpdate()
		.execute();
}

export async function setAnswered(tx: Tx, ids: readonly number[], at: Date): Promise<void> {
	await sql`update users set source_answered_at = ${at} where id = any(${ids})`.execute(tx.db);
}

/** @param since null: the accounts are not gone any more */
export async function setGone(tx: Tx, ids: readonly number[], since: Date | null): Promise<void> {
	await sql`update users set gone_since = ${since} where id = any(${ids})`.execute(tx.db);
}
