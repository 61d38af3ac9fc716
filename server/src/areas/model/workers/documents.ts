/**
 * Documents as they go from thread to thread: many in one piece of memory, as they were fetched or
 * unpacked.
 */
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { DocumentError } from "../rules/document.ts";

export interface GivenDocument {
	readonly name: string;
	/** The version that published it. */
	readonly key: string;
	readonly body: Uint8Array;
	readonly encoding: "identity" | "gzip" | "deflate" | "br";
}

/** No document unpacks to more. */
const MAX_DOCUMENT = 256 * 1024 * 1024;
/**
 * Unpacked at once where nothing tells how large it is: most documents are smaller, and need not be
 * put together from pieces.
 */
const UNPACKED = 64 * 1024;
const [LEAST_UNPACKED, UNPACKED_MOST] = [1024, 1024 * 1024];
/** Unpacked together, but for what one of them exceeds it by. */
const UNPACKED_TOGETHER = 32 * 1024 * 1024;

/** With their bodies in one piece of memory: handing over each one's own costs more than a copy. */
export function joinBodies(documents: readonly GivenDocument[]): { documents: GivenDocument[]; memory: ArrayBuffer } {
	const memory = new ArrayBuffer(documents.reduce((sum, { body }) => sum + body.length, 0));
	let at = 0;
	const moved = documents.map(({ name, key, encoding, body }) => {
		const part = new Uint8Array(memory, at, body.length);
		part.set(body);
		at += body.length;
		return { name, key, encoding, body: part };
	});
	return { documents: moved, memory };
}

/** The same documents, unpacked as far as there is room for them and they can be. */
export function unpackSome(documents: readonly GivenDocument[]): GivenDocument[] {
	let bytes = 0;
	return documents.map((document) => {
		if (bytes > UNPACKED_TOGETHER || document.encoding === "identity") return document;
		try {
			const body = unpackDocument(document);
			bytes += body.length;
			return { name: document.name, key: document.key, encoding: "identity", body };
		} catch (error) {
			// Who reads it meets the same again, and tells.
			if (error instanceof DocumentError) return document;
			throw error;
		}
	});
}

/** @throws DocumentError */
export function unpackDocument({ body, encoding }: GivenDocument): Buffer {
	if (encoding === "identity") return viewAsBuffer(body);
	try {
		const unpackers = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync };
		return unpackers[encoding](body, { maxOutputLength: MAX_DOCUMENT, chunkSize: reserveRoom(body, encoding) });
	} catch (error) {
		throw new DocumentError(`it cannot be unpacked: ${(error as Error).message}`);
	}
}

/**
 * Bytes to reserve for a document. A gzip stream ends with its unpacked size (RFC 1952), which is
 * arbitrary if the stream was cut off.
 */
function reserveRoom(body: Uint8Array, encoding: GivenDocument["encoding"]): number {
	if (encoding !== "gzip" || body.length < 4) return UNPACKED;
	const size = viewAsBuffer(body).readUInt32LE(body.length - 4) + 1;
	return size < LEAST_UNPACKED || size > UNPACKED_MOST ? UNPACKED : size;
}

const viewAsBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
	Buffer.from(buffer, byteOffset, byteLength);
