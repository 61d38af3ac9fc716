/** A choice of a saved query. */
import { savedQueryRoutes } from "@weft/contracts/browser";
import { useAnswer } from "../../platform/call.ts";
import { findProblem } from "../../platform/problem.ts";
import { useMay } from "../../platform/profile.ts";
import { SelectField } from "../../ui/field.tsx";
import { NoQueryHint } from "../../ui/no-query-hint.tsx";

interface QueryFieldProps {
	readonly label: string;
	readonly hideLabel?: boolean;
	readonly value: string;
	/** The name of the chosen query, where it is known without the list. */
	readonly known?: string | undefined;
	/** What no choice is called. */
	readonly none: string;
	readonly required?: boolean;
	readonly error?: string | undefined;
	onChange(id: string): void;
}

export function QueryField({ value, known, none, onChange, ...field }: QueryFieldProps) {
	const { data, error: problem } = useAnswer(
		savedQueryRoutes.list,
		{ query: { page_size: "200", ordering: "name" } },
		{ enabled: useMay()("view_savedquery"), staleTime: 60_000 },
	);
	const queries = data?.results ?? [];
	const isListed = value === "" || queries.some(({ id }) => id === value);
	return (
		<SelectField
			{...field}
			error={
				field.error ?? (problem === null ? undefined : `The queries could not be read. ${findProblem(problem).detail}`)
			}
			hint={!field.hideLabel && data?.count === 0 && <NoQueryHint />}
			className={field.hideLabel ? "max-w-56" : ""}
			value={value}
			options={[
				{ value: "", label: none },
				...(isListed ? [] : [{ value, label: known ?? "The chosen query" }]),
				...queries.map(({ id, name }) => ({ value: id, label: name })),
			]}
			onChange={(event) => onChange(event.target.value)}
		/>
	);
}
