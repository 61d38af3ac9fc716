/** Rows as columns: filtering and sorting give what looking at each row would give. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filterRows, parseFilter, writeCondition } from "./filter.ts";
import {
	countDistinctValues,
	createTableBuilder,
	findFilledColumns,
	getRanks,
	getTextAt,
	iterateFields,
	sortRows,
} from "./table.ts";
import { writeCsv, writeJson, writeTsv } from "./write.ts";

type Flat = Record<string, unknown>;

function buildTable(rows: readonly unknown[]) {
	const builder = createTableBuilder();
	for (const row of rows) builder.add(row, JSON.stringify(row));
	return builder.finish();
}
const createObject = (name: string, attributes: Flat, children: unknown[] = []) => ({
	[name]: { attributes, ...(children.length > 0 ? { children } : {}) },
});
const listRowNumbers = (count: number) => Int32Array.from(Array.from({ length: count }).keys());
const findRows = (rows: readonly Flat[], text: string) => {
	const table = buildTable(rows);
	return [...filterRows(table, parseFilter(text, table.byKey.keys()))];
};

describe("a table", () => {
	it("has class, dn and name first and what nobody uses last", () => {
		const table = buildTable([
			createObject("fvBD", { annotation: "", arpFlood: "no", dn: "uni/tn-a/BD-b", name: "b" }),
		]);
		expect(table.columns.map(({ key }) => key)).toEqual(["class", "dn", "name", "arpFlood", "annotation"]);
	});

	it("puts the columns that a check names first, and keeps the order of chosen columns", () => {
		const builder = createTableBuilder();
		builder.add(createObject("fvBD", { dn: "d1", mtu: "9000", modTs: "t", name: "a" }), "{}");
		expect(builder.finish(["mtu"]).columns.map(({ key }) => key)).toEqual(["mtu", "class", "dn", "name", "modTs"]);
		const chosen = buildTable([{ tenant: "t", subnet: "10.0.0.0/8", dn: "d1", name: "a" }]);
		expect(chosen.columns.map(({ key }) => key)).toEqual(["tenant", "subnet", "dn", "name"]);
		const judged = createTableBuilder();
		judged.add({ tenant: "t", subnet: "10.0.0.0/8", mtu: "1500" }, "{}");
		expect(judged.finish(["mtu", "gone"]).columns.map(({ key }) => key)).toEqual(["mtu", "tenant", "subnet"]);
	});

	it("previews the first rows before all rows are added", () => {
		const builder = createTableBuilder();
		const rows = [1, 2, 3].map((at) => ({ at }));
		for (const row of rows.slice(0, 2)) builder.add(row, JSON.stringify(row));
		const first = builder.preview(2);
		builder.add(rows[2], JSON.stringify(rows[2]));
		const all = builder.finish();
		expect([first.lines.length, all.lines.length]).toEqual([2, 3]);
		expect(all.columns[0]?.values).toEqual(["1", "2", "3"]);
	});

	it("puts thousands of values in the order that sorting them at once gives", () => {
		const values = Array.from({ length: 5_000 }, (_, at) => `node-${(at * 7_919) % 5_000}/eth1/${at % 48}`);
		const table = buildTable([...values, "", "B", "b"].map((text) => ({ text })));
		const column = table.byKey.get("text");
		if (column === undefined) throw new Error("there is no column");
		const { compare } = new Intl.Collator("en", { numeric: true });
		const ranks = getRanks(column);
		const ordered: string[] = [];
		column.values.forEach((value, place) => {
			ordered[ranks[place] ?? 0] = value;
		});
		expect(ordered).toEqual(column.values.toSorted(compare));
	});

	it("orders and filters numbers above 2^53 by every digit", () => {
		const [less, more] = ["5188146770752724440", "5188146770752724441"];
		const rows = [{ txId: more }, { txId: less }, { txId: "" }];
		const table = buildTable(rows);
		const column = table.byKey.get("txId");
		if (column === undefined) throw new Error("there is no column");
		expect([...sortRows(listRowNumbers(3), column, getRanks(column), false)]).toEqual([1, 0, 2]);
		expect(findRows(rows, `txId>${less}`)).toEqual([0]);
		expect(findRows(rows, `txId<=${less}`)).toEqual([1]);
	});

	it("takes objects, flat rows and plain values alike", () => {
		expect([...iterateFields(createObject("fvBD", { dn: "x" }, [{}, {}]))]).toEqual([
			["class", "fvBD"],
			["dn", "x"],
			["children", 2],
		]);
		expect([...iterateFields({ tenant: "a", count: 3 })]).toEqual([
			["tenant", "a"],
			["count", 3],
		]);
		expect([...iterateFields("plain")]).toEqual([["value", "plain"]]);
		expect([...iterateFields({ connection: "fab-1", ...createObject("fvBD", { dn: "x" }) })]).toEqual([
			["connection", "fab-1"],
			["class", "fvBD"],
			["dn", "x"],
		]);
		expect([...iterateFields({ connection: "fab-1", tenant: "a" })]).toEqual([
			["connection", "fab-1"],
			["tenant", "a"],
		]);
	});

	it("grows, and keeps rows apart that lack a value", () => {
		const rows = Array.from({ length: 9_000 }, (_, i) => (i % 3 === 0 ? { a: i } : { b: `x${i}` }));
		const table = buildTable(rows);
		const [a, b] = [table.byKey.get("a"), table.byKey.get("b")];
		if (!a || !b) throw new Error("columns are missing");
		expect([a.numeric, b.numeric]).toEqual([true, false]);
		for (const at of [0, 4_095, 4_096, 4_097, 8_999]) {
			expect(getTextAt(a, at)).toBe(at % 3 === 0 ? String(at) : "");
			expect(getTextAt(b, at)).toBe(at % 3 === 0 ? "" : `x${at}`);
		}
	});

	it("knows which columns have a value in some rows", () => {
		const table = buildTable([
			{ a: "x", b: "", c: 1 },
			{ a: "", b: "", d: "y" },
		]);
		expect(findFilledColumns(listRowNumbers(2), table.columns)).toEqual(["a", "c", "d"]);
		expect(findFilledColumns(Int32Array.of(1), table.columns)).toEqual(["d"]);
	});

	it("counts values, those without one too", () => {
		const table = buildTable([{ a: "x" }, { a: "y" }, { a: "x" }, { b: 1 }]);
		const column = table.byKey.get("a");
		if (!column) throw new Error("the column is missing");
		expect(countDistinctValues(listRowNumbers(4), column, 10)).toEqual([
			{ value: "x", count: 2 },
			{ value: null, count: 1 },
			{ value: "y", count: 1 },
		]);
	});
});

describe("sorting", () => {
	it("is stable, by value for numbers, naturally for text, and puts rows without a value last", () => {
		const rows = [{ n: "10", t: "leaf10" }, { n: "9", t: "leaf9" }, { t: "leaf1" }, { n: "9", t: "Leaf2" }];
		const table = buildTable(rows);
		const order = (key: string, descending: boolean) => {
			const column = table.byKey.get(key);
			return column ? [...sortRows(listRowNumbers(4), column, getRanks(column), descending)] : [];
		};
		expect(order("n", false)).toEqual([1, 3, 0, 2]);
		expect(order("n", true)).toEqual([0, 1, 3, 2]);
		expect(order("t", false)).toEqual([2, 3, 1, 0]);
	});

	it("puts empty values last too, in both directions", () => {
		const table = buildTable([{ t: "b" }, { t: "" }, { t: "a" }, {}, { t: "" }]);
		const column = table.byKey.get("t");
		if (column === undefined) throw new Error("there is no column");
		expect([...sortRows(listRowNumbers(5), column, getRanks(column), false)]).toEqual([2, 0, 1, 3, 4]);
		expect([...sortRows(listRowNumbers(5), column, getRanks(column), true)]).toEqual([0, 2, 1, 3, 4]);
	});

	it("equals sorting the rows themselves", () => {
		fc.assert(
			fc.property(
				fc.array(fc.record({ v: fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constant(undefined)) })),
				fc.boolean(),
				(rows, down) => {
					const table = buildTable(rows);
					const column = table.byKey.get("v");
					if (!column) return;
					const sorted = [...sortRows(listRowNumbers(rows.length), column, getRanks(column), down)];
					const naive = [...rows.keys()].sort((a, b) => {
						const [x, y] = [rows[a]?.v, rows[b]?.v];
						if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined) || a - b;
						return (down ? y - x : x - y) || a - b;
					});
					expect(sorted).toEqual(naive);
				},
			),
		);
	});
});

describe("the filter language", () => {
	const rows = [
		{ name: "web-1", tenant: "prod", mtu: 9000, descr: "front end" },
		{ name: "web-2", tenant: "test", mtu: 1500, descr: "" },
		{ name: "db-1", tenant: "Prod", mtu: 1500 },
	];

	it.each([
		["", [0, 1, 2]],
		["web", [0, 1]],
		["PROD", [0, 2]],
		["web prod", [0]],
		["tenant:prod", [0, 2]],
		["tenant=prod", [0, 2]],
		["tenant=pro", []],
		["-tenant:prod", [1]],
		["-web", [2]],
		["mtu>1500", [0]],
		["mtu<=1500", [1, 2]],
		["mtu>=9000", [0]],
		["name:web|db", [0, 1, 2]],
		['descr="front end"', [0]],
		['"front end"', [0]],
		["descr:", [0]],
		["-descr:", [1, 2]],
		["nosuch:1500", []],
		["1500", [1, 2]],
		["Tenant:test", [1]],
	])("%s", (text, expected) => expect(findRows(rows, text)).toEqual(expected));

	it("takes what is no condition as text, so that a DN can be pasted", () => {
		const dns = [{ dn: "uni/tn-a/BD-b/subnet-[10.0.0.1/24]" }, { dn: "uni/tn-a" }];
		expect(findRows(dns, "uni/tn-a/BD-b/subnet-[10.0.0.1/24]")).toEqual([0]);
		expect(findRows([{ dn: "x", mac: "00:22:BD" }], "00:22")).toEqual([0]);
	});

	it("finds exactly the rows of a value from which a condition was written", () => {
		fc.assert(
			fc.property(
				fc.array(
					fc.string({ maxLength: 6 }).filter((text) => !text.includes('"')),
					{ minLength: 1, maxLength: 20 },
				),
				fc.nat(),
				(values, pick) => {
					const data = values.map((v) => ({ v }));
					const wanted = values[pick % values.length] ?? "";
					const found = findRows(data, writeCondition("v", wanted));
					const expected = [...values.keys()].filter((i) =>
						wanted === "" ? values[i] === "" : values[i]?.toLowerCase() === wanted.toLowerCase(),
					);
					// A condition cannot distinguish blanks from an empty value.
					if (wanted.trim() !== "" || wanted === "") expect(found).toEqual(expected);
				},
			),
		);
	});

	it("never throws, whatever is typed", () => {
		fc.assert(fc.property(fc.string(), (text) => void findRows(rows, text)));
	});
});

describe("files", () => {
	const table = buildTable([
		{ name: 'a "b", c', value: "=SUM(A1)" },
		{ name: "line\nbreak", value: -5 },
		{ name: "plain" },
	]);
	it("quote what a CSV must quote and defuse what a spreadsheet would run", () => {
		expect(writeCsv(table, listRowNumbers(3), ["name", "value"])).toBe(
			'name,value\r\n"a ""b"", c",\'=SUM(A1)\r\n"line\nbreak",-5\r\nplain,\r\n',
		);
	});
	it("keep a row on one line for the clipboard", () => {
		expect(writeTsv(table, listRowNumbers(3), ["name", "value"], true).split("\n")).toHaveLength(4);
	});
	it("defuse the names of columns for the clipboard, too", () => {
		const named = buildTable([{ "=cmd()": "a" }]);
		expect(writeTsv(named, listRowNumbers(1), ["=cmd()"], true)).toBe("'=cmd()\na");
	});
	it("give JSON back as it came", () => {
		expect(JSON.parse(writeJson(table, Int32Array.from([2, 0])))).toEqual([
			{ name: "plain" },
			{ name: 'a "b", c', value: "=SUM(A1)" },
		]);
	});
});
