/** Starts a query on a group of connections, or on several that are chosen here. */
import type { GroupExecution, SavedQuery } from "@weft/contracts";
import { savedQueryRoutes } from "@weft/contracts/browser";
import { useState } from "react";
import { useAnswer } from "../../../platform/call.ts";
import { SelectField } from "../../../ui/field.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { ProblemBanner } from "../../../ui/page.tsx";
import { VariableFields } from "../../../ui/variable-fields.tsx";
import { useGroupOptions } from "./group-field.tsx";
import { MembersField } from "./members-field.tsx";
import { type Content, useGroupStart } from "./use-group-start.ts";

interface StartProps {
	/** The id of a saved query, or the content of one that is not saved. */
	readonly query: string | Content;
	/** Id of the group at first; without it that of the query. */
	readonly group?: string | null;
	onStarted(execution: GroupExecution): void;
	onClose(): void;
}

export function StartGroupRun({ query, group: asked = null, onStarted, onClose }: StartProps) {
	const id = typeof query === "string" ? query : "";
	const saved = useAnswer(savedQueryRoutes.detail, { params: { id } }, { enabled: id !== "" });
	const content = typeof query === "string" ? saved.data : query;
	const groups = useGroupOptions();
	/** Null: that of the query. */
	const [chosen, setChosen] = useState<string | null>(asked);
	const [members, setMembers] = useState<readonly string[]>([]);
	const group = chosen ?? saved.data?.connection_group ?? "";
	const start = useGroupStart(
		(form: FormData) => ({
			query,
			fabrics: group === "" ? { connection_ids: [...members] } : { connection_group: group },
			values: Object.fromEntries(form),
		}),
		onStarted,
	);
	return (
		<FormDialog
			title="Run on several fabrics"
			description={formatDescription(query, saved.data)}
			action="Run"
			save={start}
			onClose={onClose}
		>
			{(errors) => (
				<>
					<SelectField
						label="Group"
						value={group}
						options={[{ value: "", label: "Choose fabrics" }, ...groups.options]}
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
					{saved.error ? (
						<ProblemBanner error={saved.error} onRetry={() => void saved.refetch()} />
					) : (
						<VariableFields variables={content?.variables ?? []} errors={errors} />
					)}
				</>
			)}
		</FormDialog>
	);
}

function formatDescription(query: string | Content, saved: SavedQuery | undefined): string {
	if (typeof query !== "string") return "The query as it is drawn now; it is not saved.";
	return saved ? `${saved.name}, as it is saved (${saved.version_string}).` : "";
}
