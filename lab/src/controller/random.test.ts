import fc from "fast-check";
import { expect, it } from "vitest";
import { createPermutation, createRandom } from "./random.ts";

it("a permutation hits every index once", () => {
	fc.assert(
		fc.property(fc.integer({ min: 0, max: 500 }), fc.integer(), (size, seed) => {
			const place = createPermutation(size, createRandom(seed));
			const found = Array.from({ length: size }, (_, at) => place(at));
			expect([...found].sort((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, at) => at));
		}),
	);
});
