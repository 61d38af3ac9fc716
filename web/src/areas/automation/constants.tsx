/** Variables that every job of a template gets besides its rows. */

import { Plus, Trash2 } from "lucide-react";
import { Button, IconButton } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { GroupMessage } from "../../ui/field-message.tsx";
import { formatConstant, readConstant } from "./grid-model.ts";

type Constants = Readonly<Record<string, unknown>>;

interface ConstantsProps {
	readonly constants: Constants;
	readonly readOnly: boolean;
	readonly error: string | undefined;
	onChange(constants: Constants): void;
}

export function ConstantsEditor({ constants, readOnly, error, onChange }: ConstantsProps) {
	const entries = Object.entries(constants);
	const set = (index: number, name: string, value: unknown) =>
		onChange(Object.fromEntries(entries.map((entry, at) => (at === index ? [name, value] : entry))));
	return (
		<fieldset disabled={readOnly} className="m-0 flex min-w-0 flex-col gap-2 border-0 p-3">
			<legend className="sr-only">Variables of every job</legend>
			{error && <GroupMessage text={error} />}
			{entries.map(([name, value], index) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: a variable is its place: its name is edited
				<div key={index} className="flex items-end gap-2">
					<TextField
						mono
						label="Variable"
						className="flex-1"
						value={name}
						spellCheck={false}
						onChange={(event) => set(index, event.target.value.trim(), value)}
					/>
					<TextField
						mono
						label="Value"
						className="flex-[2]"
						value={formatConstant(value)}
						spellCheck={false}
						onChange={(event) => set(index, name, readConstant(event.target.value))}
					/>
					<IconButton
						variant="ghost"
						label={`Remove ${name}`}
						icon={Trash2}
						onClick={() => onChange(Object.fromEntries(entries.filter((_, at) => at !== index)))}
					/>
				</div>
			))}
			{!readOnly && (
				<div>
					<Button icon={Plus} onClick={() => onChange({ ...constants, [`variable${entries.length + 1}`]: "" })}>
						Add a variable
					</Button>
				</div>
			)}
		</fieldset>
	);
}
