/** Rows of a job by result, in words. Pure. */
import type { RowCounts } from "@weft/contracts";
import { formatCount, formatPlural } from "../../platform/format.ts";

/** Results that count as one in words, in their order. */
const PARTS: readonly (readonly [results: readonly (keyof RowCounts)[], word: string, dryWord: string])[] = [
	[["changed"], "changed", "would change"],
	[["ok"], "unchanged", "unchanged"],
	[["failed", "unreachable"], "failed", "failed"],
	[["skipped"], "skipped", "skipped"],
	[["unknown", "censored"], "unknown", "unknown"],
];

export const sumRows = (counts: RowCounts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** "10 rows changed, 2 failed"; what no row has is left out. Null where there are no rows. */
export function formatRowCounts(counts: RowCounts, dryRun = false): string | null {
	const parts = PARTS.flatMap(([results, word, dryWord]) => {
		const count = results.reduce((sum, result) => sum + (counts[result] ?? 0), 0);
		return count === 0 ? [] : [{ count, word: dryRun ? dryWord : word }];
	});
	const [first, ...rest] = parts;
	if (first === undefined) return null;
	return [
		`${formatPlural(first.count, "row")} ${first.word}`,
		...rest.map(({ count, word }) => `${formatCount(count)} ${word}`),
	].join(", ");
}
