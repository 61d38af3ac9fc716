import { describe, expect, it } from "vitest";
import { buildFinding, buildFingerprint, compareFindings } from "./findings.ts";
import { FABRIC, OTHER_FABRIC } from "./samples.fixture.ts";
import type { NewFinding } from "./types.ts";

const buildSample = (fields: Partial<NewFinding> = {}): NewFinding =>
	buildFinding({ class: "undeclared", severity: "warning", connection_id: FABRIC, item: 0, dn: "a", ...fields });
const DESCR = { name: "descr", before: "a", after: "b" };
const MTU = { name: "mtu", before: "1", after: "2" };

describe("the fingerprint of a finding", () => {
	it.each<[string, Partial<NewFinding>, Partial<NewFinding>]>([
		["the order of its attributes", { attributes: [DESCR, MTU] }, { attributes: [MTU, DESCR] }],
		["the order of violating objects", { dns: ["a", "b"] }, { dns: ["b", "a"] }],
		["its severity", { severity: "warning" }, { severity: "critical" }],
		["who changed it", { foreign: null }, { foreign: true }],
		["the text about an object", { detail: "Happened once." }, { detail: "Happened twice." }],
	])("does not depend on %s", (_what, one, other) => {
		expect(buildFingerprint(buildSample(one))).toBe(buildFingerprint(buildSample(other)));
	});

	it.each<[string, Partial<NewFinding>]>([
		["class", { class: "minor" }],
		["connection", { connection_id: OTHER_FABRIC }],
		["item", { item: 1 }],
		["object", { dn: "b" }],
		["kind of change", { change: "added" }],
		["value", { attributes: [{ ...DESCR, after: "c" }] }],
		["absent value", { attributes: [{ ...DESCR, after: null }] }],
		["violating object", { dns: ["c"] }],
	])("differs for another %s", (_what, fields) => {
		expect(buildFingerprint(buildSample({ attributes: [DESCR], ...fields }))).not.toBe(
			buildFingerprint(buildSample({ attributes: [DESCR] })),
		);
	});

	it("depends on the text of a finding about the numbers of a group", () => {
		const [one, other] = ["EPG a", "EPG b"].map((detail) => buildFingerprint(buildSample({ dn: null, detail })));
		expect(one).not.toBe(other);
	});
});

describe("findings", () => {
	it("sort by class, foreign changes first, then by severity, item and dn", () => {
		const ordered = [
			buildSample({ foreign: true, dn: "z" }),
			buildSample({ severity: "critical", dn: "y" }),
			buildSample({ dn: "a" }),
			buildSample({ dn: "b" }),
			buildSample({ dn: "a", item: 1 }),
			buildSample({ class: "missing", item: null }),
			buildSample({ class: "expected" }),
			buildSample({ class: "same" }),
		];
		expect([...ordered].reverse().sort(compareFindings)).toEqual(ordered);
	});
});
