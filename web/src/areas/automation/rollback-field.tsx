/** The template that undoes the jobs of another one. */
import { automationTemplateRoutes } from "@weft/contracts/browser";
import { useState } from "react";
import { useAnswer } from "../../platform/call.ts";
import { findProblem } from "../../platform/problem.ts";
import { SelectField } from "../../ui/field.tsx";

interface RollbackFieldProps {
	/** Id of the template that has the rollback; null for a new one. */
	readonly of: string | null;
	readonly value: string | null;
	readonly error: string | undefined;
	onChange(id: string | null): void;
}

export function RollbackField({ of, value, error, onChange }: RollbackFieldProps) {
	const query = { page_size: "200", ordering: "name" } as const;
	// The list is needed for a choice, or for the name of the chosen one.
	const [isNeeded, setNeeded] = useState(value !== null);
	const need = () => setNeeded(true);
	const { data, error: problem } = useAnswer(
		automationTemplateRoutes.list,
		{ query },
		{ staleTime: 60_000, enabled: isNeeded },
	);
	const listed = (data?.results ?? []).filter(({ id }) => id !== of);
	const isListed = value === null || listed.some(({ id }) => id === value);
	return (
		<SelectField
			label="Rollback template"
			hint="Undoes a job with the rows of its request."
			value={value ?? ""}
			error={
				error ?? (problem === null ? undefined : `The templates could not be read. ${findProblem(problem).detail}`)
			}
			onFocus={need}
			onPointerEnter={need}
			options={[
				{ value: "", label: "(none)" },
				...(isListed ? [] : [{ value: value ?? "", label: "The chosen template" }]),
				...listed.map(({ id, name }) => ({ value: id, label: name })),
			]}
			onChange={(event) => onChange(event.target.value || null)}
		/>
	);
}
