/** Who sends a request or holds a socket. */
import type { Context } from "../../../context.ts";
import type { Identity, TokenRefusal } from "../../../core/caller.ts";
import { isSecretLike } from "./rules/api-token.ts";

/** Who an access or API token belongs to; null when it is not valid or its session has ended. */
export async function authenticateToken(
	{ areas }: Context,
	token: string,
	ip: string,
): Promise<Identity | TokenRefusal | null> {
	const { sessions, tokens, tokenIdentities } = areas.signIn;
	if (isSecretLike(token)) return tokenIdentities.identify(token, ip);
	const claims = await tokens.verify("access", token);
	return claims && sessions.resume(claims.sessionId);
}

/** The user of a session with current rights; null when it has ended. Does not keep it alive. */
export const renewIdentity = ({ areas }: Context, identity: Identity): Promise<Identity | null> =>
	identity.token === null
		? areas.signIn.sessions.resume(identity.sessionId, { touch: false })
		: areas.signIn.tokenIdentities.renew(identity.token.id);
