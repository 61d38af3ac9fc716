import { describe, expect, it } from "vitest";
import { compressBytes, copyBytesIfView, decompressBytes } from "./bytes.ts";

describe("what is kept", () => {
	it.each([
		["a small answer of the store", Buffer.from("616263", "hex")],
		["a small text that was compressed", decompressBytes(compressBytes(Buffer.from("abc")))],
		["a view of a part", Buffer.alloc(4096, "abc").subarray(3, 6)],
	])("of %s has the same bytes and keeps no others", (_, bytes) => {
		expect(bytes.buffer.byteLength).toBeGreaterThan(bytes.byteLength);
		const kept = copyBytesIfView(bytes);
		expect(kept.toString()).toBe("abc");
		expect(kept.buffer.byteLength).toBe(3);
	});

	it("is not copied where its memory is its own", () => {
		const bytes = Buffer.alloc(5, 1);
		expect(copyBytesIfView(bytes).buffer).toBe(bytes.buffer);
	});
});
