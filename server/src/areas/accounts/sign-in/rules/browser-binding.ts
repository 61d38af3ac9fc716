/**
 * The cookie that binds a sign-in at an identity provider to the browser that began it (RFC 6749,
 * section 10.12).
 */
const BYTES = /^[\w-]{43}$/;

/** With TLS a name that no other host of the domain can set (RFC 6265bis, section 4.1.3.2). */
const getName = (isSecure: boolean): string => (isSecure ? "__Host-weft_oidc" : "weft_oidc");

/** @param value 32 bytes as base64url */
export function buildBindingCookie(value: string, seconds: number, isSecure: boolean): string {
	const secure = isSecure ? "; Secure" : "";
	return `${getName(isSecure)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

/** The value that a request's header `Cookie` has; null if there is none, or not of our form. */
export function readBinding(header: string | undefined, isSecure: boolean): string | null {
	const prefix = `${getName(isSecure)}=`;
	const found = (header ?? "").split(";").find((pair) => pair.trim().startsWith(prefix));
	const value = found?.trim().slice(prefix.length) ?? "";
	return BYTES.test(value) ? value : null;
}
