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
const buildUnnamed = (others: string[]): CheckSide => buildViolated([], { others, violations: others.length });
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
		["yields no finding if it holds on both sides", OK, OK, null],
		["becomes new if it is violated only after the work", OK, buildViolated(["a"]), "new"],
		["stays the same with the same objects", buildViolated(["a", "b"]), buildViolated(["b", "a"]), "same"],
		["stays the same with fewer objects", buildViolated(["a", "b"]), buildViolated(["b"]), "same"],
		["gets worse with another object", buildViolated(["a", "b"]), buildViolated(["c"]), "worse"],
		["gets worse with more rows of no object", buildViolated([]), buildViolated([], { violations: 2 }), "worse"],
		["becomes fixed if it is violated only before the work", buildViolated(["a"]), OK, "fixed"],
		["becomes inconclusive if it is unknown before the work", UNKNOWN, OK, "inconclusive"],
		["becomes inconclusive if it is unknown after the work", OK, UNKNOWN, "inconclusive"],
		["becomes inconclusive if it was changed between the sides", OK, { ...OK, rule: "b" }, "inconclusive"],
		["becomes inconclusive without a side before", null, buildViolated(["a"]), "inconclusive"],
		["becomes inconclusive without a side after", OK, null, "inconclusive"],
		[
			"becomes inconclusive with an object that a cut list may contain",
			buildViolated(["a"], CUT),
			buildViolated(["b"]),
			"inconclusive",
		],
		[
			"becomes inconclusive with a cut list after the work, which may hide an object",
			buildViolated(["a", "b"]),
			buildViolated(["a"], { isComplete: false, violations: 2 }),
			"inconclusive",
		],
		[
			"gets worse with more violations than a cut list had",
			buildViolated(["a"], CUT),
			buildViolated(["a"], { violations: 901 }),
			"worse",
		],
		["stays the same with the same rows of no object", buildUnnamed(["r"]), buildUnnamed(["r"]), "same"],
		["gets worse with another row of no object", buildUnnamed(["r"]), buildUnnamed(["s"]), "worse"],
		["stays the same with objects of a cut list", buildViolated(["a"], CUT), buildViolated(["a"]), "same"],
	])("%s", (_what, before, after, expected) => {
		const { findings, inconclusive } = judgeSides(before, after);
		expect(findings.map((finding) => finding.class)).toEqual(expected === null ? [] : [expected]);
		expect(inconclusive !== null).toBe(expected === "inconclusive");
	});

	it("becomes new if it is evaluated only after the work and violated, whatever the side before", () => {
		expect(judgeSides(null, buildViolated(["a"]), ["after"]).findings).toMatchObject([{ class: "new", dns: ["a"] }]);
		expect(judgeSides(buildViolated(["a"]), buildViolated(["a"]), ["after"]).counts.new).toBe(1);
		expect(judgeSides(null, OK, ["after"]).findings).toEqual([]);
	});

	it("yields no finding if it is evaluated only before the work", () => {
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
