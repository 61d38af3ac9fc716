import type { FilterNode } from "@weft/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseFilter } from "../../../../../test/support/flows/fabric-controller.ts";
import { buildFilter, encodeOption, escapeRegex, type FilterExpr, testRow, writeFilter } from "./filter-expression.ts";

const buildPropertyFilter = (operator: string, value: unknown, name = "name") =>
	buildFilter({ filterType: "property", property: name, operator, value } as FilterNode["data"]);
const buildPatternFilter = (entry: object) =>
	buildFilter({
		filterType: "query-target-filter",
		patternGroups: [{ patterns: [{ property: "name", ...entry }] }],
	} as FilterNode["data"]);
const formatFilter = (expr: FilterExpr | undefined) => (expr ? writeFilter("fvBD", expr) : "");

describe("a filter", () => {
	const cases: [string, FilterExpr | undefined, string][] = [
		["eq", buildPropertyFilter("eq", "x"), 'eq(fvBD.name,"x")'],
		["a qualified property", buildPropertyFilter("eq", "x", "fvBD.name"), 'eq(fvBD.name,"x")'],
		["a number", buildPropertyFilter("ge", 5), 'ge(fvBD.name,"5")'],
		["a range", buildPropertyFilter("bw", ["1", "5"]), 'bw(fvBD.name,"1","5")'],
		["a range in one text", buildPropertyFilter("bw", "1, 5"), 'bw(fvBD.name,"1","5")'],
		["a regular expression, as it is", buildPropertyFilter("wcard", "^a.*"), 'wcard(fvBD.name,"^a.*")'],
		["a literal", buildPropertyFilter("contains", "a.b[c]"), 'wcard(fvBD.name,"a[.]b[[]c\\]")'],
		["quotes", buildPropertyFilter("eq", 'a"b'), 'eq(fvBD.name,"a\\"b")'],
		["a backslash inside", buildPropertyFilter("eq", "a\\b"), 'eq(fvBD.name,"a\\b")'],
		["a backslash at the end", buildPropertyFilter("eq", "a.\\"), 'wcard(fvBD.name,"^a[.]\\\\$")'],
		["not equal to one", buildPropertyFilter("ne", "\\"), 'not(wcard(fvBD.name,"^\\\\$"))'],
		["contains one at the end", buildPropertyFilter("contains", "a\\"), 'wcard(fvBD.name,"a\\\\{1}")'],
		["a backslash before a quote", buildPropertyFilter("eq", 'a\\"b'), 'eq(fvBD.name,"a\\\\"b")'],
		[
			"an expression in a pattern group",
			buildPatternFilter({ pattern: "^a.*", operator: "wcard" }),
			'wcard(fvBD.name,"^a.*")',
		],
		[
			"a literal of a type",
			buildPatternFilter({ pattern: "a.", operator: "wcard", type: "starts" }),
			'wcard(fvBD.name,"^a[.]")',
		],
		["starts", buildPatternFilter({ pattern: "a", type: "starts" }), 'wcard(fvBD.name,"^a")'],
		["ends", buildPatternFilter({ pattern: "a", type: "ends" }), 'wcard(fvBD.name,"a$")'],
		["exact", buildPatternFilter({ pattern: "a", type: "exact" }), 'eq(fvBD.name,"a")'],
		["exact and not equal", buildPatternFilter({ pattern: "a", type: "exact", operator: "ne" }), 'ne(fvBD.name,"a")'],
		["a comparison", buildPatternFilter({ pattern: "5", operator: "gt" }), 'gt(fvBD.name,"5")'],
		["contains by default", buildPatternFilter({ pattern: "a" }), 'wcard(fvBD.name,"a")'],
		["negated", buildPatternFilter({ pattern: "a", type: "starts", negate: true }), 'not(wcard(fvBD.name,"^a"))'],
		[
			"negated twice",
			buildPatternFilter({ pattern: "a", type: "starts", operator: "ne", negate: true }),
			'wcard(fvBD.name,"^a")',
		],
	];
	it.each(cases)("is written: %s", (_, expr, expected) => {
		expect(formatFilter(expr)).toBe(expected);
	});

	it("is encoded for a URL, readable where it can be", () => {
		expect(encodeOption('eq(fvBD.name,"a b&c=d+e%/[é]|#")')).toBe(
			"eq(fvBD.name,%22a%20b%26c%3Dd%2Be%25/%5B%C3%A9%5D%7C%23%22)",
		);
	});

	it("escapes any literal so that it matches itself and nothing else", () => {
		const special = fc.string({ unit: fc.constantFrom(..."ab.*+?()[]{}|$^\\/-\"'é ".split("")), maxLength: 8 });
		fc.assert(
			fc.property(special, special, (literal, other) => {
				expect(new RegExp(`^${escapeRegex(literal)}$`, "u").test(literal)).toBe(true);
				expect(new RegExp(`^${escapeRegex(literal)}$`, "u").test(other)).toBe(literal === other);
			}),
		);
	});

	it("says of a row what the controller says, or that it cannot tell", () => {
		const value = fc.string({ unit: fc.constantFrom("a", "b", ".", '"', "("), minLength: 1, maxLength: 3 });
		const leaf = fc.record({
			op: fc.constantFrom("starts", "ends", "contains", "eq", "ne"),
			property: fc.constantFrom("name", "descr", "gone"),
			value,
		}) as fc.Arbitrary<FilterExpr>;
		const { tree } = fc.letrec<{ tree: FilterExpr }>((tie) => ({
			tree: fc.oneof(
				{ depthSize: "small" },
				leaf,
				fc.record({
					op: fc.constantFrom("and" as const, "or" as const),
					args: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
				}),
				fc.record({ op: fc.constant("xor" as const), args: fc.tuple(tie("tree"), tie("tree")) }),
				fc.record({ op: fc.constant("not" as const), arg: tie("tree") }),
			),
		}));
		fc.assert(
			fc.property(tree, value, value, (expr, name, descr) => {
				const attributes: Record<string, string> = { name, descr };
				const told = testRow(expr, (key) => attributes[key]);
				if (told === undefined) return;
				expect(told).toBe(parseFilter(writeFilter("fvBD", expr))({ className: "fvBD", attributes, parent: undefined }));
			}),
		);
	});
});
