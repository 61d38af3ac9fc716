/** Access and refresh tokens: JWTs bound to a session, under a key derived from the secret key. */
import { type JWTPayload, jwtVerify, SignJWT } from "jose";
import { LRUCache } from "lru-cache";
import type { Context } from "../../../context.ts";

const ACCESS_SECONDS = 15 * 60;
export const REFRESH_SECONDS = 7 * 24 * 3600;

type TokenKind = "access" | "refresh";

interface TokenClaims {
	readonly sessionId: string;
	readonly userId: number;
	/** Milliseconds since 1970. */
	readonly expiresAt: number;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ISSUER = "weft";
const REMEMBERED = 10_000;

export function createTokens({ secrets, clock, ids }: Pick<Context, "secrets" | "clock" | "ids">) {
	const keys = secrets.deriveAll("tokens");
	const [key] = keys;
	// Caches the claims of tokens whose signature has been verified.
	const verified = {
		access: new LRUCache<string, TokenClaims>({ max: REMEMBERED }),
		refresh: new LRUCache<string, TokenClaims>({ max: REMEMBERED }),
	};

	async function verifyToken(kind: TokenKind, token: string): Promise<TokenClaims | null> {
		const payload = await readSignedPayload(token, keys, new Date(clock.now()));
		if (payload === null || payload.token_type !== kind) return null;
		const { sid, sub, exp } = payload;
		if (typeof sid !== "string" || !UUID.test(sid) || !Number.isSafeInteger(exp)) return null;
		const claims = { sessionId: sid, userId: Number(sub), expiresAt: Number(exp) * 1000 };
		verified[kind].set(token, claims);
		return claims;
	}

	return {
		async sign(kind: TokenKind, userId: number, sessionId: string): Promise<string> {
			const now = Math.floor(clock.now() / 1000);
			return new SignJWT({ sid: sessionId, token_type: kind, user_id: userId })
				.setProtectedHeader({ alg: "HS256", typ: "JWT" })
				.setIssuer(ISSUER)
				.setAudience(ISSUER)
				.setSubject(String(userId))
				.setJti(ids.uuid())
				.setIssuedAt(now)
				.setExpirationTime(now + (kind === "access" ? ACCESS_SECONDS : REFRESH_SECONDS))
				.sign(key);
		},

		/** The claims of a token that is genuine, of this kind and not expired; else null. */
		async verify(kind: TokenKind, token: string): Promise<TokenClaims | null> {
			const known = verified[kind].get(token);
			if (known === undefined) return verifyToken(kind, token);
			return known.expiresAt > clock.now() ? known : null;
		},
	};
}

export type Tokens = ReturnType<typeof createTokens>;

/** The payload of a token that one of the keys signed; null of any other. */
async function readSignedPayload(
	token: string,
	keys: readonly Buffer[],
	currentDate: Date,
): Promise<JWTPayload | null> {
	for (const key of keys) {
		const checked = await jwtVerify(token, key, {
			algorithms: ["HS256"],
			issuer: ISSUER,
			audience: ISSUER,
			requiredClaims: ["sub", "sid", "jti", "exp"],
			currentDate,
		}).catch(() => null);
		if (checked !== null) return checked.payload;
	}
	return null;
}
