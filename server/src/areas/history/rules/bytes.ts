/**
 * The binary format of everything that the Time Machine stores: columns of varints and byte
 * strings.
 */
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { growBuffer } from "../../../core/grow-buffer.ts";

export type Writer = ReturnType<typeof createWriter>;
export type Reader = ReturnType<typeof createReader>;

export function createWriter(capacity = 256) {
	let out = Buffer.allocUnsafeSlow(capacity);
	let used = 0;
	function writeVarint(value: number): void {
		if (used + 5 > out.length) out = growBuffer(out, used, 5);
		let left = value;
		while (left > 0x7f) {
			out[used++] = (left & 0x7f) | 0x80;
			left >>>= 7;
		}
		out[used++] = left;
	}
	return {
		/** An integer from 0 to 2^31-1. */
		varint: writeVarint,
		/** The difference of two such integers. */
		step(value: number): void {
			writeVarint(value < 0 ? -2 * value - 1 : 2 * value);
		},
		latin1(text: string): void {
			if (used + text.length > out.length) out = growBuffer(out, used, text.length);
			used += out.write(text, used, "latin1");
		},
		raw(bytes: Uint8Array): void {
			if (used + bytes.byteLength > out.length) out = growBuffer(out, used, bytes.byteLength);
			out.set(bytes, used);
			used += bytes.byteLength;
		},
		/** Integers as runs: each run is a start and a length. */
		runs(values: ArrayLike<number>): void {
			writeVarint(values.length);
			let expected = 0;
			for (let at = 0; at < values.length; ) {
				const start = values[at] as number;
				let length = 1;
				while (at + length < values.length && values[at + length] === start + length) length++;
				writeVarint(start < expected ? 2 * (expected - start) - 1 : 2 * (start - expected));
				writeVarint(length);
				expected = start + length;
				at += length;
			}
		},
		/**
		 * Front-coded byte strings: each without the prefix that it shares with the one before. Every
		 * `restart`th is whole.
		 */
		frontCoded(texts: readonly string[], restart: number): void {
			const shared = texts.map((text, at) =>
				at % restart === 0 ? 0 : countSharedStart(texts[at - 1] as string, text),
			);
			for (const length of shared) writeVarint(length);
			for (const [at, text] of texts.entries()) writeVarint(text.length - (shared[at] as number));
			for (const [at, text] of texts.entries()) this.latin1(text.slice(shared[at]));
		},
		bytes: () => out.subarray(0, used),
	};
}

export function createReader(bytes: Buffer) {
	let at = 0;
	function assertRemaining(length: number): void {
		if (at + length > bytes.length) throw new Error("Stored columns are cut short");
	}
	function readVarint(): number {
		let value = 0;
		for (let shift = 0; ; shift += 7) {
			if (at >= bytes.length) assertRemaining(1);
			const next = bytes[at++] as number;
			value |= (next & 0x7f) << shift;
			if (next < 0x80) return value >>> 0;
		}
	}
	function readStep(): number {
		const value = readVarint();
		return value & 1 ? -((value + 1) / 2) : value / 2;
	}
	return {
		varint: readVarint,
		step: readStep,
		column(count: number): Int32Array {
			const values = new Int32Array(count);
			for (let index = 0; index < count; index++) values[index] = readVarint();
			return values;
		},
		latin1(length: number): string {
			assertRemaining(length);
			at += length;
			return bytes.toString("latin1", at - length, at);
		},
		/** A view, not a copy. */
		raw(length: number): Buffer {
			assertRemaining(length);
			at += length;
			return bytes.subarray(at - length, at);
		},
		runs(): Int32Array {
			const values = new Int32Array(readVarint());
			let next = 0;
			for (let index = 0; index < values.length; ) {
				next += readStep();
				for (let left = readVarint(); left > 0; left--) values[index++] = next++;
			}
			return values;
		},
		/** Front-coded byte strings, which are decoded one at a time. */
		frontCoded(count: number, restart: number): FrontCoded {
			const shared = this.column(count);
			const added = this.column(count);
			const starts = new Int32Array(count);
			let longest = 0;
			for (let index = 0; index < count; index++) {
				starts[index] = at;
				at += added[index] as number;
				longest = Math.max(longest, (shared[index] as number) + (added[index] as number));
			}
			assertRemaining(0);
			return createFrontCoded(bytes, { shared, added, starts }, restart, longest);
		},
		/** The bytes that have not been read yet: a view, not a copy. */
		rest: () => bytes.subarray(at),
	};
}

export interface FrontCoded {
	readonly count: number;
	at(index: number): string;
}

function createFrontCoded(
	bytes: Buffer,
	{ shared, added, starts }: Record<"shared" | "added" | "starts", Int32Array>,
	restart: number,
	longest: number,
): FrontCoded {
	const scratch = Buffer.allocUnsafeSlow(longest);
	/** Index of the text in `scratch`. */
	let held = -1;
	return {
		count: starts.length,
		at(index) {
			const block = index - (index % restart);
			for (let next = held >= block && held <= index ? held + 1 : block; next <= index; next++) {
				let to = shared[next] as number;
				const end = (starts[next] as number) + (added[next] as number);
				for (let from = starts[next] as number; from < end; from++) scratch[to++] = bytes[from] as number;
			}
			held = index;
			return scratch.toString("latin1", 0, (shared[index] as number) + (added[index] as number));
		},
	};
}

function countSharedStart(a: string, b: string): number {
	const most = Math.min(a.length, b.length);
	let at = 0;
	while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at++;
	return at;
}

/** Brotli quality. Compared with 1, results are half as large and decompress twice as fast. */
const QUALITY = 5;
/** Fewer bytes are not compressed: decompressing takes about 0.1 ms, however few they are. */
const MIN_COMPRESSED = 2048;

export function compressBytes(bytes: Uint8Array): Buffer {
	return brotliCompressSync(bytes, {
		params: {
			[constants.BROTLI_PARAM_QUALITY]: QUALITY,
			[constants.BROTLI_PARAM_LGWIN]: 18,
			[constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength,
		},
	});
}

export function decompressBytes(bytes: Uint8Array): Buffer {
	return brotliDecompressSync(bytes);
}

/** The bytes, or the compressed bytes if they are fewer, after a byte that tells which. */
export function sealColumns(bytes: Buffer): Buffer {
	const packed = bytes.length < MIN_COMPRESSED ? bytes : compressBytes(bytes);
	const shorter = packed.length < bytes.length;
	return Buffer.concat([Buffer.of(shorter ? 1 : 0), shorter ? packed : bytes]);
}

export function openColumns(stored: Uint8Array): Reader {
	const bytes = viewAsBuffer(stored);
	return createReader(bytes[0] === 1 ? decompressBytes(bytes.subarray(1)) : bytes.subarray(1));
}

/** The same memory as a Buffer. */
export function viewAsBuffer(bytes: Uint8Array): Buffer {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * The bytes in memory of their own, for caches. A view keeps all memory that it is part of alive,
 * and small results of the store and of decompression are views of 8 and 16 KB.
 */
export function copyBytesIfView(bytes: Uint8Array): Buffer {
	if (bytes.byteLength === bytes.buffer.byteLength) return viewAsBuffer(bytes);
	const copy = Buffer.allocUnsafeSlow(bytes.byteLength);
	copy.set(bytes);
	return copy;
}
