/**
 * A drawer with one form that is saved: its fields, the errors of the service, and a draft that is
 * dropped after the save. A `Drafted` is around it.
 */
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { invalidateAreas } from "../platform/call.ts";
import { useDraft } from "../platform/draft-state.ts";
import { findProblem } from "../platform/problem.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { FieldMessage } from "./field-message.tsx";
import { CancelButton, Form } from "./form.tsx";
import { Banner } from "./page.tsx";
import { SaveProblem } from "./save-problem.tsx";

/** Messages of the service by field. */
export type FieldErrors = Readonly<Record<string, string | undefined>>;

interface FormDrawerProps<Saved> {
	readonly title: string;
	readonly description?: string | undefined;
	/** Areas whose answers are old after the save. */
	readonly stale: readonly string[];
	/** Saves the values of the named fields. */
	send(form: FormData): Promise<Saved>;
	onSaved(saved: Saved): void;
	onClose(): void;
	children(errors: FieldErrors): ReactNode;
}

export function FormDrawer<Saved>(props: FormDrawerProps<Saved>) {
	const { title, description, stale, send, onSaved, onClose, children } = props;
	const draft = useDraft();
	const form = useRef<HTMLFormElement>(null);
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState<unknown>(null);
	const errors: FieldErrors = error === null ? {} : findProblem(error).fields;

	const save = async (event?: FormEvent) => {
		event?.preventDefault();
		if (!form.current?.reportValidity()) return;
		setBusy(true);
		setError(null);
		try {
			const saved = await send(new FormData(form.current));
			draft?.drop();
			await invalidateAreas(...stale);
			onSaved(saved);
		} catch (failure) {
			setError(failure);
		} finally {
			setBusy(false);
		}
	};
	return (
		<Dialog
			open
			side="right"
			title={title}
			description={description}
			onClose={onClose}
			actions={
				<>
					<CancelButton onClose={onClose} />
					<Button variant="primary" busy={busy} onClick={() => void save()}>
						Save
					</Button>
				</>
			}
		>
			<Form ref={form} className="flex flex-col gap-4" onSubmit={save}>
				{error !== null && Object.keys(errors).length === 0 && (
					<SaveProblem error={error} onSaveMine={() => void save()} />
				)}
				{errors.non_field_errors && <Banner tone="bad" title={<FieldMessage text={errors.non_field_errors} />} />}
				{children(errors)}
				<button type="submit" hidden />
			</Form>
		</Dialog>
	);
}
