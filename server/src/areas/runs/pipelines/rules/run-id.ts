/** Ids of runs that are started with an idempotency key. */
import { createHash } from "node:crypto";

/** The same id for the same owner and key: a UUID of version 8 (RFC 9562) from their SHA-256. */
export function getRunId(ownerId: number, key: string): string {
	const bytes = createHash("sha256").update(`${ownerId}:${key}`).digest().subarray(0, 16);
	bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
	bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
	return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
