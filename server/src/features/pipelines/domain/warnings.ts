/** What is worth saying about a canvas before it runs, from the canvas alone. */
import type { ClassNode } from "@weft/contracts";
import { BIG_CLASSES, RECORD_CLASSES } from "./class-table.ts";
import type { FilterExpr } from "./filter-expression.ts";
import type { PlanWarning } from "./plan.ts";

export function warningsOf(
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
			found.push(
				`${data.className} keeps very many records: without a time range the controller goes through all of them.`,
			);
		}
		if (BIG_CLASSES.has(data.className) && own.some(searchesValues)) {
			found.push(searchWarning(data.className));
		}
		return found.map((message) => ({ nodeId: id, message }));
	});
}

/** Whether the controller must look into each value: no index helps it. */
export function searchesValues(expr: FilterExpr): boolean {
	if (expr.op === "and" || expr.op === "or" || expr.op === "xor") return expr.args.some(searchesValues);
	if (expr.op === "not") return searchesValues(expr.arg);
	return expr.op === "contains" || expr.op === "ends" || (expr.op === "regex" && !expr.value.startsWith("^"));
}

export const searchWarning = (className: string): string =>
	`${className} is a large class, and a search inside values reads all of it.`;
