/** Findings: their counts, order and identity. */
import { createHash } from "node:crypto";
import {
	FINDING_CLASSES,
	FINDING_SEVERITIES,
	type FindingSeverity,
	type ItemCounts,
	type WindowFinding,
} from "@weft/contracts";
import { compareCodeUnits } from "../../../core/text.ts";
import type { JudgedItem, NewFinding } from "./types.ts";

/** Builds a finding about no object. The given fields replace its own. */
export const buildFinding = (
	fields: Pick<NewFinding, "class" | "severity" | "connection_id" | "item"> & Partial<NewFinding>,
): NewFinding => ({
	dn: null,
	class_name: null,
	change: null,
	detail: "",
	attributes: [],
	dns: [],
	changed_by: [],
	foreign: null,
	expectation: null,
	late: false,
	...fields,
});

/** Whether a severity counts towards a failure. */
export const isAtLeast = (severity: FindingSeverity, failOn: FindingSeverity): boolean =>
	FINDING_SEVERITIES.indexOf(severity) >= FINDING_SEVERITIES.indexOf(failOn);

/** The class of a difference that no expectation takes. */
export const classifyUndeclared = (severity: FindingSeverity, failOn: FindingSeverity): "undeclared" | "minor" =>
	isAtLeast(severity, failOn) ? "undeclared" : "minor";

/** Writes the value of an attribute for people. */
export const formatValue = (value: string | null): string =>
	value === null ? "(absent)" : value === "" ? "(empty)" : value;

const COUNTED = ["expected", "undeclared", "missing", "minor", "allowed", "new", "worse", "same", "fixed"] as const;

export function countFindings(findings: readonly NewFinding[], ignored: ItemCounts["ignored"]): ItemCounts {
	const byClass = new Map<string, number>();
	for (const finding of findings) byClass.set(finding.class, (byClass.get(finding.class) ?? 0) + 1);
	const counts = Object.fromEntries(COUNTED.map((name) => [name, byClass.get(name) ?? 0])) as Pick<
		ItemCounts,
		(typeof COUNTED)[number]
	>;
	return { ...counts, accepted: 0, late: findings.filter(({ late }) => late).length, ignored };
}

/** Builds an item that cannot be judged. Its differences are left out. */
export function buildInconclusiveItem(
	kind: JudgedItem["kind"],
	item: number,
	connectionId: string,
	reason: string,
): JudgedItem {
	const finding = buildFinding({
		class: "inconclusive",
		severity: "warning",
		connection_id: connectionId,
		item,
		detail: reason,
	});
	const counts = countFindings([finding], { volatile: 0, rules: 0 });
	return { item, kind, findings: [finding], counts, met: [], inconclusive: reason };
}

/** Orders by class as in a report, foreign changes first, then by severity, item and dn. */
export function compareFindings(one: NewFinding, other: NewFinding): number {
	return (
		FINDING_CLASSES.indexOf(one.class) - FINDING_CLASSES.indexOf(other.class) ||
		Number(other.foreign === true) - Number(one.foreign === true) ||
		FINDING_SEVERITIES.indexOf(other.severity) - FINDING_SEVERITIES.indexOf(one.severity) ||
		(one.item ?? -1) - (other.item ?? -1) ||
		compareCodeUnits(one.dn ?? "", other.dn ?? "")
	);
}

/**
 * Builds the digest that identifies a finding across the verdicts of its window. An accepted
 * finding stays accepted after a recheck if its values are the same.
 * @returns SHA-256 in hexadecimal
 */
export function buildFingerprint(finding: Omit<NewFinding, "severity" | "changed_by" | "foreign">): string {
	const { class: kind, connection_id, item, dn, class_name, change, detail, dns } = finding;
	const values = finding.attributes.map(({ name, before, after }) => [name, before, after]).sort(compareFirst);
	// The detail of an object only repeats its other fields.
	const text = dn === null && dns.length === 0 ? detail : "";
	const expectation = kind === "missing" ? finding.expectation : null;
	const identity = [kind, connection_id, item, dn, class_name, change, values, [...dns].sort(), text, expectation];
	return createHash("sha256").update(JSON.stringify(identity)).digest("hex");
}

const compareFirst = ([one]: readonly (string | null)[], [other]: readonly (string | null)[]): number =>
	compareCodeUnits(one ?? "", other ?? "");

/** Classes that prevent `passed` and `passed_with_warnings`. */
export const PROBLEMS: readonly string[] = ["undeclared", "missing", "new", "worse", "inconclusive"];
/** Classes that prevent `passed`. */
export const WARNINGS: readonly string[] = ["minor", "same"];

export const isProblem = (finding: Pick<WindowFinding, "class">): boolean => PROBLEMS.includes(finding.class);
export const isWarning = (finding: Pick<WindowFinding, "class">): boolean => WARNINGS.includes(finding.class);
