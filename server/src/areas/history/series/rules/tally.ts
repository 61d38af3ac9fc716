/**
 * The numbers of a list of rows by group: rows are added and removed one by one, so that the
 * numbers of a snapshot follow from those of the snapshot before and the rows that differ.
 */
import type { SeriesValue } from "@weft/contracts";
import { compareDecimals, type Decimal, divideDecimal, formatDecimal, parseDecimal } from "@weft/contracts/decimal";

/** How rows become numbers. */
export interface SeriesDefinition {
	readonly value: SeriesValue;
	/** Null: rows are counted. */
	readonly field: string | null;
	/** Null: all rows are one group. */
	readonly groupBy: string | null;
}

/** What one row adds to the numbers. */
export interface Contribution {
	readonly keys: readonly string[];
	/** Values of the field without empty ones; null if the definition has no field. */
	readonly texts: readonly string[] | null;
}

/** Key of the one group of a definition without `groupBy`. */
const ALL = "";

/**
 * Reads what a row adds; null if it adds nothing. A row with several values of `groupBy` belongs to
 * each of these groups; a row without the field of `groupBy` belongs to none.
 */
export function readContribution(
	{ field, groupBy }: SeriesDefinition,
	readTexts: (field: string) => readonly string[],
): Contribution | null {
	const keys = groupBy === null ? [ALL] : [...new Set(readTexts(groupBy))];
	if (keys.length === 0) return null;
	if (field === null) return { keys, texts: null };
	const texts = readTexts(field).filter((text) => text !== "");
	return texts.length === 0 && groupBy === null ? null : { keys, texts };
}

/** Group and number; the number in plain notation with all its digits. */
export type GroupNumber = readonly [key: string, number: string];

export interface Tally {
	/** Adds a row `times` times; a negative number removes it. */
	add(contribution: Contribution, times: number): void;
	/** Groups of which rows are there. */
	countGroups(): number;
	/** Values that are no numbers, over all groups. */
	countLeftOut(): number;
	/** Numbers of all groups that have one, in no order. */
	list(): GroupNumber[];
}

interface Group {
	rows: number;
	/** Number of values, numeric or not. */
	values: number;
	numbers: number;
	sum: Decimal;
	/** How often each value is there; null where the definition does not need it. */
	readonly known: Map<string, number> | null;
	/** Null after a change. */
	text: string | null | undefined;
}

export function createTally({ value, field, groupBy }: SeriesDefinition): Tally {
	const groups = new Map<string, Group>();
	const isNumeric = value !== "count" && value !== "distinct";
	const needsValues = value === "min" || value === "max" || value === "distinct";
	const parsed = new Map<string, Decimal | null>();
	let leftOut = 0;

	function parseText(text: string): Decimal | null {
		const before = parsed.get(text);
		if (before !== undefined) return before;
		const found = parseDecimal(text);
		if (parsed.size < REMEMBERED) parsed.set(text, found);
		return found;
	}

	function addValue(group: Group, text: string, times: number): void {
		group.values += times;
		const number = isNumeric ? parseText(text) : null;
		if (isNumeric && number === null) {
			leftOut += times;
			return;
		}
		if (number !== null) {
			group.numbers += times;
			group.sum = addDecimal(group.sum, number, times);
		}
		if (group.known === null) return;
		const left = (group.known.get(text) ?? 0) + times;
		if (left === 0) group.known.delete(text);
		else group.known.set(text, left);
	}

	if (groupBy === null) groups.set(ALL, createGroup(needsValues));
	return {
		add({ keys, texts }, times) {
			for (const key of keys) {
				const group = groups.get(key) ?? createGroup(needsValues);
				groups.set(key, group);
				group.rows += times;
				group.text = undefined;
				for (const text of texts ?? []) addValue(group, text, times);
				if (group.rows === 0 && groupBy !== null) groups.delete(key);
			}
		},
		countGroups: () => groups.size,
		countLeftOut: () => leftOut,
		list() {
			const found: GroupNumber[] = [];
			for (const [key, group] of groups) {
				if (group.text === undefined) group.text = computeNumber(value, field, group, parseText);
				if (group.text !== null) found.push([key, group.text]);
			}
			return found;
		},
	};
}

/** Texts whose number is remembered. */
const REMEMBERED = 20_000;
const ZERO: Decimal = { digits: 0n, scale: 0 };

const createGroup = (needsValues: boolean): Group => ({
	rows: 0,
	values: 0,
	numbers: 0,
	sum: ZERO,
	known: needsValues ? new Map() : null,
	text: undefined,
});

function addDecimal(sum: Decimal, { digits, scale }: Decimal, times: number): Decimal {
	const added = digits * BigInt(times);
	if (sum.scale === scale) return { digits: sum.digits + added, scale };
	const to = Math.max(sum.scale, scale);
	return { digits: sum.digits * 10n ** BigInt(to - sum.scale) + added * 10n ** BigInt(to - scale), scale: to };
}

/** Null if the group has no number. */
function computeNumber(
	value: SeriesValue,
	field: string | null,
	group: Group,
	parseText: (text: string) => Decimal | null,
): string | null {
	switch (value) {
		case "count":
			return String(field === null ? group.rows : group.values);
		case "distinct":
			return String(group.known?.size ?? 0);
		case "sum":
			return group.numbers === 0 ? null : formatDecimal(group.sum);
		case "avg":
			return group.numbers === 0 ? null : formatDecimal(divideDecimal(group.sum, group.numbers));
		case "min":
			return findExtreme(group, parseText, -1);
		case "max":
			return findExtreme(group, parseText, 1);
	}
}

function findExtreme({ known }: Group, parseText: (text: string) => Decimal | null, sign: number): string | null {
	let best: Decimal | null = null;
	for (const text of known?.keys() ?? []) {
		const number = parseText(text);
		if (number !== null && (best === null || compareDecimals(number, best) * sign > 0)) best = number;
	}
	return best && formatDecimal(best);
}
