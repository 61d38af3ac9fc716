/** Saves a question as a query of the user. */
import type { Question, SavedQuery } from "@weft/contracts";
import { galleryRoutes } from "@weft/contracts/browser";
import { callRoute, useAction } from "../../../platform/call.ts";
import { CheckField, TextField } from "../../../ui/field.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";

interface SaveQuestionProps {
	readonly question: Question;
	onSaved(query: SavedQuery): void;
	onClose(): void;
}

export function SaveQuestion({ question: { key, question }, onSaved, onClose }: SaveQuestionProps) {
	const save = useAction(
		(form: FormData) =>
			callRoute(galleryRoutes.save, {
				params: { key },
				body: { name: String(form.get("name")), enable_time_machine: form.get("snapshots") !== null },
			}),
		{ stale: ["saved_queries"], onSuccess: onSaved },
	);
	return (
		<FormDialog
			title="Save as my query"
			description="A query of yours can be changed, scheduled and checked."
			action="Save"
			save={save}
			onClose={onClose}
		>
			{(errors) => (
				<>
					<TextField label="Name" name="name" required defaultValue={question.replace(/\?$/, "")} error={errors.name} />
					<CheckField
						label="Snapshots"
						name="snapshots"
						hint="Each run is stored as a snapshot, so that changes are found."
					/>
				</>
			)}
		</FormDialog>
	);
}
