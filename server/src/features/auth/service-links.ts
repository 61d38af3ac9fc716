/**
 * Tokens in mails, `<uidb64>:<token>`. A token is derived from its row's id under the service's
 * key, so that a retry sends the same one. It is not stored: the row has its hash, a queue task the
 * id.
 */
import { createHash, createHmac } from "node:crypto";
import type { Clock } from "../../ports/clock.ts";
import type { Secrets } from "../../ports/secrets.ts";
import type { Db, Tx } from "../../ports/store.ts";
import type { TokenPurpose, TokenRow } from "./repo-secrets.ts";
import { findTokenByHash, insertToken, updateToken } from "./repo-secrets.ts";

const LINK = /^([\w-]{1,32}):([\w-]{43})$/;

const computeHash = (token: string): string => createHash("sha256").update(token).digest("base64url");

export interface LinksDeps {
	readonly clock: Pick<Clock, "now">;
	readonly secrets: Pick<Secrets, "deriveAll">;
}

interface NewLink {
	readonly id: string;
	readonly user_id: number;
	readonly purpose: TokenPurpose;
	readonly email: string;
}

export function createLinks({ clock, secrets }: LinksDeps) {
	const keys = secrets.deriveAll("mail-links");
	const getToken = ({ id, user_id, purpose }: Omit<NewLink, "email">, key: Buffer = keys[0]): string =>
		createHmac("sha256", key).update(`${purpose}:${user_id}:${id}`).digest("base64url");

	/**
	 * The token that matches the row's hash, under any accepted key; else the current key's token.
	 */
	function tokenFor(row: TokenRow): string {
		const tokens = keys.map((key) => getToken(row, key));
		return tokens.find((made) => computeHash(made) === row.token_hash) ?? getToken(row);
	}

	return {
		/** Inserts a link's row, unless the id has one already. */
		async begin(tx: Tx, link: NewLink, lifeMs: number): Promise<void> {
			const now = clock.now();
			await insertToken(tx, {
				...link,
				token_hash: computeHash(getToken(link)),
				created_at: new Date(now),
				expires_at: new Date(now + lifeMs),
			});
		},

		/** Renews a link's expiry, and its hash if the key that made it is not accepted any more. */
		async extend(tx: Tx, row: TokenRow, lifeMs: number): Promise<void> {
			await updateToken(tx, row.id, {
				token_hash: computeHash(tokenFor(row)),
				expires_at: new Date(clock.now() + lifeMs),
			});
		},

		/** The token as it is mailed. */
		getText: (row: TokenRow): string => `${Buffer.from(String(row.user_id)).toString("base64url")}:${tokenFor(row)}`,

		/** The live row of a link for this purpose. */
		async find(db: Db, purpose: TokenPurpose, text: string): Promise<TokenRow | undefined> {
			const [, uid = "", token = ""] = LINK.exec(text) ?? [];
			if (token === "") return undefined;
			const row = await findTokenByHash(db, purpose, computeHash(token), new Date(clock.now()));
			const isOwners = row !== undefined && Buffer.from(uid, "base64url").toString() === String(row.user_id);
			return isOwners ? row : undefined;
		},
	};
}

export type Links = ReturnType<typeof createLinks>;
