/** The drawer in which one thing of a list is made, changed, or only looked at. */
import { type FormEvent, useRef, useState } from "react";
import { useAction } from "../../platform/call.ts";
import { useSaveGuard } from "../../platform/conflict.ts";
import { useDraft } from "../../platform/draft-state.ts";
import { useEdited } from "../../platform/edited.ts";
import { findProblem } from "../../platform/problem.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField, CheckField, TextField } from "../../ui/field.tsx";
import { CancelButton, Drafted, Form as DraftForm } from "../../ui/form.tsx";
import { SaveProblem } from "../../ui/save-problem.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { FieldsProps, Resource, Row } from "./resource.ts";

interface ResourceFormProps<R extends Row, Form extends object> {
	readonly resource: Resource<R, Form>;
	/** Null: a new one. */
	readonly row: R | null;
	readonly readOnly: boolean;
	onClose(): void;
}

export const ResourceForm = <R extends Row, Form extends object>(props: ResourceFormProps<R, Form>) => (
	<Drafted form={props.resource.model + props.resource.noun} id={props.row?.id}>
		<Editor {...props} />
	</Drafted>
);

function Editor<R extends Row, Form extends object>({ resource, row, readOnly, onClose }: ResourceFormProps<R, Form>) {
	const { noun, stale, paths, Fields } = resource;
	const form = useRef<HTMLFormElement>(null);
	const [begun] = useState(() => resource.begin(row));
	const { edited, change, dirty, set } = useEdited(begun, resource.secrets);
	const draft = useDraft();
	const guard = useSaveGuard(row === null ? null : begun, async () => resource.begin(await resource.read(row as R)));
	const save = useAction(
		async () => {
			if (row === null) return resource.create(edited);
			await guard.assertUnchanged(change);
			return resource.update(row, change);
		},
		{
			stale: [...stale],
			onSuccess() {
				showToast(`The ${noun} is saved`);
				draft?.drop();
				onClose();
			},
		},
	);
	const errors = save.error === null ? {} : findProblem(save.error).fields;
	const submit = (event?: FormEvent) => {
		event?.preventDefault();
		if (readOnly || !form.current?.reportValidity()) return;
		if (row !== null && !dirty) onClose();
		else save.mutate(undefined);
	};
	const getError = (path: string) => errors[path] ?? findEntryError(errors, path);
	const isShown = (path: string): boolean => paths.some((shown) => path === shown || path.startsWith(`${shown}.`));
	const isPlaced = Object.keys(errors).length > 0 && Object.keys(errors).every(isShown);
	return (
		<Dialog
			open
			side="right"
			title={row?.name ?? `New ${noun}`}
			description={readOnly ? `You may look at this ${noun}, not change it.` : undefined}
			onClose={onClose}
			actions={
				readOnly ? (
					<Button onClick={onClose}>Close</Button>
				) : (
					<>
						<CancelButton onClose={onClose} />
						<Button variant="primary" busy={save.isPending} onClick={() => submit()}>
							Save
						</Button>
					</>
				)
			}
		>
			<DraftForm ref={form} className="flex flex-col gap-3.5" onSubmit={submit}>
				{save.error !== null && !isPlaced && (
					<SaveProblem error={save.error} onSaveMine={() => save.mutate(undefined)} />
				)}
				<fieldset disabled={readOnly} className="m-0 flex min-w-0 flex-col gap-3.5 border-0 p-0">
					<legend className="sr-only">{row?.name ?? `New ${noun}`}</legend>
					<Fields form={edited} readOnly={readOnly} getError={getError} set={set} />
				</fieldset>
				<button type="submit" hidden />
			</DraftForm>
		</Dialog>
	);
}

/** The first message about an entry of a list, such as `values.3`. */
function findEntryError(errors: Readonly<Record<string, string>>, path: string): string | undefined {
	const [found] = Object.entries(errors).filter(([key]) => key.startsWith(`${path}.`));
	if (found === undefined) return undefined;
	const index = Number(found[0].slice(path.length + 1).split(".")[0]);
	return Number.isInteger(index) ? `Entry ${index + 1}: ${found[1]}` : found[1];
}

interface Named {
	readonly name: string;
	readonly description: string;
}

/** The fields that each of them has. */
export function NamedFields({
	form,
	getError,
	set,
	max = 100,
}: Omit<FieldsProps<Named>, "readOnly"> & { max?: number }) {
	return (
		<>
			<TextField
				label="Name"
				required
				maxLength={max}
				autoComplete="off"
				data-autofocus
				value={form.name}
				error={getError("name")}
				onChange={(event) => set({ name: event.target.value })}
			/>
			<AreaField
				label="Description"
				rows={2}
				maxLength={2000}
				value={form.description}
				error={getError("description")}
				onChange={(event) => set({ description: event.target.value })}
			/>
		</>
	);
}

interface SharedFieldProps {
	readonly form: { readonly is_public: boolean };
	set(change: { is_public: boolean }): void;
}

export const SharedField = ({ form, set }: SharedFieldProps) => (
	<CheckField
		label="Shared"
		hint="Off: only you and administrators see and use it."
		checked={form.is_public}
		onChange={(event) => set({ is_public: event.target.checked })}
	/>
);
