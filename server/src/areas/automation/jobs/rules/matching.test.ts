import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRowMatcher, type LoopState, type RowMatcher } from "./matching.ts";

const runLoop = (by: RowMatcher, items: readonly unknown[]): LoopState =>
	items.reduce<LoopState | undefined>((loop, item, at) => by.advanceLoop(loop, at + 1, item), undefined) as LoopState;
const findLast = (by: RowMatcher, items: readonly unknown[]) => by.findRows(items.at(-1), runLoop(by, items));

const rows = [{ name: "a", vlan: 10 }, { name: "b", vlan: 20 }, { name: "twin" }, { name: "twin" }];
const matcher = createRowMatcher([{ name: null, rows }]);
/** The rows of the last item of a loop. */
const findAfter = (items: readonly unknown[]) => findLast(matcher, items).map(({ row_index }) => row_index);
const findItemRows = (item: unknown) => findAfter([item]);
/** What `register` keeps of a loop's item. */
const createRegisteredResult = (item: unknown, name = "item") => ({
	changed: true,
	rc: 0,
	[name]: item,
	ansible_loop_var: name,
});

describe("an item is about", () => {
	it.each<[string, unknown, number[]]>([
		["a row as it was sent", { name: "a", vlan: 10 }, [0]],
		["a row whose numbers became texts, in another order", { vlan: "20", name: "b" }, [1]],
		["no row by a value that one row has", 20, []],
		["the number of a row", { _row: 1, anything: true }, [1]],
		["a number that no row has", { _row: 9 }, []],
		["nothing that was sent", { name: "c" }, []],
		["a row and what the playbook adds to it", { name: "a", vlan: "10", extra: 1 }, [0]],
		["a row to which something was added, inside a result", createRegisteredResult({ ...rows[1], extra: 1 }), [1]],
		["a row to which the same row was added", { ...rows[0], original: rows[0] }, [0]],
		["no certain row where another row was added to one", { ...rows[0], peer: rows[1] }, []],
		["a row of which a cell was changed", { name: "a", vlan: 11, extra: 1 }, []],
		["one of two equal rows and more", { name: "twin", extra: 1 }, []],
		["a result that has the cells of a row itself", { name: "a", vlan: 10, ...createRegisteredResult(7) }, []],
		["a result of a loop over rows", createRegisteredResult(rows[0]), [0]],
		["one of a loop with a variable of its own", createRegisteredResult(rows[1], "row"), [1]],
		[
			"a result of a loop over results",
			createRegisteredResult(createRegisteredResult(createRegisteredResult(rows[0], "row")), "job"),
			[0],
		],
		["a pair of a row and something else", [rows[1], "eth1/1"], [1]],
		["an object with a row in it", { port: "eth1/1", row: rows[0] }, [0]],
		["an object with a row under another name than its item", { item: "x", row: rows[0] }, [0]],
		["a pair with a result", [createRegisteredResult(rows[0]), 7], [0]],
		["a batch of rows", [rows[0], rows[1]], [0, 1]],
		["the same row twice", [rows[0], rows[0]], [0]],
		["nothing", null, []],
		["an empty object", {}, []],
	])("%s", (_what, item, expected) => {
		expect(findItemRows(item)).toEqual(expected);
	});

	it("that one of equal rows which is in its place, where the loop goes over the rows", () => {
		expect(findAfter(rows.slice(0, 3))).toEqual([2]);
		expect(findAfter(rows)).toEqual([3]);
		expect(findAfter(rows.map((row) => createRegisteredResult(row)))).toEqual([3]);
		expect(findAfter(rows.slice(2))).toEqual([]);
		expect(findAfter([...rows.slice(0, 3), "eth1/1"])).toEqual([]);
	});

	it("no row where rows with several sets of names are among its cells", () => {
		const mixed = createRowMatcher([{ name: null, rows: [{ name: "a" }, { vlan: 10 }] }]);
		expect(findLast(mixed, [{ name: "a", port: 1 }])).toEqual([{ sheet: "", row_index: 0 }]);
		expect(findLast(mixed, [{ name: "a", vlan: 10 }])).toEqual([]);
	});

	it("the row of the sheet that holds it", () => {
		const sheets = createRowMatcher([
			{ name: "vlans", rows: [{ id: 1 }] },
			{ name: "ports", rows: [{ port: "p" }] },
		]);
		expect(findLast(sheets, [{ port: "p" }])).toEqual([{ sheet: "ports", row_index: 0 }]);
		expect(findLast(sheets, [{ _row: 0 }])).toEqual([]);
	});
});

