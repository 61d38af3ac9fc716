/** The group of connections that a form names, as its field `connection_group`. */
import { Layers } from "lucide-react";
import { useState } from "react";
import { useDraftState } from "../../../platform/draft-state.ts";
import { formatPlural } from "../../../platform/format.ts";
import { findProblem } from "../../../platform/problem.ts";
import { useConnectionGroups } from "../../../platform/target.ts";
import { Button } from "../../../ui/button.tsx";
import { SelectField } from "../../../ui/field.tsx";

interface GroupFieldProps {
	readonly label: string;
	readonly hint: string;
	/** Id of the group at first; null: none. */
	readonly group: string | null;
	/** Its name, for a group that the user does not see. */
	readonly name?: string | null;
	readonly error?: string | undefined;
}

/** Without a group it is a button first, so that most forms do not ask for the groups. */
export function GroupField(props: GroupFieldProps) {
	const [chosen, setChosen] = useDraftState("connection_group", props.group ?? "");
	const [isOpen, setOpen] = useState(chosen !== "");
	return isOpen ? (
		<OpenField {...props} chosen={chosen} onChange={setChosen} />
	) : (
		<Button variant="ghost" icon={Layers} className="self-start" onClick={() => setOpen(true)}>
			Choose a group of fabrics
		</Button>
	);
}

/** The groups that the user sees, as options, and why they could not be read. */
export function useGroupOptions() {
	const { data, error } = useConnectionGroups();
	return {
		options: (data?.results ?? []).map(({ id, name, connection_ids }) => ({
			value: id,
			label: `${name} (${formatPlural(connection_ids.length, "fabric")})`,
		})),
		problem: error === null ? undefined : `The groups could not be read. ${findProblem(error).detail}`,
	};
}

interface OpenFieldProps extends GroupFieldProps {
	readonly chosen: string;
	onChange(id: string): void;
}

function OpenField({ label, hint, group, name, error, chosen, onChange }: OpenFieldProps) {
	const groups = useGroupOptions();
	const isKnown = group === null || groups.options.some(({ value }) => value === group);
	return (
		<SelectField
			label={label}
			hint={hint}
			name="connection_group"
			value={chosen}
			options={[
				{ value: "", label: "(none)" },
				...(isKnown ? [] : [{ value: group, label: name ?? group }]),
				...groups.options,
			]}
			error={error ?? groups.problem}
			onChange={({ target }) => onChange(target.value)}
		/>
	);
}

/** Of a form with the field; null: none. */
export const readGroup = (form: FormData): string | null => String(form.get("connection_group") ?? "") || null;
