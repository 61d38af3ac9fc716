import fc from "fast-check";
import { expect, test } from "vitest";
import { copyBytes } from "./copy.ts";

test("bytes are copied between own and shared memory, wherever they begin, and nothing beside them changes", () => {
	const memory = (isShared: boolean, bytes: number) =>
		isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
	fc.assert(
		fc.property(
			fc.uint8Array({ maxLength: 100 }),
			...([fc.nat(9), fc.nat(9), fc.nat(9), fc.nat(9)] as const),
			...([fc.boolean(), fc.boolean()] as const),
			(bytes, shift, offset, at, more, fromShared, toShared) => {
				const from = new Uint8Array(memory(fromShared, shift + bytes.length), shift);
				from.set(bytes);
				const to = new Uint8Array(memory(toShared, offset + at + bytes.length + more), offset).fill(170);
				const expected = [...to];
				expected.splice(at, bytes.length, ...bytes);
				copyBytes(from, to, at);
				expect([...to]).toEqual(expected);
			},
		),
	);
});

test("bytes that have no room are refused", () => {
	expect(() => copyBytes(new Uint8Array(5), new Uint8Array(8), 4)).toThrow(RangeError);
});
