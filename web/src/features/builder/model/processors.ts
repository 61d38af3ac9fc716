/** Form fields of each post-processor's config; see docs/post-processors.md. */
import type { PostProcessorType } from "@weft/contracts";

export type ConfigField =
	| {
			readonly name: string;
			readonly label: string;
			readonly kind: "text" | "number" | "flag" | "list" | "pattern";
			readonly optional?: boolean;
			readonly fallback?: boolean;
			readonly hint?: string;
	  }
	| {
			readonly name: string;
			readonly label: string;
			readonly kind: "choice";
			readonly options: readonly string[];
			readonly optional?: boolean;
			readonly hint?: string;
	  }
	| {
			readonly name: string;
			readonly label: string;
			readonly kind: "json";
			readonly optional?: boolean;
			readonly example: unknown;
			readonly hint?: string;
	  };

interface Processor {
	readonly does: string;
	readonly fields: readonly ConfigField[];
	/** What a new one starts with. */
	readonly start: Readonly<Record<string, unknown>>;
}

const field = { name: "field", label: "Field", kind: "text" } as const;
const target = {
	name: "target",
	label: "Write to",
	kind: "text",
	optional: true,
	hint: "Empty: the source field.",
} as const;
const caseSensitive = {
	name: "caseSensitive",
	label: "Case-sensitive",
	kind: "flag",
	fallback: true,
} as const;
const ROW_OPERATORS = [
	"eq",
	"ne",
	"gt",
	"lt",
	"ge",
	"le",
	"in",
	"contains",
	"starts",
	"ends",
	"regex",
	"exists",
	"missing",
] as const;

export const PROCESSORS: Readonly<Record<PostProcessorType, Processor>> = {
	filter_rows: {
		does: "Keeps rows that match a condition",
		fields: [
			field,
			{ name: "operator", label: "Operator", kind: "choice", options: ROW_OPERATORS },
			{ name: "value", label: "Value", kind: "text", optional: true },
			caseSensitive,
			{
				name: "conditions",
				label: "Several conditions",
				kind: "json",
				optional: true,
				example: [{ field: "mtu", operator: "gt", value: 1500 }],
				hint: "Instead of the fields above.",
			},
			{ name: "match", label: "Must hold", kind: "choice", options: ["all", "any"], optional: true },
		],
		start: { field: "name", operator: "contains", value: "" },
	},
	"pattern-filter": {
		does: "Keeps rows whose field matches a pattern",
		fields: [
			field,
			{ name: "pattern", label: "Pattern", kind: "pattern" },
			{ name: "type", label: "How", kind: "choice", options: ["regex", "starts", "ends", "contains", "exact"] },
			{ name: "negate", label: "Keep rows that do not match", kind: "flag" },
			caseSensitive,
		],
		start: { field: "name", pattern: "^prod", type: "regex" },
	},
	"dn-extract": {
		does: "Extracts a part of a DN",
		fields: [
			{ ...field, label: "DN in" },
			{ name: "part", label: "Part", kind: "choice", options: ["parent", "rn", "value", "segment"] },
			{
				name: "rnPrefix",
				label: "Prefix of the piece",
				kind: "text",
				optional: true,
				hint: "Example: tn selects tn-prod of uni/tn-prod.",
			},
			{ name: "index", label: "Place of the segment", kind: "number", optional: true },
			{ name: "target", label: "Write to", kind: "text" },
		],
		start: { field: "dn", part: "value", rnPrefix: "tn", target: "tenant" },
	},
	"regex-transform": {
		does: "Replaces matches in a field",
		fields: [
			field,
			{ name: "pattern", label: "Pattern", kind: "pattern" },
			{ name: "replacement", label: "Replacement", kind: "text", optional: true },
			caseSensitive,
			target,
		],
		start: { field: "name", pattern: "^prod-", replacement: "" },
	},
	"map-transform": {
		does: "Maps values",
		fields: [
			field,
			{ name: "mapping", label: "Mapping of values", kind: "json", example: { yes: "on", no: "off" } },
			{ name: "default", label: "Other values become", kind: "text", optional: true },
			target,
		],
		start: { field: "arpFlood", mapping: { yes: "on", no: "off" } },
	},
	"text-operations": {
		does: "Trims, cuts, joins and replaces text",
		fields: [
			field,
			{
				name: "operations",
				label: "Steps, in order",
				kind: "json",
				example: [{ operation: "split", separator: "-", index: 0 }, { operation: "upper" }],
			},
			target,
		],
		start: { field: "name", operations: [{ operation: "trim" }] },
	},
	"field-extract": {
		does: "Flattens rows to these fields",
		fields: [
			{
				name: "fields",
				label: "Fields",
				kind: "list",
				hint: "One per line; children.fvRsCtx.tnFvCtxName reads children.",
			},
		],
		start: { fields: ["dn", "name"] },
	},
	flatten: {
		does: "Flattens rows to all their attributes",
		fields: [
			{ name: "children", label: "Children become", kind: "choice", options: ["drop", "columns", "rows"] },
			{ name: "separator", label: "Separator", kind: "text", optional: true },
		],
		start: { children: "drop" },
	},
	"array-sort": {
		does: "Sorts the rows",
		fields: [
			field,
			{ name: "order", label: "Order", kind: "choice", options: ["asc", "desc"] },
			{
				name: "keys",
				label: "By several fields",
				kind: "json",
				optional: true,
				example: [{ field: "tenant" }, { field: "mtu", order: "desc" }],
				hint: "Instead of the fields above.",
			},
		],
		start: { field: "name", order: "asc" },
	},
	aggregate: {
		does: "Groups rows and counts them",
		fields: [
			{ name: "groupBy", label: "Group by", kind: "list", hint: "One field per line; empty: one group of all rows." },
			{
				name: "aggregations",
				label: "Aggregations",
				kind: "json",
				optional: true,
				example: [{ function: "count" }, { function: "max", field: "mtu" }],
			},
		],
		start: { groupBy: ["class"] },
	},
};
