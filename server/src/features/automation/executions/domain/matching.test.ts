import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRowMatcher } from "./matching.ts";

const rows = [{ name: "a", vlan: 10 }, { name: "b", vlan: 20 }, { name: "twin" }, { name: "twin" }];
const matcher = createRowMatcher([{ name: null, rows }]);
const found = (item: unknown, nth = 0) => matcher.find(item, nth).map(({ row_index }) => row_index);
/** What `register` keeps of a loop's item. */
const registered = (item: unknown, name = "item") => ({ changed: true, rc: 0, [name]: item, ansible_loop_var: name });

describe("an item is about", () => {
	it.each<[string, unknown, number[]]>([
		["a row as it was sent", { name: "a", vlan: 10 }, [0]],
		["a row whose numbers became texts, in another order", { vlan: "20", name: "b" }, [1]],
		["a value that one row has", 20, [1]],
		["the number of a row", { _row: 1, anything: true }, [1]],
		["a number that no row has", { _row: 9 }, []],
		["a value that several rows have", "twin", []],
		["nothing that was sent", { name: "c" }, []],
		["a row and more", { name: "a", vlan: 10, extra: 1 }, []],
		["a result of a loop over rows", registered(rows[0]), [0]],
		["one of a loop with a variable of its own", registered(rows[1], "row"), [1]],
		["a result of a loop over results", registered(registered(registered(rows[0], "row")), "job"), [0]],
		["a result of a loop over a column", registered("b"), [1]],
		["a pair of a row and something else", [rows[1], "eth1/1"], [1]],
		["an object with a row in it", { port: "eth1/1", row: rows[0] }, [0]],
		["an object with a row under another name than its item", { item: "x", row: rows[0] }, [0]],
		["a pair with a result", [registered(rows[0]), 7], [0]],
		["a batch of rows", [rows[0], rows[1]], [0, 1]],
		["the same row twice", [rows[0], rows[0]], [0]],
		["nothing", null, []],
		["an empty object", {}, []],
	])("%s", (_what, item, expected) => {
		expect(found(item)).toEqual(expected);
	});

	it("that one of equal rows which is in its place in the loop", () => {
		expect(found({ name: "twin" }, 2)).toEqual([2]);
		expect(found({ name: "twin" }, 3)).toEqual([3]);
		expect(found(registered({ name: "twin" }), 3)).toEqual([3]);
	});

	it("the row of the sheet that holds it", () => {
		const sheets = createRowMatcher([
			{ name: "vlans", rows: [{ id: 1 }] },
			{ name: "ports", rows: [{ port: "p" }] },
		]);
		expect(sheets.find({ port: "p" }, 0)).toEqual([{ sheet: "ports", row_index: 0 }]);
		expect(sheets.find({ _row: 0 }, 0)).toEqual([]);
	});
});

describe("the search of an item ends", () => {
	it("where results are wrapped without end, or rows lie too deep", () => {
		let wrapped: unknown = rows[0];
		for (let at = 0; at < 10; at++) wrapped = registered(wrapped);
		expect(found(wrapped)).toEqual([0]);
		expect(found(registered(registered(registered(registered(registered(registered(wrapped)))))))).toEqual([]);
		const deep = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`);
		expect(found(deep)).toEqual([]);
		expect(found({ name: deep, vlan: 10 })).toEqual([]);
		expect(found([...Array(10_000).fill(0), rows[0]])).toEqual([]);
	});
});

const cell = fc.oneof(fc.string({ maxLength: 5 }), fc.integer({ min: 0, max: 50 }), fc.boolean());
const row = fc.dictionary(fc.constantFrom("name", "vlan", "item", "port", "ansible_loop_var"), cell, { minKeys: 1 });
const name = fc.constantFrom("item", "row", "outer_row");

describe("properties", () => {
	it("a row is found at its place, however often it is wrapped or paired", () => {
		fc.assert(
			fc.property(
				fc.array(row, { minLength: 1, maxLength: 8 }),
				fc.nat(),
				fc.array(name, { maxLength: 8 }),
				fc.boolean(),
				(all, pick, wraps, isPaired) => {
					const place = pick % all.length;
					const made = createRowMatcher([{ name: null, rows: all }]);
					const inner: unknown = isPaired ? [all[place], "eth1/1"] : all[place];
					const item = wraps.reduce<unknown>((value, by) => registered(value, by), inner);
					expect(made.find(item, place)).toEqual([{ sheet: "", row_index: place }]);
				},
			),
		);
	});

	it("anything else is none of the rows, and ends without an error", () => {
		fc.assert(
			fc.property(fc.array(row, { maxLength: 5 }), fc.jsonValue({ maxDepth: 6 }), fc.nat(5), (all, item, nth) => {
				const made = createRowMatcher([{ name: null, rows: all }]);
				for (const { row_index } of made.find(item, nth)) expect(all[row_index]).toBeDefined();
			}),
		);
	});
});
