/** SQL of API tokens. */
import type { Permission } from "@weft/contracts";
import { type Insertable, type RawBuilder, type Selectable, sql } from "kysely";
import { getOffset, type Page, type PageQuery } from "../../../../core/http/paging.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { ApiTokensTable } from "../tables.ts";
import { RIGHTS, type UserWithRights } from "./sign-in.ts";

export interface ApiTokenRow extends Selectable<ApiTokensTable> {
	readonly username: string;
	/** Of the owner. */
	readonly is_superuser: boolean;
}

/** A token with what a request must know of its owner. */
export interface TokenWithOwner extends ApiTokenRow, Omit<UserWithRights, "user_id"> {
	readonly is_active: boolean;
	readonly is_service: boolean;
	/** Codenames of `permission_ids`; null where the token has no subset. */
	readonly subset: string[] | null;
	/** The networks that the token was used from. */
	readonly networks: string[];
}

const COLUMNS = [
	"t.id",
	"t.user_id",
	"t.created_by_id",
	"t.name",
	"t.prefix",
	"t.secret_hash",
	"t.permission_ids",
	"t.read_only",
	"t.allowed_addresses",
	"t.created_at",
	"t.expiry_notified_at",
	"t.revoked_at",
	"t.last_used_at",
	"t.last_used_ip",
] as const;

/** Upper bound of every token's life in days, also of those created under a higher one. */
type MaxDays = number | null;

/** The end of a token's life, of the alias `t`. */
const buildEnd = (maxDays: MaxDays): RawBuilder<Date | null> =>
	sql<Date | null>`least(t.expires_at, t.created_at + ${maxDays}::int * interval '24 hours')`;

const selectWithOwner = (db: Db, maxDays: MaxDays) =>
	db
		.selectFrom("api_tokens as t")
		.innerJoin("users", "users.id", "t.user_id")
		.select(COLUMNS)
		.select(buildEnd(maxDays).as("expires_at"))
		.select(["users.username", "users.is_superuser", "users.is_active"])
		.select(sql<boolean>`users.auth_source = 'service'`.as("is_service"))
		.select(RIGHTS)
		.select([
			sql<string[] | null>`case when t.permission_ids is not null then
				array(select codename from permissions p where p.id = any(t.permission_ids)) end`.as("subset"),
			sql<string[]>`array(select network from api_token_networks n where n.token_id = t.id)`.as("networks"),
		]);

const selectUnrevokedTokens = (db: Db) =>
	db.selectFrom("api_tokens as t").innerJoin("users as u", "u.id", "t.user_id").where("t.revoked_at", "is", null);

export async function findTokenBySecret(db: Db, hash: Buffer, maxDays: MaxDays): Promise<TokenWithOwner | undefined> {
	return selectWithOwner(db, maxDays).where("t.secret_hash", "=", hash).executeTakeFirst();
}

export async function findTokenWithOwner(db: Db, id: string, maxDays: MaxDays): Promise<TokenWithOwner | undefined> {
	return selectWithOwner(db, maxDays).where("t.id", "=", id).executeTakeFirst();
}

/** Tokens that are not revoked, newest first; of all users, or of all but superusers. */
export async function listApiTokenPage(
	db: Db,
	owner: number | "all" | "ordinary",
	query: PageQuery,
	maxDays: MaxDays,
): Promise<Page<ApiTokenRow>> {
	const matching =
		owner === "all"
			? selectUnrevokedTokens(db)
			: owner === "ordinary"
				? selectUnrevokedTokens(db).where("u.is_superuser", "=", false)
				: selectUnrevokedTokens(db).where("t.user_id", "=", owner);
	const rows = await matching
		.select(COLUMNS)
		.select(["u.username", "u.is_superuser", buildEnd(maxDays).as("expires_at")])
		.orderBy("t.created_at", "desc")
		.orderBy("t.id")
		.limit(query.page_size)
		.offset(getOffset(query))
		.execute();
	const { count } = await matching.select(sql<number>`count(*)`.as("count")).executeTakeFirstOrThrow();
	return { count, rows };
}

