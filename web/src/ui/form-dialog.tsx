/**
 * A dialog with one form: its fields, a button that saves, and the errors of the service. Typed
 * input is kept where a `Drafted` is around it.
 */
import { type ReactNode, useRef } from "react";
import { findProblem } from "../platform/problem.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { CancelButton, Form } from "./form.tsx";
import { SaveProblem } from "./save-problem.tsx";

interface FormDialogProps {
	readonly title: string;
	readonly description: string;
	/** Text of the button that saves. */
	readonly action: string;
	/** Gets the values that the fields show, by their names. */
	readonly save: { mutate(form: FormData): void; readonly isPending: boolean; readonly error: unknown };
	onClose(): void;
	/** The fields, with the service's messages by field. */
	children(errors: Readonly<Record<string, string | undefined>>): ReactNode;
}

export function FormDialog({ title, description, action, save, onClose, children }: FormDialogProps) {
	const form = useRef<HTMLFormElement>(null);
	const submit = () => form.current && save.mutate(new FormData(form.current));
	const errors = save.error === null ? {} : findProblem(save.error).fields;
	return (
		<Dialog
			open
			title={title}
			description={description}
			onClose={onClose}
			actions={
				<>
					<CancelButton onClose={onClose} />
					<Button variant="primary" busy={save.isPending} onClick={submit}>
						{action}
					</Button>
				</>
			}
		>
			<Form
				ref={form}
				className="flex flex-col gap-3.5"
				onSubmit={(event) => {
					event.preventDefault();
					submit();
				}}
			>
				{save.error !== null && Object.keys(errors).length === 0 && (
					<SaveProblem error={save.error} onSaveMine={submit} />
				)}
				{children(errors)}
				<button type="submit" hidden />
			</Form>
		</Dialog>
	);
}
