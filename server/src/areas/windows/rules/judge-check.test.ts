import type { CheckPhase, FindingClass } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import { judgeCheckItem } from "./judge-check.ts";
import { FABRIC } from "./samples.fixture.ts";
import type { CheckSide } from "./types.ts";

const OK: CheckSide = { state: "ok", violations: 0, dns: [], isComplete: true, error: null, rule: "a" };
const UNKNOWN: CheckSide = { ...OK, state: "unknown", error: "the controller did not answer" };
const buildViolated = (dns: string[], fields: Partial<CheckSide> = {}): CheckSide => ({
	state: "violated",
	violations: dns.length,
	dns,
	isComplete: true,
	error: null,
	rule: "a",
	...fields,
});
const CUT = { violations: 900, isComplete: false };

const judgeSides = (before: CheckSide | null, after: CheckSide | null, when: CheckPhase[] = ["before", "after"]) =>
	judgeCheckItem({
		item: { check: "44444444-4444-4444-8444-444444444444", when },
		index: 3,
		connectionId: FABRIC,
		severity: "critical",
		before,
		after,
	});

describe("a check", () => {
	it.each<[string, CheckSide | null, CheckSide | null, FindingClass | null]>([
		["that holds on both sides has no finding", OK, OK, null],
		["that is violated after the work only is new", OK, buildViolated(["a"]), "new"],
		["with the same objects is the same", buildViolated(["a", "b"]), buildViolated(["b", "a"]), "same"],
		["with fewer objects is the same", buildViolated(["a", "b"]), buildViolated(["b"]), "same"],
		["with another object is worse", buildViolated(["a", "b"]), buildViolated(["c"]), "worse"],
		["with more rows of no object is worse", buildViolated([]), buildViolated([], { violations: 2 }), "worse"],
		["that is violated before the work only is fixed", buildViolated(["a"]), OK, "fixed"],
		["that says nothing before the work is inconclusive", UNKNOWN, OK, "inconclusive"],
		["that says nothing after the work is inconclusive", OK, UNKNOWN, "inconclusive"],
		["that was changed between the sides is inconclusive", OK, { ...OK, rule: "b" }, "inconclusive"],
		["without a side before is inconclusive", null, buildViolated(["a"]), "inconclusive"],
		["without a side after is inconclusive", OK, null, "inconclusive"],
		[
			"with an object that a cut list may hold is inconclusive",
			buildViolated(["a"], CUT),
			buildViolated(["b"]),
			"inconclusive",
		],
		[
			"with a cut list after the work may hide an object",
			buildViolated(["a", "b"]),
			buildViolated(["a"], { isComplete: false, violations: 2 }),
			"inconclusive",
		],
		[
			"with more violations than a cut list had is worse",
			buildViolated(["a"], CUT),
			buildViolated(["a"], { violations: 901 }),
			"worse",
		],
		["with objects of a cut list is the same", buildViolated(["a"], CUT), buildViolated(["a"]), "same"],
	])("%s", (_what, before, after, expected) => {
		const { findings, inconclusive } = judgeSides(before, after);
		expect(findings.map((finding) => finding.class)).toEqual(expected === null ? [] : [expected]);
		expect(inconclusive !== null).toBe(expected === "inconclusive");
	});

	it("of after the work alone is new where it is violated, and asks nothing of the side before", () => {
		expect(judgeSides(null, buildViolated(["a"]), ["after"]).findings).toMatchObject([{ class: "new", dns: ["a"] }]);
		expect(judgeSides(buildViolated(["a"]), buildViolated(["a"]), ["after"]).counts.new).toBe(1);
		expect(judgeSides(null, OK, ["after"]).findings).toEqual([]);
	});

	it("of before the work alone has no finding", () => {
		expect(judgeSides(buildViolated(["a"]), null, ["before"])).toMatchObject({ findings: [], inconclusive: null });
	});

	it("names the objects that are new first, and both numbers", () => {
		expect(judgeSides(buildViolated(["b", "c"]), buildViolated(["b", "a"])).findings).toMatchObject([
			{
				class: "worse",
				severity: "critical",
				item: 3,
				dn: null,
				dns: ["a", "b"],
				detail: "2 violations before, 2 after; 1 object did not violate the check before.",
			},
		]);
	});

	it("names at most 100 objects", () => {
		const dns = Array.from({ length: 300 }, (_, i) => `dn-${i}`);
		expect(judgeSides(OK, buildViolated(dns)).findings[0]?.dns).toHaveLength(100);
	});

	it("says why it is inconclusive", () => {
		expect(judgeSides(OK, UNKNOWN).inconclusive).toBe(
			"The check says nothing after the work: the controller did not answer",
		);
	});
});
