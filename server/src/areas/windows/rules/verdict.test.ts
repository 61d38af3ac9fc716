import { VERDICTS, type Verdict } from "@weft/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildFinding, buildInconclusiveItem, countFindings } from "./findings.ts";
import { FABRIC, OTHER_FABRIC } from "./samples.fixture.ts";
import type { JudgedItem, NewFinding } from "./types.ts";
import { formatVerdictLine, judgeConnection, judgeItemVerdict, judgeWindow } from "./verdict.ts";

const buildSample = (kind: NewFinding["class"], fields: Partial<NewFinding> = {}): NewFinding =>
	buildFinding({ class: kind, severity: "warning", connection_id: FABRIC, item: 0, ...fields });
const buildItem = (findings: NewFinding[], inconclusive: string | null = null): JudgedItem => ({
	item: 0,
	kind: "query",
	findings,
	counts: countFindings(findings, { volatile: 0, rules: 0 }),
	met: [],
	inconclusive,
});
const UNSETTLED = buildInconclusiveItem("query", 1, FABRIC, "It did not settle within 900 s.");
const judgeItems = (items: JudgedItem[], missing: NewFinding[] = []) =>
	judgeConnection(FABRIC, items, missing, "warning");

describe("the verdict of an item", () => {
	it.each<[string, NewFinding[], Verdict]>([
		["an undeclared difference", [buildSample("undeclared")], "failed"],
		["a wrong value", [buildSample("missing")], "failed"],
		["a check that is new", [buildSample("new")], "failed"],
		["a check that is worse", [buildSample("worse")], "failed"],
		[
			"an undeclared difference below the bound",
			[buildSample("undeclared", { severity: "info" })],
			"passed_with_warnings",
		],
		["a check that is new below the bound", [buildSample("new", { severity: "info" })], "passed_with_warnings"],
		["a minor difference", [buildSample("minor", { severity: "info" })], "passed_with_warnings"],
		["a check that is the same", [buildSample("same")], "passed_with_warnings"],
		["a late expectation", [buildSample("expected", { late: true })], "passed_with_warnings"],
		[
			"expected, allowed and fixed findings",
			[buildSample("expected"), buildSample("allowed"), buildSample("fixed")],
			"passed",
		],
		["no finding", [], "passed"],
	])("follows from %s", (_what, findings, expected) => {
		expect(judgeItemVerdict(buildItem(findings), "warning")).toBe(expected);
	});

	it("stays inconclusive whatever differs in an inconclusive item", () => {
		expect(judgeItemVerdict(buildItem([buildSample("undeclared")], "It did not settle."), "warning")).toBe(
			"inconclusive",
		);
	});
});

describe("the verdict of a connection", () => {
	it("equals that of its worst item, with reasons in the order of their weight", () => {
		const failing = buildItem([
			buildSample("worse"),
			buildSample("new"),
			buildSample("undeclared"),
			buildSample("undeclared"),
		]);
		expect(judgeItems([buildItem([]), UNSETTLED, failing], [buildSample("missing", { item: null })])).toMatchObject({
			verdict: "failed",
			reasons: ["undeclared:2", "missing:1", "new_failing:1", "worse:1", "inconclusive:1"],
			items: [{ verdict: "passed" }, { verdict: "inconclusive" }, { verdict: "failed" }],
		});
	});

	it("fails if a declared change did not happen", () => {
		expect(judgeItems([buildItem([buildSample("expected")])], [buildSample("missing")])).toMatchObject({
			verdict: "failed",
			reasons: ["missing:1"],
		});
	});

	it("becomes inconclusive with an inconclusive item, unless another item fails", () => {
		expect(judgeItems([buildItem([buildSample("minor")]), UNSETTLED])).toMatchObject({
			verdict: "inconclusive",
			reasons: ["inconclusive:1"],
		});
	});

	it("counts only findings that reach the bound", () => {
		const { reasons } = judgeItems([
			buildItem([buildSample("undeclared"), buildSample("missing", { severity: "info" })]),
		]);
		expect(reasons).toEqual(["undeclared:1"]);
	});

	it("never beats the verdict of an item, and fails if and only if a settled item has a failure", () => {
		const kind = fc.constantFrom("undeclared", "missing", "minor", "expected", "same", "new", "fixed" as const);
		const severity = fc.constantFrom("info" as const, "warning" as const, "critical" as const);
		const finding = fc
			.tuple(kind, severity)
			.map(([name, level]) => buildSample(name as NewFinding["class"], { severity: level }));
		const item = fc.tuple(fc.array(finding, { maxLength: 4 }), fc.boolean());
		fc.assert(
			fc.property(fc.array(item, { maxLength: 4 }), (given) => {
				const items = given.map(([findings, isOpen]) => buildItem(findings, isOpen ? "open" : null));
				const judged = judgeItems(items);
				const rank = (verdict: Verdict) => VERDICTS.indexOf(verdict);
				for (const one of judged.items) expect(rank(judged.verdict)).toBeLessThanOrEqual(rank(one.verdict));
				const failing = given.some(
					([findings, isOpen]) =>
						!isOpen &&
						findings.some((one) => ["undeclared", "missing", "new"].includes(one.class) && one.severity !== "info"),
				);
				expect(judged.verdict === "failed").toBe(failing);
			}),
		);
	});
});

