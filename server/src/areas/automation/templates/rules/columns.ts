/**
 * Whether the columns of a template make sense: names, choices, ranges, defaults. Messages by
 * dotted place within the template.
 */
import type { RowExpectation, TemplateColumn, TemplateSheet } from "@weft/contracts";
import { type CompilePattern, createPatternCompiler, PatternError } from "../../../../core/regex.ts";
import { listNamingProperties } from "../../../runs/pipelines/rules/dn.ts";
import { readCell } from "./cell.ts";
import { compileRules, mergeColumn, type References, ROWS_VARIABLE } from "./rules.ts";

export type Problems = Record<string, string[]>;

const ENUMS = new Set(["enum", "multi_enum"]);
const NUMBERS = new Set(["number", "vlan"]);
/** Set by the service in every job's variables. */
const OWN_VARIABLES: readonly string[] = ["request_id", "requested_by", "dry_run", "execution_ref"];

/** Why a job's variable must not have the name; null: it may. */
function nameRefusal(name: string): string | null {
	if (OWN_VARIABLES.includes(name)) return "This variable is set by the service.";
	if (name !== "check_mode") return null;
	return "Ansible reserves this name, and warns of it in every job. Use another one.";
}

interface TemplateParts {
	readonly schema: readonly TemplateColumn[];
	readonly sheets: readonly TemplateSheet[];
	readonly variable_mappings: Readonly<Record<string, unknown>>;
	readonly expects: readonly RowExpectation[];
}

export function findTemplateProblems(parts: TemplateParts, references: References): Problems {
	const problems: Problems = {};
	const say = (place: string, message: string) => {
		problems[place] = [...(problems[place] ?? []), message];
	};
	if (parts.schema.length > 0 && parts.sheets.length > 0) {
		say("sheets", "A template has either a schema or sheets.");
	}
	const compile = createPatternCompiler();
	findColumnsProblems(parts.schema, "schema", references, say, compile);
	const names = new Set<string>();
	const variables = new Set<string>();
	for (const [at, sheet] of parts.sheets.entries()) {
		const place = `sheets.${at}`;
		if (names.has(sheet.name)) say(`${place}.name`, "Another sheet has this name.");
		if (variables.has(sheet.variable)) say(`${place}.variable`, "Another sheet has this variable.");
		const refusal = nameRefusal(sheet.variable);
		if (refusal !== null) say(`${place}.variable`, refusal);
		if (sheet.max_rows != null && sheet.min_rows != null && sheet.min_rows > sheet.max_rows) {
			say(`${place}.max_rows`, "Must not be below min_rows.");
		}
		names.add(sheet.name);
		variables.add(sheet.variable);
		findColumnsProblems(sheet.columns, `${place}.columns`, references, say, compile);
	}
	if (parts.sheets.length === 0) variables.add(ROWS_VARIABLE);
	for (const name of Object.keys(parts.variable_mappings)) {
		const refusal = nameRefusal(name);
		if (refusal !== null) say(`variable_mappings.${name}`, refusal);
		if (variables.has(name)) say(`variable_mappings.${name}`, "This variable has the rows.");
	}
	const columns = parts.sheets.length === 0 ? parts.schema : parts.sheets.flatMap((sheet) => sheet.columns);
	findExpectsProblems(parts.expects, new Set(columns.map(({ name }) => name)), say);
	return problems;
}

type Say = (place: string, message: string) => void;

/** Expected changes whose `{column}` no row has. */
function findExpectsProblems(expects: readonly RowExpectation[], columns: ReadonlySet<string>, say: Say): void {
	const check = (text: string | null | undefined, place: string) => {
		const missing = listNamingProperties(text ?? "").find((name) => !columns.has(name));
		if (missing !== undefined) say(place, `There is no column "${missing}". ${listNames(columns)}`);
	};
	for (const [at, { dn, attributes }] of expects.entries()) {
		check(dn, `expects.${at}.dn`);
		for (const [name, { from, to }] of Object.entries(attributes ?? {})) {
			check(from, `expects.${at}.attributes.${name}.from`);
			check(to, `expects.${at}.attributes.${name}.to`);
		}
	}
}

