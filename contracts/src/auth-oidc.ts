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

/** Messages about a failed sign-in. */
export const OIDC_PROBLEMS: Record<OidcError, string> = {
	state: "This sign-in was not begun in this browser, or took too long. Sign in again.",
	denied: "The identity provider refused the sign-in, or you cancelled it.",
	unavailable: "The identity provider cannot be reached. Try again shortly, or sign in with a password.",
	token: "The answer of the identity provider is not valid. Sign in again; if it fails again, ask an administrator.",
	username: "The identity provider gives you no name that can be a username. Ask an administrator.",
	taken: "Another account has your username. Ask an administrator.",
	inactive: "Your account is not active. Ask an administrator.",
	locked: "Too many failed attempts to sign in. Try again later.",
};

const detail = z.object({ detail: z.string() });

/**
 * A path of the web interface: no address of another host in any spelling, and no empty segment,
 * dot segment, backslash, space or control character in its path.
 */
const OWN_PATH =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
	/^\/(?:(?!\.{1,2}(?:[/?#]|$))[^/\\?#\s\u0000-\u001f\u007f-\u009f]+(?:\/(?=[^/\\])|\/?(?=[?#]|$)))*(?:[?#][^\s\u0000-\u001f\u007f-\u009f]*)?$/;

const ownPath = z.string().max(2_048).regex(OWN_PATH, "Must be a path of this service, such as /queries.");

/** RFC 8252, section 7.3: addresses of the loopback interface, and no name of it (section 8.3). */
const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):[1-9]\d{0,4}\/[\w-]{0,128}$/;
const NO_LOOPBACK = "Must be an address of this computer, such as http://127.0.0.1:49152/callback.";
const loopback = z
	.string()
	.max(200)
	.regex(LOOPBACK, NO_LOOPBACK)
	.refine((text) => URL.canParse(text), NO_LOOPBACK);

/** SHA-256 of the verifier as base64url (RFC 7636, section 4.2; method S256). */
const challenge = z
	.string()
	.max(43)
	.regex(/^[\w-]{43}$/, "Must be the SHA-256 of the verifier as base64url: 43 characters.");
const verifier = z
	.string()
	.max(128)
	.regex(/^[\w.~-]{43,128}$/, "Must have 43 to 128 letters, digits and - . _ ~.");

const startQuery = z
	.object({
		next: ownPath.optional(),
		/** Of a program on the user's computer: where it listens for the code. */
		redirect_uri: loopback.optional(),
		code_challenge: challenge.optional(),
	})
	.refine((query) => query.redirect_uri === undefined || query.code_challenge !== undefined, {
		path: ["code_challenge"],
		error: "Is required with redirect_uri.",
	})
	.refine((query) => query.code_challenge === undefined || query.redirect_uri !== undefined, {
		path: ["redirect_uri"],
		error: "Is required with code_challenge.",
	});
export type OidcStart = z.output<typeof startQuery>;

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
		query: startQuery,
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
			302: raw(
				"",
				"To the sign-in page, with a one-time code in oidc or a word in oidc_error; to redirect_uri with code or error",
			),
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
		body: z.object({
			code: z.string().min(1).max(128),
			/** For the code of a sign-in that was begun with a challenge, and for no other. */
			code_verifier: verifier.optional(),
		}),
		answers: { 200: loginAnswer, 202: mfaAnswer },
	}),
} as const;
