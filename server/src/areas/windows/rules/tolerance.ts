/** Checks the bounds of `compare: tolerance`. Numbers are compared by their exact values. */
import type { QueryItem } from "@weft/contracts";
import { compareDecimals, type Decimal, parseDecimal, sumDecimals } from "@weft/contracts/decimal";
import { clipText } from "../../../core/text.ts";
import { buildFinding, classifyUndeclared } from "./findings.ts";
import type { Difference, GroupCount, Judging, NewFinding } from "./types.ts";

interface CountedGroup {
	readonly group: readonly string[];
	readonly rows: number;
}

/** Joins the groups of both sides; null if one side could not be counted. */
export function joinGroups(
	before: readonly CountedGroup[] | null,
	after: readonly CountedGroup[] | null,
): GroupCount[] | null {
	if (before === null || after === null) return null;
	const joined = new Map<string, GroupCount>();
	for (const { group, rows } of before) joined.set(JSON.stringify(group), { group, before: rows, after: 0 });
	for (const { group, rows } of after) {
		const key = JSON.stringify(group);
		joined.set(key, { group, before: joined.get(key)?.before ?? 0, after: rows });
	}
	return [...joined.values()];
}

type Attribute = Difference["attributes"][number];

/** An attribute that moved beyond its bound. */
export interface Excess {
	readonly attribute: Attribute;
	/** Both numbers and the bound. */
	readonly detail: string;
}

/** Finds the attributes of an object that moved beyond their bounds. An absent number is 0. */
export function findExcess(
	{ tolerance }: QueryItem,
	className: string | null,
	attributes: readonly Attribute[],
): Excess[] {
	const bounds = Object.entries(tolerance?.attributes ?? {});
	if (bounds.length === 0) return [];
	return attributes.flatMap((attribute) => {
		const { name, before, after } = attribute;
		const full = name.includes(".") ? name : `${className}.${name}`;
		const bound = bounds.find(([key]) => key === full)?.[1].max_percent;
		if (bound === undefined) return [];
		const [from, to] = [before, after].map((value) => parseDecimal(value || "0"));
		if (!from || !to)
			return [{ attribute, detail: `${name} is not a number: ${before ?? ""} before, ${after ?? ""} after.` }];
		if (!isBeyond(from, to, bound)) return [];
		return [{ attribute, detail: `${name}: ${formatMove(before || "0", after || "0")}, at most ${bound} %.` }];
	});
}

/** Whether a number moved by more than a percentage. Every move from 0 is beyond all bounds. */
function isBeyond(before: Decimal, after: Decimal, percent: number): boolean {
	const moved = makePositive(sumDecimals([after, { digits: -before.digits, scale: before.scale }]));
	const bound = parseDecimal(String(percent)) ?? ZERO;
	return compareDecimals(scaleDecimal(moved, HUNDRED), scaleDecimal(makePositive(before), bound)) > 0;
}

const ZERO: Decimal = { digits: 0n, scale: 0 };
const HUNDRED: Decimal = { digits: 100n, scale: 0 };

const makePositive = ({ digits, scale }: Decimal): Decimal => ({ digits: digits < 0n ? -digits : digits, scale });

const scaleDecimal = (one: Decimal, other: Decimal): Decimal => ({
	digits: one.digits * other.digits,
	scale: one.scale + other.scale,
});

/** Such as `200 before, 150 after, a loss of 25 %`. */
function formatMove(before: string, after: string): string {
	const [from, to] = [Number(before), Number(after)];
	const word = to < from ? "a loss" : "a gain";
	const percent =
		from === 0 ? "from 0" : `of ${Number(((Math.abs(to - from) / Math.abs(from)) * 100).toPrecision(6))} %`;
	return `${before} before, ${after} after, ${word} ${percent}`;
}

/** Upper bound of the characters of a group's label. */
const LABEL_MAX = 500;

/** Builds a finding for each group whose number of rows moved beyond the bounds. */
export function judgeGroups({
	item,
	index,
	connectionId,
	groups,
	judging,
}: {
	readonly item: QueryItem;
	readonly index: number;
	readonly connectionId: string;
	readonly groups: readonly GroupCount[];
	readonly judging: Judging;
}): NewFinding[] {
	const { max_loss_percent: maxLoss, max_gain_percent: maxGain } = item.tolerance?.count ?? {};
	const severity = item.severity ?? "warning";
	return groups.flatMap(({ group, before, after }) => {
		const bound = after < before ? maxLoss : maxGain;
		if (bound === undefined) return [];
		const [from, to] = [before, after].map((count): Decimal => ({ digits: BigInt(count), scale: 0 }));
		if (!from || !to || !isBeyond(from, to, bound)) return [];
		const label = item.group_by.map((field, i) => `${field} ${group[i] ?? ""}`).join(", ") || "All rows";
		return [
			buildFinding({
				class: classifyUndeclared(severity, judging.failOn),
				severity,
				connection_id: connectionId,
				item: index,
				detail: `${clipText(label, LABEL_MAX)}: ${formatMove(String(before), String(after))}, at most ${bound} %.`,
				attributes: [{ name: "count", before: String(before), after: String(after) }],
			}),
		];
	});
}
