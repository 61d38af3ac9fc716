/** Checks the answers to a survey as AWX does: strict about JSON types, in its words. */
import { formatPython } from "./python.ts";
import type { Survey, SurveyQuestion } from "./types.ts";

type Vars = Readonly<Record<string, unknown>>;

export function surveyProblems(survey: Survey, vars: Vars): string[] {
	return survey.spec.flatMap((question) => findProblems(question, vars));
}

function findProblems(question: SurveyQuestion, vars: Vars): string[] {
	const { variable, type } = question;
	const value = vars[variable];
	if (value === undefined) return question.required ? [`'${variable}' value missing`] : [];
	if (type === "password" && value === "$encrypted$") return [];
	const min = typeof question.min === "number" ? question.min : null;
	const max = typeof question.max === "number" ? question.max : null;
	if (type === "integer" || type === "float") {
		const right = type === "integer" ? Number.isInteger(value) : typeof value === "number";
		if (!right)
			return [
				`Value ${formatPython(value)} for '${variable}' expected to be ${type === "integer" ? "an integer" : "a numeric type"}.`,
			];
		const number = value as number;
		if (min !== null && number < min) return [`'${variable}' value ${number} is too small (must be at least ${min}).`];
		if (max !== null && number > max)
			return [`'${variable}' value ${number} is too large (must be no more than ${max}).`];
		return [];
	}
	const choices = listChoices(question);
	const quoted = `[${choices.map((choice) => `'${choice}'`).join(", ")}]`;
	if (type === "multiselect") {
		if (!Array.isArray(value)) return [`'${variable}' value is expected to be a list.`];
		return value
			.filter((one) => !choices.includes(one))
			.map((one) => `Value ${formatPython(one)} for '${variable}' expected to be one of ${quoted}.`);
	}
	if (type === "multiplechoice") {
		return choices.includes(value as string)
			? []
			: [`Value ${formatPython(value)} for '${variable}' expected to be one of ${quoted}.`];
	}
	if (typeof value !== "string") return [`Value ${formatPython(value)} for '${variable}' expected to be a string.`];
	const shown = type === "password" ? "$encrypted$" : value;
	if (min !== null && value.length < min)
		return [`'${variable}' value ${shown} is too small (length is ${value.length} must be at least ${min}).`];
	if (max !== null && value.length > max)
		return [`'${variable}' value ${shown} is too large (must be no more than ${max}).`];
	return [];
}

/** Line boundaries of Python's str.splitlines. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: some boundaries are control characters
const LINE_ENDS = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

/** A text is split into lines and its blank ones are dropped; a list is taken as it is. */
const listChoices = ({ choices }: SurveyQuestion): readonly string[] =>
	typeof choices === "string" ? choices.split(LINE_ENDS).filter((line) => line.trim() !== "") : (choices ?? []);

/** Defaults of the questions that are not answered. */
export function surveyVars(survey: Survey | null, vars: Vars): Record<string, unknown> {
	const filled: Record<string, unknown> = {};
	for (const question of survey?.spec ?? []) {
		if (vars[question.variable] === undefined && question.default !== undefined && question.default !== "") {
			filled[question.variable] = question.default;
		}
	}
	return filled;
}
