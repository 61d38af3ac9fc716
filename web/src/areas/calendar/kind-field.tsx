/** The kind of a calendar entry. */
import type { CalendarKind } from "@weft/contracts";
import { useMay } from "../../platform/profile.ts";
import { SelectField } from "../../ui/field.tsx";
import { KIND_NAMES } from "./words.ts";

/** The kinds that the user may make, the usual one first. */
export function useKinds(): readonly [CalendarKind, ...CalendarKind[]] {
	return useMay()("override_freeze") ? ["freeze", "maintenance"] : ["maintenance"];
}

interface KindFieldProps {
	readonly kind: CalendarKind;
	readonly kinds: readonly CalendarKind[];
	readonly error: string | undefined;
	onChange(kind: CalendarKind): void;
}

export const KindField = ({ kind, kinds, error, onChange }: KindFieldProps) => (
	<SelectField
		label="Kind"
		value={kind}
		options={kinds.map((value) => ({ value, label: KIND_NAMES[value] }))}
		error={error}
		onChange={({ target }) => onChange(kinds.find((one) => one === target.value) ?? kind)}
	/>
);
