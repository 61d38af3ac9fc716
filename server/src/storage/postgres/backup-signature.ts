/**
 * The signature of a backup: it shows that the file is as this installation wrote it. It is an
 * HMAC-SHA256 (RFC 2104) of the SHA-256 digest of all lines before it, under a key derived from the
 * secret key.
 */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

const KEY_BYTES = 32;

/** @param key a secret key of the service */
export function signBackup(key: string, digest: Buffer): string {
	const derived = Buffer.from(hkdfSync("sha256", key, "", "weft backup", KEY_BYTES));
	return createHmac("sha256", derived).update(digest).digest("hex");
}

export function isBackupSignature(key: string, digest: Buffer, signature: string): boolean {
	const [given, wanted] = [Buffer.from(signature), Buffer.from(signBackup(key, digest))];
	return given.length === wanted.length && timingSafeEqual(given, wanted);
}
