import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type GroupedChange, isSameChange, placeChanges, type SeenChange } from "./groups.ts";

const buildRow = (since: number, at: number, x = "b", more: Partial<SeenChange> = {}): SeenChange => ({
	dn: "uni",
	change: "modified",
	since: new Date(since),
	at: new Date(at),
	attributes: [["x", "a", x]],
	...more,
});

describe("two rows of an object", () => {
	it.each<[string, SeenChange, SeenChange, boolean]>([
		["in overlapping intervals with equal values", buildRow(0, 10), buildRow(5, 15), true],
		["where one interval lies in the other", buildRow(0, 10), buildRow(4, 5), true],
		["in intervals that touch", buildRow(0, 10), buildRow(10, 20), false],
		["in intervals apart", buildRow(0, 10), buildRow(11, 20), false],
		["with another value", buildRow(0, 10), buildRow(5, 15, "c"), false],
		["with different attributes", buildRow(0, 10), buildRow(5, 15, "", { attributes: [["y", "1", "2"]] }), true],
		["of another kind", buildRow(0, 10), buildRow(5, 15, "b", { change: "added" }), false],
		["of another object", buildRow(0, 10), buildRow(5, 15, "b", { dn: "topology" }), false],
	])("%s", (_, one, other, expected) => {
		expect(isSameChange(one, other)).toBe(expected);
		expect(isSameChange(other, one)).toBe(expected);
	});
});

const row = fc
	.record({
		start: fc.integer({ min: 0, max: 20 }),
		length: fc.integer({ min: 1, max: 10 }),
		value: fc.constantFrom("b", "c"),
		dn: fc.constantFrom("uni", "topology"),
	})
	.map(({ start, length, value, dn }) => buildRow(start, start + length, value, { dn }));

/** Places rows one by one, as captures do; returns them as they are stored in the end. */
function placeOneByOne(rows: readonly SeenChange[]): GroupedChange[] {
	const stored = new Map<number, GroupedChange>();
	for (const [id, each] of rows.entries()) {
		const { rows: placed, changed } = placeChanges([{ row: each, groupId: `g${id}` }], [...stored.values()]);
		for (const { id: known, isLead } of changed) {
			const before = stored.get(known);
			if (before) stored.set(known, { ...before, isLead, isShared: true });
		}
		for (const one of placed) stored.set(id, { ...one, id });
	}
	return [...stored.values()];
}

function groupRows(rows: readonly GroupedChange[]): GroupedChange[][] {
	const ids = [...new Set(rows.map(({ groupId }) => groupId))];
	return ids.map((id) => rows.filter(({ groupId }) => groupId === id));
}

describe("groups", () => {
	it("groups only rows of the same change, each group led by its earliest row", () => {
		fc.assert(
			fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
				for (const group of groupRows(placeOneByOne(rows))) {
					for (const one of group)
						for (const other of group) expect(one === other || isSameChange(one, other)).toBe(true);
					const leads = group.filter(({ isLead }) => isLead);
					expect(leads).toHaveLength(1);
					expect(leads[0]?.at.getTime()).toBe(Math.min(...group.map(({ at }) => at.getTime())));
					expect(group.every(({ isShared }) => isShared === group.length > 1)).toBe(true);
				}
			}),
		);
	});

	it("groups rows alike, whether they come in one page or one by one", () => {
		fc.assert(
			fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
				const together = placeChanges(
					rows.map((each, id) => ({ row: each, groupId: `g${id}` })),
					[],
				).rows.map(({ groupId }) => groupId);
				expect(together).toEqual(placeOneByOne(rows).map(({ groupId }) => groupId));
			}),
		);
	});

	it("takes an earlier row that comes later as the lead of its group", () => {
		const [later, earlier] = placeOneByOne([buildRow(5, 15), buildRow(0, 10)]);
		expect([later?.groupId, later?.isLead]).toEqual(["g0", false]);
		expect([earlier?.groupId, earlier?.isLead, earlier?.isShared]).toEqual(["g0", true, true]);
	});
});
