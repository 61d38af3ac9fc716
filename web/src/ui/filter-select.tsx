/** A choice that narrows a list: one value, or any. */
import { type Option, SelectField } from "./field.tsx";

interface FilterSelectProps {
	readonly label: string;
	/** Text of the choice that does not narrow. */
	readonly any: string;
	/** Undefined: any. */
	readonly value: string | undefined;
	readonly options: readonly Option[];
	onChange(value: string | undefined): void;
}

export function FilterSelect({ label, any, value = "", options, onChange }: FilterSelectProps) {
	return (
		<SelectField
			hideLabel
			label={label}
			value={value}
			options={[{ value: "", label: any }, ...options]}
			onChange={(event) => onChange(event.target.value || undefined)}
		/>
	);
}
