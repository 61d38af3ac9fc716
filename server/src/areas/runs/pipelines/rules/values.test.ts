import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Row, readValuesAt } from "../../../../core/rows/rows.ts";
import { encodeOption, writeFilter } from "./filter-expression.ts";
import { buildConditionTest, buildExpression, chunkValues, extractValues } from "./values.ts";

const row: Row = {
	fvAEPg: {
		attributes: { dn: "uni/tn-a/ap-b/epg-c", name: "c" },
		children: [
			{ fvRsBd: { attributes: { tDn: "uni/tn-a/BD-x" } } },
			{ fvRsCons: { attributes: { tnVzBrCPName: "w" } } },
			{ fvRsCons: { attributes: { tnVzBrCPName: "d" } } },
		],
	},
};

describe("a path into a row", () => {
	const cases: [string, Row, unknown[]][] = [
		["dn", row, ["uni/tn-a/ap-b/epg-c"]],
		["attributes.name", row, ["c"]],
		["fvAEPg.name", row, ["c"]],
		["fvAEPg.attributes.name", row, ["c"]],
		["class", row, ["fvAEPg"]],
		["children.fvRsBd.tDn", row, ["uni/tn-a/BD-x"]],
		["fvAEPg.children.fvRsBd.attributes.tDn", row, ["uni/tn-a/BD-x"]],
		["children.fvRsCons.tnVzBrCPName", row, ["w", "d"]],
		["children.*.tDn", row, ["uni/tn-a/BD-x"]],
		["nope", row, []],
		["constructor", row, []],
		["a.b", { "a.b": 1, a: { b: 2 } }, [1]],
		["a.b", { a: [{ b: 2 }, { b: [3, 4] }] }, [2, 3, 4]],
	];
	it.each(cases)("finds %s", (path, from, expected) => {
		expect(readValuesAt(from, path)).toEqual(expected);
	});

	it("gives distinct values in order, without blanks", () => {
		const rows: Row[] = ["b", "a", "", "b", null, { x: 1 }, 7].map((v) => ({ v }));
		expect(extractValues(rows, "v")).toEqual(["b", "a", "7"]);
	});
});

describe("chunks of values", () => {
	it("hold every value once, in order, and fit", () => {
		const value = fc.string({
			unit: fc.constantFrom("a", "/", "[", "]", ".", '"', "é", " "),
			minLength: 1,
			maxLength: 30,
		});
		fc.assert(
			fc.property(
				fc.uniqueArray(value),
				fc.integer({ min: 50, max: 600 }),
				fc.constantFrom("eq" as const, "below" as const, "within" as const),
				(values, bytes, op) => {
					const condition = { op, property: "dn", values };
					const chunks = chunkValues("fvBD", condition, bytes);
					expect(chunks.flat()).toEqual(values);
					for (const chunk of chunks) {
						const text = writeFilter("fvBD", { op: "or", args: chunk.map((v) => buildExpression(condition, v)) });
						expect(chunk.length === 1 || encodeOption(text).length <= bytes).toBe(true);
					}
				},
			),
		);
	});

	it("are matched here as the controller would", () => {
		const below = buildConditionTest({ op: "below", property: "dn", values: ["uni/tn-a"] });
		const within = buildConditionTest({ op: "within", property: "dn", values: ["uni/tn-a"] });
		const dns = ["uni/tn-a", "uni/tn-a/BD-b", "uni/tn-ab", "uni"];
		expect(dns.map((dn) => below(dn, undefined))).toEqual([false, true, false, false]);
		expect(dns.map((dn) => within(dn, undefined))).toEqual([true, true, false, false]);
		expect(buildConditionTest({ op: "eq", property: "name", values: ["a"] })(undefined, "a")).toBe(true);
	});
});
