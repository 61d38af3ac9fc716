import { SERIES_VALUES, type SeriesValue } from "@weft/contracts";
import { formatDecimal, parseDecimal, sumDecimals } from "@weft/contracts/decimal";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTally, readContribution, type SeriesDefinition } from "./tally.ts";

type Row = Readonly<Record<string, readonly string[]>>;

function computeByTally(definition: SeriesDefinition, rows: readonly Row[], removed: readonly Row[] = []) {
	const tally = createTally(definition);
	for (const row of [...rows, ...removed]) {
		const contribution = readContribution(definition, (field) => row[field] ?? []);
		if (contribution !== null) tally.add(contribution, 1);
	}
	for (const row of removed) {
		const contribution = readContribution(definition, (field) => row[field] ?? []);
		if (contribution !== null) tally.add(contribution, -1);
	}
	return { numbers: Object.fromEntries(tally.list()), leftOut: tally.countLeftOut() };
}

const createRow = (group: string, ...values: string[]): Row => ({ group: [group], value: values });
const createDefinition = (value: SeriesValue, groupBy: string | null = "group", field: string | null = "value") => ({
	value,
	field,
	groupBy,
});

describe("a tally", () => {
	const rows = [
		createRow("a", "1.5"),
		createRow("a", "2"),
		createRow("b", "-3"),
		createRow("b", "n/a"),
		createRow("c"),
	];

	it.each<[SeriesValue, Record<string, string>, number]>([
		["count", { a: "2", b: "2", c: "0" }, 0],
		["sum", { a: "3.5", b: "-3" }, 1],
		["avg", { a: "1.75", b: "-3" }, 1],
		["min", { a: "1.5", b: "-3" }, 1],
		["max", { a: "2", b: "-3" }, 1],
		["distinct", { a: "2", b: "2", c: "0" }, 0],
	])("computes %s by group, and counts values that are no numbers", (value, numbers, leftOut) => {
		expect(computeByTally(createDefinition(value), rows)).toEqual({ numbers, leftOut });
	});

	it("counts rows without a field, and none as 0", () => {
		expect(computeByTally(createDefinition("count", null, null), rows).numbers).toEqual({ "": "5" });
		expect(computeByTally(createDefinition("count", null, null), []).numbers).toEqual({ "": "0" });
		expect(computeByTally(createDefinition("sum", null), []).numbers).toEqual({});
	});

	it("keeps all digits of sums and extremes", () => {
		const large = [
			createRow("a", "12345678901234567890"),
			createRow("a", "0.1"),
			createRow("a", "12345678901234567891"),
		];
		expect(computeByTally(createDefinition("sum"), large).numbers).toEqual({ a: "24691357802469135781.1" });
		expect(computeByTally(createDefinition("max"), large).numbers).toEqual({ a: "12345678901234567891" });
	});

	it("forgets rows that are removed, as if they had never been there", () => {
		const anyText = fc.oneof(fc.integer({ min: -50, max: 50 }).map(String), fc.constantFrom("", "x", "0.25", "1e3"));
		const anyRow = fc
			.record({ group: fc.constantFrom("a", "b", "__proto__"), value: fc.array(anyText, { maxLength: 3 }) })
			.map(({ group, value }) => createRow(group, ...value));
		fc.assert(
			fc.property(
				fc.constantFrom(...SERIES_VALUES),
				fc.boolean(),
				fc.array(anyRow, { maxLength: 12 }),
				fc.array(anyRow, { maxLength: 12 }),
				(value, isGrouped, kept, removed) => {
					const definition = createDefinition(value, isGrouped ? "group" : null);
					expect(computeByTally(definition, kept, removed)).toEqual(computeByTally(definition, kept));
				},
			),
		);
	});

	it("agrees with a sum over all values", () => {
		fc.assert(
			fc.property(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 })), (values) => {
				const texts = values.map((value) => value.toFixed(4));
				const sum = sumDecimals(texts.flatMap((text) => parseDecimal(text) ?? []));
				const found = computeByTally(createDefinition("sum", null), [createRow("a", ...texts)]).numbers;
				expect(found).toEqual(texts.length === 0 ? {} : { "": formatDecimal(sum) });
			}),
		);
	});
});
