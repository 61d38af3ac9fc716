/** Columns that templates of automation take their rules from. */
import { getRouteApi } from "@tanstack/react-router";
import type { ColumnTemplate, TemplateColumn } from "@weft/contracts";
import { columnTemplateRoutes } from "@weft/contracts/browser";
import { Columns3 } from "lucide-react";
import { callRoute, useAnswer } from "../../platform/call.ts";
import type { EditedColumn } from "../automation/column-types.ts";
import { ColumnFields } from "../automation/columns-editor.tsx";
import type { Resource } from "./resource.ts";
import { NamedFields, SharedField } from "./resource-form.tsx";
import { listOwnedColumns, listUses, ResourcePage } from "./resource-page.tsx";

interface ColumnForm {
	readonly name: string;
	readonly description: string;
	readonly column: EditedColumn;
	readonly is_public: boolean;
}

const FIELDS =
	"name label field_type choices min max pattern default validation_list regex_pattern required unique send".split(" ");

/** The API fills in what the form leaves out. */
const buildColumnBody = ({ column, ...rest }: Partial<ColumnForm>) => ({
	...rest,
	...(column === undefined ? {} : { column: column as TemplateColumn }),
});

const columnTemplates: Resource<ColumnTemplate, ColumnForm> = {
	title: "Column templates",
	noun: "column template",
	icon: Columns3,
	model: "columntemplate",
	about: "A column template holds the type and the rules of a column that occurs in several templates.",
	stale: ["automation_column_templates"],
	route: columnTemplateRoutes.list,
	columns: [
		{ key: "column", head: "Column", cell: ({ column }) => <span className="mono">{column.name}</span> },
		{ key: "type", head: "Type", cell: ({ column }) => column.field_type },
		{
			key: "rules",
			head: "Required",
			cell: ({ column }) => (column.required ? "Yes" : "No"),
		},
		...listOwnedColumns<ColumnTemplate>(),
	],
	paths: ["name", "description", ...FIELDS.map((field) => `column.${field}`)],
	useList: (query) => useAnswer(columnTemplateRoutes.list, { query }, { keepPrevious: true }),
	begin: (row) => ({
		name: row?.name ?? "",
		description: row?.description ?? "",
		column: (row?.column ?? { name: "", field_type: "text" }) as EditedColumn,
		is_public: row?.is_public ?? false,
	}),
	create: ({ column, ...rest }) =>
		callRoute(columnTemplateRoutes.create, { body: { ...rest, column: column as TemplateColumn } }),
	read: ({ id }) => callRoute(columnTemplateRoutes.detail, { params: { id } }),
	update: ({ id }, change) => callRoute(columnTemplateRoutes.update, { params: { id }, body: buildColumnBody(change) }),
	remove: ({ id }) => callRoute(columnTemplateRoutes.remove, { params: { id } }),
	Fields: ({ form, getError, set }) => (
		<>
			<NamedFields form={form} getError={getError} set={set} />
			<fieldset className="m-0 flex min-w-0 flex-col gap-2 rounded-control border border-line p-3">
				<legend className="px-1 font-medium">Column</legend>
				<ColumnFields
					column={form.column}
					getError={(field) => getError(`column.${field}`)}
					onChange={(column) => set({ column })}
				/>
			</fieldset>
			<SharedField form={form} set={set} />
		</>
	),
	loss: listUses,
};

const route = getRouteApi("/app/settings/reference/columns");

export const ColumnTemplatesPage = () => (
	<ResourcePage resource={columnTemplates} search={route.useSearch()} navigate={route.useNavigate()} />
);
