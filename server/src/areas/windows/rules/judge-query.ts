/** Classifies each difference of a query between before and after. */
import type { Expectation, ItemCounts, QueryItem } from "@weft/contracts";
import { type DeclaredDifference, matchDifference, type TakenDifference, type WrongAttribute } from "./expectations.ts";
import { buildFinding, buildInconclusiveItem, classifyUndeclared, countFindings, formatValue } from "./findings.ts";
import { findExcess, judgeGroups } from "./tolerance.ts";
import type { Difference, GroupCount, JudgedItem, Judging, Met, NewFinding } from "./types.ts";
import { isFailure } from "./verdict.ts";

/** An item on a connection with all its differences. */
export interface QueryToJudge {
	readonly item: QueryItem;
	/** Place of the item in the plan. */
	readonly index: number;
	readonly connectionId: string;
	/** Differences that the drift rules of the query leave, up to a limit. */
	readonly differences: readonly Difference[];
	/** Number of differences beyond the limit. */
	readonly unjudged: number;
	/** Empty unless `compare` is `tolerance` and bounds the count. */
	readonly groups: readonly GroupCount[];
	readonly ignored: ItemCounts["ignored"];
	readonly judging: Judging;
}

export function judgeQueryItem(query: QueryToJudge): JudgedItem {
	const { index, connectionId, differences, unjudged, ignored, judging } = query;
	const findings: NewFinding[] = [];
	const met: Met[] = [];
	for (const difference of differences) {
		const declared = matchDifference(judging.compiled, difference, connectionId, index);
		if (declared === null) {
			findings.push(judgeUndeclared(query, difference));
			continue;
		}
		findings.push(...judgeDeclared(query, difference, declared));
		for (const { expectation, wrong } of declared.taken)
			met.push({ expectation: expectation.id, dn: difference.dn, isFulfilled: wrong.length === 0 });
	}
	findings.push(...judgeGroups(query));
	if (unjudged > 0) {
		const { length } = differences;
		const detail = `${unjudged + length} objects differ, of which the first ${length} ${length === 1 ? "was" : "were"} judged.`;
		// Whatever the others are, an item that fails by the first ones fails.
		if (!findings.some((finding) => isFailure(finding, judging.failOn)))
			return buildInconclusiveItem("query", index, connectionId, detail);
		const severity = query.item.severity ?? "warning";
		findings.push(buildFinding({ class: "inconclusive", severity, connection_id: connectionId, item: index, detail }));
	}
	const counts = countFindings(findings, ignored);
	return { item: index, kind: "query", findings, counts, met, inconclusive: null, isCut: unjudged > 0 };
}

function buildDifferenceFinding(
	{ item, index, connectionId, judging }: QueryToJudge,
	difference: Difference,
	fields: Pick<NewFinding, "class" | "attributes"> & Partial<NewFinding>,
): NewFinding {
	const { dn, className, change, severity, changedBy } = difference;
	return buildFinding({
		severity: item.severity ?? severity,
		connection_id: connectionId,
		item: index,
		dn,
		class_name: className,
		change,
		changed_by: [...(changedBy ?? [])],
		foreign: isForeign(changedBy, judging.implementers),
		...fields,
	});
}

/**
 * Whether a user who is not among the implementers changed an object. Null if no implementer is
 * named, or if the user is unknown.
 */
export function isForeign(changedBy: Difference["changedBy"], implementers: readonly string[]): boolean | null {
	if (implementers.length === 0 || changedBy === null || changedBy.length === 0) return null;
	const others = changedBy.filter(({ user }) => !implementers.includes(user));
	if (others.some(({ user }) => user !== "")) return true;
	return others.length > 0 ? null : false;
}

