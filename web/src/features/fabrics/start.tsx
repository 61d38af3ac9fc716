/** Starts a saved query on a group of connections, or on several that are chosen here. */
import { connectionGroupRoutes, type GroupExecution, groupExecutionRoutes, savedQueryRoutes } from "@weft/contracts";
import { useState } from "react";
import { send, useAction, useAnswer } from "../../platform/call.ts";
import { plural } from "../../platform/format.ts";
import { SelectField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { VariableFields } from "../../ui/variable-fields.tsx";
import { MembersField } from "./members-field.tsx";

/** The most that one list shows. */
const GROUPS_MAX = "200";

interface StartProps {
	/** Of the saved query. */
	readonly queryId: string;
	onStarted(execution: GroupExecution): void;
	onClose(): void;
}

export function StartGroupRun({ queryId, onStarted, onClose }: StartProps) {
	const query = useAnswer(savedQueryRoutes.detail, { params: { id: queryId } });
	const groups = useAnswer(connectionGroupRoutes.list, { query: { page_size: GROUPS_MAX } });
	/** Null: that of the query. */
	const [chosen, setChosen] = useState<string | null>(null);
	const [members, setMembers] = useState<readonly string[]>([]);
	const [values, setValues] = useState<Readonly<Record<string, string>>>({});
	const group = chosen ?? query.data?.connection_group ?? "";
	const start = useAction(
		() =>
			send(groupExecutionRoutes.create, {
				body: {
					saved_query_id: queryId,
					...(group === "" ? { connection_ids: [...members] } : { connection_group: group }),
					variable_values: values,
				},
			}),
		{ stale: ["group_executions", "pipelines"], onSuccess: onStarted },
	);
	return (
		<FormDialog
			title="Run on several controllers"
			description={query.data ? `${query.data.name}, as it is saved (${query.data.version_string}).` : ""}
			action="Run"
			save={{ ...start, mutate: () => start.mutate(undefined) }}
			onClose={onClose}
		>
			{(errors) => (
				<>
					<SelectField
						label="Group"
						value={group}
						options={[
							{ value: "", label: "Choose connections" },
							...(groups.data?.results ?? []).map(({ id, name, connection_ids }) => ({
								value: id,
								label: `${name} (${plural(connection_ids.length, "connection")})`,
							})),
						]}
						onChange={({ target }) => setChosen(target.value)}
						error={errors.connection_group}
					/>
					{group === "" && (
						<MembersField
							chosen={members}
							error={Object.entries(errors).find(([field]) => field.startsWith("connection_ids"))?.[1]}
							onChange={setMembers}
						/>
					)}
					<VariableFields
						variables={query.data?.variables ?? []}
						errors={errors}
						onChange={(id, value) => setValues((before) => ({ ...before, [id]: value }))}
					/>
				</>
			)}
		</FormDialog>
	);
}
