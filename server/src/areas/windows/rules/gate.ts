/** Whether the work may begin, by what the round before it found. */
import type { CheckPhase, FindingSeverity, GateReason, PlanGate } from "@weft/contracts";
import { FINDING_SEVERITIES } from "@weft/contracts";
import type { CheckSide } from "./types.ts";

/** What one item says on one connection before the work. */
export interface BeforeItem {
	readonly item: number;
	readonly connectionId: string;
	/** Why there is no complete snapshot; null where there is one. */
	readonly missing: string | null;
	/** Of a check. */
	readonly check: {
		readonly severity: FindingSeverity;
		readonly when: readonly CheckPhase[];
		readonly side: CheckSide;
	} | null;
	readonly unsettledRows: number;
	/** Of a quiet baseline: differences from the round before; null where it was not compared. */
	readonly drift: number | null;
}

export interface GateDecision {
	readonly passed: boolean;
	readonly reasons: readonly GateReason[];
}

const isAtOrAbove = (severity: FindingSeverity, bound: FindingSeverity): boolean =>
	FINDING_SEVERITIES.indexOf(severity) >= FINDING_SEVERITIES.indexOf(bound);

function* listReasons(one: BeforeItem, { fail_on }: PlanGate): Generator<GateReason> {
	const at = { item: one.item, connection_id: one.connectionId };
	if (one.missing !== null) {
		yield { kind: "missing_before", ...at, detail: one.missing };
		return;
	}
	if (one.unsettledRows > 0)
		yield { kind: "unsettled", ...at, detail: `${one.unsettledRows} rows say that the fabric is not settled.` };
	if (one.drift !== null && one.drift > 0)
		yield { kind: "not_quiet", ...at, detail: `${one.drift} objects changed between two rounds before the work.` };
	const { check } = one;
	if (check === null || !check.when.includes("before") || !isAtOrAbove(check.severity, fail_on)) return;
	if (check.side.state === "violated")
		yield { kind: "check", ...at, detail: `The check fails with ${check.side.violations} violations.` };
	if (check.side.state === "unknown")
		yield { kind: "check", ...at, detail: check.side.error ?? "The check could not be evaluated." };
}

/** With `warn` and `off` the gate passes; with `off` nothing is said. */
export function decideGate(items: readonly BeforeItem[], gate: PlanGate): GateDecision {
	if (gate.before === "off") return { passed: true, reasons: [] };
	const reasons = items.flatMap((one) => [...listReasons(one, gate)]);
	return { passed: gate.before === "warn" || reasons.length === 0, reasons };
}
