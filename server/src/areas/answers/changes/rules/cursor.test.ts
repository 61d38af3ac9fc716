import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatCursor, parseCursor } from "./cursor.ts";
import { joinAttributes, joinRecords } from "./entries.ts";
import { findTenant } from "./tenant.ts";

describe("a cursor", () => {
	it("reads a cursor back as it was written", () => {
		const count = fc.nat({ max: Number.MAX_SAFE_INTEGER });
		fc.assert(
			fc.property(fc.date({ min: new Date(0), noInvalidDate: true }), count, count, count, (at, id, view, total) => {
				const cursor = { at, id, view, count: total };
				expect(parseCursor(formatCursor(cursor))).toEqual(cursor);
			}),
		);
	});

	it.each([
		"",
		"x",
		"W10",
		Buffer.from("[1,2,3,-4]").toString("base64url"),
		Buffer.from("[9e15,2,3,4]").toString("base64url"),
	])("is not %j", (text) => expect(parseCursor(text)).toBeNull());
});

describe("the tenant of a dn", () => {
	it.each([
		["uni/tn-a", "a"],
		["uni/tn-a/BD-b", "a"],
		["uni/tn-a.b_c-d/out-x", "a.b_c-d"],
		["uni/infra", null],
		["topology/pod-1/node-1/local/svc-[uni/tn-a]", null],
		["", null],
	])("%s", (dn, expected) => expect(findTenant(dn)).toBe(expected));
});

describe("rows of an entry", () => {
	it("joins the attributes of rows of an entry by name", () => {
		expect(
			joinAttributes([
				[
					["b", "1", "2"],
					["a", null, "1"],
				],
				[
					["c", "1", null],
					["b", "1", "2"],
				],
			]),
		).toEqual([
			["a", null, "1"],
			["b", "1", "2"],
			["c", "1", null],
		]);
	});

	it("joins the records of rows of an entry, each once, newest first", () => {
		const record = (at: string) => ({ user: "u", at, action: "modified" as const, session: "s" });
		const [early, late] = [record("2026-01-01T00:00:00.000Z"), record("2026-01-02T00:00:00.000Z")];
		expect(joinRecords([[early], null, [late, early]])).toEqual([late, early]);
	});
});
