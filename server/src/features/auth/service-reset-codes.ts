/**
 * Password reset codes of administrators: valid once for 30 minutes, the newest only. Stored as
 * HMAC.
 */
import { createHmac } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Secrets } from "../../ports/secrets.ts";
import type { Db, Tx } from "../../ports/store.ts";
import { codeFrom, readCode } from "./domain/codes.ts";
import type { TokenRow } from "./repo-secrets.ts";
import { findTokenByHash, insertToken, removeTokens } from "./repo-secrets.ts";

const LIFE_MS = 30 * 60_000;

export interface ResetCodesDeps {
	readonly clock: Pick<Clock, "now">;
	readonly ids: Ids;
	readonly secrets: Pick<Secrets, "deriveAll">;
}

export function createResetCodes({ clock, ids, secrets }: ResetCodesDeps) {
	const keys = secrets.deriveAll("reset-codes");
	const computeHash = (code: string, key: Buffer = keys[0]): string =>
		createHmac("sha256", key).update(code).digest("base64url");

	return {
		async issue(tx: Tx, userId: number): Promise<{ code: string; expires_at: Date }> {
			const code = codeFrom(Buffer.from(ids.token(8), "base64url"));
			const now = clock.now();
			const expires_at = new Date(now + LIFE_MS);
			await removeTokens(tx, userId, ["reset_code"]);
			await insertToken(tx, {
				id: ids.uuid(),
				user_id: userId,
				purpose: "reset_code",
				token_hash: computeHash(code),
				email: "",
				created_at: new Date(now),
				expires_at,
			});
			return { code, expires_at };
		},

		async find(db: Db, typed: string): Promise<TokenRow | undefined> {
			const code = readCode(typed);
			if (code === null) return undefined;
			const now = new Date(clock.now());
			for (const key of keys) {
				const row = await findTokenByHash(db, "reset_code", computeHash(code, key), now);
				if (row !== undefined) return row;
			}
			return undefined;
		},
	};
}

export type ResetCodes = ReturnType<typeof createResetCodes>;
