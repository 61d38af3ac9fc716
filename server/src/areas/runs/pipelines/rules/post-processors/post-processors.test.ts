import type { PostProcessor } from "@weft/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { managedObject, type Row } from "../../../../../core/rows/rows.ts";
import { readPostProcessors } from "../../../../queries/flow/rules/validation.ts";
import { compoundFormats, createNameReader } from "../dn-names.ts";
import { processorChain } from "./index.ts";

const parseProcessors = (...list: unknown[]): PostProcessor[] => {
	const result = readPostProcessors(list);
	if (!result.ok) throw new Error(JSON.stringify(result.errors));
	return result.value;
};
const createBridgeDomain = (dn: string, more: Record<string, string> = {}, children?: Row[]): Row => ({
	fvBD: { attributes: { dn, ...more }, ...(children ? { children } : {}) },
});
const createChild = (className: string, attributes: Record<string, string>): Row => ({ [className]: { attributes } });
const postProcess = (rows: readonly Row[], processors: PostProcessor[]) => {
	const { each, all } = processorChain(processors);
	const made = rows.flatMap(each);
	return all ? [...all(made)] : made;
};
const runProcessor = (rows: readonly Row[], type: string, config: object) =>
	postProcess(rows, parseProcessors({ type, config }));
const listDns = (rows: readonly Row[]) => rows.map((row) => (row.fvBD as { attributes: { dn: string } }).attributes.dn);

describe("filter_rows and pattern-filter", () => {
	const rows = [
		createBridgeDomain("1", { name: "web", mtu: "9000" }, [createChild("fvRsCtx", { tnFvCtxName: "prod" })]),
		createBridgeDomain("2", { name: "Web-2", mtu: "1500" }),
		createBridgeDomain("3", { name: "", mtu: "inherit" }),
		createBridgeDomain("4"),
	];
	const cases: [string, string, object, string[]][] = [
		["eq", "filter_rows", { field: "name", value: "web" }, ["1"]],
		["eq, any case", "filter_rows", { field: "name", value: "WEB", caseSensitive: false }, ["1"]],
		["ne keeps what has none", "filter_rows", { field: "name", operator: "ne", value: "web" }, ["2", "3", "4"]],
		["numbers by value", "filter_rows", { field: "mtu", operator: "gt", value: 1500 }, ["1", "3"]],
		["in", "filter_rows", { field: "name", operator: "in", value: ["web", "Web-2"] }, ["1", "2"]],
		["starts", "filter_rows", { field: "name", operator: "starts", value: "We" }, ["2"]],
		["ends", "filter_rows", { field: "name", operator: "ends", value: "eb" }, ["1"]],
		["contains", "filter_rows", { field: "name", operator: "contains", value: "eb" }, ["1", "2"]],
		["regex", "filter_rows", { field: "name", operator: "regex", value: "-\\d$" }, ["2"]],
		["exists", "filter_rows", { field: "name", operator: "exists" }, ["1", "2"]],
		["missing", "filter_rows", { field: "name", operator: "missing" }, ["3", "4"]],
		["a child's value", "filter_rows", { field: "children.fvRsCtx.tnFvCtxName", value: "prod" }, ["1"]],
		[
			"all of several",
			"filter_rows",
			{
				conditions: [
					{ field: "name", operator: "exists" },
					{ field: "mtu", value: "1500" },
				],
			},
			["2"],
		],
		[
			"any of several",
			"filter_rows",
			{
				match: "any",
				conditions: [
					{ field: "name", value: "web" },
					{ field: "mtu", value: "1500" },
				],
			},
			["1", "2"],
		],
		["a pattern", "pattern-filter", { field: "name", pattern: "^web", caseSensitive: false }, ["1", "2"]],
		[
			"a negated pattern",
			"pattern-filter",
			{ field: "name", pattern: "web", type: "exact", negate: true },
			["2", "3", "4"],
		],
	];
	it.each(cases)("keep by %s", (_, type, config, expected) => {
		expect(listDns(runProcessor(rows, type, config))).toEqual(expected);
	});

	it("run in linear time", () => {
		const hostile = [createBridgeDomain("1", { name: `${"a".repeat(30_000)}!` })];
		expect(runProcessor(hostile, "pattern-filter", { field: "name", pattern: "^(a+)+$" })).toEqual([]);
	});
});

