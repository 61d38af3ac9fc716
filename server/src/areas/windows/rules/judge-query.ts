/** The class of each difference of a query between before and after. */
import type { Expectation, ItemCounts, QueryItem } from "@weft/contracts";
import { type DeclaredDifference, matchDifference, type TakenDifference, type WrongAttribute } from "./expectations.ts";
import { buildFinding, countFindings, isAtLeast } from "./findings.ts";
import { findExcess, judgeGroups } from "./tolerance.ts";
import type { Difference, GroupCount, JudgedItem, Judging, Met, NewFinding } from "./types.ts";

/** An item on a connection with all that differs. */
export interface QueryToJudge {
	readonly item: QueryItem;
	/** Place of the item in the plan. */
	readonly index: number;
	readonly connectionId: string;
	/** After the drift rules of the query. */
	readonly differences: readonly Difference[];
	/** Of `compare: tolerance` with bounds of the count; else empty. */
	readonly groups: readonly GroupCount[];
	readonly ignored: ItemCounts["ignored"];
	readonly judging: Judging;
}

export function judgeQueryItem(query: QueryToJudge): JudgedItem {
	const { index, connectionId, differences, ignored, judging } = query;
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
	return { item: index, kind: "query", findings, counts: countFindings(findings, ignored), met, inconclusive: null };
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
 * Whether a user who is not among the implementers changed an object. Null where nobody is named
 * as implementer, or where it is not known who changed it.
 */
export function isForeign(changedBy: Difference["changedBy"], implementers: readonly string[]): boolean | null {
	if (implementers.length === 0 || changedBy === null || changedBy.length === 0) return null;
	const others = changedBy.filter(({ user }) => !implementers.includes(user));
	if (others.some(({ user }) => user !== "")) return true;
	return others.length > 0 ? null : false;
}

/** @param rest attributes that count; all where absent */
function judgeUndeclared(query: QueryToJudge, difference: Difference, rest?: DeclaredDifference): NewFinding {
	const { item, judging } = query;
	const attributes = [...(rest?.rest ?? difference.attributes)];
	const omitted = rest?.omitted ?? difference.omitted;
	const detail = omitted > 0 ? `${omitted} more ${omitted === 1 ? "attribute differs" : "attributes differ"}.` : "";
	if (item.compare === "tolerance") {
		const excess = findExcess(item, difference.className, attributes);
		if (excess.length > 0) {
			const severity = item.severity ?? "warning";
			return buildDifferenceFinding(query, difference, {
				class: isAtLeast(severity, judging.failOn) ? "undeclared" : "minor",
				severity,
				attributes: excess.map(({ attribute }) => attribute),
				detail: excess.map((one) => one.detail).join(" "),
			});
		}
	}
	if (isAllowed(item, difference.change))
		return buildDifferenceFinding(query, difference, { class: "allowed", attributes, detail });
	const severity = item.severity ?? difference.severity;
	const kind = isAtLeast(severity, judging.failOn) ? "undeclared" : "minor";
	return buildDifferenceFinding(query, difference, { class: kind, attributes, detail });
}

/** Whether the item does not judge a difference: `no_loss` is about objects that go, and so on. */
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

/** A finding each for right values, wrong ones, and attributes that are not declared. */
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
	if (declared.rest.length > 0 || declared.omitted > 0) findings.push(judgeUndeclared(query, difference, declared));
	return findings;
}

/** The attributes of all; late if one that was added after the start adds any, or is alone. */
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
	const expected = `${formatValue(from)} → ${formatValue(to)}`;
	if (found === null) return `${name}: expected ${expected}, did not change.`;
	return `${name}: expected ${expected}, found ${formatValue(found.before)} → ${formatValue(found.after)}.`;
}

const formatValue = (value: string | null | undefined): string =>
	value === undefined ? "any" : value === null ? "(absent)" : value === "" ? "(empty)" : value;
