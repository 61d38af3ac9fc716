/** What a caller sent, read into a program: canvas, post-processors and variables, or every error at once under its path. */
import type { Flow, Variable } from "@weft/contracts";
import { type FieldErrors, invalid } from "../../platform/errors.ts";
import {
	answerVariables,
	fillVariables,
	placeholderProblems,
	readFlow,
	readPostProcessors,
	readVariables,
	runProblems,
} from "../saved-queries/index.ts";
import { essenceOf } from "./domain/essence.ts";
import type { Program } from "./run.ts";

export interface Template {
	readonly flow_data: unknown;
	readonly variables?: unknown;
	readonly variable_values?: unknown;
}

export interface ProgramInput {
	readonly flow_data: unknown;
	readonly post_processors: unknown;
	readonly variables: unknown;
	readonly variable_values: unknown;
}

/**
 * A canvas that is only to be explained: without values a variable's default stands in for it, and a placeholder without
 * one stays as it is.
 * @throws 400 with messages by dotted path
 */
export function readTemplate({ flow_data, variables, variable_values }: Template): Flow {
	if (variable_values) {
		return readProgram({ flow_data, post_processors: [], variables: variables ?? [], variable_values }).flow;
	}
	const flow = readRunnable(flow_data);
	if (variables === undefined || variables === null) return flow;
	const read = readVariables(variables);
	if (!read.ok) throw invalid(read.errors);
	const problems = placeholderProblems(flow, read.value);
	if (Object.keys(problems).length > 0) throw invalid(problems);
	const stand = ({ id, defaultValue }: Variable): [string, string] => {
		const text = defaultValue === undefined || defaultValue === null ? "" : String(defaultValue);
		return [id, text === "" ? `\${${id}}` : text];
	};
	return fillVariables(flow, new Map(read.value.map(stand)));
}

function readRunnable(flow_data: unknown): Flow {
	const flow = readFlow(flow_data);
	if (!flow.ok) throw invalid(flow.errors);
	const problems = runProblems(flow.value);
	if (Object.keys(problems).length > 0) throw invalid(problems);
	return flow.value;
}

/** @throws 400 with messages by dotted path. */
export function readProgram(input: ProgramInput): Program {
	const flow = readFlow(input.flow_data);
	const processors = readPostProcessors(input.post_processors);
	const variables = readVariables(input.variables);
	const errors: FieldErrors = {
		...(flow.ok ? {} : flow.errors),
		...(processors.ok ? {} : processors.errors),
		...(variables.ok ? {} : variables.errors),
	};
	if (!flow.ok || !processors.ok || !variables.ok) throw invalid(errors);
	const answers = answerVariables(variables.value, input.variable_values ?? undefined);
	const problems = {
		...runProblems(flow.value),
		...placeholderProblems(flow.value, variables.value),
		...(answers.ok ? {} : answers.errors),
	};
	if (!answers.ok || Object.keys(problems).length > 0) throw invalid(problems);
	return { flow: essenceOf(fillVariables(flow.value, answers.value)), post_processors: processors.value };
}
