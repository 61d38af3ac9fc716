import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compilePattern, PatternError } from "../../../core/regex.ts";
import { compileDnPattern, createDnText, matchesDn } from "./dn-pattern.ts";

const matchesPattern = (pattern: string | { regex: string }, dn: string) =>
	matchesDn(compileDnPattern(pattern, compilePattern), createDnText(dn));

describe("a pattern of dns", () => {
	it.each([
		["uni/tn-prod/BD-web", "uni/tn-prod/BD-web", true],
		["uni/tn-prod/BD-web", "uni/tn-prod/BD-web1", false],
		["uni/tn-prod/BD-web", "uni/tn-prod/BD-Web", false],
		["uni/tn-prod/BD-web*", "uni/tn-prod/BD-web", true],
		["uni/tn-prod/BD-web*", "uni/tn-prod/BD-web-7", true],
		["uni/tn-prod/BD-web*", "uni/tn-prod/BD-web-7/subnet-[10.0.0.1/24]", false],
		["uni/tn-prod/BD-web**", "uni/tn-prod/BD-web-7/subnet-[10.0.0.1/24]", true],
		["uni/tn-prod/BD-web***", "uni/tn-prod/BD-web-7/subnet-[10.0.0.1/24]", true],
		["uni/tn-prod/BD-web/*", "uni/tn-prod/BD-web/subnet-[10.0.0.1/24]", true],
		["uni/tn-prod/BD-web/subnet-[*]", "uni/tn-prod/BD-web/subnet-[10.0.0.1/24]", true],
		["uni/tn-*/BD-*", "uni/tn-prod/BD-web", true],
		["uni/tn-*/BD-*", "uni/tn-prod/ctx-a/BD-web", false],
		["**/BD-web", "uni/tn-prod/BD-web", true],
		["**/BD-web", "uni/tn-prod/BD-webs", false],
		["*", "uni", true],
		["*", "uni/tn-prod", false],
		["**", "uni/tn-prod", true],
		["topology/*/paths-101/pathep-[eth1/*]", "topology/pod-1/paths-101/pathep-[eth1/7]", true],
		["topology/pod-1/*", "topology/pod-1/paths-[a/[b/c]/d]", true],
		["a*/b*c", "a[/b/]x/bc", true],
		["a.c", "abc", false],
		["a+", "aa", false],
	])("compares %s with %s: %s", (pattern, dn, expected) => {
		expect(matchesPattern(pattern, dn)).toBe(expected);
	});

	it.each([
		["uni/tn-prod/BD-web\\d+", "uni/tn-prod/BD-web12", true],
		["uni/tn-prod/BD-web\\d+", "uni/tn-prod/BD-web12/rsctx", false],
		["BD-web", "uni/tn-prod/BD-web", false],
		["^uni/tn-prod/BD-we?$", "uni/tn-prod/BD-w", true],
		["uni/a|uni/b", "uni/b", true],
		["(?i)UNI/a", "uni/a", true],
		["uni/[ab]{2}", "uni/ab", true],
		["ab{0}c", "ac", true],
		["ab*c", "ac", true],
	])("compares the expression %s with the whole of %s: %s", (regex, dn, expected) => {
		expect(matchesPattern({ regex }, dn)).toBe(expected);
	});

	it("refuses an expression that RE2 does not know", () => {
		expect(() => compileDnPattern({ regex: "(?=a)" }, compilePattern)).toThrow(PatternError);
	});

	it("agrees with an exhaustive search", () => {
		const pieces = fc.array(fc.constantFrom("a", "b", "/", "[", "]", "*", "**"), { maxLength: 8 });
		const dns = fc.array(fc.constantFrom("a", "b", "/", "[", "]"), { maxLength: 8 });
		fc.assert(
			fc.property(pieces, dns, (pattern, dn) => {
				const text = pattern.join("");
				expect(matchesPattern(text, dn.join(""))).toBe(searchAll(text.match(/\*+|[^*]/g) ?? [], dn, 0));
			}),
			{ numRuns: 2_000 },
		);
	});

	it("compares 200 wildcards with a long dn without backtracking", () => {
		const pattern = `${"*a".repeat(200)}*b`;
		expect(matchesPattern(pattern, "a".repeat(1_000))).toBe(false);
		expect(matchesPattern(pattern, `${"a".repeat(1_000)}b`)).toBe(true);
	});
});

function searchAll(pattern: readonly string[], dn: readonly string[], depth: number): boolean {
	const [piece, ...pieces] = pattern;
	const [sign, ...signs] = dn;
	if (piece === undefined) return sign === undefined;
	const inner = sign === "[" ? depth + 1 : sign === "]" ? Math.max(0, depth - 1) : depth;
	if (!piece.startsWith("*")) return sign === piece && searchAll(pieces, signs, inner);
	if (searchAll(pieces, dn, depth)) return true;
	const canPass = sign !== undefined && (piece !== "*" || sign !== "/" || depth > 0);
	return canPass && searchAll(pattern, signs, inner);
}
