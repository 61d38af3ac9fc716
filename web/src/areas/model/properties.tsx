/** The properties of a class with their types, defaults and allowed values. */
import { getRouteApi } from "@tanstack/react-router";
import type { ClassDetail, ModelProperty } from "@weft/contracts";
import { useMemo, useState } from "react";
import { formatPlural } from "../../platform/format.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { TextButton } from "../../ui/button.tsx";
import { CheckField } from "../../ui/field.tsx";
import { Empty } from "../../ui/page.tsx";
import { Pill, type Tone } from "../../ui/pill.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { type Column, Table } from "../../ui/table.tsx";

const route = getRouteApi("/app/model/$name");
/** Above that the rest comes on demand, so that a page stays light. */
const AT_FIRST = 60;
const VALUES = 4;

export function Properties({ detail: { name, properties } }: { detail: ClassDetail }) {
	const [{ p = "", only }, set] = useSearchState(route.useSearch(), route.useNavigate(), { replace: true });
	const [whole, setWhole] = useState(false);
	const found = useMemo(() => {
		const text = p.toLowerCase();
		return properties
			.filter(({ configurable }) => only !== "configurable" || configurable)
			.filter((each) => `${each.name} ${each.label} ${each.description}`.toLowerCase().includes(text))
			.sort((a, b) => Number(b.naming) - Number(a.naming));
	}, [properties, p, only]);
	const shown = whole ? found : found.slice(0, AT_FIRST);
	return (
		<div className="overflow-hidden rounded-card border border-line bg-surface">
			<div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line border-b px-3 py-1.5">
				<SearchField value={p} label="Filter properties" onChange={(text) => set({ p: text || undefined })} />
				<CheckField
					label="Configurable only"
					checked={only === "configurable"}
					onChange={(event) => set({ only: event.target.checked ? "configurable" : undefined })}
				/>
				<span className="num ml-auto text-muted">{formatPlural(found.length, "property", "properties")}</span>
			</div>
			{found.length === 0 ? (
				<Empty>{properties.length === 0 ? "This class has no properties." : "No property matches."}</Empty>
			) : (
				<Table label={`Properties of ${name}`} columns={COLUMNS} rows={shown} getKey={(row) => row.name} />
			)}
			{found.length > shown.length && (
				<p className="m-0 border-line border-t px-3 py-2">
					<TextButton onClick={() => setWhole(true)}>
						Show {formatPlural(found.length - shown.length, "more property", "more properties")}
					</TextButton>
				</p>
			)}
		</div>
	);
}

const COLUMNS: readonly Column<ModelProperty>[] = [
	{
		key: "name",
		head: "Property",
		className: "align-top py-1",
		cell: ({ name }) => <span className="mono">{name}</span>,
	},
	{
		key: "type",
		head: "Type",
		className: "align-top py-1",
		cell: (property) => (
			<>
				<span title={`${property.model_type || "-"} (${property.base_type || "-"})`} className="text-muted">
					{property.type}
				</span>
				<Flags property={property} />
			</>
		),
	},
	{
		key: "label",
		head: "Label and description",
		className: "align-top py-1 w-2/5 min-w-48",
		cell: ({ label, description }) => (
			<>
				<span className="block">{label}</span>
				{description && <span className="block text-muted text-xs">{description}</span>}
			</>
		),
	},
	{
		key: "values",
		head: "Values",
		className: "align-top py-1 w-1/4 min-w-40 max-w-0!",
		cell: (property) => <Values property={property} />,
	},
];

function Flags({ property }: { property: ModelProperty }) {
	const { naming, required, configurable, create_only, secure, deprecated } = property;
	const flags: readonly (readonly [boolean, string, Tone])[] = [
		[naming, "naming", "accent"],
		[required && !naming, "required", "warn"],
		[configurable && !create_only, "configurable", "ok"],
		[create_only, "create-only", "ok"],
		[secure, "secret", "violet"],
		[deprecated, "deprecated", "warn"],
	];
	return (
		<span className="flex flex-wrap gap-1">
			{flags
				.filter(([on]) => on)
				.map(([, word, tone]) => (
					<Pill key={word} tone={tone}>
						{word}
					</Pill>
				))}
		</span>
	);
}

function Values({ property: { valid_values, validators, default: fallback } }: { property: ModelProperty }) {
	const names = valid_values.map(({ local_name, value }) => local_name || value);
	const range = validators.find(({ min, max }) => min !== null || max !== null);
	const patterns = validators.flatMap(({ regexs }) => regexs.map(({ regex }) => regex));
	return (
		<span className="block text-xs">
			{names.length > 0 && (
				<span className="mono block break-words" title={names.join(", ")}>
					{names.slice(0, VALUES).join(", ")}
					{names.length > VALUES && <span className="text-muted"> and {names.length - VALUES} more</span>}
				</span>
			)}
			{names.length === 0 && range && (
				<span className="num block text-muted">
					{range.min ?? ""} to {range.max ?? ""}
				</span>
			)}
			{patterns.length > 0 && (
				<span className="mono block truncate text-muted" title={patterns.join("\n")}>
					{patterns[0]}
				</span>
			)}
			{fallback !== null && fallback !== "" && (
				<span className="block text-muted">
					default <span className="mono">{fallback}</span>
				</span>
			)}
		</span>
	);
}
