/** The fields of a join: its base class, and the classes whose fields each of its rows gets. */
import type { PostProcessorConfig } from "@weft/contracts";
import { JOIN_MANY, JOIN_RELATIONS } from "@weft/contracts/browser";
import { Plus, Trash2 } from "lucide-react";
import { useId } from "react";
import { Button, IconButton } from "../../../../ui/button.tsx";
import { CheckField, SelectField, TextField } from "../../../../ui/field.tsx";
import type { Row, RowsField } from "../model/processors.ts";
import { useDoc } from "../store.ts";
import { useProperties } from "../use-properties.ts";
import { PropertyOptions } from "./property-options.tsx";
import { RowsControl } from "./row-fields.tsx";

type Many = PostProcessorConfig<"join">["attach"][number]["many"];
type Relation = (typeof JOIN_RELATIONS)[number];

/** As it is written; every part can be missing while it is edited. */
interface Attachment {
	readonly class?: string;
	readonly by?: string | { readonly base?: string; readonly other?: string };
	readonly fields?: readonly Row[];
	readonly many?: string;
	readonly inner?: boolean;
}

const EQUAL = "fields";
const BY_NAMES: Readonly<Record<Relation, string>> = {
	child: "below it",
	parent: "above it, the nearest",
	relation: "that a relation links with it",
};
const MANY_NAMES: Readonly<Record<Many, string>> = {
	list: "one row with a list of their values",
	first: "one row with the first of them",
	count: "one row with their number",
	rows: "a row for each of them",
};
const MANY_ORDER = [...JOIN_MANY].sort(
	(a, b) => Object.keys(MANY_NAMES).indexOf(a) - Object.keys(MANY_NAMES).indexOf(b),
);

interface JoinFormProps {
	readonly config: Readonly<Record<string, unknown>>;
	onChange(change: Readonly<Record<string, unknown>>): void;
}

export function JoinForm({ config, onChange }: JoinFormProps) {
	const doc = useDoc();
	const classes = [
		...new Set(doc.nodes.flatMap(({ type, data }) => (type === "classNode" ? [String(data.className ?? "")] : []))),
	].sort();
	const base = String(config.base ?? "");
	const attach = (Array.isArray(config.attach) ? config.attach : []) as readonly Attachment[];
	const set = (next: readonly Attachment[]) => onChange({ attach: next });
	const start: Attachment = {
		class: classes.find((name) => name !== base && !attach.some((entry) => entry.class === name)) ?? "",
		by: "child",
		fields: [],
		many: "list",
	};
	return (
		<>
			<SelectField
				label="One row for each"
				value={base}
				options={listOptions(classes, base)}
				onChange={(event) => onChange({ base: event.target.value })}
			/>
			{attach.map((entry, at) => (
				<AttachmentFields
					// biome-ignore lint/suspicious/noArrayIndexKey: an entry is its place
					key={at}
					name={`joined class ${at + 1}`}
					base={base}
					classes={classes}
					entry={entry}
					onChange={(change) => set(attach.map((other, index) => (index === at ? { ...other, ...change } : other)))}
					onRemove={() => set(attach.filter((_, index) => index !== at))}
				/>
			))}
			<Button icon={Plus} onClick={() => set([...attach, start])}>
				Join a class
			</Button>
		</>
	);
}

/** A class that is not on the canvas stays, so that it can be seen and replaced. */
function listOptions(classes: readonly string[], chosen: string) {
	const known = classes.includes(chosen) ? classes : [chosen, ...classes];
	return known.map((value) => ({ value, label: value || "Choose a class" }));
}

interface AttachmentFieldsProps {
	readonly name: string;
	readonly base: string;
	readonly classes: readonly string[];
	readonly entry: Attachment;
	onChange(change: Attachment): void;
	onRemove(): void;
}

function AttachmentFields({ name, base, classes, entry, onChange, onRemove }: AttachmentFieldsProps) {
	const { class: attached = "", by = "child", fields = [], many = "list", inner = false } = entry;
	const listId = useId();
	const { properties } = useProperties(attached, "");
	const equal = typeof by === "object" ? by : null;
	return (
		<fieldset aria-label={name} className="m-0 flex min-w-0 flex-col gap-2 rounded-control border border-line p-2">
			<div className="flex items-end gap-1.5">
				<SelectField
					label="With"
					className="flex-1"
					value={attached}
					options={listOptions(classes, attached)}
					onChange={(event) => onChange({ class: event.target.value })}
				/>
				<IconButton variant="ghost" label={`Remove ${name}`} icon={Trash2} onClick={onRemove} />
			</div>
			<SelectField
				label="Objects"
				value={equal ? EQUAL : String(by)}
				options={[
					...JOIN_RELATIONS.map((value) => ({ value, label: BY_NAMES[value] })),
					{ value: EQUAL, label: "with an equal field" },
				]}
				onChange={({ target: { value } }) =>
					onChange({ by: value === EQUAL ? { base: "name", other: "name" } : value })
				}
			/>
			{equal && (
				<div className="flex gap-1.5">
					<TextField
						mono
						label={`Field of ${base || "the row"}`}
						className="flex-1"
						value={equal.base ?? ""}
						spellCheck={false}
						onChange={(event) => onChange({ by: { ...equal, base: event.target.value } })}
					/>
					<TextField
						mono
						label={`Field of ${attached || "the other"}`}
						className="flex-1"
						list={listId}
						value={equal.other ?? ""}
						spellCheck={false}
						onChange={(event) => onChange({ by: { ...equal, other: event.target.value } })}
					/>
				</div>
			)}
			<PropertyOptions id={listId} properties={properties} />
			<RowsControl field={describeFields(listId)} rows={fields} onChange={(rows) => onChange({ fields: rows })} />
			<SelectField
				label="If there are several"
				value={many}
				options={MANY_ORDER.map((value) => ({ value, label: MANY_NAMES[value] }))}
				onChange={(event) => onChange({ many: event.target.value })}
			/>
			<CheckField
				label="Leave out rows without one"
				checked={inner}
				onChange={(event) => onChange({ inner: event.target.checked })}
			/>
		</fieldset>
	);
}

const describeFields = (list: string): RowsField => ({
	name: "fields",
	label: "Fields to add",
	kind: "rows",
	item: "field",
	columns: [
		{ name: "field", label: "Field", kind: "text", list },
		{ name: "as", label: "Name in the row", kind: "text" },
	],
	start: { field: "name", as: "" },
});
