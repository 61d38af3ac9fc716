/** Processors that keep or drop rows. */
import type { PostProcessorConfig } from "@weft/contracts";
import { buildAllConditionsTest, buildTextTest, readTextsAt } from "../../../../../core/rows/conditions.ts";
import type { Row } from "../../../../../core/rows/rows.ts";

export function filterRows(config: PostProcessorConfig<"filter_rows">): (row: Row) => Row[] {
	const passes = buildAllConditionsTest(config);
	return (row) => (passes(row) ? [row] : []);
}

export function createPatternFilter(config: PostProcessorConfig<"pattern-filter">): (row: Row) => Row[] {
	const matches = buildTextTest(config.type, config.pattern, config.caseSensitive);
	return (row) => (readTextsAt(row, config.field).some(matches) === config.negate ? [] : [row]);
}
