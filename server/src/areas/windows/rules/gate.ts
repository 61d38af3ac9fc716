/** Decides by the rounds before the work whether the work may begin. */
import type { CheckPhase, FindingSeverity, GateReason, PlanGate } from "@weft/contracts";
import { isAtLeast } from "./findings.ts";
import type { CheckSide } from "./types.ts";

/** The state of one item on one connection before the work. */
export interface BeforeItem {
	readonly item: number;
	readonly connectionId: string;
	/** The reason why no complete snapshot exists; null if one exists. */
	readonly missing: string | null;
	/** Null for a query. */
	readonly check: {
		readonly severity: FindingSeverity;
		readonly when: readonly CheckPhase[];
		readonly side: CheckSide;
	} | null;
	readonly unsettledRows: number;
	/**
	 * Number of differences from the previous round; null if the two could not be compared. Absent
	 * where one round is enough.
	 */
	readonly drift?: number | null;
}

export interface GateDecision {
	readonly passed: boolean;
	readonly reasons: readonly GateReason[];
}

function* listReasons(one: BeforeItem, { fail_on }: PlanGate): Generator<GateReason> {
	const at = { item: one.item, connection_id: one.connectionId };
	if (one.missing !== null) {
		yield { kind: "missing_before", ...at, detail: one.missing };
		return;
	}
	if (one.unsettledRows > 0) yield { kind: "unsettled", ...at, detail: formatUnsettled(one.unsettledRows) };
	if (one.drift === null)
		yield { kind: "not_quiet", ...at, detail: "The two rounds before the work could not be compared." };
	if (one.drift) yield { kind: "not_quiet", ...at, detail: formatUnrest(one.drift, one.check !== null) };
	const { check } = one;
	if (check === null || !check.when.includes("before") || !isAtLeast(check.severity, fail_on)) return;
	if (check.side.state === "violated")
		yield { kind: "check", ...at, detail: `The check fails with ${formatNumber(check.side.violations, "violation")}.` };
	if (check.side.state === "unknown")
		yield { kind: "check", ...at, detail: check.side.error ?? "The check could not be evaluated." };
}

const formatUnsettled = (rows: number): string =>
	`${rows === 1 ? "1 row says" : `${rows} rows say`} that the fabric is not settled.`;
const formatNumber = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

function formatUnrest(drift: number, isCheck: boolean): string {
	if (isCheck) return "The check gave two results in the two rounds before the work.";
	return `${formatNumber(drift, "difference")} between the two rounds before the work.`;
}

/** With `warn` and `off` the gate always passes; with `off` it gives no reasons. */
export function decideGate(items: readonly BeforeItem[], gate: PlanGate): GateDecision {
	if (gate.before === "off") return { passed: true, reasons: [] };
	const reasons = items.flatMap((one) => [...listReasons(one, gate)]);
	return { passed: gate.before === "warn" || reasons.length === 0, reasons };
}
