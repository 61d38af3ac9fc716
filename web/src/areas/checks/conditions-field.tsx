/** Conditions on the fields of a row, and whether all of them or one has to hold. */
import { Plus, Trash2 } from "lucide-react";
import { Button, IconButton } from "../../ui/button.tsx";
import { CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { GroupMessage } from "../../ui/field-message.tsx";
import type { FieldErrors } from "../../ui/form-drawer.tsx";
import { type Condition, createCondition, readValueText, withOperator, withValueText } from "./config.ts";
import { CONDITION_WORDS, isValueless } from "./describe.ts";

interface ConditionsFieldProps {
	/** Begins the sentence that ends with all conditions or at least one condition. */
	readonly label: string;
	readonly match: string;
	readonly conditions: readonly Condition[];
	readonly errors: FieldErrors;
	/** Place of match and conditions in the messages, such as `config`. */
	readonly path: string;
	onChange(change: { readonly match: string } | { readonly conditions: readonly Condition[] }): void;
}

export function ConditionsField({ label, match, conditions, errors, path, onChange }: ConditionsFieldProps) {
	const set = (next: readonly Condition[]) => onChange({ conditions: next });
	const change = (at: number, condition: Condition) =>
		set(conditions.map((old, index) => (index === at ? condition : old)));
	const message = errors[`${path}.conditions`];
	return (
		<>
			<SelectField
				label={label}
				value={match}
				options={[
					{ value: "all", label: "all conditions" },
					{ value: "any", label: "at least one condition" },
				]}
				error={errors[`${path}.match`]}
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
						path={`${path}.conditions.${at}`}
						onChange={(next) => change(at, next)}
						onRemove={() => set(conditions.filter((_, index) => index !== at))}
					/>
				))}
				{message && <GroupMessage text={message} />}
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
	readonly errors: FieldErrors;
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
