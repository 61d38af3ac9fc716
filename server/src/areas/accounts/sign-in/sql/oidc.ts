/** SQL of sign-ins at an identity provider, and of the accounts there. */
import { type Insertable, type NotNull, type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { OidcAccountsTable, OidcCodesTable, OidcStatesTable } from "../tables.ts";

type OidcAccountRow = Selectable<OidcAccountsTable>;
type OidcStateRow = Selectable<OidcStatesTable>;
type OidcCodeRow = Selectable<OidcCodesTable>;

/** SHA-256 of the code and of the browser's cookie, as base64url. */
interface HashedCode {
	readonly codeHash: string;
	readonly browserHash: string;
}

interface TerminalRow {
	readonly username: string;
	readonly code_challenge: string;
	readonly redirect_uri: string;
	readonly expires_at: Date;
}

/** Sign-ins that are begun and not finished, of all browsers: above this the oldest is deleted. */
const STATES_MAX = 50_000;

export async function insertOidcState(tx: Tx, state: Insertable<OidcStatesTable>): Promise<void> {
	const { id } = await tx.db.insertInto("oidc_states").values(state).returning("id").executeTakeFirstOrThrow();
	await sql`delete from oidc_states where id <= ${id}::bigint - ${STATES_MAX}::bigint`.execute(tx.db);
}

/** Consumes a state of this browser; undefined when it is unknown, expired or consumed. */
export async function consumeOidcState(
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
}

export async function insertOidcCode(tx: Tx, code: Insertable<OidcCodesTable>): Promise<void> {
	await tx.db.insertInto("oidc_codes").values(code).execute();
}

/**
 * Consumes a code of this browser, or of a program, which has no cookie but a verifier. Returns
 * undefined when it is unknown, expired, consumed, or not approved yet.
 */
export async function consumeOidcCode(
	db: Db,
	{ codeHash, browserHash, now }: HashedCode & { readonly now: Date },
): Promise<Pick<OidcCodeRow, "user_id" | "code_challenge"> | undefined> {
	return db
		.deleteFrom("oidc_codes")
		.where("code_hash", "=", codeHash)
		.where("redirect_uri", "is", null)
		.where("expires_at", ">", now)
		.where((where) => where.or([where("browser_hash", "=", browserHash), where("code_challenge", "is not", null)]))
		.returning(["user_id", "code_challenge"])
		.executeTakeFirst();
}

/** A program's sign-in that waits for a click in this browser. */
export async function findTerminal(
	db: Db,
	{ codeHash, browserHash, now }: HashedCode & { readonly now: Date },
): Promise<TerminalRow | undefined> {
	return db
		.selectFrom("oidc_codes")
		.innerJoin("users", "users.id", "oidc_codes.user_id")
		.select(["users.username", "code_challenge", "redirect_uri", "expires_at"])
		.where("code_hash", "=", codeHash)
		.where("browser_hash", "=", browserHash)
		.where("expires_at", ">", now)
		.$narrowType<{ code_challenge: NotNull; redirect_uri: NotNull }>()
		.where("code_challenge", "is not", null)
		.where("redirect_uri", "is not", null)
		.executeTakeFirst();
}

/** Consumes a program's sign-in that waits for a click in this browser. */
export async function consumeTerminal(
	db: Db,
	{ codeHash, browserHash, now }: HashedCode & { readonly now: Date },
): Promise<Omit<OidcCodeRow, "code_hash" | "expires_at"> | undefined> {
	return db
		.deleteFrom("oidc_codes")
		.where("code_hash", "=", codeHash)
		.where("browser_hash", "=", browserHash)
		.where("redirect_uri", "is not", null)
		.where("expires_at", ">", now)
		.returning(["browser_hash", "code_challenge", "redirect_uri", "user_id"])
		.executeTakeFirst();
}

export async function findUserByOidc(db: Db, userId: number): Promise<OidcAccountRow | undefined> {
	return db.selectFrom("oidc_accounts").selectAll().where("user_id", "=", userId).executeTakeFirst();
}

export async function findOidcAccount(db: Db, issuer: string, subject: string): Promise<OidcAccountRow | undefined> {
	return db
		.selectFrom("oidc_accounts")
		.selectAll()
		.where("issuer", "=", issuer)
		.where("subject", "=", subject)
		.executeTakeFirst();
}

export async function saveOidcAccount(tx: Tx, account: OidcAccountRow): Promise<void> {
	const { issuer, subject, id_token_sealed } = account;
	await tx.db
		.insertInto("oidc_accounts")
		.values(account)
		.onConflict((conflict) => conflict.column("user_id").doUpdateSet({ issuer, subject, id_token_sealed }))
		.execute();
}

/** Deletes expired states and codes. */
export async function purgeOidcStates(db: Db, now: Date): Promise<void> {
	await db.deleteFrom("oidc_states").where("expires_at", "<", now).execute();
	await db.deleteFrom("oidc_codes").where("expires_at", "<", now).execute();
}
