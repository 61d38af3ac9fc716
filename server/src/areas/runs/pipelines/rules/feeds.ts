/** Collects the distinct values that a stage's rows pass on to later stages. */
import type { Row } from "../../../../core/rows/rows.ts";
import { buildTooManyValuesError } from "./limits.ts";
import type { StageInput } from "./plan.ts";
import { extractValues } from "./values.ts";

export function createFeeds(edges: readonly StageInput[], limit: number) {
	const sets = edges.map((edge) => ({ edge, values: new Set<string>() }));
	return {
		take(rows: readonly Row[], from: (edge: StageInput) => boolean): void {
			for (const { edge, values } of sets) {
				if (!from(edge)) continue;
				for (const value of extractValues(rows, edge.extractField)) values.add(value);
				if (values.size > limit) throw buildTooManyValuesError(limit);
			}
		},
		/** Values of an edge that were extracted elsewhere. */
		add(edgeId: string, more: readonly string[]): void {
			const values = sets.find(({ edge }) => edge.edgeId === edgeId)?.values;
			for (const value of more) values?.add(value);
			if (values !== undefined && values.size > limit) throw buildTooManyValuesError(limit);
		},
		done: (): Record<string, string[]> =>
			Object.fromEntries(sets.map(({ edge, values }) => [edge.edgeId, [...values]] as const)),
	};
}