describe("value processors", () => {
	const row = createBridgeDomain("uni/tn-prod/BD-web/subnet-[10.0.0.1/24]", { name: " web one ", scope: "public" });
	const cases: [string, string, object, string, unknown][] = [
		["the parent", "dn-extract", { part: "parent", target: "out" }, "out", "uni/tn-prod/BD-web"],
		["the RN", "dn-extract", { part: "rn", target: "out" }, "out", "subnet-[10.0.0.1/24]"],
		["the naming value", "dn-extract", { part: "value", target: "out" }, "out", "10.0.0.1/24"],
		["a level's naming value", "dn-extract", { part: "value", rnPrefix: "tn", target: "out" }, "out", "prod"],
		["no such level", "dn-extract", { part: "value", rnPrefix: "ap", target: "out" }, "out", undefined],
		["a segment from the end", "dn-extract", { part: "segment", index: -2, target: "out" }, "out", "BD-web"],
		[
			"a replacement with groups",
			"regex-transform",
			{ field: "dn", pattern: "tn-(?<t>\\w+)/BD-(\\w+).*", replacement: "$<t>:$2" },
			"dn",
			"uni/prod:web",
		],
		["a mapped value", "map-transform", { field: "scope", mapping: { public: "P" } }, "scope", "P"],
		["an unmapped value", "map-transform", { field: "scope", mapping: { x: "P" } }, "scope", "public"],
		["the default", "map-transform", { field: "scope", mapping: {}, default: "?", target: "s" }, "s", "?"],
		[
			"text steps",
			"text-operations",
			{
				field: "name",
				operations: [
					{ operation: "trim" },
					{ operation: "title" },
					{ operation: "replace", search: " ", text: "$&" },
					{ operation: "prefix", text: ">" },
				],
			},
			"name",
			">Web$&One",
		],
		[
			"a part of a text",
			"text-operations",
			{
				field: "name",
				operations: [
					{ operation: "trim" },
					{ operation: "split", separator: " ", index: 1 },
					{ operation: "substring", end: 2 },
					{ operation: "upper" },
				],
				target: "x",
			},
			"x",
			"ON",
		],
	];
	it.each(cases)("compute %s", (_, type, config, field, expected) => {
		const [out] = runProcessor([row], type, config);
		expect(out && managedObject(out)?.attributes[field]).toBe(expected);
	});

	it("leave a row without the field, and write fields of flat rows", () => {
		const config = { field: "nope", pattern: "a", target: "x" };
		expect(runProcessor([row], "regex-transform", config)).toEqual([row]);
		expect(
			runProcessor([{ a: "b" }], "regex-transform", { field: "a", pattern: "b", replacement: "c", target: "x.y" }),
		).toEqual([{ a: "b", "x.y": "c" }]);
	});
});

describe("a field with several values", () => {
	const fault = (severity: string) => createChild("faultInst", { severity });
	const rows = [
		createBridgeDomain("1", {}, [fault("minor"), fault("major")]),
		createBridgeDomain("2", {}, [fault("critical")]),
		createBridgeDomain("3"),
	];
	const field = "children.faultInst.severity";
	const getValues = (made: readonly Row[]) => made.map((row) => managedObject(row)?.attributes.out);

	it.each([
		["map-transform", { mapping: { minor: "m" }, default: "?" }, [["m", "?"], "?", undefined]],
		["text-operations", { operations: [{ operation: "upper" }] }, [["MINOR", "MAJOR"], "CRITICAL", undefined]],
		["regex-transform", { pattern: "^m", replacement: "M" }, [["Minor", "Major"], "critical", undefined]],
		["dn-extract", { part: "rn" }, [["minor", "major"], "critical", undefined]],
	])("gives each of them to %s", (type, config, expected) => {
		expect(getValues(runProcessor(rows, type, { field, target: "out", ...config }))).toEqual(expected);
	});

	it("is changed in each child where it is its own target", () => {
		const [first, , third] = runProcessor(rows, "text-operations", { field, operations: [{ operation: "upper" }] });
		expect(first).toEqual(createBridgeDomain("1", {}, [fault("MINOR"), fault("MAJOR")]));
		expect(third).toEqual(rows[2]);
		const any = runProcessor(rows, "map-transform", { field: "children.*.severity", mapping: { critical: "c" } });
		expect(any[1]).toEqual(createBridgeDomain("2", {}, [fault("c")]));
		const flat = [{ s: ["a", "b"] }];
		expect(runProcessor(flat, "text-operations", { field: "s", operations: [{ operation: "upper" }] })).toEqual([
			{ s: ["A", "B"] },
		]);
	});

	it("puts a row into the group of each value, once", () => {
		const twice = [...rows, createBridgeDomain("4", {}, [fault("minor"), fault("minor")])];
		expect(runProcessor(twice, "aggregate", { groupBy: [field] })).toEqual([
			{ [field]: "minor", count: 2 },
			{ [field]: "major", count: 1 },
			{ [field]: "critical", count: 1 },
			{ [field]: null, count: 1 },
		]);
	});

	it("sorts by the smallest, or by the largest when descending", () => {
		const numbers = [
			{ k: "a", n: ["5", "1"] },
			{ k: "b", n: "3" },
			{ k: "c", n: ["2", "4"] },
		];
		const order = (config: object) => runProcessor(numbers, "array-sort", { field: "n", ...config }).map(({ k }) => k);
		expect(order({})).toEqual(["a", "c", "b"]);
		expect(order({ order: "desc" })).toEqual(["a", "c", "b"]);
	});
});

