/** Who sees and uses a connection: its owner, or all users. */
import { SelectField } from "./field.tsx";

interface AudienceFieldProps {
	readonly isPublic: boolean;
	readonly error?: string | undefined;
	onChange(isPublic: boolean): void;
}

export const AudienceField = ({ isPublic, error, onChange }: AudienceFieldProps) => (
	<SelectField
		label="For"
		value={isPublic ? "team" : "me"}
		options={[
			{ value: "me", label: "Only me" },
			{ value: "team", label: "The whole team" },
		]}
		hint={isPublic ? "All users can see and use it." : "Only you and administrators can see and use it."}
		error={error}
		onChange={(event) => onChange(event.target.value === "team")}
	/>
);
