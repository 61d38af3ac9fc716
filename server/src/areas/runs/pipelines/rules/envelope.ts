/**
 * The objects of a controller's response as received bytes, so that rows need not be serialized
 * again.
 */

/**
 * `{"totalCount":"3","imdata":[`; before the list only fields with a short text or a number may
 * stand.
 */
const HEAD = /^\s*\{\s*(?:"\w{1,40}"\s*:\s*(?:"[^"\\]{0,100}"|\d{1,20})\s*,\s*){0,5}"imdata"\s*:\s*\[/;
const HEAD_BYTES = 600;
const [BRACE, BRACKET] = [0x7d, 0x5d];

/**
 * The bytes between the brackets of `imdata`; null for a response of another form. Takes valid JSON
 * only.
 */
export function getImdata(answer: Uint8Array): Uint8Array | null {
	const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
	const head = HEAD.exec(bytes.toString("latin1", 0, HEAD_BYTES));
	if (head === null) return null;
	let end = findLastByteBefore(bytes, bytes.length);
	if (bytes[end] !== BRACE) return null;
	end = findLastByteBefore(bytes, end);
	return bytes[end] === BRACKET && end >= head[0].length ? bytes.subarray(head[0].length, end) : null;
}

/** Index of the last byte before `end` that is not white space; -1 without one. */
function findLastByteBefore(bytes: Buffer, end: number): number {
	let at = end - 1;
	while (at >= 0 && (bytes[at] as number) <= 0x20) at -= 1;
	return at;
}
