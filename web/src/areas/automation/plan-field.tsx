/** The change plan or change window of a request: each launch makes a window, or waits for one. */
import type { AutomationTemplate } from "@weft/contracts";
import { changePlanRoutes, changeWindowRoutes } from "@weft/contracts/browser";
import { useAnswer } from "../../platform/call.ts";
import { findProblem } from "../../platform/problem.ts";
import { useMay } from "../../platform/profile.ts";
import { SelectField } from "../../ui/field.tsx";
import { isBeforeEnd } from "../windows/window-states.ts";

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

/** Windows in which the job can still begin. */
export function WindowField({ value, error, onChange }: Omit<PlanFieldProps, "template">) {
	const { data, error: problem } = useAnswer(
		changeWindowRoutes.list,
		{ query: { page_size: "200" } },
		{ enabled: useMay()("view_changewindow"), staleTime: 60_000 },
	);
	const windows = data?.results.filter(({ state }) => isBeforeEnd(state)) ?? [];
	const isListed = value === "" || windows.some(({ id }) => id === value);
	return (
		<SelectField
			label="Change window"
			hint="Instead of a plan. The job waits until this window opens; import its rows there as expectations."
			value={value}
			error={error ?? (problem === null ? undefined : `The windows could not be read. ${findProblem(problem).detail}`)}
			options={[
				{ value: "", label: "(no window)" },
				...(isListed ? [] : [{ value, label: "The chosen window" }]),
				...windows.map(({ id, title, ticket }) => ({
					value: id,
					label: ticket === null ? title : `${title} (${ticket.number})`,
				})),
			]}
			onChange={(event) => onChange(event.target.value)}
		/>
	);
}
