import { describe, expect, it } from "vitest";
import { buildInconclusiveItem, countFindings } from "./findings.ts";
import { findMissingExpectations } from "./missing.ts";
import { buildExpectation, buildJudging, FABRIC, OTHER_FABRIC } from "./samples.fixture.ts";
import type { JudgedItem } from "./types.ts";

type Expected = ReturnType<typeof buildExpectation>;

const WEB = "uni/tn-prod/BD-web";
const buildItem = (item: number, dns: string[], isFulfilled = true): JudgedItem => ({
	item,
	kind: "query",
	findings: [],
	counts: countFindings([], { volatile: 0, rules: 0 }),
	met: dns.map((dn) => ({ expectation: "e1", dn, isFulfilled })),
	inconclusive: null,
});
const findMissing = (fields: Partial<Expected>, items: JudgedItem[]) =>
	findMissingExpectations(
		FABRIC,
		items,
		buildJudging({ expectations: [buildExpectation({ dn: WEB, change: "added", ...fields })] }),
	);

describe("an expectation that did not happen", () => {
	it("yields a finding with its severity, dn and note", () => {
		expect(findMissing({ note: "Row 3.", severity: "critical", class_name: "fvBD" }, [buildItem(0, [])])).toMatchObject(
			[
				{
					class: "missing",
					severity: "critical",
					connection_id: FABRIC,
					item: null,
					dn: WEB,
					class_name: "fvBD",
					change: "added",
					expectation: "e1",
					detail: "Did not happen. Row 3.",
					foreign: null,
				},
			],
		);
	});

	it("names its regular expression", () => {
		expect(findMissing({ dn: { regex: "uni/.*" } }, [])).toMatchObject([
			{ dn: null, detail: "Did not happen. Objects: those whose dn matches uni/.*." },
		]);
	});

	it("yields a late finding if it was declared late", () => {
		const judging = buildJudging({ expectations: [buildExpectation({ dn: WEB }, "e1", true)] });
		expect(findMissingExpectations(FABRIC, [], judging)).toMatchObject([{ late: true }]);
	});
});

describe("an expectation", () => {
	it.each<[string, Partial<Expected>, JudgedItem[], string | null]>([
		["counts as met with one object", {}, [buildItem(0, ["a"])], null],
		["may stay unmet if it is not required", { required: false }, [buildItem(0, [])], null],
		["applies only to its connections", { connection_ids: [OTHER_FABRIC] }, [buildItem(0, [])], null],
		["counts objects of all items", { count: { min: 2, max: 2 } }, [buildItem(0, ["a"]), buildItem(1, ["b"])], null],
		[
			"counts an object of two items once",
			{ count: { min: 2, max: null } },
			[buildItem(0, ["a"]), buildItem(1, ["a"])],
			"Happened once, expected at least 2.",
		],
		[
			"counts as missing below its count",
			{ count: { min: 2, max: null } },
			[buildItem(0, [])],
			"Happened 0 times, expected at least 2.",
		],
		[
			"counts as missing above its count",
			{ count: { min: 1, max: 1 } },
			[buildItem(0, ["a", "b"])],
			"Happened 2 times, expected at most 1.",
		],
		[
			"counts as missing above its count even if it is not required",
			{ required: false, count: { min: 0, max: 1 } },
			[buildItem(0, ["a", "b"])],
			"Happened 2 times, expected at most 1.",
		],
		["counts an object with a wrong value, which is a finding already", {}, [buildItem(0, ["a"], false)], null],
		[
			"counts as missing if objects and wrong values together are too few",
			{ count: { min: 3, max: null } },
			[buildItem(0, ["a"]), buildItem(1, ["b"], false)],
			"Happened once, expected at least 3.",
		],
		["may have happened in an inconclusive query", {}, [buildInconclusiveItem("query", 0, FABRIC, "x")], null],
		[
			"counts as missing beside an inconclusive check",
			{},
			[buildInconclusiveItem("check", 0, FABRIC, "x")],
			"Did not happen.",
		],
		[
			"counts as missing in a conclusive item beside an inconclusive query",
			{ item: 1 },
			[buildInconclusiveItem("query", 0, FABRIC, "x"), buildItem(1, [])],
			"Did not happen.",
		],
	])("%s", (_what, fields, items, expected) => {
		expect(findMissing(fields, items).map(({ detail }) => detail)).toEqual(expected === null ? [] : [expected]);
	});
});
