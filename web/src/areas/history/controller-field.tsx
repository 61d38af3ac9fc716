/** Limits a history to one controller; not there where the query ran on one only. */
import { SelectField } from "../../ui/field.tsx";
import { type Controllers, listControllerOptions } from "./controller-options.ts";

interface ControllerFieldProps {
	readonly controllers: Controllers;
	/** Undefined: all of them, or none chosen yet if `all` is false. */
	readonly value: string | undefined;
	/** False: one must be chosen. */
	readonly all?: boolean;
	readonly label?: string;
	onChange(id: string | undefined): void;
}

export function ControllerField({ controllers, value, all = true, label = "Fabric", onChange }: ControllerFieldProps) {
	if (controllers.length < 2) return null;
	return (
		<SelectField
			hideLabel
			label={label}
			className="max-w-48"
			value={value ?? ""}
			options={listControllerOptions(controllers, { value, all })}
			onChange={(event) => onChange(event.target.value || undefined)}
		/>
	);
}
