/**
 * The model's heavy work as tasks of a worker thread: unpacking and reading documents, building the
 * image, comparing two of them. Bytes come and go as Uint8Array.
 */
import { isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { brotliCompress, brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import type { ClassChange } from "@weft/contracts";
import { makeDetachable } from "../../../core/workers/serve.ts";
import { type BuiltImage, buildImageStart, createImageBuilder, type ImageBuilder } from "../rules/build.ts";
import { compareModels } from "../rules/compare.ts";
import { DocumentError } from "../rules/document.ts";
import { type ImageMeta, PIECE } from "../rules/image.ts";
import { openModel } from "../rules/model.ts";
import { createRecords, readRecords } from "../rules/records.ts";
import { type GivenDocument, joinBodies, unpackDocument, unpackSome } from "./documents.ts";

type ReadOutcome =
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
	/**
	 * Classes that they name; of an image that is being built, but for those that documents before
	 * them named.
	 */
	readonly named: string[];
}

export interface BuildOutput {
	readonly meta: ImageMeta;
	readonly bytes: number;
	/** The image in pieces, packed. */
	readonly pieces: Uint8Array[];
}

const BYTE_ORDER_MARK = Buffer.from("\ufeff");

export type ModelTasks = ReturnType<typeof createModelTasks>;

/** A thread's tasks: what it learns of documents it keeps from one to the next. */
export function createModelTasks() {
	const records = createRecords();
	let begun: { readonly image: number; readonly builder: ImageBuilder } | null = null;

	/** Null where another thread had what came before, and did not last. */
	function getBuilder({ image, isFirst }: CollectInto): ImageBuilder | null {
		if (isFirst) begun = { image, builder: createImageBuilder() };
		return begun?.image === image ? begun.builder : null;
	}

	return {
		/** For another thread that reads them. */
		unpack({ documents }: { documents: GivenDocument[] }): { value: GivenDocument[]; transfer: ArrayBuffer[] } {
			const unpacked = joinBodies(unpackSome(documents));
			return { value: unpacked.documents, transfer: [unpacked.memory] };
		},

		read({ documents, into }: { documents: GivenDocument[]; into: CollectInto | null }): {
			value: ReadOutput;
			transfer: ArrayBuffer[];
		} {
			const outcomes: ReadOutcome[] = [];
			const builder = into === null ? null : getBuilder(into);
			records.clear(builder === null || into?.isFirst);
			const named: string[] = [];
			for (const document of documents) {
				const { name, key } = document;
				try {
					const written = records.add(name, getText(document), key);
					for (const other of written.named) named.push(other);
					builder?.add(written.record);
					outcomes.push({ name, ok: true, properties: written.record.properties.length });
				} catch (error) {
					if (!(error instanceof DocumentError)) throw error;
					outcomes.push({ name, ok: false, message: error.message });
				}
			}
			const value = { outcomes, named };
			const written = records.bytes();
			if (written.length === 0) return { value: { ...value, records: null }, transfer: [] };
			const { bytes, memory } = makeDetachable(brotliCompressSync(written, getBrotliOptions(written)));
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
			for (const record of readRecords(unpackPieces(records))) builder.add(record);
			return packImage(builder.finish());
		},

		compare({ from, to }: { from: Uint8Array[]; to: Uint8Array[] }): { value: ClassChange[] } {
			const [before, after] = [from, to].map((pieces) => openModel(joinPieces(pieces)));
			if (before === undefined || after === undefined) throw new Error("two models are compared");
			return { value: compareModels(before, after) };
		},
	};
}

/**
 * All pieces at once, beside this thread: nothing else is to be done by then, and every core is
 * free for it.
 */
async function packImage({ end, start }: BuiltImage): Promise<{ value: BuildOutput; transfer: ArrayBuffer[] }> {
	const pack = async (piece: Uint8Array) => makeDetachable(await compress(piece, getBrotliOptions(piece)));
	const packedEnd = Promise.all(end.map(pack));
	const { meta, bytes } = buildImageStart(start);
	const starts = Array.from({ length: Math.ceil(bytes.length / PIECE) }, (_, at) => at * PIECE);
	const packed = await Promise.all(starts.map((start) => pack(bytes.subarray(start, start + PIECE))));
	packed.push(...(await packedEnd));
	const length = end.reduce((sum, piece) => sum + piece.length, bytes.length);
	return {
		value: { meta, bytes: length, pieces: packed.map(({ bytes }) => bytes) },
		transfer: packed.map(({ memory }) => memory),
	};
}

/** Returns a document's text as UTF-8, with invalid bytes replaced. */
function getText(document: GivenDocument): Buffer {
	const text = unpackDocument(document);
	if (!isUtf8(text)) return Buffer.from(text.toString("utf8"));
	return text.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
		? text.subarray(BYTE_ORDER_MARK.length)
		: text;
}

/** At its second lowest quality: a thirtieth of the size, and quicker than writing all of it. */
const getBrotliOptions = (bytes: Uint8Array) => ({
	params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
});
const compress = promisify(brotliCompress);

/** One after another, so that only one of them lies there unpacked. */
function* unpackPieces(packed: readonly Uint8Array[]): Generator<Buffer> {
	for (const bytes of packed) yield brotliDecompressSync(bytes);
}

function joinPieces(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
	const parts = [...unpackPieces(pieces)];
	const image = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
	let at = 0;
	for (const part of parts) {
		image.set(part, at);
		at += part.length;
	}
	return image;
}
