import { describe, expect, it } from "vitest";
import { editChange, NEW_CHANGE, writeChange } from "./edited-change.ts";

const STORED = {
	change: "modified",
	dn: "uni/tn-*/BD-web",
	class_name: "fvBD",
	attributes: { arpFlood: { from: "no", to: "yes" }, descr: { to: null }, mac: {} },
	required: false,
	severity: "error",
	connection_ids: ["a"],
	count: { min: 1, max: 2 },
} as const;

describe("an expected change in a form", () => {
	it("sends a stored change back as it was, with the fields that the form does not show", () => {
		expect(writeChange(editChange(STORED))).toEqual(STORED);
		const regex = { ...STORED, dn: { regex: "uni/.+" }, class_name: null, attributes: null };
		expect(writeChange(editChange(regex))).toEqual(regex);
	});

	it("sends empty fields as null, and leaves out attributes without a name", () => {
		const attributes = [{ name: " ", from: undefined, to: "x" }];
		expect(writeChange({ ...NEW_CHANGE, dn: " uni/tn-a ", className: " ", attributes })).toEqual({
			change: "added",
			dn: "uni/tn-a",
			class_name: null,
			attributes: null,
			required: true,
		});
	});
});
