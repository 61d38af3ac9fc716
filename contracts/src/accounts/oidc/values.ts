/** Constants of signing in at an identity provider. */

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

/** Letters and digits that cannot be mistaken for each other. */
const TERMINAL_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/**
 * Formats the short code that a terminal and the page of the sign-in both show: 40 bits of the
 * challenge, as in `K7QM-2XWD`.
 * @param challenge SHA-256 of the verifier as base64url
 */
export function formatTerminalCode(challenge: string): string {
	const letters = [...challenge.slice(0, 8)].map((digit) => TERMINAL_LETTERS[BASE64URL.indexOf(digit) % 32]);
	return `${letters.slice(0, 4).join("")}-${letters.slice(4).join("")}`;
}

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
