/** Says that the problem of a check is known. */
import type { Check } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import { useState } from "react";
import { send, useAction } from "../../platform/call.ts";
import { AreaField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { say } from "../../ui/toast.tsx";
import { isProblem } from "./entries.ts";
import { PlaceField } from "./place-field.tsx";

export function AcknowledgeDialog({ check, onClose }: { check: Check; onClose(): void }) {
	const [comment, setComment] = useState("");
	const [place, setPlace] = useState("");
	const save = useAction(
		() =>
			send(checkRoutes.acknowledge, {
				params: { id: check.id },
				body: { comment: comment.trim(), controller_connection_id: place || null },
			}),
		{
			stale: ["checks"],
			onSuccess() {
				say(`${check.name} is acknowledged`);
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
