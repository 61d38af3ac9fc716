/** Starts a saved query on a group of connections, or on several that are chosen here. */
import { type GroupExecution, groupExecutionRoutes, savedQueryRoutes } from "@weft/contracts";
import { useState } from "react";
import { send, useAction, useAnswer } from "../../platform/call.ts";
import { SelectField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { ProblemBanner } from "../../ui/page.tsx";
import { VariableFields } from "../../ui/variable-fields.tsx";
import { useGroupOptions } from "./group-field.tsx";
import { MembersField } from "./members-field.tsx";

interface StartProps {
	/** Of the saved query. */
	readonly queryId: string;
	onStarted(execution: GroupExecution): void;
	onClose(): void;
}

export function StartGroupRun({ queryId, onStarted, onClose }: StartProps) {
	const query = useAnswer(savedQueryRoutes.detail, { params: { id: queryId } });
	const groups = useGroupOptions();
	/** Null: that of the query. */
	const [chosen, setChosen] = useState<string | null>(null);
	const [members, setMembers] = useState<readonly string[]>([]);
	const group = chosen ?? query.data?.connection_group ?? "";
	const start = useAction(
		(form: FormData) =>
			send(groupExecutionRoutes.create, {
				body: {
					saved_query_id: queryId,
					...(group === "" ? { connection_ids: [...members] } : { connection_group: group }),
					variable_values: Object.fromEntries(form),
				},
			}),
		{ stale: ["group_executions", "pipelines"], onSuccess: onStarted },
	);
	return (
		<FormDialog
			title="Run on several controllers"
			description={query.data ? `${query.data.name}, as it is saved (${query.data.version_string}).` : ""}
			action="Run"
			save={start}
			onClose={onClose}
		>
			{(errors) => (
				<>
					<SelectField
						label="Group"
						value={group}
						options={[{ value: "", label: "Choose connections" }, ...groups.options]}
						onChange={({ target }) => setChosen(target.value)}
						error={errors.connection_group ?? groups.problem}
					/>
					{group === "" && (
						<MembersField
							chosen={members}
							error={Object.entries(errors).find(([field]) => field.startsWith("connection_ids"))?.[1]}
							onChange={setMembers}
						/>
					)}
					{query.error ? (
						<ProblemBanner error={query.error} onRetry={() => void query.refetch()} />
					) : (
						<VariableFields variables={query.data?.variables ?? []} errors={errors} />
					)}
				</>
			)}
		</FormDialog>
	);
}
