/** From the kept rows of a branch's last step to the rows of the stage: each object once, in order, cut to the limit. */
import type { Fetch, StagePlan } from "./plan.ts";
import { attributeOf, dnOf, type Row } from "./rows.ts";
import { parseOrder } from "./urls.ts";

/** What one fetch brought: the rows that were kept, or the number that was counted. */
export interface Fetched {
	fetch: Fetch;
	rows: readonly Row[];
	count?: number;
}

/**
 * Rows of one class node: all that the last steps of its branches brought. A single fetch keeps the controller's order;
 * several are merged by the order asked for, or the DN.
 */
export function nodeRows(stage: StagePlan, nodeId: string, fetched: readonly Fetched[]): Row[] {
	const options = stage.branches.find((branch) => branch.nodeId === nodeId)?.options;
	const groups = new Map<number, Fetched[]>();
	for (const part of fetched) groups.set(part.fetch.group, [...(groups.get(part.fetch.group) ?? []), part]);
	const rows = [...groups]
		.sort(([a], [b]) => a - b)
		.flatMap(([, parts]) => {
			const unique = distinct(parts.flatMap((part) => part.rows));
			const merged = parts.length > 1 ? unique.sort(comparator(options?.orderBy)) : unique;
			return options?.limit === undefined ? merged : merged.slice(0, options.limit);
		});
	if (options?.supplementalData?.countOnly !== true) return distinct(rows);
	const [first] = fetched;
	return [countRow(first?.count ?? distinct(rows).length)];
}

/** The stage's rows before post-processing: those of all its answer classes, each object once. */
export function stageRows(stage: StagePlan, rowsOf: (nodeId: string) => readonly Row[]): Row[] {
	return distinct(answerNodes(stage).flatMap((nodeId) => rowsOf(nodeId)));
}

export const answerNodes = (stage: StagePlan): string[] => [
	...new Set(stage.branches.filter(({ answer }) => answer).map(({ nodeId }) => nodeId)),
];

/** First of each DN, in order; rows without a DN are all kept. */
function distinct(rows: readonly Row[]): Row[] {
	const seen = new Set<string>();
	return rows.filter((row) => {
		const dn = dnOf(row);
		if (dn === undefined) return true;
		if (seen.has(dn)) return false;
		seen.add(dn);
		return true;
	});
}

const countRow = (count: number): Row => ({
	moCount: { attributes: { childAction: "", count: String(count), dn: "", status: "" } },
});

/** Numbers by value, everything else by code units, the DN last. Rows without the property come first, as on the controller. */
function comparator(orderBy: string | undefined): (a: Row, b: Row) => number {
	const { property, descending } = parseOrder(orderBy);
	const sign = descending ? -1 : 1;
	return (a, b) => {
		const first = compareValues(attributeOf(a)(property) ?? "", attributeOf(b)(property) ?? "");
		return first !== 0 ? sign * first : compareText(dnOf(a) ?? "", dnOf(b) ?? "");
	};
}

export function compareValues(a: string, b: string): number {
	const numeric = /^-?\d+(\.\d+)?$/;
	return numeric.test(a) && numeric.test(b) ? Number(a) - Number(b) : compareText(a, b);
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
