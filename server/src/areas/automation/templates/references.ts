/** What the columns of a template refer to, read together. */
import type { TemplateColumn } from "@weft/contracts";
import type { Db } from "../../../core/ports/store.ts";
import { listSheets, mergeColumn, type References, type TemplateForm } from "./rules/rules.ts";
import { listReferencesByIds, type Viewer } from "./sql/reference.ts";

const listUniqueIds = (ids: readonly (string | null | undefined)[]): string[] => [
	...new Set(ids.filter((id): id is string => typeof id === "string")),
];
const listColumns = (form: TemplateForm): readonly TemplateColumn[] =>
	listSheets(form).flatMap(({ columns }) => columns);

/** Ids that the columns name themselves. */
export const listNamedIds = (columns: readonly TemplateColumn[]) => ({
	list_ids: listUniqueIds(columns.map(({ validation_list }) => validation_list)),
	pattern_ids: listUniqueIds(columns.map(({ regex_pattern }) => regex_pattern)),
	column_template_ids: listUniqueIds(columns.map(({ column_template }) => column_template)),
});

/**
 * @param viewer whose eyes it is read with; null: everybody's, for templates that were saved before
 */
export async function loadReferences(db: Db, viewer: Viewer | null, form: TemplateForm): Promise<References> {
	const columns = listColumns(form);
	const bases = await listReferencesByIds(
		db,
		"automation_column_templates",
		viewer,
		listNamedIds(columns).column_template_ids,
	);
	const byId = new Map(bases.map((row) => [row.id, row.column]));
	const whole = columns.map((column) =>
		mergeColumn(column, column.column_template ? byId.get(column.column_template) : undefined),
	);
	const { list_ids, pattern_ids } = listNamedIds(whole);
	// What a column template refers to is seen through it.
	const own = listNamedIds(columns);
	const through = (ids: readonly string[], mine: readonly string[]) => ids.filter((id) => !mine.includes(id));
	const [lists, hiddenLists, patterns, hiddenPatterns] = [
		await listReferencesByIds(db, "automation_validation_lists", viewer, own.list_ids),
		await listReferencesByIds(db, "automation_validation_lists", null, through(list_ids, own.list_ids)),
		await listReferencesByIds(db, "automation_regex_patterns", viewer, own.pattern_ids),
		await listReferencesByIds(db, "automation_regex_patterns", null, through(pattern_ids, own.pattern_ids)),
	];
	return {
		columns: byId,
		lists: new Map([...lists, ...hiddenLists].map((row) => [row.id, row])),
		patterns: new Map([...patterns, ...hiddenPatterns].map((row) => [row.id, row])),
	};
}