describe("numbers above 2^53", () => {
	const [less, more] = ["5188146770752724440", "5188146770752724441"];
	const rows = [createBridgeDomain("1", { txId: more }), createBridgeDomain("2", { txId: less })];

	it("compare, sort and add up by every digit", () => {
		expect(listDns(runProcessor(rows, "filter_rows", { field: "txId", operator: "gt", value: less }))).toEqual(["1"]);
		expect(listDns(runProcessor(rows, "filter_rows", { field: "txId", operator: "le", value: less }))).toEqual(["2"]);
		expect(listDns(runProcessor(rows, "array-sort", { field: "txId" }))).toEqual(["2", "1"]);
		const aggregations = ["min", "max", "sum", "avg"].map((name) => ({ function: name, field: "txId", as: name }));
		expect(runProcessor(rows, "aggregate", { aggregations })).toEqual([
			{ min: less, max: more, sum: "10376293541505448881", avg: "5188146770752724440.5" },
		]);
	});
});

describe("what processors make is bounded", () => {
	const a4000 = "a".repeat(4_000);
	const grow = { operation: "replace", search: "a", text: a4000 };
	const big = (length: number) => [createBridgeDomain("1", { name: "a".repeat(length) })];

	it.each([
		["text-operations", { operations: [grow, grow] }, big(1)],
		["text-operations", { operations: [{ operation: "replace", search: "a", text: "é".repeat(4_000) }] }, big(200)],
		["regex-transform", { pattern: "a", replacement: a4000 }, big(1_000)],
		["regex-transform", { pattern: "a", replacement: "$`$`$`" }, big(2_000)],
		["text-operations", { operations: [{ operation: "suffix", text: a4000 }] }, big(1024 ** 2)],
	])("in each value: %s", (type, config, rows) => {
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
		expect(row && managedObject(row)?.attributes.name).toHaveLength(2 * 1024 ** 2);
	});
});

describe("the values of a name", () => {
	const cases: [string, object, unknown][] = [
		["uni/infra/vlanns-[p]-static/from-[vlan-100]-to-[vlan-110]", {}, ["vlan-100", "vlan-110"]],
		["uni/infra/vlanns-[p]-static/from-[vlan-100]-to-[vlan-110]", { property: "to" }, "vlan-110"],
		["uni/infra/vlanns-[p]-static/from-[vlan-100]-to-[vlan-110]", { index: 0 }, "vlan-100"],
		["uni/infra/vlanns-[p]-static/from-[vlan-100]-to-[vlan-110]", { rnPrefix: "vlanns" }, ["p", "static"]],
		["uni/x/unknown-[a]-and-[b/c-[d]]", {}, ["a", "b/c-[d]"]],
		["uni/x/unknown-[a]-and-[b]-c", { index: -1 }, "b"],
		["uni/tn-a/fd-[uni/tn-a/rsx]-fault-F0123", {}, ["uni/tn-a/rsx", "F0123"]],
		["uni/tn-a/fd-[uni/tn-a/rsx]-fault-F0123", { property: "code" }, "F0123"],
		["uni/tn-a/fd-[uni/tn-a/rsx]-fault-F0123", { property: "affected" }, "uni/tn-a/rsx"],
		["uni/x/unknown-[a/b]-type-c-d", {}, ["a/b", "c-d"]],
		["uni/x/unknown-[a]-c", {}, "[a]-c"],
		[
			"uni/tn-a/ap-b/epg-c/rspathAtt-[topology/pod-1/paths-101/pathep-[eth1/1]]",
			{},
			"topology/pod-1/paths-101/pathep-[eth1/1]",
		],
		["uni/tn-a-[b]", {}, "a-[b]"],
		["uni", {}, undefined],
	];
	it.each(cases)("are extracted from %s with %j", (dn, config, expected) => {
		const [row] = runProcessor([{ dn }], "dn-extract", { part: "value", target: "out", ...config });
		expect(row?.out).toEqual(expected);
	});
});

describe("names of a loaded model", () => {
	const reader = createNameReader(
		compoundFormats([
			"from-[{a}]-to-[{b}]",
			"from-[{c}]-to-[{d}]",
			"from-{e}",
			"rack-{row}-{place}",
			"rack-{name}",
			"tn-{name}",
		]),
	);
	it.each([
		["from-[1]-to-[2]", undefined, ["a", "1", "b", "2"]],
		["from-[1]-to-[2]", "d", ["c", "1", "d", "2"]],
		// A name of a single value as well.
		["rack-7-b", undefined, [null, "7-b"]],
		["from-x", undefined, [null, "x"]],
		["tn-a-b", undefined, [null, "a-b"]],
	])("%s with %s", (rn, property, expected) => {
		expect(reader.getNames(rn, undefined, property).flatMap((name) => [name.property, name.value])).toEqual(expected);
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

	it("flatten", () => {
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
					const { each, all: last } = processorChain(processors);
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
