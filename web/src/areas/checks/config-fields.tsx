/** The fields of each type of check. */

import type { CheckType } from "@weft/contracts";
import { Plus, Trash2 } from "lucide-react";
import { Button, IconButton } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { ConditionsField } from "./conditions-field.tsx";
import { type Condition, type Config, formatTexts } from "./config.ts";
import { COUNT_WORDS } from "./describe.ts";
import { TrendFields } from "./trend-fields.tsx";

interface ConfigFieldsProps {
	readonly type: CheckType;
	readonly config: Config;
	/** The service's messages by path, such as `config.fields.1`. */
	readonly errors: Readonly<Record<string, string>>;
	onChange(change: Config): void;
}

export function ConfigFields(props: ConfigFieldsProps) {
	switch (props.type) {
		case "no_rows":
			return <p className="m-0 text-muted">Each row that the query finds is a violation.</p>;
		case "row_count":
			return <CountFields {...props} />;
		case "each_row":
			return (
				<ConditionsField
					label="Every row meets"
					match={String(props.config.match ?? "all")}
					conditions={(Array.isArray(props.config.conditions) ? props.config.conditions : []) as readonly Condition[]}
					errors={props.errors}
					path="config"
					onChange={props.onChange}
				/>
			);
		case "unique":
			return (
				<FieldList
					{...props}
					name="fields"
					label="Fields"
					hint="No two rows may have the same values in all of them."
				/>
			);
		case "same_everywhere":
			return (
				<>
					<FieldList {...props} name="key" label="Key" hint="Rows of different fabrics belong together by it." />
					<FieldList
						{...props}
						name="fields"
						label="Compared fields"
						hint="None: all attributes but those that name the object, and times."
					/>
					<FieldList {...props} name="ignore" label="Fields that are not compared" />
				</>
			);
		case "trend":
			return <TrendFields config={props.config} errors={props.errors} onChange={props.onChange} />;
		case "unchanged":
			return (
				<p className="m-0 text-muted">
					Each snapshot is compared with the one before, by the drift rules of the query. The query needs snapshots.
				</p>
			);
	}
}

function CountFields({ type, config, errors, onChange }: ConfigFieldsProps) {
	return (
		<>
			<div className="grid grid-cols-2 gap-3">
				<SelectField
					label="Number of rows"
					value={String(config.operator)}
					options={Object.entries(COUNT_WORDS).map(([value, label]) => ({ value, label }))}
					error={errors["config.operator"]}
					onChange={(event) => onChange({ operator: event.target.value })}
				/>
				<NumberField
					label="Value"
					min={0}
					max={1_000_000_000}
					value={Number(config.value)}
					error={errors["config.value"]}
					onChange={(value) => onChange({ value })}
				/>
			</div>
			<FieldList
				{...{ type, config, errors, onChange }}
				name="group_by"
				label="Group by"
				hint="With fields, the number of rows of each group counts."
			/>
		</>
	);
}

interface FieldListProps extends ConfigFieldsProps {
	readonly name: string;
	readonly label: string;
	readonly hint?: string;
}

/** One field of a row each, with its own message. */
function FieldList({ config, errors, onChange, name, label, hint }: FieldListProps) {
	const fields = formatTexts(config[name]);
	const set = (next: readonly string[]) => onChange({ [name]: next });
	return (
		<fieldset className="m-0 flex min-w-0 flex-col gap-2 rounded-control border border-line p-2">
			<legend className="px-1 font-medium">{label}</legend>
			{hint && <p className="m-0 text-muted text-xs">{hint}</p>}
			{fields.map((field, at) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: a field is its place
				<div key={at} className="flex items-start gap-1.5">
					<TextField
						mono
						hideLabel
						label={`${label}: field ${at + 1}`}
						placeholder="name"
						className="flex-1"
						value={field}
						spellCheck={false}
						autoComplete="off"
						error={errors[`config.${name}.${at}`]}
						onChange={(event) => set(fields.map((old, index) => (index === at ? event.target.value : old)))}
					/>
					<IconButton
						variant="ghost"
						label={`Remove field ${at + 1} of ${label}`}
						icon={Trash2}
						onClick={() => set(fields.filter((_, index) => index !== at))}
					/>
				</div>
			))}
			{errors[`config.${name}`] && <p className="m-0 text-bad text-xs">{errors[`config.${name}`]}</p>}
			<div>
				<Button icon={Plus} aria-label={`Add a field to ${label}`} onClick={() => set([...fields, ""])}>
					Add a field
				</Button>
			</div>
		</fieldset>
	);
}
