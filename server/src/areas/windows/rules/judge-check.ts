/** Classifies the result of a check after the work by its violations before. */
import type { CheckItem, FindingSeverity } from "@weft/contracts";
import { buildFinding, buildInconclusiveItem, countFindings } from "./findings.ts";
import type { CheckSide, JudgedItem, NewFinding } from "./types.ts";

export interface CheckToJudge {
	readonly item: CheckItem;
	/** Place of the item in the plan. */
	readonly index: number;
	readonly connectionId: string;
	/** The severity of the check. */
	readonly severity: FindingSeverity;
	/** Null if the side is missing. */
	readonly before: CheckSide | null;
	readonly after: CheckSide | null;
}

/** Upper bound of the violating objects that a finding names. */
const DNS_MAX = 100;

/** An item that is checked only before the work yields no finding. */
export function judgeCheckItem(check: CheckToJudge): JudgedItem {
	const { item, index, connectionId, before, after } = check;
	if (!item.when.includes("after")) return buildJudged(check, []);
	const sides = [
		...(item.when.includes("before") ? [{ name: "before", side: before }] : []),
		{ name: "after", side: after },
	];
	for (const { name, side } of sides)
		if (side === null || side.state === "unknown") {
			const reason = side?.error ?? "it was not evaluated";
			return buildInconclusiveItem("check", index, connectionId, `The check says nothing ${name} the work: ${reason}`);
		}
	if (item.when.includes("before") && before?.rule !== after?.rule)
		return buildInconclusiveItem("check", index, connectionId, "The check was changed meanwhile.");
	const comparison = compareSides(item.when.includes("before") ? before : null, after);
	if (comparison === null) return buildJudged(check, []);
	if (comparison.class === "inconclusive")
		return buildInconclusiveItem("check", index, connectionId, comparison.detail);
	const { class: kind, detail, dns } = comparison;
	const finding = buildFinding({ class: kind, severity: check.severity, connection_id: connectionId, item: index });
	const cut = dns.length > DNS_MAX ? ` The first ${DNS_MAX} of ${dns.length} objects are named.` : "";
	return buildJudged(check, [{ ...finding, detail: detail + cut, dns: dns.slice(0, DNS_MAX) }]);
}

const buildJudged = ({ index }: CheckToJudge, findings: readonly NewFinding[]): JudgedItem => ({
	item: index,
	kind: "check",
	findings,
	counts: countFindings(findings, { volatile: 0, rules: 0 }),
	met: [],
	inconclusive: null,
});

type Comparison = Pick<NewFinding, "class" | "detail" | "dns">;

/**
 * Returns null if the check holds on both sides. Without a side before, any violation is new.
 * @param before null if the check is evaluated only after the work
 */
function compareSides(before: CheckSide | null, after: CheckSide | null): Comparison | null {
	const [old, now] = [before?.violations ?? 0, after?.violations ?? 0];
	if (after?.state !== "violated")
		return before?.state === "violated"
			? { class: "fixed", detail: `${formatCount(old)} before, none after.`, dns: [] }
			: null;
	if (before?.state !== "violated")
		return { class: "new", detail: `${formatCount(now)} after the work.`, dns: sortDns(after.dns) };
	const added = listAdded(before.dns, after.dns);
	const addedCount = added.length + listAdded(before.others ?? [], after.others ?? []).length;
	const isAdded = new Set(added);
	const dns = [...added, ...sortDns(after.dns.filter((dn) => !isAdded.has(dn)))];
	const counts = `${formatCount(old)} before, ${now} after`;
	if (before.isComplete && addedCount > 0)
		return { class: "worse", detail: `${counts}; ${formatAdded(addedCount)}.`, dns };
	if (now > old) return { class: "worse", detail: `${counts}.`, dns };
	// A list that was cut may lack an object that is new.
	if (after.isComplete && addedCount === 0) return { class: "same", detail: `${counts}.`, dns };
	return { class: "inconclusive", detail: `${counts}: too many to compare object by object.`, dns: [] };
}

function listAdded(before: readonly string[], after: readonly string[]): string[] {
	const known = new Set(before);
	return sortDns(after.filter((one) => !known.has(one)));
}

const sortDns = (dns: readonly string[]): string[] => [...new Set(dns)].sort();
const formatCount = (count: number): string => `${count} ${count === 1 ? "violation" : "violations"}`;
const formatAdded = (count: number): string =>
	count === 1 ? "1 object did not violate the check before" : `${count} objects did not violate the check before`;
