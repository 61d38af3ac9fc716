/** Asks for the values of variables, with choices from the fabric. */
import { type FormEvent, useRef } from "react";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { VariableFields } from "../../../ui/variable-fields.tsx";
import type { VariableUse } from "./model/variables.ts";
import { useVariableChoices } from "./use-variable-choices.ts";

interface VariablesDialogProps {
	readonly variables: readonly unknown[];
	/** Properties whose values are choices. */
	readonly uses: readonly VariableUse[];
	/** The service's messages by field. */
	readonly errors?: Readonly<Record<string, string>>;
	onRun(values: Record<string, string>): void;
	onClose(): void;
}

export function VariablesDialog({ variables, uses, errors = {}, onRun, onClose }: VariablesDialogProps) {
	const choices = useVariableChoices(uses);
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
			title="Values for this run"
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
				<VariableFields variables={variables} errors={errors} choices={choices} />
				<button type="submit" hidden />
			</form>
		</Dialog>
	);
}
