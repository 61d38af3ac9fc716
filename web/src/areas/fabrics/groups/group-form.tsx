/** A group's name, members and their order. */
import type { ConnectionGroup } from "@weft/contracts";
import { connectionGroupRoutes } from "@weft/contracts/browser";
import { callRoute, useAction } from "../../../platform/call.ts";
import { useSaveGuard } from "../../../platform/conflict.ts";
import { useDraft, useDraftState } from "../../../platform/draft-state.ts";
import { AreaField, CheckField, TextField } from "../../../ui/field.tsx";
import { Drafted } from "../../../ui/form.tsx";
import { FormDialog } from "../../../ui/form-dialog.tsx";
import { MembersField } from "./members-field.tsx";

interface GroupFormProps {
	/** Null: a new one. */
	readonly group: ConnectionGroup | null;
	onClose(): void;
}

export const GroupForm = (props: GroupFormProps) => (
	<Drafted form="connection-group" id={props.group?.id}>
		<Fields {...props} />
	</Drafted>
);

function Fields({ group, onClose }: GroupFormProps) {
	const draft = useDraft();
	const [name, setName] = useDraftState("name", group?.name ?? "");
	const [description, setDescription] = useDraftState("description", group?.description ?? "");
	const [members, setMembers] = useDraftState<readonly string[]>("members", group?.connection_ids ?? []);
	const [isPublic, setPublic] = useDraftState("is_public", group?.is_public ?? false);
	const guard = useSaveGuard(group, ({ id }) => callRoute(connectionGroupRoutes.detail, { params: { id } }));
	const save = useAction(
		async () => {
			const body = { name, description, connection_ids: [...members], is_public: isPublic };
			await guard.assertUnchanged(body);
			return group === null
				? callRoute(connectionGroupRoutes.create, { body })
				: callRoute(connectionGroupRoutes.update, { params: { id: group.id }, body });
		},
		{
			stale: ["connection_groups"],
			onSuccess() {
				draft?.drop();
				onClose();
			},
		},
	);
	return (
		<FormDialog
			title={group?.name ?? "New group"}
			description="Fabrics that a query runs on at once."
			action={group === null ? "Create the group" : "Save"}
			save={{ ...save, mutate: () => save.mutate(undefined) }}
			onClose={onClose}
		>
			{(errors) => (
				<>
					<TextField
						label="Name"
						value={name}
						required
						maxLength={100}
						autoComplete="off"
						data-autofocus
						onChange={({ target }) => setName(target.value)}
						error={errors.name}
					/>
					<MembersField
						chosen={members}
						hidden={group?.hidden_count ?? 0}
						error={Object.entries(errors).find(([field]) => field.startsWith("connection_ids"))?.[1]}
						onChange={setMembers}
					/>
					<CheckField
						label="Shared"
						hint="Off: only you and administrators."
						checked={isPublic}
						onChange={({ target }) => setPublic(target.checked)}
					/>
					<AreaField
						label="Description"
						value={description}
						maxLength={2000}
						onChange={({ target }) => setDescription(target.value)}
						error={errors.description}
					/>
				</>
			)}
		</FormDialog>
	);
}
