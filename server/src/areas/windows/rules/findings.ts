/** Findings: their counts, order and identity. */
import { createHash } from "node:crypto";
import {
	FINDING_CLASSES,
	FINDING_SEVERITIES,
	type FindingSeverity,
	type ItemCounts,
	type WindowFinding,
} from "@weft/contracts";
import type { JudgedItem, NewFinding } from "./types.ts";

/** A finding about no object. The fields that are given replace its own. */
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

/** An item of which nothing can be said: its differences are not judged. */
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

/** By class in the order of a report, changes of others first, then by severity, item and dn. */
export function compareFindings(one: NewFinding, other: NewFinding): number {
	return (
		FINDING_CLASSES.indexOf(one.class) - FINDING_CLASSES.indexOf(other.class) ||
		Number(other.foreign === true) - Number(one.foreign === true) ||
		FINDING_SEVERITIES.indexOf(other.severity) - FINDING_SEVERITIES.indexOf(one.severity) ||
		(one.item ?? -1) - (other.item ?? -1) ||
		compareTexts(one.dn ?? "", other.dn ?? "")
	);
}

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/**
 * A digest that is the same for the same finding of another verdict of the window, and for no other
 * one: an accepted finding stays accepted in a recheck while its values stay.
 */
export function buildFingerprint(finding: Omit<NewFinding, "severity" | "changed_by" | "foreign">): string {
	const { class: kind, connection_id, item, dn, class_name, change, detail, dns } = finding;
	const values = finding.attributes.map(({ name, before, after }) => [name, before, after]).sort(compareFirst);
	// What the numbers of a detail say of an object stands in its other fields.
	const text = dn === null && dns.length === 0 ? detail : "";
	const expectation = kind === "missing" ? finding.expectation : null;
	const identity = [kind, connection_id, item, dn, class_name, change, values, [...dns].sort(), text, expectation];
	return createHash("sha256").update(JSON.stringify(identity)).digest("hex");
}

const compareFirst = ([one]: readonly (string | null)[], [other]: readonly (string | null)[]): number =>
	compareTexts(one ?? "", other ?? "");

/** Classes that prevent `passed`: first those that fail a window, then its warnings. */
const PROBLEMS: readonly string[] = ["undeclared", "missing", "new", "worse", "inconclusive"];
const WARNINGS: readonly string[] = ["minor", "same"];

/** Whether a finding is one of those that a verdict names. */
export const isProblem = (finding: Pick<WindowFinding, "class">): boolean => PROBLEMS.includes(finding.class);
export const isWarning = (finding: Pick<WindowFinding, "class">): boolean => WARNINGS.includes(finding.class);
