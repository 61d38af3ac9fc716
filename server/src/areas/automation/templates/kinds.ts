/** The three kinds of reference data: what each is called, and what its columns hold. */
import type {
	ColumnTemplate,
	ColumnTemplateInput,
	RegexPattern,
	RegexPatternInput,
	RegexPatternTest,
	ValidationList,
	ValidationListInput,
} from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { buildFieldError, buildInvalidError } from "../../../core/errors.ts";
import { compilePattern, PatternError } from "../../../core/regex.ts";
import { presentColumn, presentList, presentPattern } from "./present.ts";
import { listNamedIds, loadReferences } from "./references.ts";
import { findColumnProblems, type Problems } from "./rules/columns.ts";
import type { Given, ReferenceKind } from "./stored-references.ts";
import { matchTexts } from "./workers/work.ts";

const omitUndefined = (fields: object): Record<string, unknown> =>
	Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** @throws 400 under `pattern` */
function checkPattern(pattern: string, flags: string): void {
	try {
		compilePattern(pattern, flags);
	} catch (error) {
		if (!(error instanceof PatternError)) throw error;
		throw buildFieldError("pattern", error.message);
	}
}

export const VALIDATION_LISTS: ReferenceKind<"automation_validation_lists", ValidationListInput, ValidationList> = {
	table: "automation_validation_lists",
	model: "validationlist",
	noun: "validation list",
	present: presentList,
	async values(_tx, _caller, { values, ...input }: Given<ValidationListInput>) {
		return { ...omitUndefined(input), ...(values ? { values: JSON.stringify(values) } : {}) };
	},
};

export const REGEX_PATTERNS: ReferenceKind<"automation_regex_patterns", RegexPatternInput, RegexPattern> = {
	table: "automation_regex_patterns",
	model: "regexpattern",
	noun: "regex pattern",
	present: presentPattern,
	async values(_tx, _caller, input: Given<RegexPatternInput>) {
		if (input.pattern !== undefined) checkPattern(input.pattern, input.flags ?? "");
		return omitUndefined(input);
	},
};

export const COLUMN_TEMPLATES: ReferenceKind<"automation_column_templates", ColumnTemplateInput, ColumnTemplate> = {
	table: "automation_column_templates",
	model: "columntemplate",
	noun: "column template",
	present: presentColumn,
	async values(tx, caller, { column, ...input }: Given<ColumnTemplateInput>) {
		if (column === undefined) return omitUndefined(input);
		if (column.column_template) {
			throw buildFieldError("column.column_template", "A column template does not refer to another one.");
		}
		const form = { schema: [column], sheets: [] };
		const problems: Problems = {};
		findColumnProblems(column, "column", await loadReferences(tx.db, caller, form), (place, message) => {
			problems[place] = [...(problems[place] ?? []), message];
		});
		if (Object.keys(problems).length > 0) throw buildInvalidError(problems);
		const { list_ids, pattern_ids } = listNamedIds([column]);
		return { ...omitUndefined(input), column: JSON.stringify(column), list_ids, pattern_ids };
	},
};

/** @throws 400 under `pattern`, also where matching takes too long */
export async function testPattern(
	ctx: Context,
	{ pattern, flags, test_strings }: RegexPatternTest,
	signal: AbortSignal,
) {
	checkPattern(pattern, flags);
	const matches = await matchTexts(ctx.automationPool, { pattern, flags, texts: test_strings }, signal);
	if (matches === null) {
		throw buildFieldError(
			"pattern",
			"Matching these texts takes too long. Simplify the pattern: repeat less, or nest fewer repetitions.",
		);
	}
	return {
		valid: true as const,
		results: test_strings.map((text, at) => ({ text, matches: matches[at] === true })),
	};
}
