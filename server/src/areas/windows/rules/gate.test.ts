/** The gate before the work: reasons against it, and the modes of the plan. */
import { FINDING_SEVERITIES, type PlanGate } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import { type BeforeItem, decideGate } from "./gate.ts";
import { FABRIC, OTHER_FABRIC } from "./samples.fixture.ts";
import type { CheckSide } from "./types.ts";

const GATE: PlanGate = { before: "block", fail_on: "warning", quiet_baseline: false };
/** A query with a complete snapshot that equals the one of the round before. */
const QUERY: BeforeItem = {
	item: 0,
	connectionId: FABRIC,
	missing: null,
	check: null,
	unsettledRows: 0,
	drift: 0,
};
const OK: CheckSide = { state: "ok", violations: 0, dns: [], isComplete: true, error: null, rule: "one" };
const VIOLATED: CheckSide = { ...OK, state: "violated", violations: 2, dns: ["uni/tn-a", "uni/tn-b"] };
const UNKNOWN: CheckSide = { ...OK, state: "unknown", isComplete: false, error: "The run has no result." };

const buildCheck = (side: CheckSide, fields: Partial<NonNullable<BeforeItem["check"]>> = {}): BeforeItem => ({
	...QUERY,
	item: 1,
	check: { severity: "warning", when: ["before", "after"], side, ...fields },
});

describe("decideGate", () => {
	it.each<[string, BeforeItem]>([
		["a query with a quiet, settled snapshot", QUERY],
		["a check that holds", buildCheck(OK)],
		["a check that fails, and is evaluated after the work only", buildCheck(VIOLATED, { when: ["after"] })],
		["a check that fails below the severity of the gate", buildCheck(VIOLATED, { severity: "info" })],
		["a check without a result below the severity of the gate", buildCheck(UNKNOWN, { severity: "info" })],
	])("passes for %s", (_title, item) => {
		expect(decideGate([item], GATE)).toEqual({ passed: true, reasons: [] });
	});

	it.each<[string, BeforeItem, string, string]>([
		["without a snapshot", { ...QUERY, missing: "The fabric timed out." }, "missing_before", "The fabric timed out."],
		["with unsettled rows", { ...QUERY, unsettledRows: 3 }, "unsettled", "3 rows say that the fabric is not settled."],
		[
			"with differences from the round before",
			{ ...QUERY, drift: 2 },
			"not_quiet",
			"2 differences between the two rounds before the work.",
		],
		["whose check fails", buildCheck(VIOLATED), "check", "The check fails with 2 violations."],
		["whose check fails before only", buildCheck(VIOLATED, { when: ["before"] }), "check", "2 violations"],
		["whose check has no result", buildCheck(UNKNOWN), "check", "The run has no result."],
		["whose check has no result and no error", buildCheck({ ...UNKNOWN, error: null }), "check", "be evaluated"],
	])("does not pass for an item %s", (_title, item, kind, detail) => {
		expect(decideGate([QUERY, item], GATE)).toEqual({
			passed: false,
			reasons: [{ kind, item: item.item, connection_id: FABRIC, detail: expect.stringContaining(detail) }],
		});
	});

	it("fails for a check at or above the severity of the gate", () => {
		for (const [bound, fail_on] of FINDING_SEVERITIES.entries())
			for (const [own, severity] of FINDING_SEVERITIES.entries()) {
				const { passed } = decideGate([buildCheck(VIOLATED, { severity })], { ...GATE, fail_on });
				expect(passed, `${severity} with the bound ${fail_on}`).toBe(own < bound);
			}
	});

	it("gives only one reason for an item without a snapshot", () => {
		const { reasons } = decideGate([{ ...buildCheck(UNKNOWN), missing: "No answer.", unsettledRows: 1 }], GATE);
		expect(reasons).toMatchObject([{ kind: "missing_before", detail: "No answer." }]);
	});

	it("gives all reasons, of each item and connection in their order", () => {
		const items = [
			{ ...QUERY, unsettledRows: 1, drift: 1 },
			buildCheck(VIOLATED),
			{ ...QUERY, connectionId: OTHER_FABRIC, missing: "No answer." },
		];
		expect(decideGate(items, GATE).reasons.map(({ kind, item, connection_id }) => [kind, item, connection_id])).toEqual(
			[
				["unsettled", 0, FABRIC],
				["not_quiet", 0, FABRIC],
				["check", 1, FABRIC],
				["missing_before", 0, OTHER_FABRIC],
			],
		);
	});

	it("passes with its reasons in the mode warn, and without them in the mode off", () => {
		const items = [buildCheck(VIOLATED), { ...QUERY, missing: "No answer." }];
		const warned = decideGate(items, { ...GATE, before: "warn" });
		expect(warned).toMatchObject({ passed: true, reasons: [{ kind: "check" }, { kind: "missing_before" }] });
		expect(decideGate(items, { ...GATE, before: "off" })).toEqual({ passed: true, reasons: [] });
	});
});
