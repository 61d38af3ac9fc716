/**
 * Stored secrets: AES-256-GCM under a key derived from the service's secret key, with a key id so
 * that keys can be rotated.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import type { Secrets } from "../../core/ports/secrets.ts";

const VERSION = "w1";
const TAG_BYTES = 16;

/** The service's secret keys: the first one seals and signs, all of them open and verify. */
export type Keys = readonly [string, ...string[]];

/**
 * @param source the keys, or a function that returns them, for keys that change while the process
 * runs; it must return the same array while they are unchanged
 */
export function createSecrets(source: Keys | (() => Keys)): Secrets {
	let known: Keys | null = null;
	let ring = new Map<string, Buffer>();

	/** The storage keys by id, the current one first. */
	function getCurrentKey(): [string, Buffer] {
		const keys = typeof source === "function" ? source() : source;
		if (keys !== known) {
			known = keys;
			ring = new Map(keys.map((key) => [computeKeyId(key), deriveKey(key, "storage")]));
		}
		return [...ring][0] as [string, Buffer];
	}

	function deriveAll(purpose: string): [Buffer, ...Buffer[]] {
		getCurrentKey();
		return (known as Keys).map((key) => deriveKey(key, purpose)) as [Buffer, ...Buffer[]];
	}

	return {
		seal(plaintext, context) {
			const [id, key] = getCurrentKey();
			const iv = randomBytes(12);
			const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(context));
			const body = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()]);
			const parts = [iv, cipher.getAuthTag(), body].map((part) => part.toString("base64url"));
			return [VERSION, id, ...parts].join(".");
		},
		open(sealed, context) {
			getCurrentKey();
			const [version, id, iv, tag, body] = sealed.split(".");
			const key = ring.get(id ?? "");
			if (version !== VERSION || key === undefined || !iv || !tag || body === undefined) {
				throw new Error("A stored secret cannot be read: it was sealed with another key.");
			}
			// The ciphertext must not choose a shorter tag, which is easier to guess.
			const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(iv, "base64url"), { authTagLength: TAG_BYTES })
				.setAAD(Buffer.from(context))
				.setAuthTag(Buffer.from(tag, "base64url"));
			return Buffer.concat([decipher.update(Buffer.from(body, "base64url")), decipher.final()]).toString("utf8");
		},
		isCurrent: (sealed) => sealed.startsWith(`${VERSION}.${getCurrentKey()[0]}.`),
		derive: (purpose) => deriveAll(purpose)[0],
		deriveAll,
	};
}

/** Identifies a key without revealing it. */
export function computeKeyId(key: string): string {
	return createHash("sha256").update(`weft-key-id:${key}`).digest("hex").slice(0, 8);
}

function deriveKey(key: string, purpose: string): Buffer {
	return Buffer.from(hkdfSync("sha256", key, "weft", purpose, 32));
}
