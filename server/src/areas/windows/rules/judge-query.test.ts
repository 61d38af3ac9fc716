import type { QueryItem } from "@weft/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isForeign, judgeQueryItem } from "./judge-query.ts";
import {
	buildDifference,
	buildExpectation,
	buildJudging,
	buildModified,
	buildQueryItem,
	FABRIC,
} from "./samples.fixture.ts";
import type { Difference, GroupCount, Judging } from "./types.ts";

const WEB = "uni/tn-prod/BD-web";
const AT = "2026-01-15T10:00:00.000Z";
const buildChange = (user: string) => ({ user, at: AT, action: "modified" as const, session: null });

interface Given {
	readonly item?: Partial<QueryItem>;
	readonly judging?: Partial<Omit<Judging, "compiled">>;
	readonly groups?: readonly GroupCount[];
	readonly unjudged?: number;
}

const judgeItem = (
	differences: readonly Difference[],
	{ item = {}, judging = {}, groups = [], unjudged = 0 }: Given = {},
) =>
	judgeQueryItem({
		item: buildQueryItem(item),
		index: 0,
		connectionId: FABRIC,
		differences,
		unjudged,
		groups,
		ignored: { volatile: 14, rules: 3 },
		judging: buildJudging(judging),
	});
const listClasses = (...given: Parameters<typeof judgeItem>) =>
	judgeItem(...given).findings.map((finding) => finding.class);

const ADDED = buildDifference(WEB);
const DELETED = buildDifference(WEB, { change: "deleted" });
const MODIFIED = buildModified(WEB, { descr: ["a", "b"] });

describe("an item with more differences than are judged", () => {
	it("fails if those that were judged fail, and names the number of all", () => {
		const judged = judgeItem([ADDED], { unjudged: 9 });
		expect(judged).toMatchObject({ inconclusive: null, isCut: true });
		expect(judged.findings).toMatchObject([
			{ class: "undeclared" },
			{ class: "inconclusive", detail: "10 objects differ, of which the first 1 was judged." },
		]);
	});

	it("makes the item inconclusive if the differences that were judged do not fail", () => {
		const judged = judgeItem([ADDED], { unjudged: 9, item: { compare: "no_loss" } });
		expect(judged.inconclusive).toContain("10 objects differ");
		expect(judged.findings.map((finding) => finding.class)).toEqual(["inconclusive"]);
	});
});

describe("a difference that was not declared", () => {
	it.each<[QueryItem["compare"], [added: string, deleted: string, modified: string]]>([
		["exact", ["undeclared", "undeclared", "undeclared"]],
		["no_loss", ["allowed", "undeclared", "allowed"]],
		["no_gain", ["undeclared", "allowed", "allowed"]],
		["record", ["allowed", "allowed", "allowed"]],
	])("falls into classes by the mode %s: %j", (compare, expected) => {
		expect(listClasses([ADDED, DELETED, MODIFIED], { item: { compare } })).toEqual(expected);
	});

	it("counts as minor below the severity that fails; the item's severity takes precedence over its own", () => {
		const info = buildDifference(WEB, { severity: "info" });
		expect(listClasses([info])).toEqual(["minor"]);
		expect(listClasses([info], { item: { severity: "critical" } })).toEqual(["undeclared"]);
		expect(listClasses([ADDED], { judging: { failOn: "critical" } })).toEqual(["minor"]);
		expect(listClasses([ADDED], { item: { severity: "info" } })).toEqual(["minor"]);
	});

	it("says how many attributes are not listed", () => {
		const cut = buildModified(WEB, { descr: ["a", "b"] }, { omitted: 12 });
		expect(judgeItem([cut]).findings[0]?.detail).toBe("12 more attributes differ.");
	});
});

