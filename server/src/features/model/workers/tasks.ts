/** The model's heavy work as tasks of a worker thread: reading documents, building the image, comparing two of them. Bytes come and go as Uint8Array. */
import { isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import {
	brotliCompress,
	brotliCompressSync,
	brotliDecompressSync,
	constants,
	gunzipSync,
	inflateSync,
} from "node:zlib";
import type { ClassChange } from "@weft/contracts";
import { detachable } from "../../../platform/workers/serve.ts";
import { createImageBuilder, type ImageBuilder } from "../domain/build.ts";
import { compareModels } from "../domain/compare.ts";
import { DocumentError } from "../domain/document.ts";
import { type ImageMeta, readImage } from "../domain/image.ts";
import { openModel } from "../domain/model.ts";
import { createRecords, readRecords } from "../domain/records.ts";

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

/** The image that records go into as they are read. */
export interface CollectInto {
	readonly image: number;
	/** Nothing went into it yet. */
	readonly isFirst: boolean;
}

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
/** Unpacked at once where nothing tells how large it is: most documents are smaller, and need not be put together from pieces. */
const UNPACKED = 64 * 1024;
const [LEAST_UNPACKED, UNPACKED_MOST] = [1024, 1024 * 1024];
const BYTE_ORDER_MARK = Buffer.from("\ufeff");

export type ModelTasks = ReturnType<typeof createModelTasks>;

/** A thread's tasks: what it learns of documents it keeps from one to the next. */
export function createModelTasks() {
	const records = createRecords();
	let begun: { readonly image: number; readonly builder: ImageBuilder } | null = null;

	/** Null where another thread had what came before, and did not last. */
	function builderOf({ image, isFirst }: CollectInto): ImageBuilder | null {
		if (isFirst) begun = { image, builder: createImageBuilder() };
		return begun?.image === image ? begun.builder : null;
	}

	return {
		read({ documents, into }: { documents: GivenDocument[]; into: CollectInto | null }): {
			value: ReadOutput;
			transfer: ArrayBuffer[];
		} {
			const outcomes: ReadOutcome[] = [];
			records.clear();
			const builder = into === null ? null : builderOf(into);
			const named = new Set<string>();
			for (const document of documents) {
				const { name, key } = document;
				try {
					const written = records.add(name, textOf(document), key);
					for (const other of written.named) named.add(other);
					builder?.add(written.record);
					outcomes.push({ name, ok: true, properties: written.record.properties.length });
				} catch (error) {
					if (!(error instanceof DocumentError)) throw error;
					outcomes.push({ name, ok: false, message: error.message });
				}
			}
			const value = { outcomes, named: [...named] };
			const written = records.bytes();
			if (written.length === 0) return { value: { ...value, records: null }, transfer: [] };
			const { bytes, memory } = detachable(brotliCompressSync(written, packing(written)));
			return { value: { ...value, records: bytes }, transfer: [memory] };
		},

		/** The image of all that was read into it. */
		async finish({ image }: { image: number }): Promise<{ value: BuildOutput; transfer: ArrayBuffer[] }> {
			if (begun?.image !== image) throw new Error("this thread has not read all that goes into the image");
			const { builder } = begun;
			begun = null;
			return packImage(builder.finish());
		},

		async build({ records }: { records: Uint8Array[] }): Promise<{ value: BuildOutput; transfer: ArrayBuffer[] }> {
			const builder = createImageBuilder();
			for (const record of readRecords(unpacked(records))) builder.add(record);
			return packImage(builder.finish());
		},

		compare({ from, to }: { from: Uint8Array[]; to: Uint8Array[] }): { value: ClassChange[] } {
			const [before, after] = [from, to].map((pieces) => openModel(joined(pieces)));
			if (before === undefined || after === undefined) throw new Error("two models are compared");
			return { value: compareModels(before, after) };
		},
	};
}

/** Gzip ends with how many bytes there are (RFC 1952), which may be anything where it was cut off. */
function roomFor(body: Uint8Array, encoding: GivenDocument["encoding"]): number {
	if (encoding !== "gzip" || body.length < 4) return UNPACKED;
	const told = asBuffer(body).readUInt32LE(body.length - 4) + 1;
	return told < LEAST_UNPACKED || told > UNPACKED_MOST ? UNPACKED : told;
}

/** All pieces at once, beside this thread: nothing else is to be done by then, and every core is free for it. */
async function packImage(image: Uint8Array<ArrayBuffer>): Promise<{ value: BuildOutput; transfer: ArrayBuffer[] }> {
	const starts = Array.from({ length: Math.ceil(image.length / PIECE) }, (_, at) => at * PIECE);
	const packed = await Promise.all(
		starts.map(async (start) => {
			const piece = image.subarray(start, start + PIECE);
			return detachable(await compress(piece, packing(piece)));
		}),
	);
	const pieces = packed.map(({ bytes }) => bytes);
	const value = { meta: readImage(image).meta, bytes: image.length, pieces };
	return { value, transfer: packed.map(({ memory }) => memory) };
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
	Buffer.from(buffer, byteOffset, byteLength);

/** A document's text. What is not UTF-8 in it is replaced. */
function textOf({ body, encoding }: GivenDocument): Buffer {
	const text = unpack(body, encoding);
	if (!isUtf8(text)) return Buffer.from(text.toString("utf8"));
	return text.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
		? text.subarray(BYTE_ORDER_MARK.length)
		: text;
}

function unpack(body: Uint8Array, encoding: GivenDocument["encoding"]): Buffer {
	if (encoding === "identity") return asBuffer(body);
	try {
		const unpackers = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync };
		return unpackers[encoding](body, { maxOutputLength: MAX_DOCUMENT, chunkSize: roomFor(body, encoding) });
	} catch (error) {
		throw new DocumentError(`it cannot be unpacked: ${(error as Error).message}`);
	}
}

/** At its second lowest quality: a thirtieth of the size, and quicker than writing all of it. */
const packing = (bytes: Uint8Array) => ({
	params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
});
const compress = promisify(brotliCompress);

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
