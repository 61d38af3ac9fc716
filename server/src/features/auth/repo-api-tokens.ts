/** SQL of API tokens. */
import { type Insertable, type Selectable, sql } from "kysely";
import { offsetOf, type Page, type PageQuery } from "../../platform/http/paging.ts";
import type { Db, Tx } from "../../ports/store.ts";
import { RIGHTS, type UserWithRights } from "./repo.ts";
import type { ApiTokensTable } from "./tables.ts";

export interface ApiTokenRow extends Selectable<ApiTokensTable> {
	readonly username: string;
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

const withOwner = (db: Db) =>
	db
		.selectFrom("api_tokens as t")
		.innerJoin("users", "users.id", "t.user_id")
		.selectAll("t")
		.select(["users.username", "users.is_superuser", "users.is_active"])
		.select(sql<boolean>`users.auth_source = 'service'`.as("is_service"))
		.select(RIGHTS)
		.select([
			sql<string[] | null>`case when t.permission_ids is not null then
				array(select codename from permissions p where p.id = any(t.permission_ids)) end`.as("subset"),
			sql<string[]>`array(select network from api_token_networks n where n.token_id = t.id)`.as("networks"),
		]);

const listed = (db: Db) =>
	db.selectFrom("api_tokens as t").innerJoin("users as u", "u.id", "t.user_id").where("t.revoked_at", "is", null);

export function createApiTokensRepo() {
	return {
		async bySecret(db: Db, hash: Buffer): Promise<TokenWithOwner | undefined> {
			return withOwner(db).where("t.secret_hash", "=", hash).executeTakeFirst();
		},

		async byId(db: Db, id: string): Promise<TokenWithOwner | undefined> {
			return withOwner(db).where("t.id", "=", id).executeTakeFirst();
		},

		/** Tokens that are not revoked, newest first; of all users if `owner` is null. */
		async page(db: Db, owner: number | null, query: PageQuery): Promise<Page<ApiTokenRow>> {
			const matching = owner === null ? listed(db) : listed(db).where("t.user_id", "=", owner);
			const rows = await matching
				.selectAll("t")
				.select("u.username")
				.orderBy("t.created_at", "desc")
				.orderBy("t.id")
				.limit(query.page_size)
				.offset(offsetOf(query))
				.execute();
			const { count } = await matching.select(sql<number>`count(*)`.as("count")).executeTakeFirstOrThrow();
			return { count, rows };
		},

		/** A token that is not revoked. */
		async find(db: Db, id: string): Promise<ApiTokenRow | undefined> {
			return listed(db).selectAll("t").select("u.username").where("t.id", "=", id).executeTakeFirst();
		},

		/** Locks the owner, so that two requests cannot both add the last token. */
		async lockedCount(tx: Tx, userId: number): Promise<number> {
			await tx.db.selectFrom("users").select("id").where("id", "=", userId).forUpdate().execute();
			const { count } = await listed(tx.db)
				.where("t.user_id", "=", userId)
				.select(sql<number>`count(*)`.as("count"))
				.executeTakeFirstOrThrow();
			return count;
		},

		async insert(tx: Tx, row: Insertable<ApiTokensTable>): Promise<void> {
			await tx.db.insertInto("api_tokens").values(row).execute();
		},

		/** False when it is revoked already. */
		async revoke(tx: Tx, id: string, now: Date): Promise<boolean> {
			const { numUpdatedRows } = await tx.db
				.updateTable("api_tokens")
				.set({ revoked_at: now })
				.where("id", "=", id)
				.where("revoked_at", "is", null)
				.executeTakeFirst();
			return numUpdatedRows > 0n;
		},

		async revokeAll(tx: Tx, userId: number, now: Date): Promise<void> {
			await tx.db
				.updateTable("api_tokens")
				.set({ revoked_at: now })
				.where("user_id", "=", userId)
				.where("revoked_at", "is", null)
				.execute();
		},

		/** Codenames by id of those ids that are permissions. */
		async permissions(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
			const rows = await db
				.selectFrom("permissions")
				.select(["id", "codename"])
				.where(sql<boolean>`id = any(${ids})`)
				.execute();
			return new Map(rows.map(({ id, codename }) => [id, codename]));
		},

		/** Stores the use unless one within `everyMs` before it, or a later one, is stored already. */
		async touch(db: Db, id: string, { at, ip, everyMs }: { at: Date; ip: string; everyMs: number }): Promise<void> {
			await db
				.updateTable("api_tokens")
				.set({ last_used_at: at, last_used_ip: ip })
				.where("id", "=", id)
				.where(sql<boolean>`(last_used_at is null or last_used_at <= ${new Date(at.getTime() - everyMs)})`)
				.execute();
		},

		/** False when the token was used from the network before. */
		async addNetwork(tx: Tx, id: string, network: string, at: Date): Promise<boolean> {
			const { numInsertedOrUpdatedRows } = await tx.db
				.insertInto("api_token_networks")
				.values({ token_id: id, network, first_used_at: at })
				.onConflict((conflict) => conflict.doNothing())
				.executeTakeFirst();
			return (numInsertedOrUpdatedRows ?? 0n) > 0n;
		},

		/** Marks and returns tokens that expire before `until` and whose owner was not notified. */
		async takeExpiring(tx: Tx, now: Date, until: Date, most: number): Promise<ApiTokenRow[]> {
			const { rows } = await sql<ApiTokenRow>`
				update api_tokens t set expiry_notified_at = ${now} from users u
				where u.id = t.user_id and t.id in (
					select id from api_tokens
					where expiry_notified_at is null and revoked_at is null and expires_at > ${now} and expires_at <= ${until}
					order by expires_at limit ${most} for update skip locked
				) returning t.*, u.username`.execute(tx.db);
			return rows;
		},

		/** Deletes tokens that were revoked or expired before `before`. */
		async purge(db: Db, before: Date): Promise<void> {
			await sql`delete from api_tokens where revoked_at < ${before} or expires_at < ${before}`.execute(db);
		},
	};
}

export type ApiTokensRepo = ReturnType<typeof createApiTokensRepo>;