describe("a loop over values goes over a column", () => {
	const table = [
		{ name: "a", alias: "x1", vlan: 1, env: "prod" },
		{ name: "b", alias: "x2", vlan: 2, env: "prod" },
		{ name: "c", alias: "x3", vlan: 3, env: "test" },
	];
	const single = [{ name: null, rows: table }];
	it.each<[string, { name: string | null; rows: Record<string, unknown>[] }[], unknown[], string | null]>([
		["if its items are all cells of the column, in the order of the rows", single, ["a", "b", "c"], ""],
		["if they are results of such a loop", single, ["x1", "x2", "x3"].map((one) => createRegisteredResult(one)), ""],
		["not if it ends early", single, ["a", "b"], null],
		["not if it goes on", single, ["a", "b", "c", "d"], null],
		["not if it has another order", single, ["b", "a", "c"], null],
		["not if it begins elsewhere", single, ["z", "a", "b", "c"], null],
		["not if it changes the column", single, ["a", "x2", "c"], null],
		["not if the column has numbers, as pods have", single, [1, 2, 3], null],
		["not if rows share a value", single, ["prod", "prod", "test"], null],
		["not if an item is hidden", single, ["a", undefined, "c"], null],
		["not if there is one row only", [{ name: null, rows: table.slice(0, 1) }], ["a"], null],
		[
			"of the sheet that has it",
			[
				{ name: "vlans", rows: table },
				{ name: "ports", rows: [{ port: "p1" }, { port: "p2" }] },
			],
			["p1", "p2"],
			"ports",
		],
		[
			"not if two sheets have it",
			[
				{ name: "vlans", rows: table },
				{ name: "more", rows: table },
			],
			["a", "b", "c"],
			null,
		],
	])("%s", (_what, sheets, items, expected) => {
		const by = createRowMatcher(sheets);
		const loop = runLoop(by, items);
		expect(by.findColumnSheet(loop)).toBe(expected);
		expect(by.findColumnRow(loop)).toBe(expected === null ? by.findColumnRow(loop) : items.length - 1);
	});
});

describe("the search of an item ends", () => {
	it("where results are wrapped without end, or rows lie too deep", () => {
		let wrapped: unknown = rows[0];
		for (let at = 0; at < 10; at++) wrapped = createRegisteredResult(wrapped);
		expect(findItemRows(wrapped)).toEqual([0]);
		expect(
			findItemRows(
				createRegisteredResult(
					createRegisteredResult(
						createRegisteredResult(createRegisteredResult(createRegisteredResult(createRegisteredResult(wrapped)))),
					),
				),
			),
		).toEqual([]);
		const deep = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`);
		expect(findItemRows(deep)).toEqual([]);
		expect(findItemRows({ name: deep, vlan: 10 })).toEqual([]);
		expect(findItemRows([...Array(10_000).fill(0), rows[0]])).toEqual([]);
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
					const texts = all.map((one) =>
						JSON.stringify(
							Object.entries(one)
								.map(([k, v]) => [k, String(v)])
								.sort(),
						),
					);
					fc.pre(new Set(texts).size === all.length);
					const made = createRowMatcher([{ name: null, rows: all }]);
					const inner: unknown = isPaired ? [all[place], "eth1/1"] : all[place];
					const item = wraps.reduce<unknown>((value, by) => createRegisteredResult(value, by), inner);
					expect(findLast(made, [item])).toEqual([{ sheet: "", row_index: place }]);
				},
			),
		);
	});

	it("anything else is none of the rows, and ends without an error", () => {
		fc.assert(
			fc.property(fc.array(row, { maxLength: 5 }), fc.jsonValue({ maxDepth: 6 }), (all, item) => {
				const made = createRowMatcher([{ name: null, rows: all }]);
				for (const { row_index } of findLast(made, [item])) expect(all[row_index]).toBeDefined();
			}),
		);
	});
});
