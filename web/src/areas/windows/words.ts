/** States, verdicts and classes of findings in words, each with its look. */
import type { CompareMode, EvidenceResult, Expectation, FindingClass, Verdict, WindowState } from "@weft/contracts";
import {
	CircleCheck,
	CircleDashed,
	CircleHelp,
	CircleMinus,
	CircleX,
	Clock,
	DoorOpen,
	LoaderCircle,
	Lock,
	TriangleAlert,
} from "lucide-react";
import type { Look } from "../../ui/pill.tsx";

export const STATE_LOOKS: Readonly<Record<WindowState, Look>> = {
	draft: ["Draft", "neutral", CircleDashed],
	waiting: ["Waits for approval", "warn", Clock],
	planned: ["Planned", "accent", Clock],
	checking_before: ["Checking before", "accent", LoaderCircle, true],
	blocked: ["Blocked", "bad", CircleX],
	open: ["Open", "violet", DoorOpen],
	settling: ["Settling", "accent", LoaderCircle, true],
	judged: ["Judged", "accent", CircleCheck],
	closed: ["Closed", "neutral", Lock],
	cancelled: ["Cancelled", "neutral", CircleMinus],
	expired: ["Expired", "neutral", CircleMinus],
};

export const VERDICT_LOOKS: Readonly<Record<Verdict, Look>> = {
	failed: ["Failed", "bad", CircleX],
	inconclusive: ["Inconclusive", "warn", CircleHelp],
	passed_with_warnings: ["Passed with warnings", "warn", TriangleAlert],
	passed: ["Passed", "ok", CircleCheck],
};

export const CLASS_LOOKS: Readonly<Record<FindingClass, Look>> = {
	undeclared: ["Not declared", "bad", CircleX],
	missing: ["Did not happen", "bad", CircleX],
	new: ["Check fails now", "bad", CircleX],
	worse: ["Check is worse", "bad", CircleX],
	inconclusive: ["Inconclusive", "warn", CircleHelp],
	minor: ["Minor", "warn", TriangleAlert],
	expected: ["Expected", "ok", CircleCheck],
	allowed: ["Allowed", "neutral", CircleMinus],
	fixed: ["Check holds again", "ok", CircleCheck],
	same: ["Failed before, too", "warn", TriangleAlert],
};

export const EVIDENCE_LOOKS: Readonly<Record<EvidenceResult, Look>> = {
	upgrade_failure: ["Upgrade failure", "bad", CircleX],
	outage_warning: ["Outage warning", "bad", CircleX],
	failed: ["Failed", "bad", CircleX],
	error: ["Error", "bad", CircleX],
	manual_check: ["Manual check", "warn", TriangleAlert],
	post_upgrade_check: ["Check after the upgrade", "warn", TriangleAlert],
	unknown: ["Without result", "warn", CircleHelp],
	not_applicable: ["Not applicable", "neutral", CircleMinus],
	passed: ["Passed", "ok", CircleCheck],
};

export const COMPARE_WORDS: Readonly<Record<CompareMode, string>> = {
	exact: "Every difference counts",
	no_loss: "Objects may be added, none deleted",
	no_gain: "Objects may be deleted, none added",
	tolerance: "Numbers stay within bounds",
	record: "Reported, never judged",
};

/** Words of `verdict_reasons`, such as `undeclared:2`. */
const REASON_WORDS: Readonly<Record<string, readonly [one: string, many: string]>> = {
	undeclared: ["change was not declared", "changes were not declared"],
	missing: ["declared change did not happen", "declared changes did not happen"],
	new_failing: ["check fails that held before", "checks fail that held before"],
	worse: ["check is worse than before", "checks are worse than before"],
	inconclusive: ["item has no result", "items have no result"],
};

export function formatReason(reason: string): string {
	const [word = "", count = "0"] = reason.split(":");
	const [one, many] = REASON_WORDS[word] ?? [word, word];
	return `${count} ${count === "1" ? one : many}`;
}

export const CHANGE_WORDS: Readonly<Record<Expectation["change"], string>> = {
	added: "Added",
	deleted: "Deleted",
	modified: "Modified",
	any: "Any change",
};
