/** Signing in at an identity provider: OpenID Connect, authorization code flow with PKCE. */
import * as z from "zod";

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

export const oidcStart = z
	.object({
		next: ownPath.optional(),
		/** Of a program on the user's computer: where it listens for the code. */
		redirect_uri: loopback.optional(),
		code_challenge: challenge.optional(),
		/** The provider asks for the credentials again, also where the person has a session there. */
		prompt: z.literal("login", "Must be login.").optional(),
	})
	.refine((query) => query.redirect_uri === undefined || query.code_challenge !== undefined, {
		path: ["code_challenge"],
		error: "Is required with redirect_uri.",
	})
	.refine((query) => query.code_challenge === undefined || query.redirect_uri !== undefined, {
		path: ["redirect_uri"],
		error: "Is required with code_challenge.",
	});
export type OidcStart = z.output<typeof oidcStart>;

/** The secret of a program's sign-in that waits for a decision, from the page's fragment. */
export const terminalRequest = z.object({ request: z.string().min(1).max(128) });
