/** The objects of a controller's answer as the bytes they came in, so that what was parsed once is not written out again. */

/** `{"totalCount":"3","imdata":[` - whatever else stands before the list must be plain fields. */
const HEAD = /^\s*\{\s*(?:"\w{1,40}"\s*:\s*(?:"[^"\\]{0,100}"|\d{1,20})\s*,\s*){0,5}"imdata"\s*:\s*\[/;
const HEAD_BYTES = 600;
const [BRACE, BRACKET] = [0x7d, 0x5d];

/** What stands between the brackets of `imdata`; null for an answer of another form. The answer is known to be valid JSON. */
export function imdataOf(answer: Uint8Array): Uint8Array | null {
	const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
	const head = HEAD.exec(bytes.toString("latin1", 0, HEAD_BYTES));
	if (head === null) return null;
	let end = before(bytes, bytes.length);
	if (bytes[end] !== BRACE) return null;
	end = before(bytes, end);
	return bytes[end] === BRACKET && end >= head[0].length ? bytes.subarray(head[0].length, end) : null;
}

/** The last place before `end` that is no white space. */
function before(bytes: Buffer, end: number): number {
	let at = end - 1;
	while (at >= 0 && (bytes[at] as number) <= 0x20) at -= 1;
	return at;
}
