import { describe, expect, it } from "vitest";
import { MASKED } from "../../../../core/mask.ts";
import {
	buildSentRows,
	getRows,
	joinSecrets,
	restoreMasked,
	type StoredSheet,
	shapeInput,
	splitSecrets,
} from "./row-forms.ts";

describe("rows of a request", () => {
	const one: StoredSheet = {
		name: null,
		variable: "rows",
		columns: [
			{ name: "user", type: "text", send: true },
			{ name: "password", type: "password", send: true },
			{ name: "note", type: "text", send: false },
		],
	};
	const two: StoredSheet = { name: "Ports", variable: "ports", columns: [{ name: "port", type: "text", send: true }] };

	it("have their passwords apart, and get them back", () => {
		const rows = [[{ user: "a", password: "p1", note: "n" }, { user: "b" }, { user: "c", password: "" }]];
		const { masked, secrets } = splitSecrets([one], rows);
		expect(masked[0]?.[0]).toEqual({ user: "a", password: MASKED, note: "n" });
		expect(secrets).toEqual([[0, 0, "password", "p1"]]);
		expect(joinSecrets(masked, secrets)).toEqual(rows);
		expect(buildSentRows(one, rows[0] ?? [])[0]).toEqual({ user: "a", password: "p1" });
	});

	it("keep their form", () => {
		expect(shapeInput([one], [[{ user: "a" }]])).toEqual([{ user: "a" }]);
		expect(shapeInput([{ ...one, name: "Users" }, two], [[{ user: "a" }], []])).toEqual({
			Users: [{ user: "a" }],
			Ports: [],
		});
		expect(getRows([one], [{ user: "a" }])).toEqual([[{ user: "a" }]]);
		expect(getRows([{ ...one, name: "Users" }, two], { Ports: [{ port: "1" }] })).toEqual([[], [{ port: "1" }]]);
	});

	it("a mask that comes back is the password that is stored, in its place only", () => {
		const stored = { sheets: [one], secrets: [[0, 1, "password", "p2"]] as const };
		const given = [
			{ user: MASKED, password: MASKED },
			{ user: MASKED, password: MASKED },
		];
		expect(restoreMasked([one], given, stored)).toEqual([given[0], { user: MASKED, password: "p2" }]);
	});
});
