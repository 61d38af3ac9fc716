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
	it("is a finding with its severity, dn and note", () => {
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

	it("of a late one is a finding that says so", () => {
		const judging = buildJudging({ expectations: [buildExpectation({ dn: WEB }, "e1", true)] });
		expect(findMissingExpectations(FABRIC, [], judging)).toMatchObject([{ late: true }]);
	});
});

describe("an expectation", () => {
	it.each<[string, Partial<Expected>, JudgedItem[], string | null]>([
		["is met by one object", {}, [buildItem(0, ["a"])], null],
		["need not happen", { required: false }, [buildItem(0, [])], null],
		["of another connection is not missed", { connection_ids: [OTHER_FABRIC] }, [buildItem(0, [])], null],
		["counts objects of all items", { count: { min: 2, max: 2 } }, [buildItem(0, ["a"]), buildItem(1, ["b"])], null],
		[
			"counts an object of two items once",
			{ count: { min: 2, max: null } },
			[buildItem(0, ["a"]), buildItem(1, ["a"])],
			"Happened once, expected at least 2.",
		],
		[
			"is missed below its count",
			{ count: { min: 2, max: null } },
			[buildItem(0, [])],
			"Happened 0 times, expected at least 2.",
		],
		[
			"is missed above its count",
			{ count: { min: 1, max: 1 } },
			[buildItem(0, ["a", "b"])],
			"Happened 2 times, expected at most 1.",
		],
		[
			"that need not happen is missed above its count",
			{ required: false, count: { min: 0, max: 1 } },
			[buildItem(0, ["a", "b"])],
			"Happened 2 times, expected at most 1.",
		],
		["with a wrong value is not missed besides", {}, [buildItem(0, ["a"], false)], null],
		[
			"with too few objects and a wrong value is missed",
			{ count: { min: 3, max: null } },
			[buildItem(0, ["a"]), buildItem(1, ["b"], false)],
			"Happened once, expected at least 3.",
		],
		["may have happened in an inconclusive query", {}, [buildInconclusiveItem("query", 0, FABRIC, "x")], null],
		["is missed beside an inconclusive check", {}, [buildInconclusiveItem("check", 0, FABRIC, "x")], "Did not happen."],
		[
			"of a conclusive item is missed beside an inconclusive query",
			{ item: 1 },
			[buildInconclusiveItem("query", 0, FABRIC, "x"), buildItem(1, [])],
			"Did not happen.",
		],
	])("%s", (_what, fields, items, expected) => {
		expect(findMissing(fields, items).map(({ detail }) => detail)).toEqual(expected === null ? [] : [expected]);
	});
});
