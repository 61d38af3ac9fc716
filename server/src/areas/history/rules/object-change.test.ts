import { CHANGE_LIMITS, driftRules } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import { type ChangeKind, MODIFIED } from "./compare.ts";
import { createChangeReader, formatValue } from "./object-change.ts";

describe("a value of a change", () => {
	it.each([
		[null, null],
		["null", null],
		['"text"', "text"],
		['"a\\"b\\u0000"', 'a"b\uFFFD'],
		['"\\ud800x"', "\uFFFDx"],
		["1.50", "1.50"],
		['{"a":1}', '{"a":1}'],
	])("%s", (json, expected) => expect(formatValue(json)).toBe(expected));

	it("cuts a long value visibly, and never within a character", () => {
		const long = "x".repeat(CHANGE_LIMITS.value - 1);
		expect(formatValue(JSON.stringify(`${long}y`))).toBe(`${long}y`);
		expect(formatValue(JSON.stringify(`${long}yz`))).toBe(`${long}y…`);
		expect(formatValue(JSON.stringify(`${long}😀z`))).toBe(`${long}…`);
	});
});

describe("the severity of a change", () => {
	const readChange = createChangeReader(driftRules.parse({ severity: { fvBD: "critical", "fvBD.mtu": "info" } }));
	const describeChange = (keys: readonly string[]) => ({
		kind: MODIFIED as ChangeKind,
		dn: "uni/tn-a/BD-b",
		className: "fvBD",
		isFlat: false,
		changes: keys.map((key) => ({ key, old: '"1"', new: '"2"' })),
	});

	it.each([
		[["mtu"], "info"],
		[["mtu", "descr"], "critical"],
		[[], "critical"],
	])("follows the rules of class and attribute for changes of %j: %s", (keys, severity) => {
		expect(readChange(describeChange(keys)).severity).toBe(severity);
	});
});
