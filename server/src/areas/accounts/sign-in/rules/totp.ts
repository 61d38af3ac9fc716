/** One-time codes by time (RFC 6238): SHA-1, 6 digits, 30 seconds, one step of drift. */
import { Secret, TOTP } from "otpauth";

const ISSUER = "Weft";
const PARAMETERS = { algorithm: "SHA1", digits: 6, period: 30 } as const;
const DRIFT = 1;

/** @param random 20 bytes, the length of SHA-1's output (RFC 4226, section 4) */
export function decodeSecret(random: Uint8Array): string {
	return new Secret({ buffer: Uint8Array.from(random).buffer }).base32;
}

/** What an authenticator reads from the picture. */
export function buildOtpauthUrl(secret: string, username: string): string {
	return new TOTP({ ...PARAMETERS, issuer: ISSUER, label: username, secret: Secret.fromBase32(secret) }).toString();
}

/** The time step whose code this is; null when it is none of now or of one step around it. */
export function getStep(secret: string, code: string, now: number): number | null {
	const token = code.replace(/[\s-]/g, "");
	if (!/^\d{6}$/.test(token)) return null;
	const totp = new TOTP({ ...PARAMETERS, secret: Secret.fromBase32(secret) });
	const delta = totp.validate({ token, timestamp: now, window: DRIFT });
	return delta === null ? null : Math.floor(now / 1000 / PARAMETERS.period) + delta;
}