/** A token that is not revoked. */
export async function findApiToken(db: Db, id: string, maxDays: MaxDays): Promise<ApiTokenRow | undefined> {
	return selectUnrevokedTokens(db)
		.select(COLUMNS)
		.select(["u.username", "u.is_superuser", buildEnd(maxDays).as("expires_at")])
		.where("t.id", "=", id)
		.executeTakeFirst();
}

/** The number of a user's tokens that are not revoked. */
export async function countTokens(db: Db, userId: number): Promise<number> {
	const { count } = await selectUnrevokedTokens(db)
		.where("t.user_id", "=", userId)
		.select(sql<number>`count(*)`.as("count"))
		.executeTakeFirstOrThrow();
	return count;
}

export async function insertApiToken(tx: Tx, row: Insertable<ApiTokensTable>): Promise<void> {
	await tx.db.insertInto("api_tokens").values(row).execute();
}

/** False when it is revoked already. */
export async function revokeApiToken(tx: Tx, id: string, now: Date): Promise<boolean> {
	const { numUpdatedRows } = await tx.db
		.updateTable("api_tokens")
		.set({ revoked_at: now })
		.where("id", "=", id)
		.where("revoked_at", "is", null)
		.executeTakeFirst();
	return numUpdatedRows > 0n;
}

export async function revokeApiTokens(tx: Tx, userId: number, now: Date): Promise<number> {
	const result = await tx.db
		.updateTable("api_tokens")
		.set({ revoked_at: now })
		.where("user_id", "=", userId)
		.where("revoked_at", "is", null)
		.executeTakeFirst();
	return Number(result.numUpdatedRows);
}

export async function listPermissions(db: Db): Promise<Permission[]> {
	return db.selectFrom("permissions").selectAll().orderBy("app").orderBy("model").orderBy("id").execute();
}

/** Stores the use unless one within `everyMs` before it, or a later one, is stored already. */
export async function touchApiToken(
	db: Db,
	id: string,
	{ at, ip, everyMs }: { at: Date; ip: string | null; everyMs: number },
): Promise<void> {
	await db
		.updateTable("api_tokens")
		.set({ last_used_at: at, last_used_ip: ip })
		.where("id", "=", id)
		.where(sql<boolean>`(last_used_at is null or last_used_at <= ${new Date(at.getTime() - everyMs)})`)
		.execute();
}

/** The number of networks with this one; null when the token was used from there before. */
export async function addTokenNetwork(tx: Tx, id: string, network: string, at: Date): Promise<number | null> {
	// Locks the token, so that only one of two uses at the same time is the first.
	await tx.db.selectFrom("api_tokens").select("id").where("id", "=", id).forUpdate().execute();
	const { numInsertedOrUpdatedRows } = await tx.db
		.insertInto("api_token_networks")
		.values({ token_id: id, network, first_used_at: at })
		.onConflict((conflict) => conflict.doNothing())
		.executeTakeFirst();
	if ((numInsertedOrUpdatedRows ?? 0n) === 0n) return null;
	const { count } = await tx.db
		.selectFrom("api_token_networks")
		.where("token_id", "=", id)
		.select(sql<number>`count(*)`.as("count"))
		.executeTakeFirstOrThrow();
	return count;
}

/** Marks and returns tokens that expire before `until` and whose owner was not notified. */
export async function claimExpiringTokens(
	tx: Tx,
	now: Date,
	until: Date,
	most: number,
	maxDays: MaxDays,
): Promise<ApiTokenRow[]> {
	const ends = buildEnd(maxDays);
	const { rows } = await sql<ApiTokenRow>`
		update api_tokens t set expiry_notified_at = ${now} from users u
		where u.id = t.user_id and t.id in (
			select t.id from api_tokens t
			where expiry_notified_at is null and revoked_at is null and ${ends} > ${now} and ${ends} <= ${until}
			order by ${ends} limit ${most} for update skip locked
		) returning t.*, u.username, u.is_superuser, ${ends} as expires_at`.execute(tx.db);
	return rows;
}

/**
 * Deletes tokens that were revoked or expired before `before`. A lowered bound alone deletes
 * none: it may be raised again.
 */
export async function purgeApiTokens(db: Db, before: Date): Promise<void> {
	await sql`delete from api_tokens where revoked_at < ${before} or expires_at < ${before}`.execute(db);
}
