/** Constants of the flow of a query. */

export const NODE_TYPES = ["startNode", "classNode", "filterNode", "postProcessorNode", "outputNode"] as const;
export const SCOPES = ["self", "children", "subtree"] as const;
export const PROPERTY_INCLUDES = ["all", "naming-only", "config-only"] as const;
export const TIME_RANGES = ["24h", "1week", "1month", "3month"] as const;
export const FILTER_OPERATORS = ["eq", "ne", "gt", "lt", "ge", "le", "bw", "wcard", "contains"] as const;
export const LOGICAL_OPERATORS = ["and", "or", "xor"] as const;
export const INJECT_MODES = ["filter_values", "dn_scope", "iterate"] as const;
export const SUPPLEMENTAL_KEYS = [
	"health",
	"faults",
	"stats",
	"relations",
	"tasks",
	"deploymentRecords",
	"countOnly",
	"noScoped",
	"required",
	"auditLogs",
	"eventLogs",
	"faultRecords",
	"healthRecords",
] as const;

export type InjectMode = (typeof INJECT_MODES)[number];
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

export const FLOW_LIMITS = {
	nodes: 2_000,
	edges: 5_000,
	postProcessors: 100,
	variables: 100,
	idLength: 200,
	valueLength: 4_000,
	patternLength: 1_000,
	/** Patterns of all filters together. */
	patterns: 10_000,
	/** Values of a canvas, lists and objects included. */
	values: 200_000,
	/** Levels of nesting anywhere in a canvas. */
	depth: 64,
} as const;

export const PATTERN_TYPES = ["starts", "ends", "contains", "exact"] as const;

export const POST_PROCESSOR_TYPES = [
	"filter_rows",
	"dn-extract",
	"regex-transform",
	"array-sort",
	"pattern-filter",
	"field-extract",
	"flatten",
	"map-transform",
	"text-operations",
	"aggregate",
	"join",
	"calculate",
] as const;
export type PostProcessorType = (typeof POST_PROCESSOR_TYPES)[number];

/** What `calculate` computes. */
export const CALCULATE_OPERATIONS = ["percent", "free", "overlap"] as const;

/** How an attached object of a join lies to the base; or two fields are equal. */
export const JOIN_RELATIONS = ["child", "parent", "relation"] as const;
/** What a join makes of several attached objects of one base. */
export const JOIN_MANY = ["rows", "list", "count", "first"] as const;
/** Names that an attached field cannot have, because paths of fields read them. */
export const JOIN_RESERVED: readonly string[] = ["dn", "class", "attributes", "children"];
export const JOIN_LIMITS = {
	/** Of a query that are not paused. */
	joins: 10,
	attachments: 20,
	/** Of one attached class. */
	fields: 50,
	nameLength: 100,
} as const;
