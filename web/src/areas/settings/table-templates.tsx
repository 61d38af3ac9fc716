/** Column sets for the objects of a class: one's own, and those that are shared. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { TableTemplate } from "@weft/contracts";
import { mimPersonalRoutes } from "@weft/contracts/browser";
import { TableProperties } from "lucide-react";
import { useId, useState } from "react";
import { callRoute, useAnswer } from "../../platform/call.ts";
import { formatCount, formatPerson } from "../../platform/format.ts";
import { useMay } from "../../platform/profile.ts";
import { CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { Pill } from "../../ui/pill.tsx";
import { formatConstant, readConstant } from "../automation/grid-model.ts";
import { useProperties } from "../queries/builder/use-properties.ts";
import type { FieldsProps, Resource } from "./resource.ts";
import { NamedFields } from "./resource-form.tsx";
import { ResourcePage } from "./resource-page.tsx";
import { RowsEditor } from "./rows-editor.tsx";

interface ColumnRow {
	readonly field: string;
	readonly label: string;
	readonly visible: boolean;
	/** Null: as wide as it needs. */
	readonly width: number | null;
}

interface SortingRow {
	readonly field: string;
	readonly direction: "asc" | "desc";
}

interface FilterRow {
	readonly field: string;
	readonly value: unknown;
}

interface TableForm {
	readonly name: string;
	readonly description: string;
	readonly class_name: string;
	/** In their order. */
	readonly columns: readonly ColumnRow[];
	readonly sorting: readonly SortingRow[];
	readonly filters: readonly FilterRow[];
	readonly is_shared: boolean;
	readonly is_default: boolean;
}

const buildTableBody = ({ columns, sorting, filters, ...rest }: Partial<TableForm>) => ({
	...rest,
	...(columns === undefined ? {} : { columns: columns.map((column, order) => ({ ...column, order })) }),
	...(sorting === undefined ? {} : { sorting: [...sorting] }),
	...(filters === undefined ? {} : { filters: Object.fromEntries(filters.map(({ field, value }) => [field, value])) }),
});

const tableTemplates: Resource<TableTemplate, TableForm> = {
	title: "Table templates",
	noun: "table template",
	icon: TableProperties,
	model: "tabletemplate",
	about: "A table template holds the columns, the order and the filters with which objects of a class are listed.",
	stale: ["mim_table_templates"],
	route: mimPersonalRoutes.templates,
	columns: [
		{
			key: "class",
			head: "Class",
			cell: ({ class_name }) => (
				<Link
					to="/model/$name"
					params={{ name: class_name }}
					className="mono rounded-cell text-accent-text hover:underline"
				>
					{class_name}
				</Link>
			),
		},
		{ key: "columns", head: "Columns", align: "right", cell: ({ columns }) => formatCount(columns.length) },
		{ key: "owner", head: "Owner", cell: ({ created_by }) => formatPerson(created_by) },
		{
			key: "access",
			head: "Access",
			cell: ({ is_shared, is_default }) => (
				<span className="flex gap-1">
					{is_shared ? <Pill tone="violet">Shared</Pill> : "Private"}
					{is_default && <Pill tone="accent">Default</Pill>}
				</span>
			),
		},
	],
	paths: ["name", "description", "class_name", "columns", "sorting", "filters"],
	useList: (query) => useAnswer(mimPersonalRoutes.templates, { query }, { keepPrevious: true }),
	begin: (row) => ({
		name: row?.name ?? "",
		description: row?.description ?? "",
		class_name: row?.class_name ?? "",
		columns: (row?.columns ?? [])
			.toSorted((a, b) => a.order - b.order)
			.map(({ field, label, visible, width }) => ({ field, label, visible, width })),
		sorting: row?.sorting ?? [],
		filters: Object.entries(row?.filters ?? {}).map(([field, value]) => ({ field, value })),
		is_shared: row?.is_shared ?? false,
		is_default: row?.is_default ?? false,
	}),
	create: (form) =>
		callRoute(mimPersonalRoutes.createTemplate, { body: { ...form, ...buildTableBody(form) } as never }),
	read: async (row) => {
		const { results } = await callRoute(mimPersonalRoutes.templates, { query: { page_size: "200" } });
		return results.find(({ id }) => id === row.id) ?? row;
	},
	update: ({ id }, change) =>
		callRoute(mimPersonalRoutes.updateTemplate, { params: { id }, body: buildTableBody(change) }),
	remove: ({ id }) => callRoute(mimPersonalRoutes.removeTemplate, { params: { id } }),
	Fields,
	loss: ({ is_shared }) =>
		is_shared ? "It is shared: all users lose it." : "Only you see it. The tables of its class stay as they are.",
};

const DIRECTIONS = [
	{ value: "asc", label: "Ascending" },
	{ value: "desc", label: "Descending" },
];

