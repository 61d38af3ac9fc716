/** Each post-processor alone: filters, values, and names. */

import { describe, expect, it } from "vitest";
import {
	createBridgeDomain,
	createChild,
	listDns,
	runProcessor,
} from "../../../../../../test/support/post-processing.ts";
import { type Row, readManagedObject } from "../../../../../core/rows/rows.ts";
import { createNameReader, listCompoundFormats } from "../dn-names.ts";

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
		expect(out && readManagedObject(out)?.attributes[field]).toBe(expected);
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
	const getValues = (made: readonly Row[]) => made.map((row) => readManagedObject(row)?.attributes.out);

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
		listCompoundFormats([
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
	])("read %s with %s", (rn, property, expected) => {
		expect(reader.getNames(rn, undefined, property).flatMap((name) => [name.property, name.value])).toEqual(expected);
	});
});
