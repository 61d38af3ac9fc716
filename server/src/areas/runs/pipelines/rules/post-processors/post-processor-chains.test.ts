/** Post-processors that change the shape of rows, need all of them, or run one after another. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	createBridgeDomain,
	createChild,
	parseProcessors,
	postProcess,
	runProcessor,
} from "../../../../../../test/support/post-processing.ts";
import { type Row, readManagedObject } from "../../../../../core/rows/rows.ts";
import { createProcessorChain } from "./index.ts";

describe("the output of processors is bounded", () => {
	const a4000 = "a".repeat(4_000);
	const grow = { operation: "replace", search: "a", text: a4000 };
	const big = (length: number) => [createBridgeDomain("1", { name: "a".repeat(length) })];

	it.each([
		["text-operations", { operations: [grow, grow] }, big(1)],
		["text-operations", { operations: [{ operation: "replace", search: "a", text: "é".repeat(4_000) }] }, big(200)],
		["regex-transform", { pattern: "a", replacement: a4000 }, big(1_000)],
		["regex-transform", { pattern: "a", replacement: "$`$`$`" }, big(2_000)],
		["text-operations", { operations: [{ operation: "suffix", text: a4000 }] }, big(1024 ** 2)],
	])("in each value of %s", (type, config, rows) => {
		expect(() => runProcessor(rows, type, { field: "name", ...config })).toThrow(/more than 1 MB/);
	});

	it("in each row", () => {
		const fields = Array.from({ length: 20 }, (_, i) => ({ path: "name", as: `n${i}` }));
		expect(() => runProcessor(big(1024 ** 2), "field-extract", { fields })).toThrow(/row .* more than 16 MB/);
		const aggregations = Array.from({ length: 20 }, (_, i) => ({ function: "list", field: "name", as: `n${i}` }));
		expect(() => runProcessor(big(1024 ** 2), "aggregate", { aggregations })).toThrow(/row .* more than 16 MB/);
	});

	it("in each row by its bytes, whatever its script", () => {
		const fields = Array.from({ length: 20 }, (_, i) => ({ path: "name", as: `n${i}` }));
		const half = [createBridgeDomain("1", { name: "é".repeat(512 * 1024) })];
		expect(() => runProcessor(half, "field-extract", { fields })).toThrow(/row .* more than 16 MB/);
		expect(runProcessor(half, "field-extract", { fields: fields.slice(0, 15) })).toHaveLength(1);
	});

	it("in the rows that one processor passes to another which needs all", () => {
		const name = "a".repeat(1024 ** 2);
		const rows = Array.from({ length: 300 }, (_, i) => createBridgeDomain(String(i), { name }));
		const sort = { type: "array-sort", config: { field: "dn" } };
		expect(() => postProcess(rows, parseProcessors(sort, sort))).toThrow(/more than 256 MB/);
		expect(postProcess(rows.slice(0, 200), parseProcessors(sort, sort))).toHaveLength(200);
	});

	it("in the groups of a row", () => {
		const row = Object.fromEntries(
			["a", "b", "c"].map((name) => [name, Array.from({ length: 11 }, (_, i) => String(i))]),
		);
		expect(runProcessor([row], "aggregate", { groupBy: ["a", "b"] })).toHaveLength(121);
		expect(() => runProcessor([row], "aggregate", { groupBy: ["a", "b", "c"] })).toThrow(/more than 1,000 groups/);
	});

	it("and a long value that does not grow stays", () => {
		const [row] = runProcessor(big(2 * 1024 ** 2), "text-operations", {
			field: "name",
			operations: [{ operation: "upper" }],
		});
		expect(row && readManagedObject(row)?.attributes.name).toHaveLength(2 * 1024 ** 2);
	});
});

describe("shape processors", () => {
	const tree = createBridgeDomain("uni/BD-1", { name: "one" }, [
		createChild("fvSubnet", { rn: "subnet-[1]", ip: "1" }),
		createChild("fvSubnet", { rn: "subnet-[2]", ip: "2" }),
	]);

	it("extract fields", () => {
		const config = { fields: ["class", "name", { path: "children.fvSubnet.ip", as: "ips" }, "nope"] };
		expect(runProcessor([tree], "field-extract", config)).toEqual([
			{ class: "fvBD", name: "one", ips: ["1", "2"], nope: null },
		]);
	});

	it("flatten rows", () => {
		expect(runProcessor([tree], "flatten", {})).toEqual([{ class: "fvBD", dn: "uni/BD-1", name: "one" }]);
		expect(runProcessor([tree], "flatten", { children: "columns", separator: "_" })).toEqual([
			{
				class: "fvBD",
				dn: "uni/BD-1",
				name: "one",
				fvSubnet_rn: "subnet-[1]",
				fvSubnet_ip: "1",
				fvSubnet_2_rn: "subnet-[2]",
				fvSubnet_2_ip: "2",
			},
		]);
		expect(runProcessor([tree], "flatten", { children: "rows" }).map(({ dn }) => dn)).toEqual([
			"uni/BD-1",
			"uni/BD-1/subnet-[1]",
			"uni/BD-1/subnet-[2]",
		]);
		expect(runProcessor([{ a: 1 }], "flatten", {})).toEqual([{ a: 1 }]);
	});
});

describe("array-sort and aggregate", () => {
	const rows = [{ t: "a", n: "10" }, { t: "b", n: "9" }, { t: "a", n: "x" }, { t: "b" }];
	it("sort numbers by value, what is missing last", () => {
		const order = (config: object) => runProcessor(rows, "array-sort", config).map(({ n }) => n);
		expect(order({ field: "n" })).toEqual(["9", "10", "x", undefined]);
		expect(order({ field: "n", order: "desc" })).toEqual(["x", "10", "9", undefined]);
		expect(order({ keys: [{ field: "t", order: "desc" }, { field: "n" }] })).toEqual(["9", undefined, "10", "x"]);
	});

	it("measure groups", () => {
		const config = {
			groupBy: ["t"],
			aggregations: [
				{ function: "count" },
				...["count", "distinct", "sum", "avg", "min", "max", "list"].map((name) => ({ function: name, field: "n" })),
				{ function: "count", as: "c" },
			],
		};
		expect(runProcessor(rows, "aggregate", config)).toEqual([
			{
				t: "a",
				count: 2,
				count_n: 2,
				distinct_n: 2,
				sum_n: 10,
				avg_n: 10,
				min_n: "10",
				max_n: "x",
				list_n: ["10", "x"],
				c: 2,
			},
			{ t: "b", count: 2, count_n: 1, distinct_n: 1, sum_n: 9, avg_n: 9, min_n: "9", max_n: "9", list_n: ["9"], c: 2 },
		]);
		expect(runProcessor([], "aggregate", {})).toEqual([{ count: 0 }]);
		expect(runProcessor([], "aggregate", { groupBy: ["t"] })).toEqual([]);
	});
});

describe("a chain", () => {
	const all = [
		{ type: "filter_rows", config: { field: "name", operator: "exists" } },
		{ type: "dn-extract", config: { part: "rn", target: "rn" } },
		{ type: "regex-transform", config: { field: "name", pattern: "a", replacement: "b" } },
		{ type: "pattern-filter", config: { field: "name", pattern: "z", negate: true } },
		{ type: "array-sort", config: { field: "name" } },
		{ type: "map-transform", config: { field: "name", mapping: { b: "c" } } },
		{ type: "text-operations", config: { field: "name", operations: [{ operation: "upper" }] } },
		{ type: "field-extract", config: { fields: ["name", "rn"] } },
		{ type: "flatten", config: {} },
		{ type: "aggregate", config: { groupBy: ["name"] } },
	];
	const names = fc.constantFrom("a", "b", "ab", "z", "", "10", "9");
	const anyRow: fc.Arbitrary<Row> = fc.oneof(
		names.map((name) => createBridgeDomain(`uni/BD-${name}`, { name })),
		fc.record({ name: names, n: fc.integer() }),
		fc.constant({}),
	);

	it("gives the same page by page, and never touches its input", () => {
		fc.assert(
			fc.property(
				fc.array(anyRow, { maxLength: 12 }),
				fc.subarray(all),
				fc.integer({ min: 1, max: 5 }),
				(rows, list, size) => {
					const before = structuredClone(rows);
					const processors = parseProcessors(...list);
					const whole = postProcess(rows, processors);
					const { each, all: last } = createProcessorChain(processors);
					const kept: Row[] = [];
					for (let i = 0; i < rows.length; i += size) kept.push(...rows.slice(i, i + size).flatMap(each));
					expect(last ? [...last(kept)] : kept).toEqual(whole);
					expect(rows).toEqual(before);
				},
			),
			{ numRuns: 200 },
		);
	});

	it("skips what is switched off", () => {
		const processors = parseProcessors({
			type: "filter_rows",
			config: { field: "x", operator: "exists" },
			enabled: false,
		});
		expect(postProcess([{ a: 1 }], processors)).toEqual([{ a: 1 }]);
	});
});
