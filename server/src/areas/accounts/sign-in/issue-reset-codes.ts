/**
 * Password reset codes of administrators: valid once for 30 minutes, the newest only. Stored as
 * HMAC.
 */
import { createHmac } from "node:crypto";
import { type Context, getNow } from "../../../context.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { readCode, readTypedCode } from "./rules/codes.ts";
import type { TokenRow } from "./sql/secrets.ts";
import { findTokenByHash, insertToken, removeTokens } from "./sql/secrets.ts";

const LIFE_MS = 30 * 60_000;

const getKeys = ({ secrets }: Context) => secrets.deriveAll("reset-codes");

const computeHash = (ctx: Context, code: string, key: Buffer = getKeys(ctx)[0]): string =>
	createHmac("sha256", key).update(code).digest("base64url");

export async function issueResetCode(
	ctx: Context,
	tx: Tx,
	userId: number,
): Promise<{ code: string; expires_at: Date }> {
	const code = readTypedCode(Buffer.from(ctx.ids.token(8), "base64url"));
	const now = ctx.clock.now();
	const expires_at = new Date(now + LIFE_MS);
	await removeTokens(tx, userId, ["reset_code"]);
	await insertToken(tx, {
		id: ctx.ids.uuid(),
		user_id: userId,
		purpose: "reset_code",
		token_hash: computeHash(ctx, code),
		email: "",
		created_at: new Date(now),
		expires_at,
	});
	return { code, expires_at };
}

export async function findResetCode(ctx: Context, db: Db, typed: string): Promise<TokenRow | undefined> {
	const code = readCode(typed);
	if (code === null) return undefined;
	const now = getNow(ctx);
	for (const key of getKeys(ctx)) {
		const row = await findTokenByHash(db, "reset_code", computeHash(ctx, code, key), now);
		if (row !== undefined) return row;
	}
	return undefined;
}
