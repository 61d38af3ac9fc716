/** Finds the objects of one class that belong to an object of the base class of a join. */
import type { PostProcessorConfig } from "@weft/contracts";
import { getText } from "../../../../../core/rows/json.ts";
import { getDn, type Row, readValuesAt } from "../../../../../core/rows/rows.ts";
import { listAncestors } from "../dn.ts";
import { buildTooManyPairsError, PAIRS } from "./bounds.ts";

type By = PostProcessorConfig<"join">["attach"][number]["by"];

/** A row of the attached class. */
export interface Partner {
	readonly row: Row;
	/** Place among all rows of the class in the order of DN. */
	readonly at: number;
}

/** Partners in the order of DN. Bases with the same partners get the same array. */
export type PartnerFinder = (base: Row) => readonly Partner[];

const NONE: readonly Partner[] = [];
const TARGET = "tDn";

export function createPartnerFinder(by: By, rows: readonly Row[]): PartnerFinder {
	const sorted = sortByDn(rows);
	if (by === "child") return findDescendants(sorted);
	if (by === "parent") return findNearestAncestor(sorted);
	if (by === "relation") {
		const pointing = groupByTexts(sorted, (row) => listTextsAt(row, TARGET));
		const named = groupByTexts(sorted, listDn);
		return mergeFinders([
			(base) => listDn(base).map((dn) => pointing.get(dn) ?? NONE),
			(base) => listTextsAt(base, TARGET).map((dn) => named.get(dn) ?? NONE),
		]);
	}
	const groups = groupByTexts(sorted, (row) => listTextsAt(row, by.other));
	return mergeFinders([(base) => listTextsAt(base, by.base).map((text) => groups.get(text) ?? NONE)]);
}

function sortByDn(rows: readonly Row[]): readonly (Partner & { readonly dn: string })[] {
	return rows
		.map((row) => ({ row, dn: getDn(row) ?? "" }))
		.sort((a, b) => (a.dn < b.dn ? -1 : a.dn > b.dn ? 1 : 0))
		.map(({ row, dn }, at) => ({ row, dn, at }));
}

/** Distinct texts of a field that are not empty: an empty value is equal to none. */
const listTextsAt = (row: Row, field: string): string[] => [
	...new Set(readValuesAt(row, field).flatMap((value) => getText(value) || [])),
];

function listDn(row: Row): string[] {
	const dn = getDn(row);
	return dn === undefined ? [] : [dn];
}

function groupByTexts(sorted: readonly Partner[], listTexts: (row: Row) => string[]): Map<string, Partner[]> {
	const groups = new Map<string, Partner[]>();
	for (const partner of sorted) {
		for (const text of listTexts(partner.row)) {
			const group = groups.get(text);
			if (group) group.push(partner);
			else groups.set(text, [partner]);
		}
	}
	return groups;
}

/** Each partner once, where several groups have it. */
function mergeFinders(finders: readonly ((base: Row) => readonly (readonly Partner[])[])[]): PartnerFinder {
	const ids = new Map<readonly Partner[], number>();
	const merged = new Map<string, readonly Partner[]>();
	let pairs = 0;

	function getId(group: readonly Partner[]): number {
		const id = ids.get(group) ?? ids.size;
		ids.set(group, id);
		return id;
	}

	return (base) => {
		const groups = finders.flatMap((find) => find(base)).filter((group) => group.length > 0);
		const [first = NONE, ...others] = groups;
		if (others.length === 0) return first;
		const key = groups.map(getId).join();
		const known = merged.get(key);
		if (known !== undefined) return known;
		for (const { length } of groups) pairs += length;
		if (pairs > PAIRS) throw buildTooManyPairsError();
		const group = [...new Set(groups.flat())].sort((a, b) => a.at - b.at);
		merged.set(key, group);
		return group;
	};
}

/** Objects below a DN follow each other in the order of DN. */
function findDescendants(sorted: readonly (Partner & { readonly dn: string })[]): PartnerFinder {
	const known = new Map<string, readonly Partner[]>();
	return (base) => {
		const dn = getDn(base);
		if (dn === undefined) return NONE;
		const found = known.get(dn);
		if (found !== undefined) return found;
		const prefix = `${dn}/`;
		const from = findFirstIndex(sorted, (other) => other >= prefix);
		let to = from;
		while (sorted[to]?.dn.startsWith(prefix) === true) to += 1;
		const group = from === to ? NONE : sorted.slice(from, to);
		known.set(dn, group);
		return group;
	};
}

/** The index of the first DN that passes; all after it pass, too. */
function findFirstIndex(sorted: readonly { readonly dn: string }[], passes: (dn: string) => boolean): number {
	let [low, high] = [0, sorted.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (passes(sorted[middle]?.dn ?? "")) high = middle;
		else low = middle + 1;
	}
	return low;
}

function findNearestAncestor(sorted: readonly Partner[]): PartnerFinder {
	const byDn = groupByTexts(sorted, listDn);
	return (base) => {
		const above = listAncestors(getDn(base) ?? "");
		for (let i = above.length - 1; i >= 0; i -= 1) {
			const group = byDn.get(above[i] ?? "");
			if (group !== undefined) return group;
		}
		return NONE;
	};
}
