/** The fields of a filter: patterns, or one property with its value. */
import { FILTER_OPERATORS } from "@weft/contracts/browser";
import { SelectField, TextField } from "../../../../ui/field.tsx";
import type { CanvasNode } from "../model/canvas.ts";
import { isPatterns } from "../model/describe.ts";
import { findClassAt, replaceData, setData } from "../model/edit.ts";
import { useBuilderStore, useDoc } from "../store.ts";
import { useProperties } from "../use-properties.ts";
import { PatternsForm } from "./patterns-form.tsx";
import { PropertyOptions } from "./property-options.tsx";
import { formatValue, useField } from "./use-field.ts";

/** How a filter asks for an answer. */
const PLACEHOLDER = "$" + "{name}";

const OPERATOR_NAMES: Readonly<Record<string, string>> = {
	eq: "is",
	ne: "is not",
	gt: "is greater than",
	lt: "is less than",
	ge: "is at least",
	le: "is at most",
	bw: "is between",
	wcard: "matches the expression",
	contains: "contains",
};

export function FilterForm({ node }: { node: CanvasNode }) {
	const { id, data } = node;
	const store = useBuilderStore();
	const patterns = isPatterns(data);
	const change = (kind: string) =>
		store.getState().edit((doc) =>
			replaceData(
				doc,
				id,
				kind === "property"
					? { filterType: "property", property: "name", operator: "eq", value: "" }
					: {
							filterType: "query-target-filter",
							patternGroups: [{ logicalOperator: "or", patterns: [{ property: "name", type: "starts", pattern: "" }] }],
						},
			),
		);
	return (
		<>
			<SelectField
				label="Filter"
				data-first
				value={patterns ? "patterns" : "property"}
				options={[
					{ value: "property", label: "by value" },
					{ value: "patterns", label: "by text pattern" },
				]}
				onChange={(event) => change(event.target.value)}
			/>
			{patterns ? <PatternsForm node={node} /> : <PropertyFields node={node} />}
		</>
	);
}

function PropertyFields({ node: { id, data } }: { node: CanvasNode }) {
	const set = useField(id);
	const operator = formatValue(data.operator) || "eq";
	const className = formatValue(findClassAt(useDoc(), id)?.data.className);
	const { properties, values } = useProperties(className, formatValue(data.property));
	return (
		<>
			<TextField
				mono
				label="Property"
				list={`${id}-properties`}
				hint={className === "" ? undefined : `Of ${className}`}
				value={formatValue(data.property)}
				spellCheck={false}
				onChange={(event) => set("property", event.target.value.trim())}
			/>
			<PropertyOptions id={`${id}-properties`} properties={properties} />
			<datalist id={`${id}-values`}>
				{values.map(({ value, label }) => (
					<option key={value} value={value}>
						{label}
					</option>
				))}
			</datalist>
			<SelectField
				label="Comparison"
				value={operator}
				options={FILTER_OPERATORS.map((value) => ({ value, label: OPERATOR_NAMES[value] ?? value }))}
				onChange={(event) => set("operator", event.target.value)}
			/>
			{operator === "bw" ? (
				<RangeField value={data.value} onChange={(value) => set("value", value)} />
			) : (
				<ValueField id={id} value={data.value} />
			)}
		</>
	);
}

interface RangeFieldProps {
	readonly value: unknown;
	onChange(value: readonly [from: string, to: string]): void;
}

/** Both ends of a range. */
function RangeField({ value, onChange }: RangeFieldProps) {
	const [from = "", to = ""] = Array.isArray(value) ? value.map(formatValue) : formatValue(value).split(",");
	return (
		<div className="grid grid-cols-2 gap-2">
			<TextField mono label="From" value={from} onChange={(event) => onChange([event.target.value, to])} />
			<TextField mono label="To" value={to} onChange={(event) => onChange([from, event.target.value])} />
		</div>
	);
}

function ValueField({ id, value }: { readonly id: string; readonly value: unknown }) {
	const store = useBuilderStore();
	return (
		<TextField
			mono
			label="Value"
			list={`${id}-values`}
			hint={
				<>
					Write a variable as <span className="mono">{PLACEHOLDER}</span>.
				</>
			}
			value={Array.isArray(value) ? value.join(",") : formatValue(value)}
			spellCheck={false}
			onChange={(event) =>
				store.getState().edit((doc) => setData(doc, id, { value: event.target.value }), `${id}:value`)
			}
		/>
	);
}
