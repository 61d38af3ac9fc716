/**
 * Merges the kept rows of branches to the rows of a stage: each object once, in order, up to the
 * limit.
 */
import { compareTexts } from "@weft/contracts/decimal";
import { getAttribute, getDn, type Row } from "../../../../core/rows/rows.ts";
import { compareCodeUnits } from "../../../../core/text.ts";
import type { Fetch, StagePlan } from "./plan.ts";
import { parseOrder } from "./urls.ts";

/** The result of one fetch: the rows that were kept, or a count. */
export interface Fetched {
	fetch: Fetch;
	rows: readonly Row[];
	count?: number;
}

/**
 * Rows of one class node, from the last steps of its branches. A single fetch keeps the
 * controller's order; several are merged by the class node's order, or by DN.
 */
export function readNodeRows(stage: StagePlan, nodeId: string, fetched: readonly Fetched[]): Row[] {
	const options = stage.branches.find((branch) => branch.nodeId === nodeId)?.options;
	const groups = new Map<number, Fetched[]>();
	for (const part of fetched) {
		const known = groups.get(part.fetch.group);
		if (known === undefined) groups.set(part.fetch.group, [part]);
		else known.push(part);
	}
	const rows = [...groups]
		.sort(([a], [b]) => a - b)
		.flatMap(([, parts]) => {
			const unique = deduplicateRows(parts.flatMap((part) => part.rows));
			const merged = parts.length > 1 ? unique.sort(createComparator(options?.orderBy)) : unique;
			return options?.limit === undefined ? merged : merged.slice(0, options.limit);
		});
	if (options?.supplementalData?.countOnly !== true) return deduplicateRows(rows);
	const [first] = fetched;
	return [buildCountRow(first?.count ?? deduplicateRows(rows).length)];
}

/** The stage's rows before post-processing: those of all its answer classes, each object once. */
export function mergeStageRows(stage: StagePlan, getRows: (nodeId: string) => readonly Row[]): Row[] {
	return deduplicateRows(stage.answers.flatMap((nodeId) => getRows(nodeId)));
}

/** First of each DN, in order; rows without a DN are all kept. */
function deduplicateRows(rows: readonly Row[]): Row[] {
	const seen = new Set<string>();
	return rows.filter((row) => {
		const dn = getDn(row);
		if (dn === undefined) return true;
		if (seen.has(dn)) return false;
		seen.add(dn);
		return true;
	});
}

const buildCountRow = (count: number): Row => ({
	moCount: { attributes: { childAction: "", count: String(count), dn: "", status: "" } },
});

/**
 * Numbers by value, everything else by code units, the DN last. Rows without the property come
 * first, as on the controller.
 */
function createComparator(orderBy: string | undefined): (a: Row, b: Row) => number {
	const { property, descending } = parseOrder(orderBy);
	const sign = descending ? -1 : 1;
	return (a, b) => {
		const first = compareTexts(getAttribute(a)(property) ?? "", getAttribute(b)(property) ?? "");
		return first !== 0 ? sign * first : compareCodeUnits(getDn(a) ?? "", getDn(b) ?? "");
	};
}
