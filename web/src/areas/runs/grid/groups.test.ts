/** Rows in folds: grouping equals collecting row by row, and lines lead to rows. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCells } from "./cells.ts";
import type { GridWorker } from "./grid-worker.ts";
import { groupRows } from "./group-rows.ts";
import { createLines, findFirstPlace, findLastPlace } from "./lines.ts";
import { createTableBuilder, getRanks } from "./table.ts";

function groupTexts(texts: readonly (string | null)[], descending = false, order = [...texts.keys()]) {
	const builder = createTableBuilder();
	for (const text of texts) builder.add(text === null ? { other: 1 } : { text }, "{}");
	const column = builder.finish().byKey.get("text");
	return groupRows(Int32Array.from(order), column, column ? getRanks(column) : new Int32Array(0), descending);
}

/** Folds of 2, 1 and 3 rows, of which those with these values are open. */
const openFolds = (...open: string[]) =>
	createLines(6, { values: ["a", "b", "c"], starts: Int32Array.of(0, 2, 3, 6) }, new Set(open));
const listPlacesByLine = (lines: ReturnType<typeof openFolds>) =>
	Array.from({ length: lines.count }, (_, line) => lines.getPlace(line));

describe("groups", () => {
	it("puts groups in the order of their values, and absent ones after empty ones at the end", () => {
		const texts = ["leaf10", null, "leaf9", "", "leaf10", null];
		const { rows, groups } = groupTexts(texts);
		expect(groups.values).toEqual(["leaf9", "leaf10", "", null]);
		expect([...groups.starts]).toEqual([0, 1, 3, 4, 6]);
		expect([...rows]).toEqual([2, 0, 4, 3, 1, 5]);
		expect(groupTexts(texts, true).groups.values).toEqual(["leaf10", "leaf9", "", null]);
	});

	it("makes one group without a value where no row has the column, and none without rows", () => {
		expect(groupTexts([null, null]).groups).toEqual({ values: [null], starts: Int32Array.of(0, 2) });
		expect(groupTexts([]).groups).toEqual({ values: [], starts: Int32Array.of(0) });
		expect(createLines(0, groupTexts([]).groups, new Set()).count).toBe(0);
		expect(createLines(0, groupTexts([]).groups, new Set()).getHead(0)).toBe(null);
	});

	it("keeps the order of the view in each group, and each row once", () => {
		fc.assert(
			fc.property(
				fc.array(fc.constantFrom("b", "a", "", null, "10", "9"), { maxLength: 60 }),
				fc.boolean(),
				(texts, descending) => {
					const order = [...texts.keys()].filter((row) => row % 3 !== 1).reverse();
					const { rows, groups } = groupTexts(texts, descending, order);
					const found = groups.values.map((_, at) => [...rows.subarray(groups.starts[at], groups.starts[at + 1])]);
					expect(new Set(groups.values).size).toBe(groups.values.length);
					expect(found).toEqual(groups.values.map((value) => order.filter((row) => texts[row] === value)));
					expect(rows).toHaveLength(order.length);
				},
			),
		);
	});
});

describe("lines", () => {
	it("shows the heads alone while all folds are closed, and rows below open heads", () => {
		expect(listPlacesByLine(openFolds())).toEqual([-1, -1, -1]);
		expect(listPlacesByLine(openFolds("a", "c"))).toEqual([-1, 0, 1, -1, -1, 3, 4, 5]);
		expect(openFolds("a").getHead(3)).toEqual({ value: "b", from: 2, to: 3, line: 3, isOpen: false });
		expect(openFolds("a").getHead(1)).toBe(null);
		expect([1, 2, 3].map(openFolds("a").findHeadLine)).toEqual([0, 0, 3]);
	});

	it("shows a line for each row without groups", () => {
		const lines = createLines(4, null, new Set());
		expect([lines.count, lines.isFolded, lines.getPlace(3), lines.getLine(2)]).toEqual([4, false, 3, 2]);
		expect(lines.listPlaces(1, 3)).toEqual([[1, 3]]);
	});

	it("finds the line of each row and its row again, and lists exactly the rows among lines", () => {
		fc.assert(
			fc.property(
				fc.array(fc.record({ size: fc.integer({ min: 1, max: 5 }), isOpen: fc.boolean() }), { maxLength: 12 }),
				fc.nat(40),
				fc.nat(40),
				(folds, from, length) => {
					const starts = folds.map((_, at) => folds.slice(0, at).reduce((sum, { size }) => sum + size, 0));
					const rows = folds.reduce((sum, { size }) => sum + size, 0);
					const open = new Set(folds.flatMap(({ isOpen }, at) => (isOpen ? [String(at)] : [])));
					const groups = { values: folds.map((_, at) => String(at)), starts: Int32Array.from([...starts, rows]) };
					const lines = createLines(rows, groups, open);
					const all = listPlacesByLine(lines);
					expect(all).toEqual(
						folds.flatMap(({ size, isOpen }, at) => [
							-1,
							...(isOpen ? Array.from({ length: size }, (_, row) => (starts[at] ?? 0) + row) : []),
						]),
					);
					for (const [line, place] of all.entries()) if (place >= 0) expect(lines.getLine(place)).toBe(line);
					const to = Math.min(lines.count, from + length);
					const wanted = lines.listPlaces(from, to).flatMap(([a, b]) => Array.from({ length: b - a }, (_, i) => a + i));
					expect(wanted).toEqual(all.slice(from, to).filter((place) => place >= 0));
				},
			),
		);
	});

	it("extends a selection over all rows of a closed fold, and over none by the head of an open one", () => {
		const lines = openFolds("a");
		expect(findLastPlace(lines, 3, true)).toBe(2);
		expect(findLastPlace(lines, 4, true)).toBe(5);
		expect(findLastPlace(lines, 4, false)).toBe(3);
		expect(findLastPlace(lines, 0, false)).toBe(0);
		expect(findLastPlace(openFolds("b"), 1, true)).toBe(1);
		expect(findFirstPlace(lines, 4, true)).toBe(3);
		expect(findFirstPlace(lines, 4, false)).toBe(5);
		expect(findFirstPlace(lines, 2, true)).toBe(1);
	});
});

describe("cells", () => {
	it("requests cells by the blocks of their rows alone, however far the rows are apart", async () => {
		const asked: number[] = [];
		const worker = {
			ask: async (question: { from: number; to: number }) => {
				asked.push(question.from / 64);
				return { kind: "cells", cells: Array.from({ length: 64 }, (_, at) => [String(question.from + at)]) };
			},
		};
		const cells = createCells(worker as unknown as GridWorker, ["text"], 100_000);
		const places = Array.from({ length: 90 }, (_, at) => [at * 1_000, at * 1_000 + 1] as const);
		cells.want(places, () => {});
		await Promise.resolve();
		expect(new Set(asked).size).toBe(asked.length);
		expect(asked.length).toBeLessThan(95);
		expect(cells.at(89_000)).toEqual(["89000"]);
		expect(cells.at(0)).toEqual(["0"]);
		expect(cells.at(500)).toBe(undefined);
	});
});
