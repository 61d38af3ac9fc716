/** A field for each variable of a query, by its type. */
import { Fragment, useId } from "react";
import { SelectField, TextField } from "./field.tsx";

interface Variable {
	readonly id: string;
	readonly label?: string;
	readonly type?: string;
	readonly required?: boolean;
	readonly defaultValue?: unknown;
	readonly options?: readonly (string | { readonly value: unknown; readonly label?: string })[];
}

interface VariableFieldsProps {
	readonly variables: readonly unknown[];
	/** The service's messages by field. */
	readonly errors: Readonly<Record<string, string | undefined>>;
	/** Values of the fabric by variable. */
	readonly choices?: Readonly<Record<string, readonly string[]>>;
}

/** Fields of a form that start with the defaults; their names are those of the variables. */
export function VariableFields({ variables, errors, choices = {} }: VariableFieldsProps) {
	const listId = useId();
	return (variables as readonly Variable[]).map(({ id, label, type, required = false, defaultValue, options = [] }) => {
		const common = { label: label ?? id, name: id, required, error: errors[`variable_values.${id}`] };
		const usual = defaultValue === undefined ? "" : String(defaultValue);
		if (type === "select") {
			const known = options.map((option) =>
				typeof option === "string"
					? { value: option, label: option }
					: { value: String(option.value), label: option.label ?? String(option.value) },
			);
			return (
				<SelectField
					key={id}
					{...common}
					defaultValue={usual}
					options={[...(required ? [] : [{ value: "", label: "(none)" }]), ...known]}
				/>
			);
		}
		return (
			<Fragment key={id}>
				<TextField
					mono
					{...common}
					{...(choices[id] ? { list: `${listId}-${id}` } : {})}
					defaultValue={usual}
					inputMode={type === "number" ? "decimal" : "text"}
				/>
				{choices[id] && (
					<datalist id={`${listId}-${id}`}>
						{choices[id].map((value) => (
							<option key={value} value={value} />
						))}
					</datalist>
				)}
			</Fragment>
		);
	});
}
