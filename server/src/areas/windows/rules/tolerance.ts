/** Bounds of `compare: tolerance`. All numbers are compared by their exact value. */
import type { QueryItem } from "@weft/contracts";
import { compareDecimals, type Decimal, parseDecimal, sumDecimals } from "@weft/contracts/decimal";
import { buildFinding, isAtLeast } from "./findings.ts";
import type { Difference, GroupCount, Judging, NewFinding } from "./types.ts";

type Attribute = Difference["attributes"][number];

/** An attribute that moved beyond its bound. */
export interface Excess {
	readonly attribute: Attribute;
	/** Both numbers and the bound. */
	readonly detail: string;
}

/** Attributes of an object that moved beyond the bounds. An absent number counts as 0. */
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

/** Whether a number moved by more than some percent. From 0, every move is unbounded. */
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

const LABEL_MAX = 500;

/** A finding for each group whose number of rows moved beyond the bounds. */
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
				class: isAtLeast(severity, judging.failOn) ? "undeclared" : "minor",
				severity,
				connection_id: connectionId,
				item: index,
				detail: `${clipLabel(label)}: ${formatMove(String(before), String(after))}, at most ${bound} %.`,
				attributes: [{ name: "count", before: String(before), after: String(after) }],
			}),
		];
	});
}

const clipLabel = (text: string): string =>
	text.length <= LABEL_MAX ? text : `${text.slice(0, LABEL_MAX).replace(/[\uD800-\uDBFF]$/, "")}…`;
