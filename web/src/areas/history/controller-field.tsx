/** Limits a history to one controller; not there where the query ran on one only. */
import type { timeMachineRoutes } from "@weft/contracts";
import type { AnswerOf } from "../../platform/call.ts";
import { SelectField } from "../../ui/field.tsx";

export type Controllers = AnswerOf<typeof timeMachineRoutes.list>["controllers"];

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
			options={[
				...(all || value === undefined ? [{ value: "", label: all ? "All fabrics" : "Choose a fabric" }] : []),
				...controllers.flatMap(({ controller_connection_id: id, controller_connection_name: name }) =>
					id === null ? [] : [{ value: id, label: name }],
				),
			]}
			onChange={(event) => onChange(event.target.value || undefined)}
		/>
	);
}
