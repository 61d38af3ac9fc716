/** Fields of launch prompts, for templates and requests. */
import type { LaunchPrompt } from "@weft/contracts/browser";
import { SelectField, TextField } from "../../ui/field.tsx";
import { PROMPT_LABELS } from "./launch-prompts.ts";

interface PromptFieldProps {
	readonly name: LaunchPrompt;
	/** Empty: not set. */
	readonly value: string;
	readonly error: string | undefined;
	onChange(value: string): void;
}

export function PromptField({ name, value, error, onChange }: PromptFieldProps) {
	const { label, hint } = PROMPT_LABELS[name];
	if (name === "diff_mode") {
		return (
			<SelectField
				label={label}
				value={value}
				error={error}
				options={[
					{ value: "", label: "As the server has it" },
					{ value: "true", label: "On" },
					{ value: "false", label: "Off" },
				]}
				onChange={(event) => onChange(event.target.value)}
			/>
		);
	}
	return (
		<TextField
			label={label}
			hint={hint}
			spellCheck={false}
			value={value}
			error={error}
			onChange={(event) => onChange(event.target.value)}
		/>
	);
}
