/** The model's heavy work as tasks of a worker thread: reading documents, building the image, comparing two of them. Bytes come and go as Uint8Array. */
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, inflateSync } from "node:zlib";
import type { ClassChange } from "@weft/contracts";
import { detachable } from "../../../platform/workers/serve.ts";
import { buildImage } from "../domain/build.ts";
import { compareModels } from "../domain/compare.ts";
import { DocumentError, readDocument } from "../domain/document.ts";
import { type ImageMeta, readImage } from "../domain/image.ts";
import { openModel } from "../domain/model.ts";
import { writeRecord } from "../domain/records.ts";

export interface GivenDocument {
	readonly name: string;
	/** The version that published it. */
	readonly key: string;
	readonly body: Uint8Array;
	readonly encoding: "identity" | "gzip" | "deflate" | "br";
}

export type ReadOutcome =
	| { readonly name: string; readonly ok: true; readonly properties: number }
	| { readonly name: string; readonly ok: false; readonly message: string };

export interface ReadOutput {
	readonly outcomes: ReadOutcome[];
	/** Records of the documents that could be read, packed; null where there is none. */
	readonly records: Uint8Array | null;
	/** Every class that one of them names. */
	readonly named: string[];
}

export interface BuildOutput {
	readonly meta: ImageMeta;
	readonly bytes: number;
	/** The image in pieces, packed. */
	readonly pieces: Uint8Array[];
}

/** No document unpacks to more. */
const MAX_DOCUMENT = 256 * 1024 * 1024;
const PIECE = 4 * 1024 * 1024;
/** Unpacked at once: most documents are smaller, and need not be put together from pieces. */
const UNPACKED = 64 * 1024;

export const modelTasks = {
	read({ documents }: { documents: GivenDocument[] }): { value: ReadOutput; transfer: ArrayBuffer[] } {
		const outcomes: ReadOutcome[] = [];
		const records: string[] = [];
		const named = new Set<string>();
		for (const document of documents) {
			const { name, key } = document;
			try {
				const record = readDocument(name, textOf(document), key);
				records.push(writeRecord(record));
				for (const other of record.named) named.add(other);
				outcomes.push({ name, ok: true, properties: record.properties.length });
			} catch (error) {
				if (!(error instanceof DocumentError)) throw error;
				outcomes.push({ name, ok: false, message: error.message });
			}
		}
		const value = { outcomes, named: [...named] };
		if (records.length === 0) return { value: { ...value, records: null }, transfer: [] };
		const { bytes, memory } = detachable(pack(Buffer.from(records.join(""))));
		return { value: { ...value, records: bytes }, transfer: [memory] };
	},

	build({ records }: { records: Uint8Array[] }): { value: BuildOutput; transfer: ArrayBuffer[] } {
		const image = buildImage(unpacked(records));
		const pieces: Uint8Array[] = [];
		const transfer: ArrayBuffer[] = [];
		for (let at = 0; at < image.length; at += PIECE) {
			const { bytes, memory } = detachable(pack(image.subarray(at, at + PIECE)));
			pieces.push(bytes);
			transfer.push(memory);
		}
		return { value: { meta: readImage(image).meta, bytes: image.length, pieces }, transfer };
	},

	compare({ from, to }: { from: Uint8Array[]; to: Uint8Array[] }): { value: ClassChange[] } {
		const [before, after] = [from, to].map((pieces) => openModel(joined(pieces)));
		if (before === undefined || after === undefined) throw new Error("two models are compared");
		return { value: compareModels(before, after) };
	},
};

function textOf({ body, encoding }: GivenDocument): string {
	const options = { maxOutputLength: MAX_DOCUMENT, chunkSize: UNPACKED };
	try {
		const unpack = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync };
		const bytes = encoding === "identity" ? body : unpack[encoding](body, options);
		return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
			.toString("utf8")
			.replace(/^\ufeff/, "");
	} catch (error) {
		throw new DocumentError(`it cannot be unpacked: ${(error as Error).message}`);
	}
}

/** At its second lowest quality: a thirtieth of the size, and quicker than writing all of it. */
const pack = (bytes: Uint8Array): Uint8Array =>
	brotliCompressSync(bytes, {
		params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
	});

/** One after another, so that only one of them lies there unpacked. */
function* unpacked(packed: readonly Uint8Array[]): Generator<Buffer> {
	for (const bytes of packed) yield brotliDecompressSync(bytes);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
	const parts = [...unpacked(pieces)];
	const image = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const part of parts) {
		image.set(part, at);
		at += part.length;
	}
	return image;
}
