/** The change plan of a request: each launch of it gets a change window of its own. */
import type { AutomationTemplate } from "@weft/contracts";
import { changePlanRoutes } from "@weft/contracts/browser";
import { useAnswer } from "../../platform/call.ts";
import { findProblem } from "../../platform/problem.ts";
import { useMay } from "../../platform/profile.ts";
import { SelectField } from "../../ui/field.tsx";

interface PlanFieldProps {
	readonly template: AutomationTemplate;
	readonly value: string;
	readonly error: string | undefined;
	onChange(id: string): void;
}

export function PlanField({ template, value, error, onChange }: PlanFieldProps) {
	const { data, error: problem } = useAnswer(
		changePlanRoutes.list,
		{ query: { page_size: "200", ordering: "name" } },
		{ enabled: useMay()("view_changeplan"), staleTime: 60_000 },
	);
	const plans = data?.results ?? [];
	const isListed = value === "" || plans.some(({ id }) => id === value);
	return (
		<SelectField
			label="Change plan"
			hint={
				template.requires_change_plan
					? "The template requires one, except for dry runs."
					: "Compares the target fabric before and after the job."
			}
			value={value}
			error={error ?? (problem === null ? undefined : `The plans could not be read. ${findProblem(problem).detail}`)}
			options={[
				{ value: "", label: "(no plan)" },
				...(isListed ? [] : [{ value, label: "The chosen plan" }]),
				...plans.map(({ id, name }) => ({ value: id, label: name })),
			]}
			onChange={(event) => onChange(event.target.value)}
		/>
	);
}
