import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePattern, createPatternCompiler, listRequiredLiterals, PatternError } from "./regex.ts";

describe("a user's pattern", () => {
	it.each([
		["^web-\\d+$", ""],
		["(?:[0-9]{1,3}\\.){3}[0-9]{1,3}", ""],
		["[\\w-]{1,63}(\\.[\\w-]{1,63}){0,10}", "i"],
		["[[:alpha:]]{1,20}[\\]{}]{2}\\{9999\\}", ""],
		["\\Q{900}{900}{900}\\E", ""],
		["(?P<tenant>\\w+)(?i:x)(?s).", ""],
	])("compiles %s", (pattern, flags) => {
		expect(compilePattern(pattern, flags).programSize()).toBeGreaterThan(0);
	});

	it.each([
		["nested repetitions of classes", "(?:(?:\\p{L}|\\p{N}|\\p{P}){0,31}){0,31}"],
		["one long repetition", "(a?){1000}"],
		["a long text a thousand times", `(?:${"abcdefghij".repeat(90)}){1000}`],
		["many repetitions in a row", "(?:\\pL{0,900})".repeat(60)],
		["nested groups", `${"(".repeat(9)}a{0,9}${"){0,9}".repeat(9)}`],
	])("is refused when its program is too large: %s", (_, pattern) => {
		expect(() => compilePattern(pattern)).toThrow(PatternError);
		expect(() => compilePattern(pattern)).toThrow(/too large|invalid repeat/);
	});

	it("is refused when those of one document are too large together", () => {
		const compile = createPatternCompiler();
		const pattern = "[a-z]{1,700}";
		for (let i = 0; i < 28; i += 1) expect(compile(pattern)).toBeDefined();
		expect(() => compile(pattern)).toThrow(/too large together/);
	});

	it.each(["(", "(?=a)", "(a)\\1", "[z-a]"])("is refused when RE2 does not know it: %s", (pattern) => {
		expect(() => compilePattern(pattern)).toThrow(/Not a valid regular expression/);
	});
});

describe("the required literals of a pattern", () => {
	it.each([
		["uni/tn-[a-z]+/BD-web\\.7.*", ["uni/tn-", "/BD-web.7"]],
		["^uni/(?:a|b)c?de+f$", ["uni/", "de", "f"]],
		["ab{0}c*?d\\db", ["a", "d", "b"]],
		["uni/a|uni/b", []],
		["(?i)uni", []],
		["\\pNa", []],
		["\\x41b", []],
		["\\Qa|b\\Ec", []],
	])("are the texts of %s that no match lacks", (pattern, expected) => {
		expect(listRequiredLiterals(pattern)).toEqual(expected);
	});

	it("occur in order in each text that matches", () => {
		const tokens = fc.array(
			fc.constantFrom("a", "b", "\\.", ".", "[ab]", "(", "(?:", ")", "|", "*", "+", "?", "{0,2}", "^", "$", "\\b"),
			{ maxLength: 8 },
		);
		const text = fc.array(fc.constantFrom("a", "b", "."), { maxLength: 6 }).map((signs) => signs.join(""));
		fc.assert(
			fc.property(tokens, fc.array(text, { minLength: 20, maxLength: 20 }), (parts, texts) => {
				const source = parts.join("");
				let pattern: ReturnType<typeof compilePattern>;
				try {
					pattern = compilePattern(source);
				} catch {
					return;
				}
				const literals = listRequiredLiterals(source);
				for (const one of texts) if (pattern.matches(one)) expect(hasInOrder(literals, one)).toBe(true);
			}),
			{ numRuns: 2_000 },
		);
	});
});

function hasInOrder(literals: readonly string[], text: string): boolean {
	const [literal, ...rest] = literals;
	if (literal === undefined) return true;
	const at = text.indexOf(literal);
	return at >= 0 && hasInOrder(rest, text.slice(at + literal.length));
}
