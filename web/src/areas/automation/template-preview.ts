/** A sample row of a template, and the variables that its job receives. Pure. */
import { type EditedColumn, getTypeSample } from "./column-types.ts";

interface PreviewedSheet {
	/** Null for a template without sheets. */
	readonly name: string | null;
	readonly variable: string;
	readonly columns: readonly EditedColumn[];
}

interface PreviewedTemplate {
	readonly schema: readonly EditedColumn[];
	readonly sheets: readonly {
		readonly name: string;
		readonly variable: string;
		readonly columns: readonly EditedColumn[];
	}[];
	readonly variable_mappings: Readonly<Record<string, unknown>>;
}

export const listPreviewedSheets = ({ schema, sheets }: PreviewedTemplate): readonly PreviewedSheet[] =>
	sheets.length > 0 ? sheets : [{ name: null, variable: "rows", columns: schema }];

/** Returns a cell of the sample row and its value for the job: a default, a choice or a sample. */
export function buildSample({
	field_type,
	default: value,
	choices = [],
	min,
}: EditedColumn): readonly [string, unknown] {
	if (field_type === "password") return getTypeSample(field_type);
	if (value !== undefined && value !== null && value !== "")
		return [Array.isArray(value) ? value.join(", ") : String(value), value];
	const listed = choices.filter((choice) => choice !== "");
	if (field_type === "enum" && listed[0] !== undefined) return [listed[0], listed[0]];
	if (field_type === "multi_enum" && listed.length > 0) return [listed.slice(0, 2).join(", "), listed.slice(0, 2)];
	if ((field_type === "number" || field_type === "vlan") && min != null) return [String(min), min];
	return getTypeSample(field_type);
}

/** Returns the variables of a job with one row in each sheet, as its server gets them. */
export function buildJobVariables(template: PreviewedTemplate, username: string): Record<string, unknown> {
	const rows = listPreviewedSheets(template).map(({ variable, columns }) => {
		const sent = columns.filter(({ send = true }) => send);
		return [
			variable,
			columns.length === 0 ? [] : [Object.fromEntries(sent.map((each) => [each.name, buildSample(each)[1]]))],
		];
	});
	return {
		...template.variable_mappings,
		...Object.fromEntries(rows),
		request_id: "…",
		requested_by: username,
		dry_run: false,
	};
}