const listNames = (columns: ReadonlySet<string>): string =>
	columns.size === 0 ? "The template has no columns." : `Columns are ${[...columns].join(", ")}.`;

function findColumnsProblems(
	columns: readonly TemplateColumn[],
	place: string,
	references: References,
	say: Say,
	compile: CompilePattern,
): void {
	const names = new Set<string>();
	for (const [at, column] of columns.entries()) {
		if (names.has(column.name)) say(`${place}.${at}.name`, "Another column has this name.");
		names.add(column.name);
		findColumnProblems(column, `${place}.${at}`, references, say, compile);
	}
}

/** Problems of one column, `place.field` by `place.field`; `place` may be empty. */
export function findColumnProblems(
	own: TemplateColumn,
	place: string,
	references: References,
	say: Say,
	compile: CompilePattern = createPatternCompiler(),
): void {
	const at = (field: string) => (place === "" ? field : `${place}.${field}`);
	const column = mergeColumn(own, own.column_template ? references.columns.get(own.column_template) : undefined);
	const dangling = findDanglingReference(own, column, references);
	if (dangling !== null) {
		say(at(dangling.field), dangling.message);
		return;
	}
	const { field_type: type } = column;
	const isEnum = ENUMS.has(type);
	if (isEnum && (column.choices ?? []).length === 0 && !column.values_from) {
		say(at("choices"), "An enumeration needs at least one choice.");
	}
	if (!isEnum && own.choices !== undefined && own.choices.length > 0) {
		say(at("choices"), "Only enum and multi_enum have choices.");
	}
	for (const field of ["min", "max"] as const) {
		if (own[field] != null && !NUMBERS.has(type)) say(at(field), "Only number and vlan have a range.");
	}
	for (const field of ["min_length", "max_length"] as const) {
		if (own[field] != null && (NUMBERS.has(type) || isEnum || type === "boolean"))
			say(at(field), "Only texts have a length.");
	}
	if (column.min != null && column.max != null && column.min > column.max) say(at("max"), "Must not be below min.");
	if (column.min_length != null && column.max_length != null && column.min_length > column.max_length) {
		say(at("max_length"), "Must not be below min_length.");
	}
	if (column.values_from && (type === "boolean" || type === "password")) {
		say(at("values_from"), "A boolean or a password takes no values from a query.");
	}
	if (type === "password" && column.default != null) say(at("default"), "A password has no default.");
	if (column.pattern) {
		try {
			compile(column.pattern);
		} catch (error) {
			if (!(error instanceof PatternError)) throw error;
			say(at("pattern"), error.message);
			return;
		}
	}
	const found = column.default == null ? null : findDefaultProblem(column, references);
	if (found !== null) say(at("default"), found);
}

function findDanglingReference(own: TemplateColumn, column: TemplateColumn, { lists, patterns, columns }: References) {
	if (own.column_template && !columns.has(own.column_template)) {
		return { field: "column_template", message: "There is no such column template that you can see." };
	}
	if (column.validation_list && !lists.has(column.validation_list)) {
		return { field: "validation_list", message: "There is no such validation list that you can see." };
	}
	if (column.regex_pattern && !patterns.has(column.regex_pattern)) {
		return { field: "regex_pattern", message: "There is no such regex pattern that you can see." };
	}
	return null;
}

/** The default must be a right cell, except for what may change without the template. */
function findDefaultProblem(column: TemplateColumn, references: References): string | null {
	const bare = { ...column, default: undefined, column_template: null, values_from: null };
	const [sheet] = compileRules({ schema: [bare as TemplateColumn], sheets: [] }, references);
	const [rule] = sheet?.columns ?? [];
	if (rule === undefined || (column.values_from && rule.choices?.length === 0)) return null;
	const ready = {
		rule: { ...rule, message: "", list: null },
		choices: rule.choices === null ? null : new Set(rule.choices),
		list: null,
		patterns: [],
	};
	const found = readCell(ready, column.default);
	return "problem" in found ? found.problem.message : null;
}
