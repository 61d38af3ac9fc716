/** The fields of each type of check. */

import type { CheckType } from "@weft/contracts";
import { Plus, Trash2 } from "lucide-react";
import { Button, IconButton } from "../../ui/button.tsx";
import { CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { GroupMessage } from "../../ui/field-message.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import {
	type Condition,
	type Config,
	createCondition,
	formatTexts,
	readValueText,
	withOperator,
	withValueText,
} from "./config.ts";
import { CONDITION_WORDS, COUNT_WORDS, isValueless } from "./describe.ts";
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
			return <ConditionFields {...props} />;
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

function ConditionFields({ config, errors, onChange }: ConfigFieldsProps) {
	const conditions = (Array.isArray(config.conditions) ? config.conditions : []) as readonly Condition[];
	const set = (next: readonly Condition[]) => onChange({ conditions: next });
	const change = (at: number, condition: Condition) =>
		set(conditions.map((old, index) => (index === at ? condition : old)));
	return (
		<>
			<SelectField
				label="Every row meets"
				value={String(config.match ?? "all")}
				options={[
					{ value: "all", label: "all conditions" },
					{ value: "any", label: "at least one condition" },
				]}
				error={errors["config.match"]}
				onChange={(event) => onChange({ match: event.target.value })}
			/>
			<fieldset className="m-0 flex min-w-0 flex-col gap-2 rounded-control border border-line p-2">
				<legend className="px-1 font-medium">Conditions</legend>
				<p className="m-0 text-muted text-xs">
					A field is a path such as <code className="mono">severity</code>, <code className="mono">fvBD.name</code> or{" "}
					<code className="mono">children.fvRsCtx.tDn</code>.
				</p>
				{conditions.map((condition, at) => (
					<ConditionRow
						// biome-ignore lint/suspicious/noArrayIndexKey: a condition is its place
						key={at}
						condition={condition}
						number={at + 1}
						errors={errors}
						path={`config.conditions.${at}`}
						onChange={(next) => change(at, next)}
						onRemove={() => set(conditions.filter((_, index) => index !== at))}
					/>
				))}
				{errors["config.conditions"] && <GroupMessage text={errors["config.conditions"]} />}
				<div>
					<Button icon={Plus} onClick={() => set([...conditions, createCondition()])}>
						Add a condition
					</Button>
				</div>
			</fieldset>
		</>
	);
}

interface ConditionRowProps {
	readonly condition: Condition;
	readonly number: number;
	readonly errors: Readonly<Record<string, string>>;
	readonly path: string;
	onChange(condition: Condition): void;
	onRemove(): void;
}

function ConditionRow({ condition, number, errors, path, onChange, onRemove }: ConditionRowProps) {
	const { field, operator = "eq", caseSensitive = true } = condition;
	return (
		<fieldset
			aria-label={`Condition ${number}`}
			className="m-0 flex min-w-0 flex-col gap-1.5 border-0 border-line border-b px-0 pt-0 pb-2 last-of-type:border-b-0"
		>
			<div className="flex flex-wrap items-start gap-1.5">
				<TextField
					mono
					hideLabel
					label="Field"
					placeholder="Field"
					className="min-w-32 flex-2"
					value={field}
					spellCheck={false}
					autoComplete="off"
					error={errors[`${path}.field`]}
					onChange={(event) => onChange({ ...condition, field: event.target.value })}
				/>
				<SelectField
					hideLabel
					label="Operator"
					className="min-w-28 flex-1"
					value={operator}
					options={Object.entries(CONDITION_WORDS).map(([value, label]) => ({ value, label }))}
					error={errors[`${path}.operator`]}
					onChange={(event) => onChange(withOperator(condition, event.target.value as Condition["operator"]))}
				/>
				{!isValueless(operator) && (
					<TextField
						mono
						hideLabel
						label="Value"
						placeholder={operator === "in" ? "a, b, c" : "Value"}
						className="min-w-28 flex-2"
						value={readValueText(condition)}
						spellCheck={false}
						autoComplete="off"
						error={errors[`${path}.value`]}
						onChange={(event) => onChange(withValueText(condition, event.target.value))}
					/>
				)}
				<IconButton variant="ghost" label={`Remove condition ${number}`} icon={Trash2} onClick={onRemove} />
			</div>
			{!isValueless(operator) && (
				<CheckField
					label="Case-sensitive"
					className="text-xs"
					checked={caseSensitive}
					onChange={(event) => onChange({ ...condition, caseSensitive: event.target.checked })}
				/>
			)}
		</fieldset>
	);
}
