/** A growing buffer of UTF-8 text, written from byte ranges and strings. */
import { growBuffer } from "./grow-buffer.ts";

export type Utf8Writer = ReturnType<typeof createUtf8Writer>;

export function createUtf8Writer(capacity = 64 * 1024) {
	let out = Buffer.allocUnsafeSlow(capacity);
	let used = 0;
	return {
		copy(bytes: Buffer, start: number, end: number): void {
			if (used + end - start > out.length) out = growBuffer(out, used, end - start);
			bytes.copy(out, used, start, end);
			used += end - start;
		},
		/** Writes all bytes; constant texts are best kept as bytes. */
		all(bytes: Buffer): void {
			this.copy(bytes, 0, bytes.length);
		},
		byte(value: number): void {
			if (used + 1 > out.length) out = growBuffer(out, used, 1);
			out[used++] = value;
		},
		/** Writes text that is pure ASCII. */
		ascii(text: string): void {
			if (used + text.length > out.length) out = growBuffer(out, used, text.length);
			used += out.write(text, used, "latin1");
		},
		text(text: string): void {
			if (used + text.length * 3 > out.length) out = growBuffer(out, used, text.length * 3);
			used += out.write(text, used);
		},
		/** Bytes written so far; a later `cut` to this length removes the bytes written after it. */
		length: () => used,
		cut(length: number): void {
			used = length;
		},
		/** A view, which writes after a cut overwrite. */
		bytes: () => out.subarray(0, used),
	};
}
