/** A growing buffer of UTF-8 text, written from byte ranges and strings. */

export type Utf8Writer = ReturnType<typeof createUtf8Writer>;

export function createUtf8Writer(capacity = 64 * 1024) {
	let out = Buffer.allocUnsafeSlow(capacity);
	let used = 0;
	function ensureRoom(bytes: number): void {
		if (used + bytes <= out.length) return;
		const larger = Buffer.allocUnsafeSlow(Math.max(out.length * 2, used + bytes));
		out.copy(larger, 0, 0, used);
		out = larger;
	}
	return {
		copy(bytes: Buffer, start: number, end: number): void {
			ensureRoom(end - start);
			bytes.copy(out, used, start, end);
			used += end - start;
		},
		/** Writes all bytes; constant texts are best kept as bytes. */
		all(bytes: Buffer): void {
			this.copy(bytes, 0, bytes.length);
		},
		byte(value: number): void {
			ensureRoom(1);
			out[used++] = value;
		},
		/** Writes text that is pure ASCII. */
		ascii(text: string): void {
			ensureRoom(text.length);
			used += out.write(text, used, "latin1");
		},
		text(text: string): void {
			ensureRoom(text.length * 3);
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
