/**
 * Reads the canvas and the post-processors that a caller sent: either the value understood, or
 * every error at once under its dotted path. Saved queries store the canvas as sent; the value
 * returned here is for compiling it.
 */
import {
	type FilterNode,
	FLOW_LIMITS,
	type Flow,
	flowEdgeSchema,
	flowNodeSchema,
	flowSchema,
	type PostProcessor,
	postProcessorsSchema,
} from "@weft/contracts";
import { type CompilePattern, createPatternCompiler, PatternError } from "../../../../core/regex.ts";
import {
	addError,
	buildChecked,
	type Checked,
	type FieldErrors,
	guardJson,
	hasErrors,
	parseGuarded,
	parseJson,
} from "./checked.ts";
import { checkStructure, type Outline } from "./structure.ts";

/**
 * A canvas that may be saved, an empty one too; see {@link runProblems} for what running needs
 * beyond that.
 */
export function readFlow(canvas: unknown): Checked<Flow> {
	const errors: FieldErrors = {};
	guardJson(canvas, "flow_data", errors);
	if (hasErrors(errors)) return { ok: false, errors };
	const flow = parseGuarded(flowSchema, canvas, "flow_data", errors);
	if (flow || Array.isArray((canvas as { nodes?: unknown } | null)?.nodes)) {
		checkStructure(flow ? buildOutline(flow) : outlineOfInvalid(canvas), errors);
	}
	if (flow && countPatterns(flow) > FLOW_LIMITS.patterns) {
		const most = FLOW_LIMITS.patterns.toLocaleString("en");
		addError(errors, "flow_data.nodes", `The filters must have at most ${most} patterns together. Split the query.`);
	}
	const compile = createPatternCompiler();
	for (const [index, node] of (flow?.nodes ?? []).entries()) {
		const at = `flow_data.nodes.${index}.data`;
		if (node.type === "filterNode") checkFilter(node, at, errors);
		if (node.type === "postProcessorNode") checkRegexes(node.data.config, `${at}.config`, errors, compile);
	}
	return buildChecked(flow, errors);
}

function countPatterns({ nodes }: Flow): number {
	let count = 0;
	for (const { type, data } of nodes) {
		if (type !== "filterNode" || data.filterType === "property") continue;
		for (const { patterns } of data.patternGroups) count += patterns.length;
	}
	return count;
}

/** Why a canvas that may be saved cannot be run. */
export function runProblems(flow: Flow): FieldErrors {
	if (flow.nodes.some((node) => node.type === "classNode")) return {};
	return { "flow_data.nodes": ["The canvas has no class to query."] };
}

export function readPostProcessors(value: unknown): Checked<PostProcessor[]> {
	const errors: FieldErrors = {};
	const processors = parseJson(postProcessorsSchema, value, "post_processors", errors);
	const compile = createPatternCompiler();
	for (const [index, { config }] of (processors ?? []).entries()) {
		checkRegexes(config, `post_processors.${index}.config`, errors, compile);
	}
	return buildChecked(processors, errors);
}

const buildOutline = (flow: Flow): Outline => ({
	nodes: flow.nodes.map((node, index) => ({ index, id: node.id, node, type: node.type })),
	edges: flow.edges.map((edge, index) => ({ index, edge })),
});

/**
 * The structure is checked as far as it can be read, so that an invalid field does not hide a
 * cycle.
 */
function outlineOfInvalid(canvas: unknown): Outline {
	const { nodes, edges } = canvas as { nodes: unknown[]; edges?: unknown };
	const readable = (list: unknown): unknown[] => (Array.isArray(list) && list.length <= 5_000 ? list : []);
	return {
		nodes: readable(nodes).flatMap((raw, index): Outline["nodes"][number][] => {
			const parsed = flowNodeSchema.safeParse(raw);
			if (parsed.success) return [{ index, id: parsed.data.id, node: parsed.data, type: parsed.data.type }];
			const id = (raw as { id?: unknown } | null)?.id;
			const type = (raw as { type?: unknown } | null)?.type;
			const name = typeof type === "string" ? type.replace(/^(class|filter)$/, "$1Node") : "";
			return typeof id === "string" ? [{ index, id, node: undefined, type: name }] : [];
		}),
		edges: readable(edges).flatMap((raw, index) => {
			const parsed = flowEdgeSchema.safeParse(raw);
			return parsed.success ? [{ index, edge: parsed.data }] : [];
		}),
	};
}

function checkFilter(node: FilterNode, at: string, errors: FieldErrors): void {
	if (node.data.filterType === "property") {
		const { operator = "eq", value } = node.data;
		const count = Array.isArray(value) ? value.length : operator === "bw" ? String(value).split(",").length : 1;
		if (operator === "bw" && count !== 2) addError(errors, `${at}.value`, "bw needs two values.");
		if (operator !== "bw" && Array.isArray(value)) addError(errors, `${at}.value`, `${operator} takes one value.`);
		if ((operator === "wcard" || operator === "contains") && value === "") {
			addError(errors, `${at}.value`, "Must not be empty.");
		}
		const isOrder = ["lt", "gt", "le", "ge", "bw"].includes(operator);
		if (isOrder && [value].flat().some((one) => String(one).endsWith("\\"))) {
			addError(errors, `${at}.value`, `A value of ${operator} must not end in a backslash.`);
		}
		return;
	}
	for (const [g, group] of node.data.patternGroups.entries()) {
		for (const [p, { type, operator = "wcard", pattern }] of group.patterns.entries()) {
			const path = `${at}.patternGroups.${g}.patterns.${p}`;
			const compares = ["lt", "gt", "le", "ge"].includes(operator);
			if (operator === "bw") addError(errors, `${path}.operator`, "A pattern cannot be a range.");
			if (compares && type !== undefined && type !== "exact") {
				addError(errors, `${path}.operator`, `${operator} needs the type exact.`);
			}
			if (compares && pattern.endsWith("\\")) {
				addError(errors, `${path}.pattern`, `A value of ${operator} must not end in a backslash.`);
			}
			if (pattern === "" && type !== "exact" && !compares) addError(errors, `${path}.pattern`, "Must not be empty.");
		}
	}
}

/** Every regular expression in a processor's config must compile on the engine that will run it. */
function checkRegexes(config: PostProcessor["config"], at: string, errors: FieldErrors, compile: CompilePattern): void {
	const check = (pattern: unknown, path: string) => {
		const problem = findRegexProblem(String(pattern), compile);
		if (problem) addError(errors, `${at}.${path}`, problem);
	};
	if ("replacement" in config) check(config.pattern, "pattern");
	else if ("pattern" in config && config.type === "regex") check(config.pattern, "pattern");
	else if ("conditions" in config) {
		for (const [i, condition] of config.conditions.entries()) {
			if (condition.operator === "regex") check(condition.value ?? "", `conditions.${i}.value`);
		}
	}
}

function findRegexProblem(pattern: string, compile: CompilePattern): string | undefined {
	if (pattern.length > 1_000) return "Must have at most 1000 characters.";
	try {
		compile(pattern);
		return undefined;
	} catch (error) {
		if (!(error instanceof PatternError)) throw error;
		return error.message;
	}
}
