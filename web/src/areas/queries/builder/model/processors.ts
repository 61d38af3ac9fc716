/** Form fields of each post-processor's config; see docs/post-processors.md. */
import type { PostProcessorType } from "@weft/contracts";
import { CALCULATE_OPERATIONS } from "@weft/contracts/browser";

/** `when`: whether a config has the field; without it each has. */
export type ConfigField = (
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
			readonly kind: "map";
	  }
	| RowsField
) & { readonly when?: (config: Row) => boolean };

export type Row = Readonly<Record<string, unknown>>;
export type RowColumn = {
	readonly name: string;
	readonly label: string;
	readonly optional?: boolean;
	/** Whether a row has it. */
	readonly when?: (row: Row) => boolean;
} & (
	| { readonly kind: "number" }
	/** `list`: id of a `datalist` with proposals. */
	| { readonly kind: "text"; readonly list?: string }
	| { readonly kind: "flag"; readonly fallback: boolean }
	| { readonly kind: "choice"; readonly options: readonly string[] }
);

/** A list of entries, each a row of fields. */
export interface RowsField {
	readonly name: string;
	readonly label: string;
	readonly kind: "rows";
	/** What one is called. */
	readonly item: string;
	readonly hint?: string;
	readonly columns: readonly RowColumn[];
	readonly start: Row;
	/** Fields that a config with a single entry has itself, in place of the list. */
	readonly flat?: readonly string[];
	/** Completes a row after a change of one of its fields. */
	readonly settle?: (row: Row, changed: string) => Row;
	/** An entry that is not an object, as a row. */
	readonly read?: (entry: unknown) => Row;
	readonly write?: (row: Row) => unknown;
}

