/** Asks for what the query needs to know before it runs. */
import { type FormEvent, useRef } from "react";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { VariableFields } from "../../../ui/variable-fields.tsx";

interface VariablesDialogProps {
	readonly variables: readonly unknown[];
	/** The service's messages by field. */
	readonly errors?: Readonly<Record<string, string>>;
	onRun(values: Record<string, string>): void;
	onClose(): void;
}

export function VariablesDialog({ variables, errors = {}, onRun, onClose }: VariablesDialogProps) {
	const form = useRef<HTMLFormElement>(null);
	const run = (event?: FormEvent) => {
		event?.preventDefault();
		if (!form.current?.reportValidity()) return;
		const values = Object.fromEntries([...new FormData(form.current)].map(([id, value]) => [id, String(value)]));
		onClose();
		onRun(values);
	};
	return (
		<Dialog
			open
			title="Before it runs"
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant="primary" onClick={() => run()}>
						Run
					</Button>
				</>
			}
		>
			<form ref={form} className="flex flex-col gap-3.5" onSubmit={run}>
				<VariableFields variables={variables} errors={errors} />
				<button type="submit" hidden />
			</form>
		</Dialog>
	);
}
