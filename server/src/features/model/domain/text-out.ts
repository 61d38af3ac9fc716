/** Text that is put together as bytes: what lies in a document is copied from there, and no strings are made of it. */

export type TextOut = ReturnType<typeof createTextOut>;

/** Beyond it the engine's copying is quicker than a loop. */
const SHORT = 48;

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
		length: () => used,
		/** Forgets what was written since the text had this length. */
		cut(length: number): void {
			used = length;
		},
		/** A part of other bytes. */
		copy(bytes: Buffer, start: number, end: number): void {
			room(end - start);
			if (end - start > SHORT) used += bytes.copy(out, used, start, end);
			else for (let at = start; at < end; at++) out[used++] = bytes[at] as number;
		},
		text(text: string): void {
			room(text.length * 3);
			used += out.write(text, used);
		},
		/** What was written, as long as nothing more is. */
		bytes: () => out.subarray(0, used),
	};
}
