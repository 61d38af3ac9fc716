import { describe, expect, it } from "vitest";
import { writeSheetAsCsv } from "../../platform/workbook.ts";
import { chooseFabrics, listFabrics } from "./fabric-choice.ts";
import { listComparedLines, listPivotLines, searchDifferences, writeSheets } from "./fabric-lines.ts";

const createSource = (id: string | null, name: string) => ({
	controller_connection_id: id,
	controller_connection_name: name,
});
const [A, B, C] = ["a", "b", "c"].map((id) => ({ id, name: `fab-${id}` })) as [
	{ id: string; name: string },
	{ id: string; name: string },
	{ id: string; name: string },
];

describe("the choice of two fabrics", () => {
	it("offers those with the newest snapshots first, each once, and none without an id", () => {
		const newest = [
			createSource("b", "fab-b"),
			createSource("b", "fab-b"),
			createSource(null, "old"),
			createSource("a", "fab-a"),
		];
		expect(listFabrics(newest, [createSource("a", "fab-a"), createSource("c", "fab-c")])).toEqual([B, A, C]);
	});

	it.each([
		[undefined, undefined, [A, B]],
		["b", undefined, [B, A]],
		[undefined, "c", [B, C]],
		["a", "a", [A, B]],
		["c", "a", [C, A]],
		["gone", "c", [B, C]],
	])("completes %j and %j by the fabric with the newest snapshot that is left", (first, second, expected) => {
		expect(chooseFabrics([B, A, C], first, second)).toEqual(expected);
	});

	it("offers no comparison with one fabric", () => {
		expect(chooseFabrics([A], undefined, undefined)).toBeNull();
	});
});

const createDomain = (attributes: Record<string, string>) => ({ fvBD: { attributes } });
const compared = listComparedLines({
	diff: {
		added: [{ dn: "uni/tn-T/BD-new", class_name: "fvBD", object: createDomain({ name: "new" }) }],
		deleted: [{ dn: "uni/tn-T/BD-old", class_name: "fvBD", object: createDomain({ name: "old" }) }],
		modified: [
			{
				dn: "topology/pod-1/node-102/sys",
				class_name: "topSystem",
				dn_from: "topology/pod-1/node-101/sys",
				dn_to: "topology/pod-1/node-102/sys",
				before: {},
				after: {},
				attribute_changes: [
					{ key: "role", old: "leaf", new: "spine" },
					{ key: "state", old: null, new: "" },
				],
			},
		],
		total_changes: 3,
	},
});

describe("the differences of two fabrics", () => {
	it("lists a line per attribute with both values, and the objects of each fabric alone", () => {
		const names = ["topology/pod-1/node-101/sys", "topology/pod-1/node-102/sys"];
		expect(compared.differ).toEqual([
			{ names, className: "topSystem", attribute: "state", values: [null, ""] },
			{ names, className: "topSystem", attribute: "role", values: ["leaf", "spine"] },
		]);
		expect(compared.only.map((objects) => objects.map(({ label }) => label))).toEqual([["old"], ["new"]]);
	});

	it("leaves out of a group run's differences what only a third fabric has or lacks", () => {
		const entries = [
			{
				key: "x",
				connections: ["a", "b", "c"],
				missing: [],
				differing: { mtu: { a: "1", b: "1", c: "2" }, descr: { a: "1", b: null, c: "1" } },
			},
			{ key: "y", connections: ["a", "c"], missing: ["b"], differing: {} },
			{ key: "z", connections: ["c"], missing: ["a", "b"], differing: {} },
		];
		const { differ, only } = listPivotLines(entries, ["a", "b"]);
		expect(differ.map(({ attribute, values }) => [attribute, values])).toEqual([["descr", ["1", null]]]);
		expect(only.map((objects) => objects.map(({ name }) => name))).toEqual([["y"], []]);
	});

	it.each([
		["", [2, 1, 1]],
		["SPINE", [1, 0, 0]],
		["node-101", [2, 0, 0]],
		["fvbd", [0, 1, 1]],
		["new", [0, 0, 1]],
	])("are searched for %j in names, classes, attributes and values", (text, counts) => {
		const { differ, only } = searchDifferences(compared, text);
		expect([differ.length, only[0].length, only[1].length]).toEqual(counts);
	});

	it("writes three sheets whose names a workbook takes, with cells guarded against formulas", () => {
		const sheets = writeSheets(compared, ["fab/a with a name of more than thirty letters", "=b"]);
		expect(sheets.map(({ name }) => name)).toEqual(["Differ", "Only in fab a with a name of 1", "Only in =b 2"]);
		expect(new Set(sheets.map(({ name }) => name.length <= 31))).toEqual(new Set([true]));
		expect(writeSheetAsCsv(sheets[0]).split("\r\n")[0]).not.toContain(",=b");
	});
});
