/** Counts of a job's rows by result, in words. Pure. */
import type { RowCounts } from "@weft/contracts";
import { formatCount, formatPlural } from "../../platform/format.ts";

/** Results that share a word, in the order of the text. */
const PARTS: readonly (readonly [results: readonly (keyof RowCounts)[], word: string, dryWord: string])[] = [
	[["changed"], "changed", "would change"],
	[["ok"], "unchanged", "unchanged"],
	[["failed", "unreachable"], "failed", "failed"],
	[["skipped"], "skipped", "skipped"],
	[["unknown", "censored"], "unknown", "unknown"],
];

export const sumRows = (counts: RowCounts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Formats counts such as "10 rows changed, 2 failed", without zeros. Null if there are no rows. */
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
