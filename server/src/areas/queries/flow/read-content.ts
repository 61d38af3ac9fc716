/**
 * Reads what a caller sent as a query: its content to be saved, or the program that a run carries
 * out.
 */
import { createHash } from "node:crypto";
import type { Flow, PostProcessor, Variable } from "@weft/contracts";
import { buildInvalidError } from "../../../core/errors.ts";
import { type Checked, type FieldErrors, hasErrors } from "./rules/checked.ts";
import { findJoinProblems } from "./rules/joined-stages.ts";
import { stripLayout } from "./rules/strip-layout.ts";
import { readFlow, readPostProcessors, runProblems } from "./rules/validation.ts";
import { fillVariables, findPlaceholderProblems, readVariables, readVariableValues } from "./rules/variables.ts";

/** As sent and as stored. */
export interface RawContent {
	readonly flow_data: unknown;
	readonly post_processors: unknown;
	readonly variables: unknown;
}

export interface Content {
	readonly flow: Flow;
	readonly postProcessors: PostProcessor[];
	readonly variables: Variable[];
}

/**
 * What a run carries out: the flow without layout and with its variables filled in. Stored with the
 * run.
 */
export interface Program {
	readonly flow: Flow;
	readonly post_processors: PostProcessor[];
}

export interface ProgramInput extends RawContent {
	readonly variable_values: unknown;
}

/** @throws 400 with every error under its dotted path */
export function readContent(raw: RawContent): Content {
	const errors: FieldErrors = {};
	const content = parseContent(raw, errors);
	if (content === undefined || hasErrors(errors)) throw buildInvalidError(errors);
	return content;
}

/** @throws 400 with every error under its dotted path */
export function readProgram(input: ProgramInput): Program {
	const errors: FieldErrors = {};
	const content = parseContent(input, errors);
	if (content === undefined) throw buildInvalidError(errors);
	Object.assign(errors, runProblems(content.flow));
	const values = unwrapChecked(readVariableValues(content.variables, input.variable_values), errors);
	if (values === undefined || hasErrors(errors)) throw buildInvalidError(errors);
	return { flow: stripLayout(fillVariables(content.flow, values)), post_processors: content.postProcessors };
}

/**
 * SHA-256 of the values of a run, as lowercase hex; null where they are those that the query has
 * without any. Expects values that `readProgram` takes.
 */
export function digestValues({ variables, variable_values }: Pick<ProgramInput, "variables" | "variable_values">) {
	const declared = readVariables(variables);
	if (!declared.ok) return null;
	const [own, sent] = [{}, variable_values].map((values) => {
		const read = readVariableValues(declared.value, values);
		return read.ok ? JSON.stringify([...read.value].sort(([a], [b]) => (a < b ? -1 : 1))) : null;
	});
	return sent == null || sent === own ? null : createHash("sha256").update(sent).digest("hex");
}

/**
 * The flow of a query that is to be explained and not run. Without values a variable's default is
 * inserted; a placeholder without default stays.
 * @throws 400 with every error under its dotted path
 */
export function readTemplate({ flow_data, variables, variable_values }: Partial<ProgramInput>): Flow {
	if (variable_values) {
		return readProgram({ flow_data, post_processors: [], variables: variables ?? [], variable_values }).flow;
	}
	const errors: FieldErrors = {};
	const flow = unwrapChecked(readFlow(flow_data), errors);
	const declared = unwrapChecked(readVariables(variables ?? []), errors);
	if (flow) Object.assign(errors, runProblems(flow));
	if (flow && declared && variables) Object.assign(errors, findPlaceholderProblems(flow, declared));
	if (!flow || !declared || hasErrors(errors)) throw buildInvalidError(errors);
	return fillVariables(flow, new Map(declared.map(({ id, defaultValue }) => [id, standIn(id, defaultValue)])));
}

const standIn = (id: string, value: Variable["defaultValue"]): string => {
	const text = String(value ?? "");
	return text === "" ? `\${${id}}` : text;
};

/**
 * Undefined, with errors, where a part cannot be read. Placeholders without a variable are errors
 * beside the content.
 */
function parseContent(raw: RawContent, errors: FieldErrors): Content | undefined {
	const flow = unwrapChecked(readFlow(raw.flow_data), errors);
	const postProcessors = unwrapChecked(readPostProcessors(raw.post_processors), errors);
	const variables = unwrapChecked(readVariables(raw.variables), errors);
	if (flow && variables) Object.assign(errors, findPlaceholderProblems(flow, variables));
	if (flow && postProcessors) Object.assign(errors, findJoinProblems(flow, postProcessors));
	return flow && postProcessors && variables && { flow, postProcessors, variables };
}

function unwrapChecked<T>(result: Checked<T>, errors: FieldErrors): T | undefined {
	if (result.ok) return result.value;
	Object.assign(errors, result.errors);
	return undefined;
}
