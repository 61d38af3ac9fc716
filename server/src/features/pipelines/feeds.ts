/** Distinct values for later stages, gathered as rows come by. */
import { extractValues } from "./domain/inject.ts";
import type { StageInput } from "./domain/plan.ts";
import type { Row } from "./domain/rows.ts";
import { tooManyValues } from "./limits.ts";

export function createFeeds(edges: readonly StageInput[], limit: number) {
	const sets = edges.map((edge) => ({ edge, values: new Set<string>() }));
	return {
		take(rows: readonly Row[], from: (edge: StageInput) => boolean): void {
			for (const { edge, values } of sets) {
				if (!from(edge)) continue;
				for (const value of extractValues(rows, edge.extractField)) values.add(value);
				if (values.size > limit) throw tooManyValues(limit);
			}
		},
		done: (): Record<string, string[]> =>
			Object.fromEntries(sets.map(({ edge, values }) => [edge.edgeId, [...values]] as const)),
	};
}
