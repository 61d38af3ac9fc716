/** Who sends a request or holds a socket. */
import type { Context } from "../../../context.ts";
import type { Identity, TokenRefusal } from "../../../core/caller.ts";
import { isSecretLike } from "./rules/api-token.ts";
import { findUser } from "./sql/sign-in.ts";

const DEACTIVATED = { detail: "Your account is deactivated.", code: "account_deactivated" } as const;

/**
 * Who an access or API token belongs to; null when it is not valid or its session has ended. Names
 * the reason to the holder of a genuine token whose account is deactivated.
 */
export async function authenticateToken(
	{ areas, store }: Context,
	token: string,
	ip: string,
): Promise<Identity | TokenRefusal | null> {
	const { sessions, tokens, tokenIdentities } = areas.signIn;
	if (isSecretLike(token)) return tokenIdentities.identify(token, ip);
	const claims = await tokens.verify("access", token);
	const identity = claims && (await sessions.resume(claims.sessionId));
	if (claims === null || identity !== null) return identity;
	const user = await findUser(store.db, claims.userId);
	return user?.is_active === false ? DEACTIVATED : null;
}

/** The user of a session with current rights; null when it has ended. Does not keep it alive. */
export const renewIdentity = ({ areas }: Context, identity: Identity): Promise<Identity | null> =>
	identity.token === null
		? areas.signIn.sessions.resume(identity.sessionId, { touch: false })
		: areas.signIn.tokenIdentities.renew(identity.token.id);
