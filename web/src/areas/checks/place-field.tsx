/** A choice between all states of a check and the one of a connection. */
import type { CheckStateEntry } from "@weft/contracts";
import { SelectField } from "../../ui/field.tsx";
import { formatConnectionName } from "./words.tsx";

interface PlaceFieldProps {
	readonly entries: readonly CheckStateEntry[];
	/** Empty: all. */
	readonly value: string;
	readonly error?: string | undefined;
	onChange(id: string): void;
}

/** Absent where there is nothing to choose. */
export function PlaceField({ entries, value, error, onChange }: PlaceFieldProps) {
	const named = entries.filter(({ controller_connection_id }) => controller_connection_id !== null);
	if (named.length < 2) return null;
	return (
		<SelectField
			label="Connection"
			value={value}
			error={error}
			options={[
				{ value: "", label: `All ${named.length}` },
				...named.map((entry) => ({ value: entry.controller_connection_id ?? "", label: formatConnectionName(entry) })),
			]}
			onChange={(event) => onChange(event.target.value)}
		/>
	);
}
