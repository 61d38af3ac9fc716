/** UTF-8 text as it grows: pieces of other texts, and strings. */
import { copyPart } from "./copy.ts";

export type TextOut = ReturnType<typeof createTextOut>;

export function createTextOut(capacity = 64 * 1024) {
	let out = Buffer.allocUnsafeSlow(capacity);
	let used = 0;
	function room(bytes: number): void {
		if (used + bytes <= out.length) return;
		const larger = Buffer.allocUnsafeSlow(Math.max(out.length * 2, used + bytes));
		out.copy(larger, 0, 0, used);
		out = larger;
	}
	return {
		copy(bytes: Buffer, start: number, end: number): void {
			room(end - start);
			copyPart(bytes, start, end, out, used);
			used += end - start;
		},
		/** All of some bytes: what is written often is best kept as such. */
		all(bytes: Buffer): void {
			this.copy(bytes, 0, bytes.length);
		},
		byte(value: number): void {
			room(1);
			out[used++] = value;
		},
		/** Text of ASCII alone. */
		ascii(text: string): void {
			room(text.length);
			used += out.write(text, used, "latin1");
		},
		text(text: string): void {
			room(text.length * 3);
			used += out.write(text, used);
		},
		/** How much there is; a later `cut` to it takes back what came after. */
		length: () => used,
		cut(length: number): void {
			used = length;
		},
		/** A view, overwritten by what is written after a cut. */
		bytes: () => out.subarray(0, used),
	};
}
