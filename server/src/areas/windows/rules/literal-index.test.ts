import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildLiteralIndex, findByLiterals } from "./literal-index.ts";

const findLiterals = (literals: readonly string[], text: string): string[] =>
	[...findByLiterals(buildLiteralIndex(literals.map((literal) => [literal, literal])), text)].sort();

describe("an index of literals", () => {
	it("finds literals within literals, and the empty one in every text", () => {
		expect(findLiterals(["she", "he", "hers", "his", ""], "ushers")).toEqual(["", "he", "hers", "she"]);
		expect(findLiterals(["a", ""], "")).toEqual([""]);
	});

	it("agrees with a search for each literal", () => {
		const text = (maxLength: number) =>
			fc.array(fc.constantFrom("a", "b", "/"), { maxLength }).map((signs) => signs.join(""));
		fc.assert(
			fc.property(fc.uniqueArray(text(4), { maxLength: 8 }), text(12), (literals, searched) => {
				expect(findLiterals(literals, searched)).toEqual(literals.filter((one) => searched.includes(one)).sort());
			}),
			{ numRuns: 1_000 },
		);
	});
});
