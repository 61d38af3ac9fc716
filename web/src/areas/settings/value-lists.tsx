/** Lists of values that cells of requests may have. */
import { getRouteApi } from "@tanstack/react-router";
import type { ValidationList } from "@weft/contracts";
import { AUTOMATION_LIMITS, validationListRoutes } from "@weft/contracts/browser";
import { ListChecks } from "lucide-react";
import { callRoute, useAnswer } from "../../platform/call.ts";
import { formatCount, formatPlural } from "../../platform/format.ts";
import { AreaField, CheckField, TextField } from "../../ui/field.tsx";
import type { Resource } from "./resource.ts";
import { NamedFields, SharedField } from "./resource-form.tsx";
import { listOwnedColumns, listUses, ResourcePage } from "./resource-page.tsx";

interface ListForm {
	readonly name: string;
	readonly description: string;
	/** One value per line. */
	readonly text: string;
	readonly case_sensitive: boolean;
	readonly error_message: string;
	readonly is_public: boolean;
}

/** Blanks around a value come with pasting, and are not meant. */
const getValues = (text: string): string[] =>
	text
		.split(/\r?\n/)
		.map((line) => line.trim())
		.filter((line) => line !== "");

/** How many there are, as it is said below the field. */
function getCount(text: string): string {
	const values = getValues(text);
	const repeated = values.length - new Set(values).size;
	const dropped =
		repeated === 0 ? "" : ` ${formatPlural(repeated, "repeated value is", "repeated values are")} dropped.`;
	const most = `At most ${formatCount(AUTOMATION_LIMITS.values)}.`;
	return `One per line, as from a spreadsheet's column: ${formatPlural(values.length - repeated, "value")}. ${most}${dropped}`;
}

const buildListBody = ({ text, ...rest }: Partial<ListForm>) => ({
	...rest,
	...(text === undefined ? {} : { values: getValues(text) }),
});

const valueLists: Resource<ValidationList, ListForm> = {
	title: "Value lists",
	noun: "value list",
	icon: ListChecks,
	model: "validationlist",
	about:
		"A value list holds what a cell of a request may be, such as tenants or sites. Columns of templates refer to it.",
	stale: ["automation_validation_lists"],
	route: validationListRoutes.list,
	columns: [
		{ key: "values", head: "Values", align: "right", cell: ({ values }) => formatCount(values.length) },
		{
			key: "first",
			head: "Begins with",
			className: "w-1/2",
			cell: ({ values }) => <span className="mono block truncate">{values.slice(0, 5).join(", ")}</span>,
		},
		...listOwnedColumns<ValidationList>(),
	],
	paths: ["name", "description", "values", "error_message"],
	useList: (query) => useAnswer(validationListRoutes.list, { query }, { keepPrevious: true }),
	begin: (row) => ({
		name: row?.name ?? "",
		description: row?.description ?? "",
		text: row?.values.join("\n") ?? "",
		case_sensitive: row?.case_sensitive ?? true,
		error_message: row?.error_message ?? "",
		is_public: row?.is_public ?? true,
	}),
	create: ({ text, ...rest }) => callRoute(validationListRoutes.create, { body: { ...rest, values: getValues(text) } }),
	read: ({ id }) => callRoute(validationListRoutes.detail, { params: { id } }),
	update: ({ id }, change) => callRoute(validationListRoutes.update, { params: { id }, body: buildListBody(change) }),
	remove: ({ id }) => callRoute(validationListRoutes.remove, { params: { id } }),
	Fields: ({ form, getError, set }) => (
		<>
			<NamedFields form={form} getError={getError} set={set} />
			<AreaField
				mono
				label="Values"
				required
				rows={12}
				spellCheck={false}
				hint={getCount(form.text)}
				value={form.text}
				error={getError("values")}
				onChange={(event) => set({ text: event.target.value })}
			/>
			<CheckField
				label="Upper and lower case differ"
				checked={form.case_sensitive}
				onChange={(event) => set({ case_sensitive: event.target.checked })}
			/>
			<TextField
				label="Message for a wrong cell"
				maxLength={500}
				hint="Leave empty for the usual message."
				value={form.error_message}
				error={getError("error_message")}
				onChange={(event) => set({ error_message: event.target.value })}
			/>
			<SharedField form={form} set={set} />
		</>
	),
	loss: listUses,
};

const route = getRouteApi("/app/settings/reference/lists");

export const ValueListsPage = () => (
	<ResourcePage resource={valueLists} search={route.useSearch()} navigate={route.useNavigate()} />
);