describe("the verdict of a window", () => {
	const passed = judgeConnection(OTHER_FABRIC, [buildItem([])], [], "warning");

	it("equals the worst of its connections, with the reasons of all", () => {
		const failed = judgeItems([buildItem([buildSample("undeclared")]), UNSETTLED]);
		expect(judgeWindow([passed, failed, judgeItems([UNSETTLED]), failed])).toEqual({
			verdict: "failed",
			reasons: ["undeclared:2", "inconclusive:3"],
			changed: true,
		});
		expect(judgeWindow([passed, judgeItems([UNSETTLED])]).verdict).toBe("inconclusive");
		expect(judgeWindow([passed, judgeItems([buildItem([buildSample("same")])])]).verdict).toBe("passed_with_warnings");
	});

	it("says whether anything changed at all", () => {
		expect(judgeWindow([passed])).toEqual({ verdict: "passed", reasons: [], changed: false });
		expect(judgeWindow([judgeItems([buildItem([buildSample("same")])], [buildSample("missing")])]).changed).toBe(false);
		for (const kind of ["expected", "allowed", "minor", "fixed"] as const)
			expect(judgeWindow([judgeItems([buildItem([buildSample(kind)])])]).changed).toBe(true);
	});

	it("stays inconclusive without connections", () => {
		expect(judgeWindow([]).verdict).toBe("inconclusive");
	});
});

describe("the line of a verdict", () => {
	it.each([
		["failed", { total: 2, accepted: 0, by: [] }, "failed"],
		["passed_with_warnings", { total: 0, accepted: 0, by: [] }, "passed with warnings"],
		[null, { total: 0, accepted: 0, by: [] }, ""],
		["failed", { total: 2, accepted: 2, by: ["kim"] }, "failed; 2 of 2 findings accepted by kim"],
		["failed", { total: 3, accepted: 2, by: ["lee", "kim"] }, "failed; 2 of 3 findings accepted by kim and lee"],
		["inconclusive", { total: 1, accepted: 1, by: ["kim"] }, "inconclusive; 1 of 1 finding accepted by kim"],
	] as const)("formats %s with %j as %j", (verdict, findings, expected) => {
		expect(formatVerdictLine(verdict, findings)).toBe(expected);
	});
});

describe("an item with an expectation of its own that did not happen", () => {
	it("counts it and fails", () => {
		const missing = buildSample("missing", { item: 0, late: true });
		const { items, verdict } = judgeItems([buildItem([])], [missing, buildSample("missing", { item: null })]);
		expect(items).toMatchObject([{ verdict: "failed", counts: { missing: 1, late: 1 } }]);
		expect(verdict).toBe("failed");
	});
});
