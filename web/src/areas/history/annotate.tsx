/** Label and note of a snapshot. */
import type { Snapshot } from "@weft/contracts";
import { timeMachineRoutes } from "@weft/contracts/browser";
import { callRoute, useAction } from "../../platform/call.ts";
import { useDraft, useDraftState } from "../../platform/draft-state.ts";
import { AreaField, TextField } from "../../ui/field.tsx";
import { Drafted } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";

interface AnnotateProps {
	readonly snapshot: Snapshot;
	readonly when: string;
	onSaved?(snapshot: Snapshot): void;
	onClose(): void;
}

export const AnnotateDialog = (props: AnnotateProps) => (
	<Drafted form="annotation" id={props.snapshot.id}>
		<Annotation {...props} />
	</Drafted>
);

function Annotation({ snapshot, when, onSaved, onClose }: AnnotateProps) {
	const draft = useDraft();
	const [label, setLabel] = useDraftState("label", snapshot.label ?? "");
	const [note, setNote] = useDraftState("note", snapshot.annotation ?? "");
	const save = useAction(
		() =>
			callRoute(timeMachineRoutes.annotate, {
				params: { id: snapshot.id },
				body: { label: label.trim() === "" ? null : label.trim(), annotation: note.trim() === "" ? null : note },
			}),
		{
			stale: ["time_machine"],
			onSuccess(saved) {
				draft?.drop();
				onSaved?.(saved);
				onClose();
			},
		},
	);
	return (
		<FormDialog
			title={`Snapshot of ${when}`}
			description="Cleanups keep labelled snapshots by default."
			action="Save"
			save={save}
			onClose={onClose}
		>
			{(fields) => (
				<>
					<TextField
						label="Label"
						placeholder="before change CHG-20931"
						maxLength={200}
						value={label}
						data-autofocus
						error={fields.label}
						onChange={(event) => setLabel(event.target.value)}
					/>
					<AreaField
						label="Note"
						rows={4}
						maxLength={10_000}
						value={note}
						error={fields.annotation}
						onChange={(event) => setNote(event.target.value)}
					/>
				</>
			)}
		</FormDialog>
	);
}
