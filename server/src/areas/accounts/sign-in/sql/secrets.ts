/** SQL of second factors, sign-ins between password and second factor, and one-time tokens. */
import { type Insertable, type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { UserMfaTable, UserTokensTable } from "../tables.ts";

export type MfaRow = Selectable<UserMfaTable>;
export type TokenRow = Selectable<UserTokensTable>;
export type TokenPurpose = TokenRow["purpose"];

export async function findMfa(db: Db, userId: number): Promise<MfaRow | undefined> {
	return db.selectFrom("user_mfa").selectAll().where("user_id", "=", userId).executeTakeFirst();
}

/** The user's second factor, kept from changing until the transaction ends. */
export async function lockMfa(tx: Tx, userId: number): Promise<MfaRow | undefined> {
	return tx.db.selectFrom("user_mfa").selectAll().where("user_id", "=", userId).forUpdate().executeTakeFirst();
}

/** Begins a second factor in place of one that was only begun; false when one is in use. */
export async function beginMfa(tx: Tx, row: Insertable<UserMfaTable>): Promise<boolean> {
	const result = await tx.db
		.insertInto("user_mfa")
		.values(row)
		.onConflict((conflict) =>
			conflict
				.column("user_id")
				.doUpdateSet({
					secret_sealed: row.secret_sealed,
					backup_key_sealed: row.backup_key_sealed,
					created_at: row.created_at,
				})
				.where("user_mfa.confirmed_at", "is", null),
		)
		.executeTakeFirst();
	return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function confirmMfa(tx: Tx, userId: number, at: Date): Promise<void> {
	await tx.db.updateTable("user_mfa").set({ confirmed_at: at }).where("user_id", "=", userId).execute();
}

/** With its backup codes and used steps. False when there was none. */
export async function removeMfa(tx: Tx, userId: number): Promise<boolean> {
	const result = await tx.db.deleteFrom("user_mfa").where("user_id", "=", userId).executeTakeFirst();
	await tx.db.deleteFrom("mfa_backup_codes").where("user_id", "=", userId).execute();
	await removeChallenges(tx, userId);
	return result.numDeletedRows > 0n;
}

/**
 * Consumes a time step; false when it was used before. Deletes steps too old to be accepted.
 */
export async function consumeTimeStep(tx: Tx, userId: number, step: number): Promise<boolean> {
	await tx.db
		.deleteFrom("mfa_used_steps")
		.where("user_id", "=", userId)
		.where("step", "<", step - 10)
		.execute();
	const result = await tx.db
		.insertInto("mfa_used_steps")
		.values({ user_id: userId, step })
		.onConflict((conflict) => conflict.doNothing())
		.executeTakeFirst();
	return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function setBackupCodes(tx: Tx, userId: number, hashes: readonly string[]): Promise<void> {
	await tx.db.deleteFrom("mfa_backup_codes").where("user_id", "=", userId).execute();
	await tx.db
		.insertInto("mfa_backup_codes")
		.values(hashes.map((code_hash) => ({ user_id: userId, code_hash })))
		.execute();
}

/** Consumes a backup code; false when there is none such. */
export async function consumeBackupCode(tx: Tx, userId: number, codeHash: string): Promise<boolean> {
	const result = await tx.db
		.deleteFrom("mfa_backup_codes")
		.where("user_id", "=", userId)
		.where("code_hash", "=", codeHash)
		.executeTakeFirst();
	return result.numDeletedRows > 0n;
}

export async function countBackupCodes(db: Db, userId: number): Promise<number> {
	const { count } = await db
		.selectFrom("mfa_backup_codes")
		.select(sql<number>`count(*)`.as("count"))
		.where("user_id", "=", userId)
		.executeTakeFirstOrThrow();
	return count;
}

export async function insertChallenge(
	tx: Tx,
	row: { token_hash: string; user_id: number; created_at: Date; expires_at: Date },
): Promise<void> {
	await tx.db.insertInto("mfa_challenges").values(row).execute();
}

/** Consumes one try. Returns the user's id; undefined when expired or without tries left. */
export async function tryChallenge(db: Db, tokenHash: string, tries: number, now: Date): Promise<number | undefined> {
	const row = await db
		.updateTable("mfa_challenges")
		.set({ tries: sql`tries + 1` })
		.where("token_hash", "=", tokenHash)
		.where("tries", "<", tries)
		.where("expires_at", ">", now)
		.returning("user_id")
		.executeTakeFirst();
	return row?.user_id;
}

/** Consumes the challenge. Returns false if another request has already consumed it. */
export async function consumeChallenge(tx: Tx, tokenHash: string): Promise<boolean> {
	const result = await tx.db.deleteFrom("mfa_challenges").where("token_hash", "=", tokenHash).executeTakeFirst();
	return result.numDeletedRows > 0n;
}

export async function removeChallenges(tx: Tx, userId: number): Promise<void> {
	await tx.db.deleteFrom("mfa_challenges").where("user_id", "=", userId).execute();
}

/** False when there is a token of this id already. */
export async function insertToken(tx: Tx, row: Insertable<UserTokensTable>): Promise<boolean> {
	const result = await tx.db
		.insertInto("user_tokens")
		.values(row)
		.onConflict((conflict) => conflict.column("id").doNothing())
		.executeTakeFirst();
	return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function updateToken(
	tx: Tx,
	id: string,
	values: Partial<Pick<TokenRow, "token_hash" | "expires_at">>,
): Promise<void> {
	await tx.db.updateTable("user_tokens").set(values).where("id", "=", id).execute();
}

export async function findToken(db: Db, id: string): Promise<TokenRow | undefined> {
	return db.selectFrom("user_tokens").selectAll().where("id", "=", id).executeTakeFirst();
}

/** A live token by its hash. */
export async function findTokenByHash(
	db: Db,
	purpose: TokenPurpose,
	tokenHash: string,
	now: Date,
): Promise<TokenRow | undefined> {
	return db
		.selectFrom("user_tokens")
		.selectAll()
		.where("purpose", "=", purpose)
		.where("token_hash", "=", tokenHash)
		.where("expires_at", ">", now)
		.executeTakeFirst();
}

/** A user's live tokens of a purpose. */
export async function listTokens(db: Db, userId: number, purpose: TokenPurpose, now: Date): Promise<TokenRow[]> {
	return db
		.selectFrom("user_tokens")
		.selectAll()
		.where("user_id", "=", userId)
		.where("purpose", "=", purpose)
		.where("expires_at", ">", now)
		.execute();
}

/** Consumes a token. Returns false if another request has already consumed it. */
export async function consumeToken(tx: Tx, id: string): Promise<boolean> {
	const result = await tx.db.deleteFrom("user_tokens").where("id", "=", id).executeTakeFirst();
	return result.numDeletedRows > 0n;
}

export async function removeTokens(tx: Tx, userId: number, purposes: readonly TokenPurpose[]): Promise<void> {
	await tx.db
		.deleteFrom("user_tokens")
		.where("user_id", "=", userId)
		.where("purpose", "in", [...purposes])
		.execute();
}

/** Deletes expired challenges and tokens, and sessions that ended, expired or timed out. */
export async function purgeAccountSecrets(db: Db, now: Date, idleSlackMs: number): Promise<void> {
	await db.deleteFrom("mfa_challenges").where("expires_at", "<", now).execute();
	await db.deleteFrom("user_tokens").where("expires_at", "<", now).execute();
	await sql`delete from sessions s using users u where u.id = s.user_id and (
		s.expires_at < ${now} or s.revoked_at < ${now} or (u.session_timeout_minutes > 0
			and s.last_seen_at + make_interval(mins => u.session_timeout_minutes)
				< ${new Date(now.getTime() - idleSlackMs)}))`.execute(db);
}
