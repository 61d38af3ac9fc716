/** A required number. It is NaN while the field is empty: the browser then refuses to submit. */
import type { ComponentProps } from "react";
import { TextField } from "./field.tsx";

type NumberFieldProps = Omit<ComponentProps<typeof TextField>, "type" | "value" | "onChange"> & {
	readonly value: number;
	onChange(value: number): void;
};

export function NumberField({ value, onChange, ...field }: NumberFieldProps) {
	return (
		<TextField
			{...field}
			type="number"
			required
			value={Number.isFinite(value) ? value : ""}
			onChange={(event) => onChange(event.target.valueAsNumber)}
		/>
	);
}
