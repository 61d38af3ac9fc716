/**
 * Reads what a caller sent as canvas, post-processors and variables: either the value understood, or every error at
 * once under its dotted path. The canvas itself is stored as sent; what is returned here is for compiling it.
 */
import {
	type FilterNode,
	type Flow,
	flowEdgeSchema,
	flowNodeSchema,
	flowSchema,
	type PostProcessor,
	postProcessorsSchema,
} from "@weft/contracts";
import { RE2JS } from "re2js";
import { addError, addIssues, type Checked, type FieldErrors, hasErrors } from "./field-errors.ts";
import { checkStructure, type Outline } from "./flow-structure.ts";
import { guardJson } from "./json-guard.ts";

/** A canvas fit to be saved. An empty one is; see {@link runProblems} for what running asks beyond that. */
export function readFlow(canvas: unknown, prefix = "flow_data"): Checked<Flow> {
	const errors: FieldErrors = {};
	guardJson(canvas, prefix, errors);
	if (hasErrors(errors)) return { ok: false, errors };
	const parsed = flowSchema.safeParse(canvas);
	if (!parsed.success) addIssues(errors, prefix, parsed.error.issues);
	if (parsed.success || Array.isArray((canvas as { nodes?: unknown } | null)?.nodes)) {
		checkStructure(parsed.success ? outlineOf(parsed.data) : outlineOfBroken(canvas), prefix, errors);
	}
	if (parsed.success) {
		for (const [index, node] of parsed.data.nodes.entries()) {
			const at = `${prefix}.nodes.${index}.data`;
			if (node.type === "filterNode") checkFilter(node, at, errors);
			if (node.type === "postProcessorNode") checkRegexes(node.data.config, `${at}.config`, errors);
		}
	}
	return parsed.success && !hasErrors(errors) ? { ok: true, value: parsed.data } : { ok: false, errors };
}

/** Why a canvas that may be saved cannot be run as it is. */
export function runProblems(flow: Flow, prefix = "flow_data"): FieldErrors {
	const errors: FieldErrors = {};
	if (!flow.nodes.some((node) => node.type === "classNode")) {
		addError(errors, `${prefix}.nodes`, "The canvas has no class to query.");
	}
	return errors;
}

export function readPostProcessors(value: unknown, prefix = "post_processors"): Checked<PostProcessor[]> {
	const errors: FieldErrors = {};
	guardJson(value, prefix, errors);
	if (hasErrors(errors)) return { ok: false, errors };
	const parsed = postProcessorsSchema.safeParse(value);
	if (!parsed.success) {
		addIssues(errors, prefix, parsed.error.issues);
		return { ok: false, errors };
	}
	for (const [index, { config }] of parsed.data.entries()) checkRegexes(config, `${prefix}.${index}.config`, errors);
	return hasErrors(errors) ? { ok: false, errors } : { ok: true, value: parsed.data };
}

const outlineOf = (flow: Flow): Outline => ({
	nodes: flow.nodes.map((node, index) => ({ index, id: node.id, node, type: node.type })),
	edges: flow.edges.map((edge, index) => ({ index, edge })),
});

/** Structure is judged on what can be read, so that a bad field does not hide a cycle. */
function outlineOfBroken(canvas: unknown): Outline {
	const { nodes, edges } = canvas as { nodes: unknown[]; edges?: unknown };
	const readable = (list: unknown): unknown[] => (Array.isArray(list) && list.length <= 5_000 ? list : []);
	return {
		nodes: readable(nodes).flatMap((raw, index): Outline["nodes"][number][] => {
			const parsed = flowNodeSchema.safeParse(raw);
			if (parsed.success) return [{ index, id: parsed.data.id, node: parsed.data, type: parsed.data.type }];
			const id = (raw as { id?: unknown } | null)?.id;
			const type = String((raw as { type?: unknown } | null)?.type).replace(/^(class|filter)$/, "$1Node");
			return typeof id === "string" ? [{ index, id, node: undefined, type }] : [];
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
			if (pattern === "" && type !== "exact" && !compares) addError(errors, `${path}.pattern`, "Must not be empty.");
		}
	}
}

/** Every regular expression in a processor's config must compile on the engine that will run it. */
function checkRegexes(config: PostProcessor["config"], at: string, errors: FieldErrors): void {
	const check = (pattern: unknown, path: string) => {
		const problem = regexProblem(String(pattern));
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

function regexProblem(pattern: string): string | undefined {
	if (pattern.length > 1_000) return "Must have at most 1000 characters.";
	try {
		RE2JS.compile(pattern);
		return undefined;
	} catch (error) {
		return `Not a valid regular expression: ${error instanceof Error ? error.message.replace("error parsing regexp: ", "") : "unreadable"}.`;
	}
}
