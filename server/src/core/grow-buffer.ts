/**
 * Copies a full buffer into a larger one: twice its length, or `used + bytes` if that is more.
 * Callers check the capacity themselves, because a call for each byte is slower than the write.
 * @param used bytes written so far
 * @param bytes bytes to write next
 */
export function growBuffer(buffer: Buffer<ArrayBuffer>, used: number, bytes: number): Buffer<ArrayBuffer> {
	const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, used + bytes));
	buffer.copy(larger, 0, 0, used);
	return larger;
}
