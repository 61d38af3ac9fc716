/**
 * The chain that shows tampering. Each entry has a hash; a block lists the entries of one day with
 * their hashes; each block carries a code over itself and the code of the one before, under a key
 * that is not in the store (docs/adr/0012-audit.md).
 */
import { createHash, createHmac, hash } from "node:crypto";

/** An entry as the store spells it: what the driver would turn into values is compared as text. */
export interface ChainEntry {
	readonly id: number;
	readonly category: string;
	readonly action: string;
	readonly user_id: number | null;
	readonly username: string;
	readonly ip_address: string;
	readonly user_agent: string;
	readonly description: string;
	readonly target_type: string;
	readonly target_id: string;
	readonly metadata: string;
	readonly content_compressed: boolean;
	readonly content_size_bytes: number;
	readonly request_id: string;
	/** Microseconds since 1970, in decimals. */
	readonly created_us: string;
	/** SHA-256 of the content in hexadecimals; null where there is none. */
	readonly content_hash: string | null;
}

const FIELDS = [
	"id",
	"category",
	"action",
	"user_id",
	"username",
	"ip_address",
	"user_agent",
	"description",
	"target_type",
	"target_id",
	"metadata",
	"content_compressed",
	"content_size_bytes",
	"request_id",
	"created_us",
	"content_hash",
] as const satisfies readonly (keyof ChainEntry)[];

export const HASH_BYTES = 32;

export function hashEntry(entry: ChainEntry): Buffer {
	return hash("sha256", JSON.stringify(FIELDS.map((field) => entry[field])), "buffer");
}

export interface Listed {
	readonly ids: readonly number[];
	readonly groups: readonly string[];
	/** One after another. */
	readonly hashes: Buffer;
}

export function computeDigest({ ids, groups, hashes }: Listed): Buffer {
	return createHash("sha256")
		.update(JSON.stringify([ids, groups]))
		.update(hashes)
		.digest();
}

export interface Block {
	readonly number: number;
	readonly kind: "entries" | "purge";
	readonly day: string;
	/** Those that occur, each once and sorted. */
	readonly groups: readonly string[];
	readonly digest: Buffer;
}

/** @param previous the code of the block before; empty for the first one */
export function computeMac(key: Buffer, { number, kind, day, groups, digest }: Block, previous: Buffer): Buffer {
	const text = JSON.stringify([number, kind, day, groups, digest.toString("hex"), previous.toString("hex")]);
	return createHmac("sha256", key).update(text).digest();
}
