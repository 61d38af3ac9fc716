/** The three kinds of reference data: what each is called, and what its columns hold. */
import type { ColumnTemplateInput, RegexPatternInput, RegexPatternTest, ValidationListInput } from "@weft/contracts";
import { buildInvalidError, invalidField } from "../../../platform/errors.ts";
import { compilePattern, PatternError } from "../../../platform/regex.ts";
import { columnProblems, type Problems } from "./domain/columns.ts";
import { presentColumn, presentList, presentPattern } from "./present.ts";
import { loadReferences, namedIds, type ReferenceRepos } from "./references.ts";
import { createReference, type Given, type ReferenceDeps } from "./service-reference.ts";
import type { MatchTexts } from "./workers/work.ts";

const omitUndefined = (fields: object): Record<string, unknown> =>
	Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** @throws 400 under `pattern` */
function checkPattern(pattern: string, flags: string): void {
	try {
		compilePattern(pattern, flags);
	} catch (error) {
		if (!(error instanceof PatternError)) throw error;
		throw invalidField("pattern", error.message);
	}
}

/** `matchTexts` matches off the main thread. */
export function createKinds(deps: ReferenceDeps, repos: ReferenceRepos, matchTexts: MatchTexts) {
	const lists = createReference(deps, {
		repo: repos.lists,
		model: "validationlist",
		noun: "validation list",
		present: presentList,
		async values(_tx, _caller, { values, ...input }: Given<ValidationListInput>) {
			return { ...omitUndefined(input), ...(values ? { values: JSON.stringify(values) } : {}) };
		},
	});
	const patterns = createReference(deps, {
		repo: repos.patterns,
		model: "regexpattern",
		noun: "regex pattern",
		present: presentPattern,
		async values(_tx, _caller, input: Given<RegexPatternInput>) {
			if (input.pattern !== undefined) checkPattern(input.pattern, input.flags ?? "");
			return omitUndefined(input);
		},
	});
	const columns = createReference(deps, {
		repo: repos.columns,
		model: "columntemplate",
		noun: "column template",
		present: presentColumn,
		async values(tx, caller, { column, ...input }: Given<ColumnTemplateInput>) {
			if (column === undefined) return omitUndefined(input);
			if (column.column_template) {
				throw invalidField("column.column_template", "A column template does not refer to another one.");
			}
			const form = { schema: [column], sheets: [] };
			const problems: Problems = {};
			columnProblems(column, "column", await loadReferences(repos, tx.db, caller, form), (place, message) => {
				problems[place] = [...(problems[place] ?? []), message];
			});
			if (Object.keys(problems).length > 0) throw buildInvalidError(problems);
			const { list_ids, pattern_ids } = namedIds([column]);
			return { ...omitUndefined(input), column: JSON.stringify(column), list_ids, pattern_ids };
		},
	});
	return {
		lists,
		columns,
		patterns: {
			...patterns,
			/** @throws 400 under `pattern`, also where matching takes too long */
			async test({ pattern, flags, test_strings }: RegexPatternTest, signal: AbortSignal) {
				checkPattern(pattern, flags);
				const matches = await matchTexts({ pattern, flags, texts: test_strings }, signal);
				if (matches === null) {
					throw invalidField(
						"pattern",
						"Matching these texts takes too long. Simplify the pattern: repeat less, or nest fewer repetitions.",
					);
				}
				return {
					valid: true as const,
					results: test_strings.map((text, at) => ({ text, matches: matches[at] === true })),
				};
			},
		},
	};
}
export type Kinds = ReturnType<typeof createKinds>;
