/**
 * Copies a full buffer into one with room for so many more bytes, at least twice as large. Writers
 * compare the lengths themselves: a call for each byte costs more than the byte.
 * @param used bytes written so far
 */
export function growBuffer(buffer: Buffer<ArrayBuffer>, used: number, bytes: number): Buffer<ArrayBuffer> {
	const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, used + bytes));
	buffer.copy(larger, 0, 0, used);
	return larger;
}
