/** Verdicts of items, connections and windows. They are computed from findings and never edited. */
import { type FindingSeverity, VERDICTS, type Verdict, WINDOW_LIMITS } from "@weft/contracts";
import { joinWords } from "../../../core/text.ts";
import { isAtLeast, isProblem, isWarning } from "./findings.ts";
import type { JudgedConnection, JudgedItem, NewFinding } from "./types.ts";

/** Words of reasons by the class of finding, in the order of their weight. */
const FAILURES = [
	["undeclared", "undeclared"],
	["missing", "missing"],
	["new", "new_failing"],
	["worse", "worse"],
] as const satisfies readonly (readonly [NewFinding["class"], string])[];
const INCONCLUSIVE = "inconclusive";
const WORDS: readonly string[] = [...FAILURES.map(([, word]) => word), INCONCLUSIVE];

/** Whether a finding of a settled item makes its connection fail. */
export const isFailure = ({ class: kind, severity }: NewFinding, failOn: FindingSeverity): boolean =>
	FAILURES.some(([name]) => name === kind) && isAtLeast(severity, failOn);

/** Whether a finding prevents `passed`, as expected, allowed and fixed ones do not. */
const needsWarning = (finding: NewFinding): boolean => isProblem(finding) || isWarning(finding) || finding.late;

function judgeFindings(findings: readonly NewFinding[], failOn: FindingSeverity): Verdict {
	if (findings.some((finding) => isFailure(finding, failOn))) return "failed";
	return findings.some(needsWarning) ? "passed_with_warnings" : "passed";
}

/** An inconclusive item stays inconclusive, whatever its findings. */
export const judgeItemVerdict = ({ inconclusive, findings }: JudgedItem, failOn: FindingSeverity): Verdict =>
	inconclusive === null ? judgeFindings(findings, failOn) : "inconclusive";

/**
 * Joins the items of a connection.
 * @param missing expectations of the connection that did not happen
 */
export function judgeConnection(
	connectionId: string,
	items: readonly JudgedItem[],
	missing: readonly NewFinding[],
	failOn: FindingSeverity,
): JudgedConnection {
	const judged = items.map((item) => {
		const own = missing.filter((finding) => finding.item === item.item);
		const { counts } = item;
		const late = counts.late + own.filter((finding) => finding.late).length;
		return {
			...item,
			counts: { ...counts, missing: counts.missing + own.length, late },
			verdict: judgeItemVerdict({ ...item, findings: [...item.findings, ...own] }, failOn),
		};
	});
	const verdict = pickWorstVerdict([...judged.map((one) => one.verdict), judgeFindings(missing, failOn)]);
	const weighed = [
		...judged.filter((one) => one.inconclusive === null).flatMap((one) => one.findings),
		...missing,
	].filter((finding) => isFailure(finding, failOn));
	const counts = new Map<string, number>(
		FAILURES.map(([kind, word]) => [word, weighed.filter((finding) => finding.class === kind).length]),
	);
	counts.set(INCONCLUSIVE, judged.filter((one) => one.inconclusive !== null).length);
	return { connectionId, verdict, reasons: formatReasons(counts), items: judged, missing };
}

export interface JudgedWindow {
	readonly verdict: Verdict;
	/** The reasons of the connections, with the sums of their counts. */
	readonly reasons: readonly string[];
	/** Whether anything differs between before and after. */
	readonly changed: boolean;
}

/** A window without connections is inconclusive. */
export function judgeWindow(connections: readonly JudgedConnection[]): JudgedWindow {
	const counts = new Map<string, number>();
	for (const reason of connections.flatMap(({ reasons }) => reasons)) {
		const [word = "", count] = reason.split(":");
		counts.set(word, (counts.get(word) ?? 0) + Number(count));
	}
	return {
		verdict: connections.length === 0 ? "inconclusive" : pickWorstVerdict(connections.map(({ verdict }) => verdict)),
		reasons: formatReasons(counts),
		changed: connections.some(({ items }) => items.some(({ findings }) => findings.some(isChange))),
	};
}

/** Whether a finding shows a difference between before and after. */
function isChange({ class: kind, attributes }: NewFinding): boolean {
	switch (kind) {
		case "undeclared":
		case "minor":
		case "expected":
		case "allowed":
		case "new":
		case "worse":
		case "fixed":
			return true;
		case "missing":
			return attributes.length > 0;
		case "same":
		case "inconclusive":
			return false;
	}
}

/** Returns the worst verdict; `passed` for an empty list. */
const pickWorstVerdict = (verdicts: readonly Verdict[]): Verdict =>
	VERDICTS.find((verdict) => verdicts.includes(verdict)) ?? "passed";

const formatReasons = (counts: ReadonlyMap<string, number>): string[] =>
	WORDS.flatMap((word) => {
		const count = counts.get(word) ?? 0;
		return count > 0 ? [`${word}:${count}`] : [];
	});

/** The words of a verdict; `not judged` for none. */
export const formatVerdict = (verdict: Verdict | null): string =>
	verdict === null ? "not judged" : verdict.replaceAll("_", " ");

/** Numbers of the findings that decided a verdict, and the users who accepted some. */
export interface AcceptedFindings {
	readonly total: number;
	readonly accepted: number;
	readonly by: readonly string[];
}

/**
 * Writes a verdict in one line, such as `failed; 2 of 2 findings accepted by kim`. Accepting a
 * finding does not change the verdict. Empty before the verdict.
 */
export function formatVerdictLine(verdict: Verdict | null, { total, accepted, by }: AcceptedFindings): string {
	if (verdict === null) return "";
	const words = formatVerdict(verdict);
	if (accepted === 0) return words;
	return `${words}; ${accepted} of ${total} ${total === 1 ? "finding" : "findings"} accepted by ${joinWords([...by].sort())}`;
}

/** Whether a window may get one more verdict. */
export const hasRoomForVerdict = ({ verdicts }: { readonly verdicts: readonly unknown[] }): boolean =>
	verdicts.length < WINDOW_LIMITS.verdicts;
