/** Labels of nodes, on the canvas and for screen readers. */
import type { PostProcessorType } from "@weft/contracts";
import type { CanvasNode, Doc, Kind } from "./canvas.ts";
import { PROCESSORS } from "./processors.ts";

export const KIND_NAMES: Readonly<Record<Kind, string>> = {
	startNode: "Start",
	classNode: "Class",
	filterNode: "Filter",
	postProcessorNode: "Step",
	outputNode: "Output",
};

const OPERATORS: Readonly<Record<string, string>> = {
	eq: "=",
	ne: "≠",
	gt: ">",
	lt: "<",
	ge: "≥",
	le: "≤",
	bw: "between",
	wcard: "matches",
	contains: "contains",
};

export const SUPPLEMENTS: Readonly<Record<string, string>> = {
	health: "health",
	faults: "faults",
	stats: "statistics",
	relations: "relations",
	tasks: "tasks",
	deploymentRecords: "deployment records",
	countOnly: "count only",
	noScoped: "only what is asked for, not its scope",
	required: "only objects that have it",
	auditLogs: "audit log",
	eventLogs: "events",
	faultRecords: "fault records",
	healthRecords: "health records",
};

const formatValue = (value: unknown): string =>
	typeof value === "string" ? value : value === undefined ? "" : String(value);
const quoteValue = (value: unknown): string =>
	Array.isArray(value) ? value.map(quoteValue).join(" and ") : `"${formatValue(value)}"`;

/** Formats the name of a step. Returns its type if that is unknown here. */
export const formatProcessor = (type: string): string =>
	type in PROCESSORS ? PROCESSORS[type as PostProcessorType].name : type;

export function formatTitle({ type, data }: Pick<CanvasNode, "type" | "data">): string {
	switch (type) {
		case "startNode":
			return "start";
		case "classNode":
			return formatValue(data.className) || "(no class)";
		case "filterNode":
			return formatValue(data.label) || (isPatterns(data) ? "patterns" : formatValue(data.property) || "(no property)");
		case "postProcessorNode":
			return formatProcessor(formatValue(data.processorType)) || "(no step)";
		case "outputNode":
			return "output";
	}
}

/** A node by its title, an edge by those of its ends. */
export function getName(doc: Pick<Doc, "nodes" | "edges">, id: string): string {
	const title = (nodeId: string): string => {
		const node = doc.nodes.find((each) => each.id === nodeId);
		return node ? formatTitle(node) : nodeId;
	};
	const edge = doc.edges.find((each) => each.id === id);
	return edge ? `${title(edge.source)} → ${title(edge.target)}` : title(id);
}

/** Up to three short lines below the title. */
export function formatLines({ type, data }: Pick<CanvasNode, "type" | "data">): string[] {
	switch (type) {
		case "startNode":
			return [];
		case "classNode":
			return describeClass(data);
		case "filterNode":
			return filterLines(data);
		case "postProcessorNode":
			return [...(data.isPaused === true ? ["paused"] : []), ...describeConfig(data.config)].slice(0, 3);
		case "outputNode":
			return [data.enableTimeMachine === true ? "snapshots" : "rows"];
	}
}

function describeClass(data: CanvasNode["data"]): string[] {
	const lines: string[] = [];
	if (data.scope === "children") lines.push("+ children");
	if (data.scope === "subtree") lines.push("+ whole subtree");
	if (data.propertyInclude === "naming-only") lines.push("names only");
	if (data.propertyInclude === "config-only") lines.push("configuration only");
	if (formatValue(data.node)) lines.push(`only on ${formatValue(data.node)}`);
	if (data.allowEmpty === true) lines.push("“not listed” is no rows");
	const order = formatValue(data.orderBy);
	const limit = formatValue(data.limit);
	if (order || limit) {
		const by = order ? `by ${order.replace(/^-/, "")}${order.startsWith("-") ? " ↓" : ""}` : "";
		lines.push([limit && `first ${limit}`, by].filter(Boolean).join(" "));
	}
	const extras = Object.entries((data.supplementalData ?? {}) as Record<string, unknown>)
		.filter(([, on]) => on === true)
		.map(([key]) => SUPPLEMENTS[key] ?? key);
	if (extras.length > 0) lines.push(`with ${extras.join(", ")}`);
	return lines.slice(0, 3);
}

export const isPatterns = (data: CanvasNode["data"]): boolean => data.filterType === "query-target-filter";

interface Pattern {
	property?: unknown;
	pattern?: unknown;
	operator?: unknown;
	type?: unknown;
	negate?: unknown;
}

function filterLines(data: CanvasNode["data"]): string[] {
	if (!isPatterns(data)) {
		const operator = OPERATORS[formatValue(data.operator) || "eq"] ?? formatValue(data.operator);
		return [`${formatValue(data.property)} ${operator} ${quoteValue(data.value)}`];
	}
	const groups = Array.isArray(data.patternGroups)
		? (data.patternGroups as { patterns?: Pattern[]; logicalOperator?: unknown }[])
		: [];
	const words = groups.map(({ patterns = [], logicalOperator }) =>
		patterns.map(formatPattern).join(` ${formatValue(logicalOperator) || "and"} `),
	);
	const joined = formatValue(data.groupCombineOperator) || "and";
	return words.flatMap((word, index) => (index === 0 ? [word] : [`${joined} ${word}`])).slice(0, 3);
}

const HOW: Readonly<Record<string, string>> = {
	starts: "starts with",
	ends: "ends with",
	contains: "contains",
	exact: "is",
};

function formatPattern({ property, pattern, operator, type, negate }: Pattern): string {
	const how = HOW[formatValue(type)] ?? OPERATORS[formatValue(operator) || "contains"] ?? formatValue(operator);
	return `${formatValue(property)} ${negate === true ? "not " : ""}${how} ${quoteValue(pattern)}`;
}

function describeConfig(config: unknown): string[] {
	if (typeof config !== "object" || config === null) return [];
	return Object.entries(config).map(
		([key, value]) => `${key}: ${typeof value === "object" ? JSON.stringify(value) : String(value)}`,
	);
}

/** For a screen reader: kind, name, where it leads. */
export function sayNode(doc: Doc, { id, type, data }: CanvasNode): string {
	const targets = doc.edges
		.filter((edge) => edge.source === id)
		.map((edge) => doc.nodes.find((node) => node.id === edge.target))
		.filter((node) => node !== undefined)
		.map((node) => formatTitle(node));
	const leads = targets.length > 0 ? `, leads to ${targets.join(" and ")}` : ", leads nowhere";
	return `${KIND_NAMES[type]} ${formatTitle({ type, data })}${type === "outputNode" ? "" : leads}`;
}
