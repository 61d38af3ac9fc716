/**
 * Tokens in mails, `<uidb64>:<token>`. A token is derived from its row's id under the service's
 * key, so that a retry sends the same one. It is not stored: the row has its hash, a queue task the
 * id.
 */
import { createHash, createHmac } from "node:crypto";
import { type Context, getNow } from "../../../context.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { TokenPurpose, TokenRow } from "./sql/secrets.ts";
import { findTokenByHash, insertToken, updateToken } from "./sql/secrets.ts";

const LINK = /^([\w-]{1,32}):([\w-]{43})$/;

const computeHash = (token: string): string => createHash("sha256").update(token).digest("base64url");

interface NewLink {
	readonly id: string;
	readonly user_id: number;
	readonly purpose: TokenPurpose;
	readonly email: string;
}

const getKeys = ({ secrets }: Context) => secrets.deriveAll("mail-links");

const getToken = (
	ctx: Context,
	{ id, user_id, purpose }: Omit<NewLink, "email">,
	key: Buffer = getKeys(ctx)[0],
): string => createHmac("sha256", key).update(`${purpose}:${user_id}:${id}`).digest("base64url");

/**
 * The token that matches the row's hash, under any accepted key; else the current key's token.
 */
function getRowToken(ctx: Context, row: TokenRow): string {
	const tokens = getKeys(ctx).map((key) => getToken(ctx, row, key));
	return tokens.find((made) => computeHash(made) === row.token_hash) ?? getToken(ctx, row);
}

/** Inserts a link's row, unless the id has one already. */
export async function beginLink(ctx: Context, tx: Tx, link: NewLink, lifeMs: number): Promise<void> {
	const now = ctx.clock.now();
	await insertToken(tx, {
		...link,
		token_hash: computeHash(getToken(ctx, link)),
		created_at: new Date(now),
		expires_at: new Date(now + lifeMs),
	});
}

/** Renews a link's expiry, and its hash if the key that made it is not accepted any more. */
export async function extendLink(ctx: Context, tx: Tx, row: TokenRow, lifeMs: number): Promise<void> {
	await updateToken(tx, row.id, {
		token_hash: computeHash(getRowToken(ctx, row)),
		expires_at: new Date(ctx.clock.now() + lifeMs),
	});
}

/** The token as it is mailed. */
export const formatLink = (ctx: Context, row: TokenRow): string =>
	`${Buffer.from(String(row.user_id)).toString("base64url")}:${getRowToken(ctx, row)}`;

/** The live row of a link for this purpose. */
export async function findLink(
	ctx: Context,
	db: Db,
	purpose: TokenPurpose,
	text: string,
): Promise<TokenRow | undefined> {
	const [, uid = "", token = ""] = LINK.exec(text) ?? [];
	if (token === "") return undefined;
	const row = await findTokenByHash(db, purpose, computeHash(token), getNow(ctx));
	const isOwners = row !== undefined && Buffer.from(uid, "base64url").toString() === String(row.user_id);
	return isOwners ? row : undefined;
}
