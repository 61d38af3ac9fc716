/** Imports expectations from a file, approved rows, or an earlier window on another fabric. */
import type { ChangeWindow, ExpectationImport } from "@weft/contracts";
import { automationRequestRoutes, changeWindowRoutes } from "@weft/contracts/browser";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { useDraftState } from "../../platform/draft-state.ts";
import { formatPlural } from "../../platform/format.ts";
import { findProblem } from "../../platform/problem.ts";
import { useMay } from "../../platform/profile.ts";
import { AreaField, SelectField } from "../../ui/field.tsx";
import { Drafted } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { showToast } from "../../ui/toast.tsx";

interface ImportDialogProps {
	readonly window: ChangeWindow;
	onClose(): void;
}

export function ExpectationImportDialog({ window, onClose }: ImportDialogProps) {
	return (
		<Drafted form="change-window-import" id={window.id}>
			<ImportForm window={window} onClose={onClose} />
		</Drafted>
	);
}

type Format = ExpectationImport["format"];

function ImportForm({ window, onClose }: ImportDialogProps) {
	const [format, setFormat] = useDraftState<Format>("format", "yaml");
	const mayReadRequests = useMay()("view_automationrequest");
	const save = useAction(
		(form: FormData) => {
			const text = (name: string) => String(form.get(name) ?? "");
			const sources = {
				request: { request: text("request") },
				comparison: { window: text("window") },
				yaml: { content: text("content") },
				terraform: { content: text("content") },
			};
			return callRoute(changeWindowRoutes.importExpectations, {
				params: { id: window.id },
				body: { format, ...sources[format] },
			});
		},
		{
			stale: ["change_windows"],
			onSuccess: ({ added, not_understood }) => {
				const left = not_understood.map(({ what, reason }) => `${what}: ${reason}`).join("\n");
				const count = formatPlural(added, "expectation is added", "expectations are added");
				showToast(`${count}.${left === "" ? "" : ` Not understood:\n${left}`}`);
				onClose();
			},
		},
	);
	return (
		<FormDialog
			title="Import expectations"
			description="Parts that are not understood are listed, all others are added."
			action="Add"
			save={save}
			onClose={onClose}
		>
			{(errors) => (
				<>
					<SelectField
						label="Source"
						value={format}
						options={[
							{ value: "yaml", label: "Expectations as a YAML list" },
							{ value: "terraform", label: "terraform show -json" },
							...(mayReadRequests ? [{ value: "request", label: "Approved rows of a request" }] : []),
							{ value: "comparison", label: "Findings of an earlier window on another fabric" },
						]}
						error={errors.format}
						onChange={({ target }) => setFormat(target.value as Format)}
					/>
					{format === "request" && <RequestField error={errors.request} />}
					{format === "comparison" && <WindowField window={window} error={errors.window} />}
					{(format === "yaml" || format === "terraform") && (
						<AreaField
							label="Text of the file"
							name="content"
							rows={10}
							mono
							required
							data-autofocus
							error={errors.content}
						/>
					)}
				</>
			)}
		</FormDialog>
	);
}

const UNAPPROVED: readonly string[] = ["awaiting_approval", "rejected"];

function RequestField({ error }: { error: string | undefined }) {
	const answer = useAnswer(automationRequestRoutes.list, { query: { page_size: "200" } });
	const approved = answer.data?.results.filter(({ status }) => !UNAPPROVED.includes(status)) ?? [];
	const problem = answer.error === null ? undefined : findProblem(answer.error).detail;
	return (
		<SelectField
			label="Request"
			name="request"
			required
			options={[
				{ value: "", label: answer.isPending ? "Loading …" : "Choose a request" },
				...approved.map(({ id, title, row_count, requested_by }) => ({
					value: id,
					label: `${title} (${formatPlural(row_count, "row")}, by ${requested_by})`,
				})),
			]}
			hint="Each approved row is declared by the expects of the template. The newest 200 requests are listed."
			error={error ?? problem}
		/>
	);
}

/** Windows that were judged on none of the fabrics of this one. */
function WindowField({ window, error }: { window: ChangeWindow; error: string | undefined }) {
	const answer = useAnswer(changeWindowRoutes.list, { query: { page_size: "200" } });
	const others = answer.data?.results.filter(
		({ id, verdict, connection_ids }) =>
			id !== window.id && verdict !== null && !connection_ids.some((one) => window.connection_ids.includes(one)),
	);
	const problem = answer.error === null ? undefined : findProblem(answer.error).detail;
	return (
		<SelectField
			label="Earlier window"
			name="window"
			required
			options={[
				{ value: "", label: answer.isPending ? "Loading …" : "Choose a window" },
				...(others ?? []).map(({ id, title, ticket }) => ({
					value: id,
					label: ticket === null ? title : `${title} (${ticket.number})`,
				})),
			]}
			hint="Its findings are expected here under the same names. Judged windows of other fabrics are listed, of the newest 200."
			error={error ?? problem}
		/>
	);
}
