/** Processors that keep or drop rows. */
import type { PostProcessorConfig } from "@weft/contracts";
import { conditionsTest, textsAt, textTest } from "../../../../../core/rows/conditions.ts";
import type { Row } from "../../../../../core/rows/rows.ts";

export function filterRows(config: PostProcessorConfig<"filter_rows">): (row: Row) => Row[] {
	const passes = conditionsTest(config);
	return (row) => (passes(row) ? [row] : []);
}

export function patternFilter(config: PostProcessorConfig<"pattern-filter">): (row: Row) => Row[] {
	const matches = textTest(config.type, config.pattern, config.caseSensitive);
	return (row) => (textsAt(row, config.field).some(matches) === config.negate ? [] : [row]);
}
