import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Row } from "../../../../core/rows/rows.ts";
import { withConnection } from "./merged-row.ts";
import { type PivotSource, pivotRows } from "./pivot.ts";

const createBridgeDomain = (attributes: Record<string, string>): Row => ({ fvBD: { attributes } });
const createSource = (connection: string, ...rows: Row[]): PivotSource => ({ connection, pages: [rows] });
const ALL = { from: 0, count: 1_000, withoutIds: false };

describe("pivot", () => {
	it("shows who has a key, who lacks it, and the attributes that differ", () => {
		const sources = [
			createSource(
				"A",
				createBridgeDomain({ name: "web", mtu: "1500", modTs: "1" }),
				createBridgeDomain({ name: "app", mtu: "9000" }),
			),
			createSource("B", createBridgeDomain({ name: "web", mtu: "9000", modTs: "2", arp: "yes" })),
			createSource("C"),
		];
		expect(pivotRows(sources, "name", ALL)).toEqual({
			count: 2,
			entries: [
				{ key: "app", connections: ["A"], missing: ["B", "C"], differing: {} },
				{
					key: "web",
					connections: ["A", "B"],
					missing: ["C"],
					differing: { mtu: { A: "1500", B: "9000" }, arp: { A: null, B: "yes" } },
				},
			],
		});
	});

	it("compares several rows of one key as sets", () => {
		const rows = [createBridgeDomain({ name: "x", scope: "1" }), createBridgeDomain({ name: "x", scope: "2" })];
		expect(
			pivotRows([createSource("A", ...rows), createSource("B", ...rows.toReversed())], "name", ALL).entries[0]
				?.differing,
		).toEqual({});
		expect(
			pivotRows([createSource("A", ...rows), createSource("B", rows[0] as Row)], "name", ALL).entries[0]?.differing,
		).toEqual({
			scope: { A: ["1", "2"], B: "1" },
		});
	});

	it("reads flat rows, qualified names, and rows without the property", () => {
		expect(
			pivotRows([createSource("A", { dn: "x" }, { name: "y" })], "name", ALL).entries.map(({ key }) => key),
		).toEqual(["", "y"]);
		expect(pivotRows([createSource("A", createBridgeDomain({ name: "n" }))], "fvBD.name", ALL).entries[0]?.key).toBe(
			"n",
		);
		expect(pivotRows([], "name", ALL)).toEqual({ count: 0, entries: [] });
	});

	it("refuses a property that no row has, and one that does not tell rows apart", () => {
		expect(() => pivotRows([createSource("A", createBridgeDomain({ name: "n" }))], "nope", ALL)).toThrow(
			'No row has the property "nope".',
		);
		const same = Array.from({ length: 51 }, (_, i) => createBridgeDomain({ name: "same", dn: String(i) }));
		expect(() => pivotRows([createSource("A", ...same)], "name", ALL)).toThrow("Choose a property");
	});

	it("has every key once over all pages, in order", () => {
		fc.assert(
			fc.property(
				fc.array(fc.array(fc.string({ maxLength: 3 }), { maxLength: 8 }), { maxLength: 4 }),
				fc.integer({ min: 1, max: 5 }),
				(keys, count) => {
					const sources = keys.map((list, i) =>
						createSource(`c${i}`, ...list.map((name) => createBridgeDomain({ name, other: "x" }))),
					);
					fc.pre(keys.flat().some((key) => key !== "") || keys.flat().length === 0);
					const expected = [...new Set(keys.flat())].sort();
					const found: string[] = [];
					for (let from = 0; from < expected.length; from += count) {
						const page = pivotRows(sources, "name", { from, count, withoutIds: false });
						expect(page.count).toBe(expected.length);
						for (const entry of page.entries) {
							found.push(entry.key);
							expect(entry.connections.length + entry.missing.length).toBe(sources.length);
						}
					}
					expect(found).toEqual(expected);
				},
			),
		);
	});
});

describe("withConnection", () => {
	it.each([
		["{}", '{"connection":"A"}'],
		["{ }", '{"connection":"A" }'],
		['{"a":1.50}', '{"connection":"A","a":1.50}'],
		['{"x":12345678901234567890}', '{"connection":"A","x":12345678901234567890}'],
		['{"connection":1,"x":2}', '{"connection":"A","row_connection":1,"x":2}'],
		['{"a":{"connection":1}}', '{"connection":"A","a":{"connection":1}}'],
	])("of %s is %s", (text, merged) => {
		expect(withConnection(text, '"A"')).toBe(merged);
	});

	it("leaves ids of one fabric out of the differences where it is asked to", () => {
		const sources = [
			createSource("A", createBridgeDomain({ name: "n", pcTag: "1", scope: "16", arpFlood: "no" })),
			createSource("B", createBridgeDomain({ name: "n", pcTag: "2", scope: "32", arpFlood: "yes" })),
		];
		const listDiffering = (withoutIds: boolean) =>
			Object.keys(pivotRows(sources, "name", { ...ALL, withoutIds }).entries[0]?.differing ?? {});
		expect(listDiffering(false)).toEqual(["pcTag", "scope", "arpFlood"]);
		expect(listDiffering(true)).toEqual(["arpFlood"]);
	});
});
