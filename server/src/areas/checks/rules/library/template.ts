/** Check templates: a query and what its rows must be, with public sources of the expectation. */
import type { CheckType, FindingSeverity } from "@weft/contracts";

export interface CheckTemplate {
	/** Unique. Lower case with hyphens. */
	readonly key: string;
	readonly name: string;
	/** The rows that violate the check. */
	readonly finds: string;
	/** Why they matter. */
	readonly description: string;
	/** Words by which engineers look for it, beside synonyms of the name. */
	readonly keywords: readonly string[];
	/** Names of public documents. */
	readonly sources: readonly string[];
	readonly severity: FindingSeverity;
	readonly query: TemplateQuery;
	readonly check: TemplateCheck;
}

/** Fields of a saved query. */
interface TemplateQuery {
	readonly flow_data: { readonly nodes: readonly TemplateNode[]; readonly edges: readonly TemplateEdge[] };
	readonly post_processors: readonly TemplateProcessor[];
}

/** Fields of a check. */
interface TemplateCheck {
	readonly type: CheckType;
	readonly config: Readonly<Record<string, unknown>>;
	readonly for_runs: number;
}

interface TemplateNode {
	readonly id: string;
	readonly type: "classNode" | "filterNode" | "outputNode";
	readonly position: { readonly x: number; readonly y: number };
	readonly data: Readonly<Record<string, unknown>>;
}
interface TemplateEdge {
	readonly id: string;
	readonly source: string;
	readonly target: string;
}
interface TemplateProcessor {
	readonly type: string;
	readonly config: Readonly<Record<string, unknown>>;
}

type Filter = readonly [property: string, operator: "eq" | "ne" | "gt" | "contains", value: string];

/** Pixels between nodes of a canvas. */
const NODE_DISTANCE = 240;

/** Builds a query of the objects of one class that meet all filters. */
export function buildClassQuery(
	className: string,
	filters: readonly Filter[] = [],
	options: {
		/** Data of the class node. */
		readonly data?: Readonly<Record<string, unknown>>;
		readonly processors?: readonly TemplateProcessor[];
	} = {},
): TemplateQuery {
	const chain = [
		{ id: "class", type: "classNode" as const, data: { className, ...options.data } },
		...filters.map(([property, operator, value], i) => ({
			id: `filter-${i + 1}`,
			type: "filterNode" as const,
			data: { filterType: "property", property, operator, value },
		})),
		{ id: "output", type: "outputNode" as const, data: {} },
	];
	const nodes = chain.map((node, i) => ({ ...node, position: { x: i * NODE_DISTANCE, y: 0 } }));
	const edges = nodes.slice(1).map(({ id }, i) => {
		const source = nodes[i]?.id ?? "";
		return { id: `${source}-${id}`, source, target: id };
	});
	return { flow_data: { nodes, edges }, post_processors: options.processors ?? [] };
}

/** The objects with their relations as children. */
export const WITH_RELATIONS = { supplementalData: { relations: true } } as const;

/** One row per object of `pattern` with `classes`: its own class and those of all below it. */
export const buildClassListProcessors = (pattern: string): readonly TemplateProcessor[] => [
	{ type: "field-extract", config: { fields: ["dn", "class"] } },
	{ type: "regex-transform", config: { field: "dn", pattern: `^(${pattern}).*$`, replacement: "$1" } },
	{
		type: "aggregate",
		config: { groupBy: ["dn"], aggregations: [{ function: "list", field: "class", as: "classes" }] },
	},
];

/** Counts different values, which are one row. */
export const buildDistinctCount = (field: string): readonly TemplateProcessor[] => [
	{ type: "aggregate", config: { aggregations: [{ function: "distinct", field, as: "values" }] } },
];

export const buildNoRowsCheck = (forRuns = 1): TemplateCheck => ({ type: "no_rows", config: {}, for_runs: forRuns });

type Condition = readonly [
	field: string,
	operator: "eq" | "ne" | "lt" | "le" | "ge" | "exists" | "contains",
	value?: string,
];

/** Builds a check that every row meets all conditions. */
export const buildEachRowCheck = (conditions: readonly Condition[], forRuns = 1): TemplateCheck => ({
	type: "each_row",
	config: {
		conditions: conditions.map(([field, operator, value]) => ({
			field,
			operator,
			...(value === undefined ? {} : { value }),
		})),
	},
	for_runs: forRuns,
});

export const buildUniqueCheck = (fields: readonly string[]): TemplateCheck => ({
	type: "unique",
	config: { fields },
	for_runs: 1,
});
