/** Says that the problem of a check is known. */
import type { Check } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import { callRoute, useAction } from "../../platform/call.ts";
import { useDraft, useDraftState } from "../../platform/draft-state.ts";
import { AreaField } from "../../ui/field.tsx";
import { Drafted } from "../../ui/form.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { showToast } from "../../ui/toast.tsx";
import { isProblem } from "./entries.ts";
import { PlaceField } from "./place-field.tsx";

interface AcknowledgeProps {
	readonly check: Check;
	onClose(): void;
}

export const AcknowledgeDialog = (props: AcknowledgeProps) => (
	<Drafted form="acknowledgement" id={props.check.id}>
		<Acknowledgement {...props} />
	</Drafted>
);

function Acknowledgement({ check, onClose }: AcknowledgeProps) {
	const draft = useDraft();
	const [comment, setComment] = useDraftState("comment", "");
	const [place, setPlace] = useDraftState("place", "");
	const save = useAction(
		() =>
			callRoute(checkRoutes.acknowledge, {
				params: { id: check.id },
				body: { comment: comment.trim(), controller_connection_id: place || null },
			}),
		{
			stale: ["checks"],
			onSuccess() {
				draft?.drop();
				showToast(`${check.name} is acknowledged`);
				onClose();
			},
		},
	);
	return (
		<FormDialog
			title={`Acknowledge ${check.name}`}
			description="Says that the problem is known. It ends with the next change of the state."
			action="Acknowledge"
			save={save}
			onClose={onClose}
		>
			{(fields) => (
				<>
					<AreaField
						label="Comment"
						rows={3}
						maxLength={2_000}
						placeholder="CHG-20931: the link is being replaced"
						value={comment}
						data-autofocus
						error={fields.comment}
						onChange={(event) => setComment(event.target.value)}
					/>
					<PlaceField
						entries={check.states.filter(isProblem)}
						value={place}
						error={fields.controller_connection_id}
						onChange={setPlace}
					/>
				</>
			)}
		</FormDialog>
	);
}
