/** SQL of sign-ins at an identity provider, and of the accounts there. */
import { type Insertable, type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../ports/store.ts";
import type { OidcAccountsTable, OidcCodesTable, OidcStatesTable } from "./tables.ts";

export type OidcAccountRow = Selectable<OidcAccountsTable>;
type OidcStateRow = Selectable<OidcStatesTable>;
type OidcCodeRow = Selectable<OidcCodesTable>;

/** Sign-ins that are begun and not finished, of all browsers: above this the oldest is deleted. */
const STATES_MAX = 50_000;

export function createOidcRepo() {
	return {
		async insertState(tx: Tx, state: Insertable<OidcStatesTable>): Promise<void> {
			const { id } = await tx.db.insertInto("oidc_states").values(state).returning("id").executeTakeFirstOrThrow();
			await sql`delete from oidc_states where id <= ${id}::bigint - ${STATES_MAX}::bigint`.execute(tx.db);
		},

		/** Consumes a state of this browser; undefined when it is unknown, expired or consumed. */
		async takeState(
			db: Db,
			{ stateHash, browserHash, now }: { stateHash: string; browserHash: string; now: Date },
		): Promise<Pick<OidcStateRow, "next" | "redirect_uri" | "code_challenge"> | undefined> {
			return db
				.deleteFrom("oidc_states")
				.where("state_hash", "=", stateHash)
				.where("browser_hash", "=", browserHash)
				.where("expires_at", ">", now)
				.returning(["next", "redirect_uri", "code_challenge"])
				.executeTakeFirst();
		},

		async insertCode(tx: Tx, code: Insertable<OidcCodesTable>): Promise<void> {
			await tx.db.insertInto("oidc_codes").values(code).execute();
		},

		/**
		 * Consumes a code. Returns undefined when it is unknown, expired or consumed.
		 * @param browserHash of the browser that it must belong to; null: any
		 */
		async takeCode(
			db: Db,
			{ codeHash, browserHash, now }: { codeHash: string; browserHash: string | null; now: Date },
		): Promise<Pick<OidcCodeRow, "user_id" | "code_challenge"> | undefined> {
			let query = db.deleteFrom("oidc_codes").where("code_hash", "=", codeHash).where("expires_at", ">", now);
			if (browserHash !== null) query = query.where("browser_hash", "=", browserHash);
			return query.returning(["user_id", "code_challenge"]).executeTakeFirst();
		},

		async accountOf(db: Db, userId: number): Promise<OidcAccountRow | undefined> {
			return db.selectFrom("oidc_accounts").selectAll().where("user_id", "=", userId).executeTakeFirst();
		},

		async findAccount(db: Db, issuer: string, subject: string): Promise<OidcAccountRow | undefined> {
			return db
				.selectFrom("oidc_accounts")
				.selectAll()
				.where("issuer", "=", issuer)
				.where("subject", "=", subject)
				.executeTakeFirst();
		},

		async saveAccount(tx: Tx, account: OidcAccountRow): Promise<void> {
			const { issuer, subject, id_token_sealed } = account;
			await tx.db
				.insertInto("oidc_accounts")
				.values(account)
				.onConflict((conflict) => conflict.column("user_id").doUpdateSet({ issuer, subject, id_token_sealed }))
				.execute();
		},

		/** Deletes expired states and codes. */
		async purge(db: Db, now: Date): Promise<void> {
			await db.deleteFrom("oidc_states").where("expires_at", "<", now).execute();
			await db.deleteFrom("oidc_codes").where("expires_at", "<", now).execute();
		},
	};
}

export type OidcRepo = ReturnType<typeof createOidcRepo>;
