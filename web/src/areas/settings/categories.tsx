/** Categories: of saved queries, and of automation templates. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { AutomationCategory, QueryCategory } from "@weft/contracts";
import { automationCategoryRoutes, queryCategoryRoutes } from "@weft/contracts/browser";
import { Tags } from "lucide-react";
import { callRoute, useAnswer } from "../../platform/call.ts";
import { formatCount, formatPlural } from "../../platform/format.ts";
import { TextField } from "../../ui/field.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import type { Column } from "../../ui/table.tsx";
import type { FieldsProps, Resource } from "./resource.ts";
import { NamedFields } from "./resource-form.tsx";
import { ResourcePage } from "./resource-page.tsx";

interface CategoryForm {
	readonly name: string;
	readonly description: string;
	readonly color: string;
}

const DEFAULT_COLOR = "#64748b";
const PATHS = ["name", "description", "color"];

/** The browser's field takes six digits only. */
const formatSixDigits = (color: string): string =>
	color.length === 4 ? `#${[...color.slice(1)].map((digit) => digit + digit).join("")}` : color;

const beginCategory = (row: CategoryForm | null): CategoryForm => ({
	name: row?.name ?? "",
	description: row?.description ?? "",
	color: formatSixDigits(row?.color ?? DEFAULT_COLOR),
});

function CategoryFields({ form, getError, set }: Omit<FieldsProps<CategoryForm>, "readOnly">) {
	return (
		<>
			<NamedFields form={form} getError={getError} set={set} />
			<TextField
				label="Colour"
				type="color"
				className="w-24"
				value={form.color}
				error={getError("color")}
				onChange={(event) => set({ color: event.target.value })}
			/>
		</>
	);
}

const buildColumns = <R extends CategoryForm>(): Column<R>[] => [
	{
		key: "color",
		head: "Colour",
		cell: ({ color }) => (
			<span className="flex items-center gap-1.5">
				<span
					aria-hidden="true"
					className="size-3 shrink-0 rounded-full border border-line [forced-color-adjust:none]"
					style={{ backgroundColor: color }}
				/>
				<span className="mono">{color}</span>
			</span>
		),
	},
	{
		key: "description",
		head: "Description",
		className: "w-1/2",
		cell: ({ description }) => (
			<span className="block truncate" title={description}>
				{description || "-"}
			</span>
		),
	},
];

const queryCategories: Resource<QueryCategory, CategoryForm> = {
	title: "Query categories",
	noun: "query category",
	nouns: "query categories",
	icon: Tags,
	model: "querycategory",
	about: "Categories sort saved queries in the library. All users share them.",
	stale: ["query_categories", "saved_queries"],
	route: queryCategoryRoutes.list,
	columns: [
		...buildColumns<QueryCategory>(),
		{
			key: "queries",
			head: "Queries",
			align: "right",
			cell: ({ id, query_count }) => (
				<Link to="/library" search={{ category: String(id) }} className="rounded-cell text-accent-text hover:underline">
					{formatCount(query_count)}
				</Link>
			),
		},
	],
	paths: PATHS,
	useList: (query) => useAnswer(queryCategoryRoutes.list, { query }, { keepPrevious: true }),
	begin: beginCategory,
	create: (body) => callRoute(queryCategoryRoutes.create, { body }),
	read: ({ id }) => callRoute(queryCategoryRoutes.detail, { params: { id: String(id) } }),
	update: ({ id }, body) => callRoute(queryCategoryRoutes.update, { params: { id: String(id) }, body }),
	remove: ({ id }) => callRoute(queryCategoryRoutes.remove, { params: { id: String(id) } }),
	Fields: CategoryFields,
	loss: ({ query_count }) =>
		`The ${formatPlural(query_count, "query that you see in it stays", "queries that you see in it stay")}, without a category.`,
};

interface TemplateCategoryForm extends CategoryForm {
	readonly display_order: number;
}

const templateCategories: Resource<AutomationCategory, TemplateCategoryForm> = {
	title: "Template categories",
	noun: "template category",
	nouns: "template categories",
	icon: Tags,
	model: "automationcategory",
	about: "Categories sort automation templates. All users share them.",
	stale: ["automation_categories", "automation_templates"],
	route: automationCategoryRoutes.list,
	columns: [
		...buildColumns<AutomationCategory>(),
		{ key: "order", head: "Position", align: "right", cell: ({ display_order }) => formatCount(display_order) },
		{ key: "templates", head: "Templates", align: "right", cell: ({ template_count }) => formatCount(template_count) },
	],
	paths: [...PATHS, "display_order"],
	useList: (query) => useAnswer(automationCategoryRoutes.list, { query }, { keepPrevious: true }),
	begin: (row) => ({ ...beginCategory(row), display_order: row?.display_order ?? 0 }),
	create: (body) => callRoute(automationCategoryRoutes.create, { body }),
	read: ({ id }) => callRoute(automationCategoryRoutes.detail, { params: { id: String(id) } }),
	update: ({ id }, body) => callRoute(automationCategoryRoutes.update, { params: { id: String(id) }, body }),
	remove: ({ id }) => callRoute(automationCategoryRoutes.remove, { params: { id: String(id) } }),
	Fields: ({ form, getError, set }) => (
		<>
			<CategoryFields form={form} getError={getError} set={set} />
			<NumberField
				label="Position"
				min={-1_000_000}
				max={1_000_000}
				className="w-32"
				hint="Lists begin with the lowest."
				value={form.display_order}
				error={getError("display_order")}
				onChange={(display_order) => set({ display_order })}
			/>
		</>
	),
	loss: ({ template_count }) =>
		`The ${formatPlural(template_count, "template that you see in it stays", "templates that you see in it stay")}, without a category.`,
};

const ofQueries = getRouteApi("/app/settings/categories/queries");
const ofTemplates = getRouteApi("/app/settings/categories/templates");

export const QueryCategoriesPage = () => (
	<ResourcePage resource={queryCategories} search={ofQueries.useSearch()} navigate={ofQueries.useNavigate()} />
);

export const TemplateCategoriesPage = () => (
	<ResourcePage resource={templateCategories} search={ofTemplates.useSearch()} navigate={ofTemplates.useNavigate()} />
);