describe("a declared difference", () => {
	it("counts as expected, and leaves a third object undeclared, with the user who changed it", () => {
		const expectations = ["BD-a", "BD-b"].map((name, i) =>
			buildExpectation({ dn: `uni/tn-prod/${name}`, change: "added", note: "row 1" }, `e${i}`),
		);
		const differences = ["BD-a", "BD-b", "BD-c"].map((name) =>
			buildDifference(`uni/tn-prod/${name}`, { changedBy: [buildChange(name === "BD-c" ? "mallory" : "automation")] }),
		);
		const judged = judgeItem(differences, { judging: { expectations, implementers: ["automation"] } });
		expect(judged.counts).toMatchObject({ expected: 2, undeclared: 1, ignored: { volatile: 14, rules: 3 } });
		expect(judged.findings[0]).toMatchObject({ class: "expected", expectation: "e0", foreign: false, detail: "row 1" });
		expect(judged.findings[2]).toMatchObject({
			class: "undeclared",
			dn: "uni/tn-prod/BD-c",
			foreign: true,
			changed_by: [{ user: "mallory" }],
		});
		expect(judged.met).toEqual([
			{ expectation: "e0", dn: "uni/tn-prod/BD-a", isFulfilled: true },
			{ expectation: "e1", dn: "uni/tn-prod/BD-b", isFulfilled: true },
		]);
	});

	it("leaves other attributes as an undeclared finding of their own", () => {
		const expectations = [buildExpectation({ dn: WEB, attributes: { arpFlood: { to: "yes" } } })];
		const difference = buildModified(WEB, { arpFlood: ["no", "yes"], descr: ["a", "b"] });
		expect(judgeItem([difference], { judging: { expectations } }).findings).toMatchObject([
			{ class: "expected", attributes: [{ name: "arpFlood", before: "no", after: "yes" }] },
			{ class: "undeclared", attributes: [{ name: "descr", before: "a", after: "b" }], expectation: null },
		]);
	});

	it("counts as missing if its value is wrong, with the value found, and not also as undeclared", () => {
		const expectations = [
			buildExpectation({ dn: WEB, severity: "critical", attributes: { arpFlood: { from: "no", to: "yes" } } }),
		];
		const judged = judgeItem([buildModified(WEB, { arpFlood: ["no", "flood"] })], { judging: { expectations } });
		expect(judged.findings).toMatchObject([
			{
				class: "missing",
				severity: "critical",
				dn: WEB,
				detail: "arpFlood: expected no → yes, found no → flood.",
				attributes: [{ name: "arpFlood", before: "no", after: "flood" }],
			},
		]);
		expect(judged.met).toEqual([{ expectation: "e1", dn: WEB, isFulfilled: false }]);
	});

	it("counts as expected and as missing if one attribute is right and one is wrong", () => {
		const expectations = [buildExpectation({ dn: WEB, attributes: { descr: {}, arpFlood: { to: "yes" } } })];
		const judged = judgeItem([MODIFIED], { judging: { expectations } });
		expect(judged.findings).toMatchObject([
			{ class: "expected", attributes: [{ name: "descr" }] },
			{ class: "missing", detail: "arpFlood: expected any → yes, did not change.", attributes: [] },
		]);
	});

	it("counts as late if only an expectation added after the start takes it", () => {
		const late = buildExpectation({ dn: WEB }, "late", true);
		const early = buildExpectation({ dn: WEB }, "early");
		expect(judgeItem([ADDED], { judging: { expectations: [late] } }).counts).toMatchObject({ expected: 1, late: 1 });
		expect(judgeItem([ADDED], { judging: { expectations: [late, early] } }).counts).toMatchObject({ late: 0 });
	});

	it("counts as expected in an item that only records", () => {
		const expectations = [buildExpectation({ dn: WEB })];
		expect(listClasses([ADDED], { item: { compare: "record" }, judging: { expectations } })).toEqual(["expected"]);
	});
});

