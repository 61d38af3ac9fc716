/** Signing in at an identity provider: OpenID Connect, authorization code flow with PKCE. */
import * as z from "zod";
import { loginAnswer, mfaAnswer } from "./auth.ts";
import { raw, route } from "./route.ts";

/** Why a sign-in at the provider failed, as the sign-in page gets it in `oidc_error`. */
export const OIDC_ERRORS = [
	/** The sign-in was not begun in this browser, is over 10 minutes old, or was finished before. */
	"state",
	/** The provider or the user refused. */
	"denied",
	"unavailable",
	/** The provider's answer did not pass the checks: signature, nonce, audience, clock. */
	"token",
	/** The username claim is missing or cannot be a username. */
	"username",
	/** Another account has this username. */
	"taken",
	"inactive",
	"locked",
] as const;
export type OidcError = (typeof OIDC_ERRORS)[number];

const detail = z.object({ detail: z.string() });

/**
 * A path of the web interface: no address of another host in any spelling, and no empty segment,
 * dot segment, backslash, space or control character in its path.
 */
const OWN_PATH =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
	/^\/(?:(?!\.{1,2}(?:[/?#]|$))[^/\\?#\s\u0000-\u001f\u007f-\u009f]+(?:\/(?=[^/\\])|\/?(?=[?#]|$)))*(?:[?#][^\s\u0000-\u001f\u007f-\u009f]*)?$/;

const ownPath = z.string().max(2_048).regex(OWN_PATH, "Must be a path of this service, such as /queries.");

export const oidcRoutes = {
	start: route({
		id: "auth.oidc_start",
		method: "GET",
		path: "/api/auth/oidc/start/",
		summary: "To the identity provider, to sign in there; 404 where there is none",
		auth: "anonymous",
		throttle: "anon",
		permission: "any",
		audit: { none: "nobody is signed in yet" },
		query: z.object({ next: ownPath.optional() }),
		answers: {
			302: raw("", "To the identity provider; sets a cookie that binds the sign-in to this browser"),
			404: detail,
		},
	}),
	callback: route({
		id: "auth.oidc_callback",
		method: "GET",
		path: "/api/auth/oidc/callback/",
		summary: "Where the identity provider sends the browser back to",
		auth: "anonymous",
		throttle: "anon",
		permission: "any",
		audit: { none: "the exchange is recorded; failures and changed users are recorded as such" },
		answers: {
			302: raw("", "To the sign-in page, with a one-time code in oidc, or with a word in oidc_error"),
			404: detail,
		},
	}),
	exchange: route({
		id: "auth.oidc_exchange",
		method: "POST",
		path: "/api/auth/oidc/exchange/",
		summary: "Sign in with the one-time code of the callback, once and within 60 seconds",
		auth: "anonymous",
		throttle: "login",
		permission: "any",
		audit: { category: "authentication", action: "oidc_login" },
		body: z.object({ code: z.string().min(1).max(128) }),
		answers: { 200: loginAnswer, 202: mfaAnswer },
	}),
} as const;
