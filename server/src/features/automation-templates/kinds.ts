/** The three kinds of reference data: what each is called, and what its columns hold. */
import type { ColumnTemplateInput, RegexPatternInput, RegexPatternTest, ValidationListInput } from "@weft/contracts";
import { invalid, invalidField } from "../../platform/errors.ts";
import { columnProblems, type Problems } from "./domain/columns.ts";
import { wholeMatch } from "./domain/validate.ts";
import { presentColumn, presentList, presentPattern } from "./present.ts";
import { loadReferences, namedIds, type ReferenceRepos } from "./references.ts";
import { createReference, type Given, type ReferenceDeps } from "./service-reference.ts";

const given = (fields: object): Record<string, unknown> =>
	Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function compiled(pattern: string, flags: string): (text: string) => boolean {
	try {
		return wholeMatch(pattern, flags);
	} catch (error) {
		throw invalidField("pattern", `Not a pattern that RE2 knows: ${(error as Error).message}`);
	}
}

export function createKinds(deps: ReferenceDeps, repos: ReferenceRepos) {
	const lists = createReference(deps, {
		repo: repos.lists,
		model: "validationlist",
		noun: "validation list",
		present: presentList,
		async values(_tx, _caller, { values, ...input }: Given<ValidationListInput>) {
			return { ...given(input), ...(values ? { values: JSON.stringify(values) } : {}) };
		},
	});
	const patterns = createReference(deps, {
		repo: repos.patterns,
		model: "regexpattern",
		noun: "regex pattern",
		present: presentPattern,
		async values(_tx, _caller, input: Given<RegexPatternInput>) {
			if (input.pattern !== undefined) compiled(input.pattern, input.flags ?? "");
			return given(input);
		},
	});
	const columns = createReference(deps, {
		repo: repos.columns,
		model: "columntemplate",
		noun: "column template",
		present: presentColumn,
		async values(tx, caller, { column, ...input }: Given<ColumnTemplateInput>) {
			if (column === undefined) return given(input);
			if (column.column_template) {
				throw invalidField("column.column_template", "A column template does not refer to another one.");
			}
			const form = { schema: [column], sheets: [] };
			const problems: Problems = {};
			columnProblems(column, "column", await loadReferences(repos, tx.db, caller, form), (place, message) => {
				problems[place] = [...(problems[place] ?? []), message];
			});
			if (Object.keys(problems).length > 0) throw invalid(problems);
			const { list_ids, pattern_ids } = namedIds([column]);
			return { ...given(input), column: JSON.stringify(column), list_ids, pattern_ids };
		},
	});
	return {
		lists,
		columns,
		patterns: {
			...patterns,
			test({ pattern, flags, test_strings }: RegexPatternTest) {
				const matches = compiled(pattern, flags);
				return { valid: true as const, results: test_strings.map((text) => ({ text, matches: matches(text) })) };
			},
		},
	};
}
export type Kinds = ReturnType<typeof createKinds>;