function judgeUndeclared(query: QueryToJudge, difference: Difference): NewFinding {
	const { item, judging } = query;
	const { omitted } = difference;
	const attributes = [...difference.attributes];
	const detail = omitted > 0 ? `${omitted} more ${omitted === 1 ? "attribute differs" : "attributes differ"}.` : "";
	if (item.compare === "tolerance") {
		const excess = findExcess(item, difference.className, attributes);
		if (excess.length > 0) {
			const severity = item.severity ?? "warning";
			return buildDifferenceFinding(query, difference, {
				class: classifyUndeclared(severity, judging.failOn),
				severity,
				attributes: excess.map(({ attribute }) => attribute),
				detail: excess.map((one) => one.detail).join(" "),
			});
		}
	}
	if (isAllowed(item, difference.change))
		return buildDifferenceFinding(query, difference, { class: "allowed", attributes, detail });
	const severity = item.severity ?? difference.severity;
	const kind = classifyUndeclared(severity, judging.failOn);
	return buildDifferenceFinding(query, difference, { class: kind, attributes, detail });
}

/** Whether the item does not judge a change: `no_loss` judges deletions only, and so on. */
function isAllowed({ compare }: QueryItem, change: Difference["change"]): boolean {
	switch (compare) {
		case "exact":
			return false;
		case "no_loss":
			return change !== "deleted";
		case "no_gain":
			return change !== "added";
		case "tolerance":
		case "record":
			return true;
	}
}

/** Builds a finding each for right values, wrong ones, and undeclared attributes. */
function judgeDeclared(query: QueryToJudge, difference: Difference, declared: DeclaredDifference): NewFinding[] {
	const findings: NewFinding[] = [];
	const right = declared.taken.filter(
		({ attributes, wrong }) => wrong.length === 0 || (difference.change === "modified" && attributes.length > 0),
	);
	const [first] = right;
	if (first !== undefined)
		findings.push(
			buildDifferenceFinding(query, difference, {
				class: "expected",
				...joinTaken(right),
				expectation: first.expectation.id,
				detail: first.expectation.note,
			}),
		);
	for (const { expectation, wrong } of declared.taken)
		if (wrong.length > 0) findings.push(buildWrongFinding(query, difference, expectation, wrong));
	const { rest, omitted } = declared;
	if (rest.length > 0 || omitted > 0)
		findings.push(judgeUndeclared(query, { ...difference, attributes: rest, omitted }));
	return findings;
}

/** Joins attributes by name. Late if an expectation added after the start adds one, or is alone. */
function joinTaken(taken: readonly TakenDifference[]): Pick<NewFinding, "attributes" | "late"> {
	const byName = new Map<string, NewFinding["attributes"][number]>();
	let isLate = taken[0]?.expectation.late === true;
	for (const { expectation, attributes } of taken)
		for (const attribute of attributes) {
			if (byName.has(attribute.name)) continue;
			byName.set(attribute.name, attribute);
			if (expectation.late) isLate = true;
		}
	return { attributes: [...byName.values()], late: isLate };
}

function buildWrongFinding(
	query: QueryToJudge,
	difference: Difference,
	expectation: Expectation,
	wrong: readonly WrongAttribute[],
): NewFinding {
	return buildDifferenceFinding(query, difference, {
		class: "missing",
		severity: expectation.severity,
		attributes: wrong.flatMap(({ name, found }) => (found === null ? [] : [{ name, ...found }])),
		detail: wrong.map(formatWrong).join(" "),
		expectation: expectation.id,
		late: expectation.late,
	});
}

/** Such as `arpFlood: expected no → yes, found no → flood.` */
function formatWrong({ name, from, to, found }: WrongAttribute): string {
	const expected = `${formatExpected(from)} → ${formatExpected(to)}`;
	if (found === null) return `${name}: expected ${expected}, did not change.`;
	return `${name}: expected ${expected}, found ${formatValue(found.before)} → ${formatValue(found.after)}.`;
}

const formatExpected = (value: string | null | undefined): string => (value === undefined ? "any" : formatValue(value));
