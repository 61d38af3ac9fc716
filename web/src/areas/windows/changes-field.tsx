/** Expected changes: the fields of one, and a list of them. */
import { EXPECTED_CHANGES } from "@weft/contracts/browser";
import { Plus, Trash2 } from "lucide-react";
import { Button, IconButton } from "../../ui/button.tsx";
import { CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { GroupMessage } from "../../ui/field-message.tsx";
import type { FieldErrors } from "../../ui/form-drawer.tsx";
import { type EditedAttribute, type EditedChange, NEW_CHANGE } from "./edited-change.ts";
import { CHANGE_WORDS } from "./words.ts";

interface ChangeFieldsProps {
	readonly change: EditedChange;
	/** The service's messages. */
	readonly errors: FieldErrors;
	/** Place of the change in the messages, such as `expectations.0`. */
	readonly path: string;
	/** Whether the change belongs to each row of a request, whose values replace `{column}`. */
	readonly ofRow?: boolean;
	onChange(change: EditedChange): void;
}

export function ChangeFields({ change, errors, path, ofRow = false, onChange }: ChangeFieldsProps) {
	const set = (part: Partial<EditedChange>) => onChange({ ...change, ...part });
	const { isRegex } = change;
	return (
		<>
			<div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
				<SelectField
					label="Change"
					value={change.change}
					options={EXPECTED_CHANGES.map((value) => ({ value, label: CHANGE_WORDS[value] }))}
					error={errors[`${path}.change`]}
					onChange={({ target }) => set({ change: target.value as EditedChange["change"] })}
				/>
				<TextField
					label="Class"
					mono
					placeholder="fvBD"
					hint="Empty: any class."
					spellCheck={false}
					value={change.className}
					error={errors[`${path}.class_name`]}
					onChange={({ target }) => set({ className: target.value })}
				/>
			</div>
			<TextField
				label={isRegex ? "Regular expression of the distinguished name" : "Distinguished name"}
				mono
				required
				spellCheck={false}
				placeholder={isRegex ? "uni/tn-prod/BD-.+" : ofRow ? "uni/tn-{tenant}/BD-{name}" : "uni/tn-prod/BD-web*"}
				hint={
					isRegex
						? "It must match the whole name."
						: ofRow
							? "{column} is replaced with the value of the row."
							: "* stands for any characters of one part, ** for any."
				}
				value={change.dn}
				error={errors[`${path}.dn`] ?? errors[`${path}.dn.regex`]}
				onChange={({ target }) => set({ dn: target.value })}
			/>
			{!ofRow && (
				<CheckField
					label="The name is a regular expression"
					checked={isRegex}
					onChange={({ target }) => set({ isRegex: target.checked })}
				/>
			)}
			<AttributesField
				attributes={change.attributes}
				errors={errors}
				path={`${path}.attributes`}
				onChange={(attributes) => set({ attributes })}
			/>
			<CheckField
				label="Must happen"
				hint="If it does not happen, the window reports it as missing."
				checked={change.required}
				onChange={({ target }) => set({ required: target.checked })}
			/>
			{errors[path] && <GroupMessage text={errors[path]} />}
		</>
	);
}

interface AttributesFieldProps {
	readonly attributes: readonly EditedAttribute[];
	readonly errors: FieldErrors;
	readonly path: string;
	onChange(attributes: readonly EditedAttribute[]): void;
}

function AttributesField({ attributes, errors, path, onChange }: AttributesFieldProps) {
	const set = (at: number, part: Partial<EditedAttribute>) =>
		onChange(attributes.map((attribute, index) => (index === at ? { ...attribute, ...part } : attribute)));
	return (
		<fieldset className="m-0 flex min-w-0 flex-col gap-2 border-0 p-0">
			<legend className="mb-1 p-0 font-medium">Attributes</legend>
			<p className="m-0 text-muted text-xs">
				{attributes.length === 0
					? "Any attribute may differ."
					: "Only these may differ. Leave a value empty to allow any."}
			</p>
			{attributes.map((attribute, at) => (
				<div
					// biome-ignore lint/suspicious/noArrayIndexKey: an attribute is its place: its name is edited
					key={at}
					className="flex flex-wrap items-start gap-1.5"
				>
					<TextField
						mono
						hideLabel
						label={`Attribute ${at + 1}`}
						placeholder="arpFlood"
						className="min-w-28 flex-1"
						spellCheck={false}
						value={attribute.name}
						error={errors[`${path}.${attribute.name}`]}
						onChange={({ target }) => set(at, { name: target.value })}
					/>
					{(["from", "to"] as const).map((side) => (
						<TextField
							key={side}
							mono
							hideLabel
							label={`${side === "from" ? "Before" : "After"}, attribute ${at + 1}`}
							placeholder={attribute[side] === null ? "absent" : side === "from" ? "before" : "after"}
							className="min-w-28 flex-1"
							spellCheck={false}
							value={attribute[side] ?? ""}
							error={errors[`${path}.${attribute.name}.${side}`]}
							onChange={({ target }) => set(at, { [side]: target.value === "" ? undefined : target.value })}
						/>
					))}
					<IconButton
						variant="ghost"
						icon={Trash2}
						label={`Remove attribute ${at + 1}`}
						onClick={() => onChange(attributes.filter((_, index) => index !== at))}
					/>
				</div>
			))}
			{errors[path] && <GroupMessage text={errors[path]} />}
			<div>
				<Button icon={Plus} onClick={() => onChange([...attributes, { name: "", from: undefined, to: undefined }])}>
					Add an attribute
				</Button>
			</div>
		</fieldset>
	);
}

interface ChangesFieldProps extends Pick<ChangeFieldsProps, "errors" | "path" | "ofRow"> {
	readonly changes: readonly EditedChange[];
	/** Text where no change is expected. */
	readonly empty: string;
	onChange(changes: readonly EditedChange[]): void;
}

export function ChangesField({ changes, empty, errors, path, ofRow = false, onChange }: ChangesFieldProps) {
	return (
		<fieldset className="m-0 flex min-w-0 flex-col gap-2 border-0 p-0">
			<legend className={ofRow ? "sr-only" : "mb-1 p-0 font-medium"}>Expected changes</legend>
			{changes.length === 0 && <p className="m-0 text-muted text-xs">{empty}</p>}
			{changes.map((change, at) => (
				<fieldset
					// biome-ignore lint/suspicious/noArrayIndexKey: a change is its place
					key={at}
					aria-label={`Expected change ${at + 1}`}
					className="m-0 flex min-w-0 flex-col gap-3 rounded-card border border-line p-2.5"
				>
					<ChangeFields
						change={change}
						errors={errors}
						path={`${path}.${at}`}
						ofRow={ofRow}
						onChange={(next) => onChange(changes.map((one, index) => (index === at ? next : one)))}
					/>
					<div>
						<Button icon={Trash2} onClick={() => onChange(changes.filter((_, index) => index !== at))}>
							Remove the expected change
						</Button>
					</div>
				</fieldset>
			))}
			{errors[path] && <GroupMessage text={errors[path]} />}
			<div>
				<Button icon={Plus} onClick={() => onChange([...changes, NEW_CHANGE])}>
					Expect a change
				</Button>
			</div>
		</fieldset>
	);
}
