/** Results of the pre-upgrade script in words, for reports, the command line and the browser. */
import { EVIDENCE_RESULTS, type EvidenceResult } from "./values.ts";

const WORDS: Readonly<Record<EvidenceResult, readonly [one: string, many: string]>> = {
	upgrade_failure: ["upgrade failure", "upgrade failures"],
	outage_warning: ["outage warning", "outage warnings"],
	failed: ["other failure", "other failures"],
	error: ["error", "errors"],
	manual_check: ["manual check", "manual checks"],
	post_upgrade_check: ["check after the upgrade", "checks after the upgrade"],
	unknown: ["without result", "without result"],
	not_applicable: ["not applicable", "not applicable"],
	passed: ["passed", "passed"],
};

/** Names a result of one check, such as `outage warning`. */
export const formatEvidenceResult = (result: EvidenceResult): string => WORDS[result][0];

/** Counts the results that occur, in the order of a report: `1 outage warning, 26 passed`. */
export const formatEvidenceCounts = (counts: Readonly<Record<EvidenceResult, number>>): string =>
	EVIDENCE_RESULTS.filter((result) => counts[result] > 0)
		.map((result) => `${counts[result]} ${WORDS[result][counts[result] === 1 ? 0 : 1]}`)
		.join(", ");

/** Whether a person has to look at a check with the result. */
export const needsAttention = (result: EvidenceResult): boolean => result !== "passed" && result !== "not_applicable";