describe("a number", () => {
	const countBounds = { max_loss_percent: 5, max_gain_percent: 50 };
	it.each([
		[100, 95, false],
		[100, 94, true],
		[100, 150, false],
		[100, 151, true],
		[0, 1, true],
		[0, 0, false],
		[1, 0, true],
	])("exceeds bounds of 5 and 50 percent when rows change from %i to %i: %s", (before, after, isExceeded) => {
		const judged = judgeItem([], {
			item: { compare: "tolerance", group_by: ["fvCEp.epgDn"], tolerance: { count: countBounds, attributes: {} } },
			groups: [{ group: ["uni/epg"], before, after }],
		});
		expect(judged.counts.undeclared).toBe(isExceeded ? 1 : 0);
	});

	it("appears with both values and the bound", () => {
		const item = { compare: "tolerance", tolerance: { count: countBounds, attributes: {} } } as const;
		const [grouped] = judgeItem([], {
			item: { ...item, group_by: ["fvCEp.epgDn"] },
			groups: [{ group: ["uni/epg"], before: 200, after: 150 }],
		}).findings;
		expect(grouped).toMatchObject({
			class: "undeclared",
			severity: "warning",
			dn: null,
			detail: "fvCEp.epgDn uni/epg: 200 before, 150 after, a loss of 25 %, at most 5 %.",
			attributes: [{ name: "count", before: "200", after: "150" }],
		});
		const [all] = judgeItem([], { item, groups: [{ group: [], before: 0, after: 3 }] }).findings;
		expect(all?.detail).toBe("All rows: 0 before, 3 after, a gain from 0, at most 50 %.");
	});

	it("moves freely to a side without a bound", () => {
		const item = { compare: "tolerance", tolerance: { count: { max_loss_percent: 0 }, attributes: {} } } as const;
		expect(listClasses([], { item, groups: [{ group: [], before: 0, after: 9 }] })).toEqual([]);
	});

	const peers = {
		compare: "tolerance",
		tolerance: { attributes: { "bgpPeerEntry.acceptedPaths": { max_percent: 10 } } },
	} as const;
	it.each<[string | null, string | null, string]>([
		["100", "90", "allowed"],
		["100", "110", "allowed"],
		["100", "89", "undeclared"],
		["0", "1", "undeclared"],
		["9007199254740993", "9007199254740992", "allowed"],
		["up", "down", "undeclared"],
		[null, "4", "undeclared"],
	])("changes from %s to %s under a bound of 10 percent: %s", (before, after, expected) => {
		const difference = buildModified("sys/bgp/peer", { acceptedPaths: [before, after] }, { className: "bgpPeerEntry" });
		expect(listClasses([difference], { item: peers })).toEqual([expected]);
	});

	it("counts as a loss of 100 percent if its object is deleted", () => {
		const attributes = [{ name: "acceptedPaths", before: "100", after: null }];
		const gone = buildDifference("sys/bgp/peer", { className: "bgpPeerEntry", change: "deleted", attributes });
		expect(judgeItem([gone], { item: peers }).findings).toMatchObject([
			{ class: "undeclared", detail: "acceptedPaths: 100 before, 0 after, a loss of 100 %, at most 10 %." },
		]);
	});

	it("leaves differences in other attributes allowed", () => {
		expect(listClasses([ADDED, DELETED, MODIFIED], { item: peers })).toEqual(["allowed", "allowed", "allowed"]);
	});
});

describe("a foreign change", () => {
	it.each<[string, Difference["changedBy"], string[], boolean | null]>([
		["needs a user who is no implementer", [buildChange("mallory"), buildChange("kim")], ["kim"], true],
		["excludes changes by implementers only", [buildChange("kim")], ["kim"], false],
		["stays unknown without a record", [], ["kim"], null],
		["stays unknown if nobody asked the controller", null, ["kim"], null],
		["stays unknown if no implementer is named", [buildChange("kim")], [], null],
		["stays unknown for a record without a user", [buildChange("kim"), buildChange("")], ["kim"], null],
	])("%s", (_what, changedBy, implementers, expected) => {
		expect(isForeign(changedBy, implementers)).toBe(expected);
	});
});

describe("differences", () => {
	it("count in one class each unless an expectation splits their attributes", () => {
		const dn = fc.constantFrom("uni/a", "uni/b", "uni/c", "uni/d");
		const change = fc.constantFrom("added" as const, "deleted" as const, "modified" as const);
		const severity = fc.constantFrom("info" as const, "warning" as const, "critical" as const);
		const differences = fc.uniqueArray(fc.record({ dn, change, severity }), { selector: (one) => one.dn });
		const expectations = fc.array(fc.record({ dn: fc.oneof(dn, fc.constant("uni/*")), change }), { maxLength: 4 });
		const compare = fc.constantFrom("exact" as const, "no_loss" as const, "no_gain" as const, "record" as const);
		fc.assert(
			fc.property(differences, expectations, compare, (found, expected, mode) => {
				const { counts, findings } = judgeItem(
					found.map(({ dn: name, ...fields }) => buildDifference(name, fields)),
					{
						item: { compare: mode },
						judging: { expectations: expected.map((fields, i) => buildExpectation(fields, `e${i}`)) },
					},
				);
				expect(findings.map((finding) => finding.dn)).toEqual(found.map((one) => one.dn));
				expect(counts.expected + counts.undeclared + counts.minor + counts.allowed).toBe(found.length);
			}),
		);
	});

	it("meet few of 1,000 expectations each, for 20,000 objects", () => {
		const expectations = Array.from({ length: 1_000 }, (_, i) =>
			buildExpectation({ dn: i % 2 === 0 ? `uni/tn-t${i}/BD-b*` : `uni/tn-t${i}/BD-b7` }, `e${i}`),
		);
		const differences = Array.from({ length: 20_000 }, (_, i) => buildDifference(`uni/tn-t${i % 1_000}/BD-b${i % 20}`));
		const { counts } = judgeItem(differences, { judging: { expectations } });
		expect(counts.expected + counts.undeclared).toBe(20_000);
		expect(counts.expected).toBe(10_000 + differences.filter(({ dn }) => /[13579]\/BD-b7$/.test(dn)).length);
	});
});
