/**
 * Templates: what a query asks for before it runs, and where the answers go. `${id}` stands in filter values and
 * patterns only; an answer is put in once and never searched for placeholders itself. A filter (or pattern) that uses an
 * optional variable without answer and default is left out.
 */
import { type FilterNode, type Flow, type Variable, variablesSchema } from "@weft/contracts";
import { addError, addIssues, type Checked, type FieldErrors, hasErrors } from "./field-errors.ts";
import { guardJson } from "./json-guard.ts";

const PLACEHOLDER = /\$\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}/g;
const MAX_TEXT = 4_000;

/** Answers by variable id; undefined where an optional variable has none. */
export type Answers = ReadonlyMap<string, string | undefined>;

export function readVariables(value: unknown, prefix = "variables"): Checked<Variable[]> {
	const errors: FieldErrors = {};
	guardJson(value, prefix, errors);
	if (hasErrors(errors)) return { ok: false, errors };
	const parsed = variablesSchema.safeParse(value);
	if (!parsed.success) {
		addIssues(errors, prefix, parsed.error.issues);
		return { ok: false, errors };
	}
	const seen = new Set<string>();
	for (const [index, variable] of parsed.data.entries()) {
		const at = `${prefix}.${index}`;
		if (seen.has(variable.id)) addError(errors, `${at}.id`, `Another variable has the id ${variable.id}.`);
		seen.add(variable.id);
		if (variable.type === "select" && (variable.options ?? []).length === 0) {
			addError(errors, `${at}.options`, "A select needs at least one option.");
		} else if (variable.defaultValue !== undefined) {
			const answer = readAnswer(variable, variable.defaultValue);
			if (!answer.ok) addError(errors, `${at}.defaultValue`, answer.message);
		}
	}
	return hasErrors(errors) ? { ok: false, errors } : { ok: true, value: parsed.data };
}

/** Placeholders without a variable, under the path of the filter that holds them. */
export function placeholderProblems(flow: Flow, variables: readonly Variable[], prefix = "flow_data"): FieldErrors {
	const errors: FieldErrors = {};
	const known = new Set(variables.map(({ id }) => id));
	for (const [index, node] of flow.nodes.entries()) {
		if (node.type !== "filterNode") continue;
		for (const { path, text } of textsOf(node)) {
			for (const [, id = ""] of text.matchAll(PLACEHOLDER)) {
				if (!known.has(id)) addError(errors, `${prefix}.nodes.${index}.data.${path}`, `There is no variable ${id}.`);
			}
		}
	}
	return errors;
}

/** Checks what the caller answered and fills in defaults. Answers to unknown variables are ignored. */
export function answerVariables(
	variables: readonly Variable[],
	values: unknown,
	prefix = "variable_values",
): Checked<Answers> {
	const errors: FieldErrors = {};
	guardJson(values, prefix, errors);
	if (hasErrors(errors)) return { ok: false, errors };
	if (values !== undefined && values !== null && (typeof values !== "object" || Array.isArray(values))) {
		return { ok: false, errors: { [prefix]: ["Must be an object of variable id: value."] } };
	}
	const given = new Map(Object.entries(values ?? {}));
	const answers = new Map<string, string | undefined>();
	for (const variable of variables) {
		const raw = given.get(variable.id);
		const value = raw === undefined || raw === null || raw === "" ? variable.defaultValue : raw;
		if (value === undefined) {
			if (variable.required === true) addError(errors, `${prefix}.${variable.id}`, "This variable is required.");
			answers.set(variable.id, undefined);
			continue;
		}
		const answer = readAnswer(variable, value);
		if (answer.ok) answers.set(variable.id, answer.value);
		else addError(errors, `${prefix}.${variable.id}`, answer.message);
	}
	return hasErrors(errors) ? { ok: false, errors } : { ok: true, value: answers };
}

/** The canvas with every answer in its place. */
export function fillVariables(flow: Flow, answers: Answers): Flow {
	return {
		...flow,
		nodes: flow.nodes.map((node) => (node.type === "filterNode" ? fillFilter(node, answers) : node)),
	};
}

function readAnswer(variable: Variable, value: unknown): { ok: true; value: string } | { ok: false; message: string } {
	if (typeof value !== "string" && typeof value !== "number")
		return { ok: false, message: "Must be a string or a number." };
	const text = String(value);
	if (text.length > MAX_TEXT) return { ok: false, message: `Must have at most ${MAX_TEXT} characters.` };
	if (variable.type === "number" && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim())) {
		return { ok: false, message: "Must be a number." };
	}
	if (variable.type === "select" && !(variable.options ?? []).some((option) => option.value === text)) {
		const allowed = (variable.options ?? []).slice(0, 20).map((option) => option.value);
		return { ok: false, message: `Must be one of: ${allowed.join(", ")}.` };
	}
	return { ok: true, value: variable.type === "number" ? text.trim() : text };
}

function textsOf(node: FilterNode): { path: string; text: string }[] {
	if (node.data.filterType === "property") {
		const { value } = node.data;
		if (!Array.isArray(value)) return [{ path: "value", text: String(value) }];
		return value.map((entry, i) => ({ path: `value.${i}`, text: String(entry) }));
	}
	return node.data.patternGroups.flatMap(({ patterns }, g) =>
		patterns.map(({ pattern }, p) => ({ path: `patternGroups.${g}.patterns.${p}.pattern`, text: pattern })),
	);
}

function fillFilter(node: FilterNode, answers: Answers): FilterNode {
	const fill = (text: string) =>
		text.replace(PLACEHOLDER, (whole, id: string) => (answers.has(id) ? (answers.get(id) ?? "") : whole));
	const unanswered = (text: string) =>
		[...text.matchAll(PLACEHOLDER)].some(([, id = ""]) => answers.has(id) && answers.get(id) === undefined);
	if (node.data.filterType === "property") {
		if (textsOf(node).some(({ text }) => unanswered(text))) {
			return { ...node, data: { filterType: "query-target-filter", patternGroups: [] } };
		}
		const { value } = node.data;
		const filled = Array.isArray(value) ? value.map((entry) => fill(String(entry))) : fill(String(value));
		return { ...node, data: { ...node.data, value: filled } };
	}
	const patternGroups = node.data.patternGroups
		.map((group) => ({
			...group,
			patterns: group.patterns
				.filter(({ pattern }) => !unanswered(pattern))
				.map((entry) => ({ ...entry, pattern: fill(entry.pattern) })),
		}))
		.filter(({ patterns }) => patterns.length > 0);
	return { ...node, data: { ...node.data, patternGroups } };
}