function Fields({ form, readOnly, getError, set }: FieldsProps<TableForm>) {
	const isAdmin = useMay()("admin");
	const list = useId();
	/** Of which properties are offered: not of each beginning of a name. */
	const [known, setKnown] = useState(form.class_name);
	const { properties } = useProperties(known, "");
	const part = { form, readOnly, getError, set, list };
	return (
		<>
			<NamedFields form={form} getError={getError} set={set} max={200} />
			<TextField
				mono
				label="Class"
				required
				maxLength={128}
				placeholder="fvBD"
				spellCheck={false}
				autoComplete="off"
				value={form.class_name}
				error={getError("class_name")}
				onChange={(event) => set({ class_name: event.target.value.trim() })}
				onBlur={() => setKnown(form.class_name)}
			/>
			<datalist id={list}>
				{properties.map(({ name, label }) => (
					<option key={name} value={name}>
						{label}
					</option>
				))}
			</datalist>
			<ColumnsEditor {...part} />
			<SortingEditor {...part} />
			<FiltersEditor {...part} />
			{(isAdmin || form.is_shared) && (
				<CheckField
					label="Shared"
					hint="All users see it; only administrators change it."
					checked={form.is_shared}
					onChange={(event) => set({ is_shared: event.target.checked })}
				/>
			)}
			<CheckField
				label="Default of its class"
				hint="It takes the place of the present default."
				checked={form.is_default}
				onChange={(event) => set({ is_default: event.target.checked })}
			/>
		</>
	);
}

interface AttributeFieldProps {
	/** Id of the list of attributes. */
	readonly list: string;
	readonly label: string;
	readonly value: string;
	readonly error: string | undefined;
	onChange(field: string): void;
}

function AttributeField({ list, label, value, error, onChange }: AttributeFieldProps) {
	return (
		<TextField
			mono
			required
			label={label}
			className="min-w-32 flex-1"
			list={list}
			maxLength={128}
			spellCheck={false}
			autoComplete="off"
			value={value}
			error={error}
			onChange={(event) => onChange(event.target.value)}
		/>
	);
}

interface PartProps extends FieldsProps<TableForm> {
	/** Id of the list of attributes. */
	readonly list: string;
}

function ColumnsEditor({ form, readOnly, getError, set, list }: PartProps) {
	return (
		<RowsEditor
			legend="Columns"
			noun="column"
			hint="From left to right."
			rows={form.columns}
			readOnly={readOnly}
			error={getError("columns")}
			getName={({ field }) => field}
			make={() => ({ field: "", label: "", visible: true, width: null })}
			onChange={(columns) => set({ columns })}
		>
			{({ field, label, visible, width }, change, index) => (
				<>
					<AttributeField
						list={list}
						label="Attribute"
						value={field}
						error={getError(`columns.${index}.field`)}
						onChange={(to) => change({ field: to })}
					/>
					<TextField
						label="Head"
						className="min-w-24 flex-1"
						maxLength={200}
						placeholder={field}
						value={label}
						onChange={(event) => change({ label: event.target.value })}
					/>
					<TextField
						label="Width"
						type="number"
						min={1}
						max={10_000}
						className="w-20"
						placeholder="auto"
						value={width ?? ""}
						onChange={(event) => change({ width: event.target.value === "" ? null : event.target.valueAsNumber })}
					/>
					<CheckField
						label="Visible"
						className="pb-1.5"
						checked={visible}
						onChange={(event) => change({ visible: event.target.checked })}
					/>
				</>
			)}
		</RowsEditor>
	);
}

function SortingEditor({ form, readOnly, getError, set, list }: PartProps) {
	return (
		<RowsEditor
			legend="Sorting"
			noun="sort key"
			rows={form.sorting}
			readOnly={readOnly}
			error={getError("sorting")}
			getName={({ field }) => field}
			make={() => ({ field: "", direction: "asc" as const })}
			onChange={(sorting) => set({ sorting })}
		>
			{({ field, direction }, change, index) => (
				<>
					<AttributeField
						list={list}
						label="Sort by"
						value={field}
						error={getError(`sorting.${index}.field`)}
						onChange={(to) => change({ field: to })}
					/>
					<SelectField
						label="Direction"
						className="w-32"
						value={direction}
						options={DIRECTIONS}
						onChange={(event) => change({ direction: event.target.value === "desc" ? "desc" : "asc" })}
					/>
				</>
			)}
		</RowsEditor>
	);
}

function FiltersEditor({ form, readOnly, getError, set, list }: PartProps) {
	return (
		<RowsEditor
			legend="Filters"
			noun="filter"
			rows={form.filters}
			readOnly={readOnly}
			error={getError("filters")}
			getName={({ field }) => field}
			make={() => ({ field: "", value: "" })}
			onChange={(filters) => set({ filters })}
		>
			{({ field, value }, change) => (
				<>
					<AttributeField
						list={list}
						label="Filter on"
						value={field}
						error={undefined}
						onChange={(to) => change({ field: to })}
					/>
					<TextField
						mono
						label="Value"
						className="min-w-32 flex-1"
						value={formatConstant(value)}
						onChange={(event) => change({ value: readConstant(event.target.value) })}
					/>
				</>
			)}
		</RowsEditor>
	);
}

const route = getRouteApi("/app/settings/table-templates");

export const TableTemplatesPage = () => (
	<ResourcePage resource={tableTemplates} search={route.useSearch()} navigate={route.useNavigate()} />
);
