/**
 * The canvas that a person draws.
 *
 * `canvasSchema` keeps the JSON as sent (it must be returned unchanged, with unknown fields).
 * `flowSchema` interprets it: legacy short node types become the long ones, blank optional fields
 * count as absent, defaults are filled in. The server checks rules over the whole graph (cycles,
 * dangling edges).
 */
import * as z from "zod";
import { defineList } from "../../core/bounded.ts";
import {
	className,
	defineChoice,
	defineObject,
	defineOptional,
	defineWholeNumber,
	fieldPath,
	filterValue,
	flag,
	id,
	isRecord,
	propertyName,
	text,
} from "./fields.ts";
import { listByProcessor, type ProcessorNodeData } from "./processor-shapes.ts";
import {
	FILTER_OPERATORS,
	FLOW_LIMITS,
	INJECT_MODES,
	LOGICAL_OPERATORS,
	NODE_TYPES,
	PATTERN_TYPES,
	PROPERTY_INCLUDES,
	SCOPES,
	SUPPLEMENTAL_KEYS,
	TIME_RANGES,
} from "./values.ts";

const LEGACY_TYPES: ReadonlyMap<string, string> = new Map([
	["start", "startNode"],
	["class", "classNode"],
	["filter", "filterNode"],
	["postProcessor", "postProcessorNode"],
	["output", "outputNode"],
]);

/** The long form of a node's type. */
export const describeLongNodeType = (type: string): string => LEGACY_TYPES.get(type) ?? type;

const SWITCH_DN_ERROR = "Must be the DN of a switch, such as topology/pod-1/node-101.";

const classData = defineObject({
	className,
	scope: defineOptional(defineChoice(SCOPES)),
	propertyInclude: defineOptional(defineChoice(PROPERTY_INCLUDES)),
	orderBy: defineOptional(
		z
			.string({ error: "Must be a property name, with - in front for descending." })
			.max(129, { error: "Must be a property name, with - in front for descending.", abort: true })
			.regex(/^-?[A-Za-z_]\w{0,127}$/, {
				error: "Must be a property name, with - in front for descending.",
			}),
	),
	limit: defineOptional(defineWholeNumber(1, 1_000_000)),
	supplementalData: defineOptional(
		defineObject(
			Object.fromEntries(SUPPLEMENTAL_KEYS.map((key) => [key, flag])) as Record<
				(typeof SUPPLEMENTAL_KEYS)[number],
				typeof flag
			>,
		),
	),
	timeRange: defineOptional(defineChoice(TIME_RANGES)),
	/** An answer that counts objects and lists none, again after the retries, is empty, no error. */
	allowEmpty: flag,
	/**
	 * DN of a switch that is asked through the controller, for this class alone: objects that the
	 * switch itself has, with scope `self` and without classes above or below.
	 */
	node: defineOptional(
		z
			.string({ error: SWITCH_DN_ERROR })
			.max(40, { error: SWITCH_DN_ERROR, abort: true })
			.regex(/^topology\/pod-[1-9]\d{0,2}\/node-[1-9]\d{0,4}$/, { error: SWITCH_DN_ERROR }),
	),
});

const patternSchema = defineObject({
	property: propertyName,
	pattern: text,
	operator: defineOptional(defineChoice(FILTER_OPERATORS)),
	type: defineOptional(defineChoice(PATTERN_TYPES)),
	negate: flag,
});
const patternGroupSchema = defineObject({
	patterns: defineList(patternSchema, {
		max: 500,
		error: "Must be a list of patterns.",
		tooMany: "Must have at most 500 patterns.",
	}).min(1, { error: "Needs at least one pattern." }),
	logicalOperator: defineOptional(defineChoice(LOGICAL_OPERATORS)),
});
const propertyFilterData = defineObject({
	filterType: z.literal("property"),
	property: propertyName,
	operator: defineOptional(defineChoice(FILTER_OPERATORS)),
	value: z.union([filterValue, defineList(filterValue, { max: 100 })], { error: "A value is required." }),
});
const patternFilterData = defineObject({
	filterType: z.literal("query-target-filter"),
	patternGroups: defineList(patternGroupSchema, {
		max: 100,
		error: "Must be a list of pattern groups.",
		tooMany: "Must have at most 100 groups.",
	}).min(1, { error: "Needs at least one group." }),
	groupCombineOperator: defineOptional(defineChoice(LOGICAL_OPERATORS)),
});
const filterData = z.preprocess(
	(value) => (isRecord(value) && (value.filterType ?? "") === "" ? { ...value, filterType: "property" } : value),
	z.discriminatedUnion("filterType", [propertyFilterData, patternFilterData], {
		error: (issue) =>
			issue.code === "invalid_union" ? "Must be one of: property, query-target-filter." : "Must be an object.",
	}),
);

