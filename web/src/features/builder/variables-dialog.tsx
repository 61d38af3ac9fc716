/** Asks for what the query needs to know before it runs. */
import { type FormEvent, useRef } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";

interface Variable {
	readonly id: string;
	readonly label?: string;
	readonly type?: string;
	readonly required?: boolean;
	readonly defaultValue?: unknown;
	readonly options?: readonly (string | { readonly value: unknown; readonly label?: string })[];
}

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
				{(variables as readonly Variable[]).map(({ id, label, type, required = false, defaultValue, options = [] }) => {
					const common = { label: label ?? id, name: id, required, error: errors[`variable_values.${id}`] };
					const usual = defaultValue === undefined ? "" : String(defaultValue);
					if (type === "select") {
						const known = options.map((option) =>
							typeof option === "string"
								? { value: option, label: option }
								: { value: String(option.value), label: option.label ?? String(option.value) },
						);
						return (
							<SelectField
								key={id}
								{...common}
								defaultValue={usual}
								options={[...(required ? [] : [{ value: "", label: "(none)" }]), ...known]}
							/>
						);
					}
					return (
						<TextField
							key={id}
							mono
							{...common}
							defaultValue={usual}
							inputMode={type === "number" ? "decimal" : "text"}
						/>
					);
				})}
				<button type="submit" hidden />
			</form>
		</Dialog>
	);
}