interface Processor {
	/** Name in the interface. */
	readonly name: string;
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

/** Operators that compare with nothing. */
const VALUELESS: readonly string[] = ["exists", "missing"];
const FUNCTIONS = ["count", "distinct", "sum", "avg", "min", "max", "list"] as const;

/** Steps of text-operations, with what each takes, as a new one begins. */
const STEPS: Readonly<Record<string, Row>> = {
	trim: {},
	upper: {},
	lower: {},
	title: {},
	prefix: { text: "" },
	suffix: { text: "" },
	replace: { search: "", text: "" },
	substring: { start: 0, end: 10 },
	split: { separator: "-", index: 0 },
};
const hasParameter =
	(name: string) =>
	({ operation }: Row): boolean =>
		name in (STEPS[String(operation)] ?? {});

/** Keeps what the other operation takes too. */
function settleStep(row: Row, changed: string): Row {
	if (changed !== "operation") return row;
	const { operation } = row;
	const usual = STEPS[String(operation)] ?? {};
	return { operation, ...Object.fromEntries(Object.entries(usual).map(([name, value]) => [name, row[name] ?? value])) };
}

/** `in` compares with a list, the others with one value. */
function settleCondition(row: Row): Row {
	const { value, ...rest } = row;
	if (VALUELESS.includes(String(row.operator))) return rest;
	const text = Array.isArray(value) ? value.join(",") : value;
	return { ...rest, value: row.operator === "in" ? String(text ?? "").split(",") : (text ?? "") };
}

function settleAggregation(row: Row): Row {
	const { field = "", ...rest } = row;
	return row.function === "count" ? rest : { ...rest, field };
}

const isOperation =
	(...operations: readonly string[]) =>
	({ operation }: Row): boolean =>
		operations.includes(String(operation));

export const PROCESSORS: Readonly<Record<PostProcessorType, Processor>> = {
	filter_rows: {
		name: "Keep rows",
		does: "Keeps rows that match a condition",
		fields: [
			{
				name: "conditions",
				label: "Conditions",
				kind: "rows",
				item: "condition",
				flat: ["field", "operator", "value", "caseSensitive"],
				columns: [
					{ name: "field", label: "Field", kind: "text" },
					{ name: "operator", label: "Operator", kind: "choice", options: ROW_OPERATORS },
					{
						name: "value",
						label: "Value",
						kind: "text",
						when: ({ operator }) => !VALUELESS.includes(String(operator)),
					},
					{ name: "caseSensitive", label: "Case-sensitive", kind: "flag", fallback: true },
				],
				start: { field: "name", operator: "contains", value: "" },
				settle: settleCondition,
			},
			{ name: "match", label: "Must hold", kind: "choice", options: ["all", "any"], optional: true },
		],
		start: { field: "name", operator: "contains", value: "" },
	},
	"pattern-filter": {
		name: "Keep rows by pattern",
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
		name: "Take part of the DN",
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
		name: "Replace text",
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
		name: "Replace values",
		does: "Maps values",
		fields: [
			field,
			{ name: "mapping", label: "Mapping of values", kind: "map" },
			{ name: "default", label: "Other values become", kind: "text", optional: true },
			target,
		],
		start: { field: "arpFlood", mapping: { yes: "on", no: "off" } },
	},
	"text-operations": {
		name: "Change text",
		does: "Trims, cuts, joins and replaces text",
		fields: [
			field,
			{
				name: "operations",
				label: "Steps, in order",
				kind: "rows",
				item: "step",
				columns: [
					{ name: "operation", label: "Step", kind: "choice", options: Object.keys(STEPS) },
					{ name: "search", label: "Find", kind: "text", when: hasParameter("search") },
					{ name: "text", label: "Text", kind: "text", when: hasParameter("text") },
					{ name: "separator", label: "Separator", kind: "text", when: hasParameter("separator") },
					{ name: "index", label: "Piece, from 0", kind: "number", when: hasParameter("index") },
					{ name: "start", label: "From", kind: "number", when: hasParameter("start") },
					{ name: "end", label: "To", kind: "number", when: hasParameter("end") },
				],
				start: { operation: "trim" },
				settle: settleStep,
			},
			target,
		],
		start: { field: "name", operations: [{ operation: "trim" }] },
	},
	"field-extract": {
		name: "Choose columns",
		does: "Flattens rows to these fields",
		fields: [
			{
				name: "fields",
				label: "Fields",
				kind: "rows",
				item: "field",
				hint: "children.fvRsCtx.tnFvCtxName reads children.",
				columns: [
					{ name: "path", label: "Field", kind: "text" },
					{ name: "as", label: "Name it", kind: "text", optional: true },
				],
				start: { path: "" },
				read: (entry) => (typeof entry === "string" ? { path: entry } : { ...(entry as Row) }),
				write: (row) => (row.as === undefined ? row.path : row),
			},
		],
		start: { fields: ["dn", "name"] },
	},
	flatten: {
		name: "All attributes as columns",
		does: "Flattens rows to all their attributes",
		fields: [
			{ name: "children", label: "Children become", kind: "choice", options: ["drop", "columns", "rows"] },
			{ name: "separator", label: "Separator", kind: "text", optional: true },
		],
		start: { children: "drop" },
	},
	"array-sort": {
		name: "Sort rows",
		does: "Sorts the rows",
		fields: [
			{
				name: "keys",
				label: "Sort by",
				kind: "rows",
				item: "field",
				flat: ["field", "order"],
				columns: [
					{ name: "field", label: "Field", kind: "text" },
					{ name: "order", label: "Order", kind: "choice", options: ["asc", "desc"] },
				],
				start: { field: "name", order: "asc" },
			},
		],
		start: { field: "name", order: "asc" },
	},
	aggregate: {
		name: "Group and count",
		does: "Groups rows and counts them",
		fields: [
			{ name: "groupBy", label: "Group by", kind: "list", hint: "One field per line; empty: one group of all rows." },
			{
				name: "aggregations",
				label: "Aggregations",
				kind: "rows",
				item: "aggregation",
				hint: "None: the number of rows.",
				columns: [
					{ name: "function", label: "Function", kind: "choice", options: FUNCTIONS },
					{ name: "field", label: "Field", kind: "text", when: (row) => row.function !== "count" },
					{ name: "as", label: "Name it", kind: "text", optional: true },
				],
				start: { function: "count" },
				settle: settleAggregation,
			},
		],
		start: { groupBy: ["class"] },
	},
	calculate: {
		name: "Calculate",
		does: "Computes percentages, free ranges and networks that overlap",
		fields: [
			{
				name: "operation",
				label: "Compute",
				kind: "choice",
				options: CALCULATE_OPERATIONS,
				hint: "percent: a part of a whole. free: what is not used of a range. overlap: networks that contain each other.",
			},
			{ ...field, when: isOperation("percent", "overlap") },
			{ name: "of", label: "Of which field", kind: "text", when: isOperation("percent") },
			{ name: "from", label: "Range from", kind: "text", when: isOperation("free") },
			{ name: "to", label: "Range to", kind: "text", when: isOperation("free") },
			{ name: "used", label: "Used ones in", kind: "list", hint: "One field per line.", when: isOperation("free") },
			{
				name: "groupBy",
				label: "Compare within",
				kind: "list",
				hint: "One field per line, such as vrf; empty: all rows.",
				when: isOperation("overlap"),
			},
			{
				name: "show",
				label: "Name other rows by",
				kind: "text",
				optional: true,
				hint: "Empty: the DN.",
				when: isOperation("overlap"),
			},
			{ name: "target", label: "Write to", kind: "text" },
			{ name: "usedTarget", label: "Write used ones to", kind: "text", optional: true, when: isOperation("free") },
			{
				name: "countTarget",
				label: "Write the number of free ones to",
				kind: "text",
				optional: true,
				when: isOperation("free"),
			},
		],
		start: { operation: "percent", field: "used", of: "capacity", target: "percent" },
	},
	join: {
		name: "Join into one row",
		does: "Joins classes into one row",
		// The form of a join is its own: inspector/join-form.tsx.
		fields: [],
		start: { base: "", attach: [] },
	},
};
