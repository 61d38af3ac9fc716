import { describe, expect, it } from "vitest";
import { compilePattern, createPatternCompiler, PatternError } from "./regex.ts";

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