const processorNodeData = listByProcessor("processorType", (type, config) =>
	defineObject({ processorType: z.literal(type), config, isPaused: flag }),
) as unknown as z.ZodType<ProcessorNodeData>;
const outputData = defineObject({ pageSize: defineOptional(defineWholeNumber(1, 100_000)), enableTimeMachine: flag });
const defineNode = <T extends (typeof NODE_TYPES)[number], D extends z.ZodType>(type: T, data: D) =>
	defineObject({ id, type: z.literal(type), data });

export const flowNodeSchema = z.preprocess(
	(value) =>
		isRecord(value)
			? {
					...value,
					type: typeof value.type === "string" ? describeLongNodeType(value.type) : value.type,
					data: value.data ?? {},
				}
			: value,
	z.discriminatedUnion(
		"type",
		[
			defineNode("startNode", defineObject({})),
			defineNode("classNode", classData),
			defineNode("filterNode", filterData),
			defineNode("postProcessorNode", processorNodeData),
			defineNode("outputNode", outputData),
		],
		{
			error: (issue) =>
				issue.code === "invalid_union" ? `Must be one of: ${NODE_TYPES.join(", ")}.` : "Must be an object.",
		},
	),
);
/** Fields of a node's data that Weft reads, by type. A canvas may hold others for its editor. */
export const NODE_FIELDS: Readonly<Record<(typeof NODE_TYPES)[number], readonly string[]>> = {
	startNode: [],
	classNode: Object.keys(classData.shape),
	filterNode: [...Object.keys(propertyFilterData.shape), ...Object.keys(patternFilterData.shape)],
	postProcessorNode: ["processorType", "config", "isPaused"],
	outputNode: Object.keys(outputData.shape),
};
export const flowEdgeSchema = z.preprocess(
	(value) => (isRecord(value) ? { ...value, data: value.data ?? {} } : value),
	defineObject({
		id,
		source: id,
		target: id,
		data: defineObject({
			/** `pipeline` starts a new stage; anything else is a plain edge. */
			edgeType: defineOptional(
				z.string({ error: "Must be a string." }).max(50, { error: "Must have at most 50 characters." }),
			),
			extractField: defineOptional(fieldPath),
			injectAs: defineOptional(defineChoice(INJECT_MODES)),
			injectProperty: defineOptional(propertyName),
		}),
	}),
);
export const flowSchema = defineObject({
	nodes: defineList(flowNodeSchema, {
		max: FLOW_LIMITS.nodes,
		error: "Must be a list of nodes.",
		tooMany: `Must have at most ${FLOW_LIMITS.nodes} nodes.`,
	}),
	edges: defineList(flowEdgeSchema, {
		max: FLOW_LIMITS.edges,
		error: "Must be a list of edges.",
		tooMany: `Must have at most ${FLOW_LIMITS.edges} edges.`,
	}),
	viewport: z.unknown().optional(),
});

export type Flow = z.output<typeof flowSchema>;
export type FlowNode = Flow["nodes"][number];
export type FlowEdge = Flow["edges"][number];
export type NodeOf<T extends FlowNode["type"]> = Extract<FlowNode, { type: T }>;
export type ClassNode = NodeOf<"classNode">;
export type FilterNode = NodeOf<"filterNode">;

/** A node or an edge: described as an open object, checked by the rules over the whole graph. */
const element = z.unknown().meta({ type: "object", additionalProperties: true });

/** A canvas as it travels and is stored: only its outline is checked, everything in it is kept. */
export const canvasSchema = z.looseObject(
	{
		nodes: defineList(element, {
			max: FLOW_LIMITS.nodes,
			tooMany: `Must have at most ${FLOW_LIMITS.nodes} nodes.`,
		}),
		edges: defineList(element, {
			max: FLOW_LIMITS.edges,
			tooMany: `Must have at most ${FLOW_LIMITS.edges} edges.`,
		}),
	},
	{ error: "Must be an object with nodes and edges." },
);
export type Canvas = z.output<typeof canvasSchema>;
