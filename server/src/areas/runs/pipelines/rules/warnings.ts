/** Warnings about a flow before it runs, from the flow alone. */
import type { ClassNode } from "@weft/contracts";
import { BIG_CLASSES, RECORD_CLASSES } from "./class-table.ts";
import { type FilterExpr, listLeaves } from "./filter-expression.ts";
import type { PlanWarning } from "./plan.ts";

export function collectWarnings(
	classes: readonly ClassNode[],
	answers: ReadonlySet<string>,
	filters: ReadonlyMap<string, FilterExpr[]>,
): PlanWarning[] {
	return classes.flatMap(({ id, data }) => {
		const found: string[] = [];
		const own = filters.get(id) ?? [];
		if (!answers.has(id)) {
			const unused = [
				data.scope !== undefined && data.scope !== "self" ? "scope" : undefined,
				data.limit !== undefined ? "limit" : undefined,
				data.orderBy !== undefined ? "order" : undefined,
				Object.values(data.supplementalData ?? {}).some((on) => on === true) ? "supplemental data" : undefined,
			].filter((name) => name !== undefined);
			if (unused.length > 0) {
				found.push(
					`The ${unused.join(", ")} of ${data.className} has no effect, because its own objects are not in the answer.`,
				);
			}
		}
		if (RECORD_CLASSES.has(data.className) && !data.timeRange) {
			found.push(`${data.className} has very many records: without a time range the controller reads all of them.`);
		}
		if (BIG_CLASSES.has(data.className) && own.some(isValueSearch)) {
			found.push(searchWarning(data.className));
		}
		return found.map((message) => ({ nodeId: id, message }));
	});
}

/** Whether the controller must search inside values, where no index helps it. */
export const isValueSearch = (expr: FilterExpr): boolean =>
	listLeaves(expr).some(
		(leaf) => leaf.op === "contains" || leaf.op === "ends" || (leaf.op === "regex" && !leaf.value.startsWith("^")),
	);

export const searchWarning = (className: string): string =>
	`${className} is a large class, and a search inside values reads all of it.`;
