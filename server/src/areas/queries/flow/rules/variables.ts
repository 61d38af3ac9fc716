/**
 * Variables: a query asks for their values before it runs. `${id}` may stand in the values and
 * patterns of filters. A value is inserted once and not searched for placeholders itself. A filter
 * or pattern with an optional variable that has neither value nor default is left out.
 */
import { type FilterNode, type Flow, type Variable, variablesSchema } from "@weft/contracts";
import { addError, buildChecked, type Checked, type FieldErrors, guardJson, hasErrors, parseJson } from "./checked.ts";

const PLACEHOLDER = /\$\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}/g;
/** Characters of one value. */
const MAX_TEXT = 4_000;
/** Options named in an error message. */
const MAX_SHOWN_OPTIONS = 20;

/** Values by variable id; undefined for an optional variable without one. */
type VariableValues = ReadonlyMap<string, string | undefined>;

export function readVariables(value: unknown): Checked<Variable[]> {
	const errors: FieldErrors = {};
	const variables = parseJson(variablesSchema, value, "variables", errors);
	const known = new Set<string>();
	for (const [index, variable] of (variables ?? []).entries()) {
		const at = `variables.${index}`;
		if (known.has(variable.id)) addError(errors, `${at}.id`, `Another variable has the id ${variable.id}.`);
		known.add(variable.id);
		if (variable.type === "select" && (variable.options ?? []).length === 0) {
			addError(errors, `${at}.options`, "A select needs at least one option.");
		} else if (variable.defaultValue !== undefined) {
			const read = readValue(variable, variable.defaultValue);
			if (!read.ok) addError(errors, `${at}.defaultValue`, read.message);
		}
	}
	return buildChecked(variables, errors);
}

/** Placeholders without a variable, under the path of the filter that holds them. */
export function findPlaceholderProblems(flow: Flow, variables: readonly Variable[]): FieldErrors {
	const errors: FieldErrors = {};
	const known = new Set(variables.map(({ id }) => id));
	for (const [index, node] of flow.nodes.entries()) {
		if (node.type !== "filterNode") continue;
		for (const { path, property, text } of formatTexts(node)) {
			for (const [, id = ""] of text.matchAll(PLACEHOLDER)) {
				if (known.has(id)) continue;
				const message = `Filter "${property}" uses \${${id}}, which does not exist.`;
				addError(errors, `flow_data.nodes.${index}.data.${path}`, message);
			}
		}
	}
	return errors;
}

/**
 * Checks the values that the caller sent and fills in defaults. Values of unknown variables are
 * ignored.
 */
export function readVariableValues(variables: readonly Variable[], values: unknown): Checked<VariableValues> {
	const errors: FieldErrors = {};
	guardJson(values, "variable_values", errors);
	if (hasErrors(errors)) return { ok: false, errors };
	if (values !== undefined && values !== null && (typeof values !== "object" || Array.isArray(values))) {
		return { ok: false, errors: { variable_values: ["Must be an object of variable id: value."] } };
	}
	const sent = new Map(Object.entries(values ?? {}));
	const found = new Map<string, string | undefined>();
	for (const variable of variables) {
		const at = `variable_values.${variable.id}`;
		const raw = sent.get(variable.id);
		const value = raw === undefined || raw === null || raw === "" ? variable.defaultValue : raw;
		const read = value === undefined ? undefined : readValue(variable, value);
		if (read === undefined && variable.required === true) addError(errors, at, "This variable is required.");
		if (read?.ok === false) addError(errors, at, read.message);
		else found.set(variable.id, read?.value);
	}
	return buildChecked(found, errors);
}

/** The flow with every value inserted. */
export function fillVariables(flow: Flow, values: VariableValues): Flow {
	return {
		...flow,
		nodes: flow.nodes.map((node) => (node.type === "filterNode" ? fillFilter(node, values) : node)),
	};
}

function readValue(variable: Variable, value: unknown): { ok: true; value: string } | { ok: false; message: string } {
	if (typeof value !== "string" && typeof value !== "number") {
		return { ok: false, message: "Must be a string or a number." };
	}
	const text = String(value);
	if (text.length > MAX_TEXT) return { ok: false, message: `Must have at most ${MAX_TEXT} characters.` };
	if (variable.type === "number" && !/^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text.trim())) {
		return { ok: false, message: "Must be a number." };
	}
	if (variable.type === "select" && !(variable.options ?? []).some((option) => option.value === text)) {
		const allowed = (variable.options ?? []).slice(0, MAX_SHOWN_OPTIONS).map((option) => option.value);
		return { ok: false, message: `Must be one of: ${allowed.join(", ")}.` };
	}
	return { ok: true, value: variable.type === "number" ? text.trim() : text };
}

function formatTexts(node: FilterNode): { path: string; property: string; text: string }[] {
	if (node.data.filterType === "property") {
		const { property, value } = node.data;
		if (!Array.isArray(value)) return [{ path: "value", property, text: String(value) }];
		return value.map((entry, i) => ({ path: `value.${i}`, property, text: String(entry) }));
	}
	return node.data.patternGroups.flatMap(({ patterns }, g) =>
		patterns.map(({ property, pattern }, p) => ({
			path: `patternGroups.${g}.patterns.${p}.pattern`,
			property,
			text: pattern,
		})),
	);
}

function fillFilter(node: FilterNode, values: VariableValues): FilterNode {
	const fill = (text: string) =>
		text.replace(PLACEHOLDER, (whole, id: string) => (values.has(id) ? (values.get(id) ?? "") : whole));
	const isUnset = (text: string) =>
		[...text.matchAll(PLACEHOLDER)].some(([, id = ""]) => values.has(id) && values.get(id) === undefined);
	if (node.data.filterType === "property") {
		if (formatTexts(node).some(({ text }) => isUnset(text))) {
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
				.filter(({ pattern }) => !isUnset(pattern))
				.map((entry) => ({ ...entry, pattern: fill(entry.pattern) })),
		}))
		.filter(({ patterns }) => patterns.length > 0);
	return { ...node, data: { ...node.data, patternGroups } };
}
