/**
 * The columns that a survey of the automation server amounts to, and what of it a template cannot
 * say.
 */
import {
	AUTOMATION_LIMITS,
	type DraftNote,
	type ServerTemplateDetail,
	type SurveyQuestion,
	type TemplateColumn,
	templateColumn,
} from "@weft/contracts";

interface SurveyDraft {
	readonly columns: readonly TemplateColumn[];
	/** Answers that the survey asks for at each launch, whatever the rows say. */
	readonly constants: Readonly<Record<string, unknown>>;
	readonly notes: readonly DraftNote[];
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
const CHOICE_MAX = 1_000;
/** Cells that hold this are refused. */
const JINJA = /\{\{|\{%/;
const TYPES: Readonly<Record<string, TemplateColumn["field_type"]>> = {
	text: "text",
	textarea: "textarea",
	password: "password",
	integer: "number",
	float: "number",
	multiplechoice: "enum",
	multiselect: "multi_enum",
};
const WHOLE = "[+-]?[0-9]+";

type Note = (code: DraftNote["code"], variable: string | null, message: string) => void;

/** Why rows in these variables would not reach a job of the template; null: they would. */
export function findRowsRefusal(template: ServerTemplateDetail, variables: readonly string[]): string | null {
	if (variables.length === 0) return null;
	const questions = template.survey_spec?.spec ?? [];
	const surveyed = variables.filter((name) => questions.some(({ variable }) => variable === name));
	const names = (list: readonly string[]) => list.map((name) => `"${name}"`).join(", ");
	if (surveyed.length > 0) {
		return (
			`The survey of the template "${template.name}" asks for ${names(surveyed)}: no question of a survey takes a list of rows. ` +
			"Remove the question at the server, and switch on that the template asks for variables at launch."
		);
	}
	if (template.asks.variables) return null;
	return (
		`The job would not receive the rows (${names(variables)}): "${template.name}" does not ask for variables at launch. ` +
		'In AWX tick "Prompt on launch" at Variables.'
	);
}

/**
 * Says that a job which reads the answers of its survey gets only constants, the same for all rows;
 * null where its survey gives no reason to expect anything else.
 * @param given the columns of the rows, the variables that take the rows, and names of constants
 */
export function findOnlyConstants(
	template: Pick<ServerTemplateDetail, "name" | "survey_spec">,
	given: {
		readonly columns: readonly string[];
		readonly rowVariables: readonly string[];
		readonly constants: readonly string[];
	},
): string | null {
	const quote = (list: readonly string[]) => list.map((name) => `"${name}"`).join(", ");
	const { columns, rowVariables, constants } = given;
	if (columns.length === 0) {
		const arriving = constants.length === 0 ? "there are none" : quote(constants);
		return `There are no columns, so the job of "${template.name}" gets no rows. Only constants (variable_mappings) arrive: ${arriving}.`;
	}
	// A missing answer to a required question is a gap of the launch, which has its own warning.
	const asked = (template.survey_spec?.spec ?? []).flatMap(({ variable, required }) =>
		columns.includes(variable) || (!required && !constants.includes(variable)) ? [variable] : [],
	);
	const answers = [...new Set(asked)].filter((name) => name !== "" && !rowVariables.includes(name));
	if (answers.length === 0) return null;
	return (
		`The survey of the template "${template.name}" asks for ${quote(answers)}, and rows arrive only in ${quote(rowVariables)}. ` +
		"A playbook that reads the answers of the survey gets only constants (variable_mappings), the same for all rows."
	);
}

/** @param rowsVariable the job's variable that the rows become */
export function buildDraft(template: ServerTemplateDetail, rowsVariable: string): SurveyDraft {
	const notes: DraftNote[] = [];
	const note: Note = (code, variable, message) => notes.push({ code, variable, message });
	const questions = template.survey_spec?.spec ?? [];
	if (questions.length === 0) {
		note(
			"no_survey",
			null,
			`The template "${template.name}" has no survey, or it is not switched on: name the columns.`,
		);
	}
	const refusal = findRowsRefusal(template, [rowsVariable]);
	if (refusal !== null) note("rows_not_taken", null, refusal);
	const columns: TemplateColumn[] = [];
	const constants: Record<string, unknown> = {};
	const seen = new Set<string>();
	for (const question of questions) {
		const { variable } = question;
		// The rows themselves are not a column of theirs.
		if (variable === rowsVariable) continue;
		if (templateColumn.shape.name.safeParse(variable).data !== variable || seen.has(variable)) {
			note("question_left_out", variable || null, "Its variable is no name of a column, or another question has it.");
			continue;
		}
		if (columns.length === AUTOMATION_LIMITS.columns) {
			note("survey_cut", null, `A template has at most ${AUTOMATION_LIMITS.columns} columns: the rest was left out.`);
			break;
		}
		seen.add(variable);
		const column = getColumn(question, note);
		columns.push(column);
		if (question.required) getConstant(column, constants, note);
	}
	if (refusal === null && columns.length > 0) {
		const names = { columns: [...seen], rowVariables: [rowsVariable], constants: Object.keys(constants) };
		const message = findOnlyConstants(template, names);
		if (message !== null) note("only_constants", null, message);
	}
	return { columns, constants, notes };
}

/** The server wants an answer to a required question besides the rows. */
function getConstant(column: TemplateColumn, constants: Record<string, unknown>, note: Note): void {
	const { name } = column;
	if (column.default != null && VARIABLE.test(name)) {
		constants[name] = column.default;
		note(
			"constant_given",
			name,
			'The survey asks for it at each launch: its default is filled in under "Variables of every job".',
		);
		return;
	}
	const remedy =
		column.field_type === "password"
			? "Make the question optional at the server: a constant could be read by everybody who sees the template."
			: 'Fill it in under "Variables of every job", or make the question optional at the server.';
	note("constant_needed", name, `The survey asks for it at each launch, besides the rows. ${remedy}`);
}

function getColumn(question: SurveyQuestion, note: Note): TemplateColumn {
	const { variable: name } = question;
	const known = TYPES[question.type];
	if (known === undefined)
		note("unknown_type", name, `The server calls its type "${question.type}": it is taken for a text.`);
	const choices = isEnumeration(known) ? listChoices(question, note) : [];
	const enumeration = isEnumeration(known) && choices.length > 0;
	if (isEnumeration(known) && !enumeration) note("unknown_type", name, "It has no choices: it is taken for a text.");
	const field_type = isEnumeration(known) && !enumeration ? "text" : (known ?? "text");
	const base: TemplateColumn = {
		name,
		field_type,
		required: question.required,
		unique: false,
		send: true,
		allow_jinja: false,
		...(question.question === "" ? {} : { label: sanitizeText(question.question, 200) }),
		...(question.description === "" ? {} : { description: sanitizeText(question.description, 2_000) }),
		...(enumeration ? { choices } : {}),
		...getRange(question, field_type, note),
		...(question.type === "integer" ? { pattern: WHOLE } : {}),
	};
	const fallback = getDefault(question, base, note);
	return fallback === undefined ? base : { ...base, default: fallback };
}

const isEnumeration = (type: TemplateColumn["field_type"] | undefined) => type === "enum" || type === "multi_enum";

/** As it can be stored. */
const sanitizeText = (text: string, max: number): string => text.replaceAll("\0", "").slice(0, max).toWellFormed();

function listChoices({ choices, variable }: SurveyQuestion, note: Note): string[] {
	const whole = (choice: string) => choice.length <= CHOICE_MAX && sanitizeText(choice, CHOICE_MAX) === choice;
	const kept = [...new Set(choices)].filter(whole).slice(0, AUTOMATION_LIMITS.choices);
	if (kept.length < new Set(choices).size) {
		note(
			"survey_cut",
			variable,
			`At most ${AUTOMATION_LIMITS.choices} choices of ${CHOICE_MAX} characters are taken over.`,
		);
	}
	return kept;
}

/** `min` and `max` are a range of numbers, and a length of texts. */
function getRange(question: SurveyQuestion, type: TemplateColumn["field_type"], note: Note): Partial<TemplateColumn> {
	const { min, max, variable } = question;
	if ((min === null && max === null) || isEnumeration(type)) return {};
	if (min !== null && max !== null && min > max) {
		note("range_left_out", variable, `Its smallest value ${min} is above its largest, ${max}.`);
		return {};
	}
	if (type === "number") return { ...(min === null ? {} : { min }), ...(max === null ? {} : { max }) };
	const length = (value: number | null) =>
		value === null || !Number.isInteger(value) || value < 0 ? null : Math.min(value, AUTOMATION_LIMITS.cell);
	const [least, most] = [length(min), length(max)];
	return {
		// The server counts no shorter text as an answer; an empty cell is one that is not given.
		...(least === null || least === 0 ? {} : { min_length: least }),
		...(most === null ? {} : { max_length: most }),
	};
}

/** Undefined where there is none, or where it is none of the column's own values. */
function getDefault(
	question: SurveyQuestion,
	column: TemplateColumn,
	note: Note,
): TemplateColumn["default"] | undefined {
	const { default: given, variable } = question;
	if (given === null || given === undefined || column.field_type === "password") return undefined;
	const found = readDefault(given, column);
	const refused = [found]
		.flat()
		.some((one) => typeof one === "string" && (JINJA.test(one) || sanitizeText(one, one.length) !== one));
	const value = refused ? undefined : found;
	if (value === undefined) note("default_left_out", variable, "Its default is not one of its own values.");
	return value;
}

function readDefault(given: unknown, column: TemplateColumn): TemplateColumn["default"] | undefined {
	const { choices = [], min, max, min_length: least, max_length: most } = column;
	switch (column.field_type) {
		case "number": {
			const value =
				typeof given === "number" ? given : typeof given === "string" && given.trim() !== "" ? Number(given) : NaN;
			const whole = column.pattern === undefined || Number.isInteger(value);
			const inside = value >= (min ?? Number.NEGATIVE_INFINITY) && value <= (max ?? Number.POSITIVE_INFINITY);
			return Number.isFinite(value) && whole && inside ? value : undefined;
		}
		case "multi_enum": {
			const list = Array.isArray(given) ? given.map(getText) : getText(given).split("\n");
			const values = [...new Set(list)].filter((one) => one !== "");
			return values.length > 0 && values.every((one) => choices.includes(one)) ? values : undefined;
		}
		case "enum": {
			const text = getText(given);
			return text !== "" && choices.includes(text) ? text : undefined;
		}
		default: {
			const text = typeof given === "string" || typeof given === "number" ? String(given) : "";
			if (text.trim() === "" || text.length > AUTOMATION_LIMITS.cell) return undefined;
			if (column.field_type === "text" && /[\r\n]/.test(text)) return undefined;
			const length = [...text].length;
			return length >= (least ?? 0) && length <= (most ?? AUTOMATION_LIMITS.cell) ? text : undefined;
		}
	}
}

/** The text of a single value; empty for lists and objects. */
const getText = (value: unknown): string =>
	typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
