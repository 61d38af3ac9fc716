/** Who sends a request: by session cookie (and challenge), or by signature. */
import { findFirstCookie, readCookies } from "../auth/cookies.ts";
import type { Sessions } from "../auth/sessions.ts";
import type { createSignatureCheck } from "../auth/signature.ts";
import { ApiError, buildMissingCookieError, buildTokenInvalidError } from "../errors.ts";
import type { Faults } from "../faults.ts";
import type { ApiRequest, Caller } from "./types.ts";

export interface AuthenticatorParts {
	readonly sessions: Sessions;
	readonly signature: ReturnType<typeof createSignatureCheck>;
	readonly faults: Faults;
}

/** @returns a check that throws ApiError 403 without a valid token, 401 for a bad signature */
export function createAuthenticator({ sessions, signature, faults }: AuthenticatorParts) {
	return function authenticate(request: ApiRequest, challenge: string | undefined): Caller {
		const header = request.headers.cookie;
		const cookies = readCookies(Array.isArray(header) ? header.join("; ") : header);
		if (signature.claims(cookies)) {
			const user = signature.check(cookies, request.method, request.target, request.body);
			assertAllowed(request.target);
			return { user, session: null };
		}
		const token = findFirstCookie(cookies, "APIC-cookie");
		if (token === undefined || token === "") throw buildMissingCookieError();
		const session = sessions.find(token);
		if (session === undefined) throw buildTokenInvalidError();
		if ((cookies.get("apic-cookie") ?? []).length > 1) session.doubled = true;
		// A login with gui-token-request binds the session to a second secret in a header.
		const given = challenge ?? request.headers["apic-challenge"];
		if (session.urlToken !== null && given !== session.urlToken)
			throw new ApiError(403, "Token was invalid (Error: Token challenge failed)");
		if (faults.fire("token_expired", request.target) !== null) {
			sessions.close(session);
			throw buildTokenInvalidError();
		}
		if (faults.fire("session_revoked", request.target) !== null) {
			sessions.close(session);
			throw new ApiError(401, "Session was revoked");
		}
		assertAllowed(request.target);
		return { user: session.user, session };
	};

	function assertAllowed(target: string): void {
		const denied = faults.fire("access_denied", target);
		if (denied !== null) throw new ApiError(403, String(denied.text));
	}
}
