/** The launch prompts of a template: a value for each, and whether requests may set it. */

import { LAUNCH_PROMPTS, type LaunchPrompt } from "@weft/contracts/browser";
import { CheckField } from "../../ui/field.tsx";
import { GroupMessage } from "../../ui/field-message.tsx";
import { PROMPT_LABELS, type PromptTexts } from "./launch-prompts.ts";
import { PromptField } from "./prompt-fields.tsx";

interface LaunchOptionsProps {
	readonly prompts: PromptTexts;
	readonly askable: readonly LaunchPrompt[];
	readonly readOnly: boolean;
	getError(name: string): string | undefined;
	onChange(change: { readonly prompts?: PromptTexts; readonly askable?: readonly LaunchPrompt[] }): void;
}

export function LaunchOptions({ prompts, askable, readOnly, getError, onChange }: LaunchOptionsProps) {
	const setAskable = (name: LaunchPrompt, on: boolean) =>
		onChange({ askable: on ? [...askable, name] : askable.filter((each) => each !== name) });
	return (
		<fieldset disabled={readOnly} className="m-0 flex min-w-0 flex-col gap-2 border-0 p-3">
			<legend className="sr-only">Launch options</legend>
			<p className="m-0 text-muted">
				Empty: as the server's template has it. The server's template must ask for each option at launch.
			</p>
			{getError("askable") && <GroupMessage text={getError("askable") ?? ""} />}
			<div className="grid grid-cols-[repeat(auto-fill,minmax(220px,1fr))] gap-3">
				{LAUNCH_PROMPTS.map((name) => (
					<div key={name} className="flex min-w-0 flex-col gap-1">
						<PromptField
							name={name}
							value={prompts[name]}
							error={getError(name)}
							onChange={(value) => onChange({ prompts: { ...prompts, [name]: value } })}
						/>
						<CheckField
							label={`Requests may set: ${PROMPT_LABELS[name].label}`}
							checked={askable.includes(name)}
							onChange={(event) => setAskable(name, event.target.checked)}
						/>
					</div>
				))}
			</div>
		</fieldset>
	);
}
