/** A choice among the credentials of an automation server, with search and pages. */
import { automationConnectionRoutes } from "@weft/contracts/browser";
import { useState } from "react";
import { useAnswer } from "../../platform/call.ts";
import { findProblem } from "../../platform/problem.ts";
import { SelectField } from "../../ui/field.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { Pager } from "../../ui/table.tsx";
import { nameWithOrganization } from "./server-names.ts";

const SIZE = 100;

export interface ChosenCredential {
	/** Empty: that of the job. */
	readonly id: string;
	readonly name: string;
}

interface CredentialFieldProps {
	/** Id of the connection; null where it was deleted. */
	readonly connection: string | null;
	readonly enabled: boolean;
	readonly value: ChosenCredential;
	readonly error: string | undefined;
	onChange(credential: ChosenCredential): void;
}

export function CredentialField({ connection, enabled, value, error, onChange }: CredentialFieldProps) {
	const [search, setSearch] = useState("");
	const [page, setPage] = useState(1);
	const { data, error: problem } = useAnswer(
		automationConnectionRoutes.credentials,
		{
			params: { id: connection ?? "" },
			query: { page: String(page), page_size: String(SIZE), ...(search === "" ? {} : { search }) },
		},
		{ enabled: enabled && connection !== null, keepPrevious: true },
	);
	const listed = data?.results ?? [];
	const isListed = value.id === "" || listed.some(({ id }) => String(id) === value.id);
	const isLong = search !== "" || (data?.count ?? 0) > SIZE;
	return (
		<div className="flex min-w-0 flex-col gap-1">
			<SelectField
				label="Credential"
				hint="Of the automation server."
				value={value.id}
				error={
					error ?? (problem === null ? undefined : `The credentials could not be read. ${findProblem(problem).detail}`)
				}
				options={[
					{ value: "", label: "(from the job)" },
					...listed.map((each) => {
						const name = nameWithOrganization(each, listed);
						return {
							value: String(each.id),
							label: each.can_use ? name : `${name} (the token may not use it)`,
							disabled: !each.can_use,
						};
					}),
					...(isListed ? [] : [{ value: value.id, label: value.name }]),
				]}
				onChange={(event) => {
					const id = event.target.value;
					const found = listed.find((each) => String(each.id) === id);
					onChange({ id, name: id === "" ? "" : (found?.name ?? value.name) });
				}}
			/>
			{isLong && (
				<SearchField
					label="Search credentials"
					value={search}
					onChange={(text) => {
						setSearch(text);
						setPage(1);
					}}
				/>
			)}
			{data !== undefined && data.count > SIZE && (
				<Pager page={page} pageSize={SIZE} count={data.count} onPage={setPage} />
			)}
		</div>
	);
}
