/** Query paths of the controller's REST interface. */
import type { ClassNode } from "@weft/contracts";
import { encodeOption, type FilterExpr, writeFilter } from "./filter-expression.ts";

export type Target =
	| { kind: "class"; className: string }
	/** All objects of a class that one switch reports. */
	| { kind: "node-class"; nodeDn: string; className: string }
	| { kind: "mo"; dn: string }
	/** The objects of a class at and below a DN. */
	| { kind: "below"; dn: string; className: string }
	/** The children of an object, or the object with everything below it. */
	| { kind: "scope"; dn: string; scope: "children" | "subtree" }
	| { kind: "class-scope"; className: string; scope: "children" | "subtree" };

export interface QueryOptions {
	className: string;
	filter: FilterExpr | undefined;
	/** Absent for queries of mixed classes, which have no common order and so are not paged. */
	orderBy: string | undefined;
	ordered: boolean;
	propertyInclude: string | undefined;
	include: readonly string[];
	timeRange: string | undefined;
}

export function buildQueryPath(target: Target, options: QueryOptions): string {
	const [base, ...scope] = getBase(target);
	const query = [...scope];
	if (options.filter) query.push(`query-target-filter=${encodeOption(writeFilter(options.className, options.filter))}`);
	if (options.include.length > 0) query.push(`rsp-subtree-include=${options.include.join(",")}`);
	if (options.propertyInclude && options.propertyInclude !== "all")
		query.push(`rsp-prop-include=${options.propertyInclude}`);
	if (options.timeRange) query.push(`time-range=${options.timeRange}`);
	if (options.ordered) query.push(`order-by=${encodeOption(getOrder(options.className, options.orderBy))}`);
	return `/api/${base}.json${query.length > 0 ? `?${query.join("&")}` : ""}`;
}

function getBase(target: Target): [string, ...string[]] {
	switch (target.kind) {
		case "class":
			return [`class/${target.className}`];
		case "node-class":
			return [`node/class/${encodeOption(target.nodeDn)}/${target.className}`];
		case "mo":
			return [`mo/${encodeOption(target.dn)}`];
		case "below":
			return [`mo/${encodeOption(target.dn)}`, "query-target=subtree", `target-subtree-class=${target.className}`];
		case "scope":
			return [`mo/${encodeOption(target.dn)}`, `query-target=${target.scope}`];
		case "class-scope":
			return [`class/${target.className}`, `query-target=${target.scope}`];
	}
}

/** Ends with the DN: an order with ties would repeat and lose objects between pages. */
function getOrder(className: string, orderBy: string | undefined): string {
	const { property, descending } = parseOrder(orderBy);
	const dn = `${className}.dn`;
	if (property === "dn") return descending ? `${dn}|desc` : dn;
	return `${className}.${property}|${descending ? "desc" : "asc"},${dn}`;
}

export function parseOrder(orderBy: string | undefined): { property: string; descending: boolean } {
	const descending = orderBy?.startsWith("-") === true;
	return { property: orderBy === undefined ? "dn" : orderBy.slice(descending ? 1 : 0), descending };
}

export const INCLUDES: readonly (readonly [keyof NonNullable<ClassNode["data"]["supplementalData"]>, string])[] = [
	["health", "health"],
	["faults", "faults"],
	["stats", "stats"],
	["relations", "relations"],
	["tasks", "tasks"],
	["deploymentRecords", "deployment"],
	["auditLogs", "audit-logs"],
	["eventLogs", "event-logs"],
	["faultRecords", "fault-records"],
	["healthRecords", "health-records"],
	["noScoped", "no-scoped"],
	["required", "required"],
];

/**
 * Values of `rsp-subtree-include`. `count` is left out, because its numbers are known to be wrong.
 */
export const getIncludes = (data: ClassNode["data"]): string[] =>
	INCLUDES.flatMap(([key, value]) => (data.supplementalData?.[key] === true ? [value] : []));
