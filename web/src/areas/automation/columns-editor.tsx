/** The columns of a template: names, types and rules, with a cell to try each. */
import type { ColumnTemplate, ValidationList } from "@weft/contracts";
import { COLUMN_TYPES, columnTemplateRoutes, regexPatternRoutes, validationListRoutes } from "@weft/contracts/browser";
import { ArrowDown, ArrowUp, GripVertical, Plus, Trash2 } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { useAnswer } from "../../platform/call.ts";
import { useMay } from "../../platform/profile.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { joinClasses } from "../../ui/classes.ts";
import { AreaField, CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { Empty } from "../../ui/page.tsx";
import { ColumnDetails } from "./column-details.tsx";
import { describeType, type EditedColumn, readTypedNumber } from "./column-types.ts";
import { moveElement } from "./drop-place.ts";
import { findLocalProblems } from "./grid-model.ts";
import { useListDrag } from "./use-list-drag.ts";

interface ColumnsEditorProps {
	readonly columns: readonly EditedColumn[];
	readonly readOnly: boolean;
	/** The service's messages, by path in the request. */
	getError(index: number, field: string): string | undefined;
	onChange(columns: EditedColumn[]): void;
}

export function ColumnsEditor({ columns, readOnly, getError, onChange }: ColumnsEditorProps) {
	const enabled = useMay()("view_columntemplate");
	const templates = useAnswer(
		columnTemplateRoutes.list,
		{ query: { page_size: "200" } },
		{ enabled, staleTime: 60_000 },
	);
	const set = (index: number, changed: EditedColumn) =>
		onChange(columns.map((column, at) => (at === index ? changed : column)));
	// A tried value stays with its column when the column moves.
	const [ids, setIds] = useState<readonly number[]>(() => [...columns.keys()]);
	const list = useRef<HTMLDivElement>(null);
	const [said, setSaid] = useState("");
	const move = (from: number, to: number) => {
		onChange(moveElement(columns, from, to));
		setIds(moveElement(ids, from, to));
		setSaid(`${columns[from]?.name} is column ${to + 1} of ${columns.length}.`);
	};
	const { drag, getHandle } = useListDrag(list, move);
	return (
		<div ref={list} className="flex flex-col gap-2 p-3">
			<p className="sr-only" role="status">
				{said}
			</p>
			{columns.length === 0 && <Empty>No columns. Each column of the table becomes a field of the job's rows.</Empty>}
			{columns.map((column, index) => (
				<fieldset
					key={ids[index] ?? `column ${index}`}
					data-place={index}
					disabled={readOnly}
					className={joinClasses(
						"relative m-0 flex min-w-0 flex-col gap-2 rounded-control border border-line p-2",
						drag?.from === index && "opacity-60",
						drag?.to === index && drag.to < drag.from && `${DROP} before:-top-1.5`,
						drag?.to === index && drag.to > drag.from && `${DROP} before:-bottom-1.5`,
					)}
				>
					<legend className="sr-only">Column {index + 1}</legend>
					<ColumnFields
						column={column}
						templates={templates.data?.results ?? []}
						getError={(field) => getError(index, field)}
						onChange={(changed) => set(index, changed)}
					>
						<span className="flex items-center gap-1 @2xl:pt-5">
							<IconButton
								variant="ghost"
								label={`Drag ${column.name}, or press Alt and an arrow key`}
								icon={GripVertical}
								className="cursor-grab touch-none active:cursor-grabbing"
								{...getHandle(index, columns.length)}
							/>
							<IconButton
								variant="ghost"
								label={`Move ${column.name} up`}
								icon={ArrowUp}
								disabled={index === 0}
								onClick={() => move(index, index - 1)}
							/>
							<IconButton
								variant="ghost"
								label={`Move ${column.name} down`}
								icon={ArrowDown}
								disabled={index === columns.length - 1}
								onClick={() => move(index, index + 1)}
							/>
							<IconButton
								variant="ghost"
								label={`Remove ${column.name}`}
								icon={Trash2}
								onClick={() => {
									onChange(columns.filter((_, at) => at !== index));
									setIds(ids.filter((_, at) => at !== index));
								}}
							/>
						</span>
					</ColumnFields>
				</fieldset>
			))}
			{!readOnly && (
				<div>
					<Button
						icon={Plus}
						onClick={() => {
							onChange([...columns, { name: `column${columns.length + 1}`, field_type: "text" }]);
							setIds([...ids, Math.max(-1, ...ids) + 1]);
						}}
					>
						Add a column
					</Button>
				</div>
			)}
		</div>
	);
}

/** Classes of the line at which a dragged column would be dropped. */
const DROP = "before:absolute before:inset-x-0 before:h-0.5 before:rounded-full before:bg-accent";

interface ColumnFieldsProps {
	readonly column: EditedColumn;
	/** Column templates that the column may take its rules from. */
	readonly templates?: readonly ColumnTemplate[];
	/** Verbs, at the end of the first line. */
	readonly children?: ReactNode;
	getError(field: string): string | undefined;
	onChange(column: EditedColumn): void;
}

/** Name, type and rules of one column. */
export function ColumnFields({ column, templates = [], children, getError, onChange }: ColumnFieldsProps) {
	const set = (change: Partial<EditedColumn>) => onChange(withoutUndefined({ ...column, ...change }));
	// The type of the column would win over that of its template.
	const takeTemplate = (id: string | undefined) => {
		const taken = templates.find((template) => template.id === id);
		set({ column_template: id, ...(taken ? { field_type: taken.column.field_type } : {}) });
	};
	return (
		<div className="@container flex flex-col gap-2">
			<div className="grid items-start gap-2 @2xl:grid-cols-[1fr_1fr_150px_auto]">
				<TextField
					mono
					label="Name"
					value={column.name}
					spellCheck={false}
					error={getError("name")}
					onChange={(event) => set({ name: event.target.value })}
				/>
				<TextField
					label="Label"
					value={column.label ?? ""}
					error={getError("label")}
					onChange={(event) => set({ label: event.target.value || undefined })}
				/>
				<SelectField
					label="Type"
					value={column.field_type}
					error={getError("field_type")}
					// A type that is not known here is shown as it is, and kept.
					options={[...new Set<string>([column.field_type, ...COLUMN_TYPES])].map((value) => ({
						value,
						label: describeType(value),
					}))}
					onChange={(event) => set({ field_type: event.target.value as EditedColumn["field_type"] })}
				/>
				{children}
			</div>
			<div className="flex flex-wrap items-center gap-x-4 gap-y-2">
				<CheckField
					label="Required"
					checked={column.required ?? false}
					onChange={(event) => set({ required: event.target.checked })}
				/>
				<CheckField
					label="Unique"
					checked={column.unique ?? false}
					onChange={(event) => set({ unique: event.target.checked })}
				/>
				<CheckField
					label="Include in the job's variables"
					checked={column.send ?? true}
					onChange={(event) => set({ send: event.target.checked })}
				/>
			</div>
			<Rules column={column} getError={getError} onChange={set}>
				<ReferenceField
					label="Column template"
					known={templates}
					value={column.column_template}
					error={getError("column_template")}
					onChange={takeTemplate}
				/>
			</Rules>
			<ColumnDetails column={column} getError={getError} onChange={set} />
		</div>
	);
}

interface RulesProps {
	readonly column: EditedColumn;
	/** The first of the fields. */
	readonly children: ReactNode;
	getError(field: string): string | undefined;
	onChange(change: Partial<EditedColumn>): void;
}

function Rules({ column, children, getError, onChange }: RulesProps) {
	const [sample, setSample] = useState("");
	const { field_type } = column;
	const isNumber = field_type === "number" || field_type === "vlan";
	const hasChoices = field_type === "enum" || field_type === "multi_enum";
	const { lists, patterns } = useReferences();
	const list = lists.find(({ id }) => id === column.validation_list);
	const [problem] = sample.trim() === "" ? [] : findLocalProblems([[sample]], [{ ...column, required: false }]);
	const wrong = problem?.message ?? findPatternProblem(column.pattern, sample) ?? listProblem(list, sample);
	return (
		<div className="grid items-start gap-2 @md:grid-cols-2 @2xl:grid-cols-4">
			{children}
			{hasChoices && (
				<AreaField
					label="Choices"
					hint="One per line."
					rows={3}
					value={(column.choices ?? []).join("\n")}
					error={getError("choices")}
					onChange={(event) => onChange({ choices: event.target.value.split("\n") })}
				/>
			)}
			{isNumber && (
				<>
					<TextField
						label="Least"
						type="number"
						value={column.min ?? ""}
						error={getError("min")}
						onChange={(event) => onChange({ min: readTypedNumber(event.target.value) })}
					/>
					<TextField
						label="Most"
						type="number"
						value={column.max ?? ""}
						error={getError("max")}
						onChange={(event) => onChange({ max: readTypedNumber(event.target.value) })}
					/>
				</>
			)}
			<TextField
				mono
				label="Pattern"
				hint="A regular expression for the whole cell."
				value={column.pattern ?? ""}
				spellCheck={false}
				error={getError("pattern")}
				onChange={(event) => onChange({ pattern: event.target.value || undefined })}
			/>
			<ReferenceField
				label="Value list"
				known={lists}
				value={column.validation_list}
				error={getError("validation_list")}
				onChange={(validation_list) => onChange({ validation_list })}
			/>
			<ReferenceField
				label="Regex pattern"
				known={patterns}
				value={column.regex_pattern}
				error={getError("regex_pattern")}
				onChange={(regex_pattern) => onChange({ regex_pattern })}
			/>
			<TextField
				mono
				label="Default"
				hint="What an empty cell counts as."
				value={column.default === undefined || column.default === null ? "" : String(column.default)}
				error={getError("default")}
				onChange={(event) => onChange({ default: event.target.value || undefined })}
			/>
			<TextField
				mono
				label="Try a value"
				hint={sample !== "" && wrong === null ? "Accepted." : "Checked as you type."}
				value={sample}
				error={wrong ?? undefined}
				onChange={(event) => setSample(event.target.value)}
			/>
		</div>
	);
}

/** Reference data that a column may name. */
function useReferences() {
	const may = useMay();
	const query = { page_size: "200" };
	const options = (model: string) => ({ enabled: may(`view_${model}`), staleTime: 60_000 });
	const lists = useAnswer(validationListRoutes.list, { query }, options("validationlist"));
	const patterns = useAnswer(regexPatternRoutes.list, { query }, options("regexpattern"));
	return { lists: lists.data?.results ?? [], patterns: patterns.data?.results ?? [] };
}

interface ReferenceFieldProps {
	readonly label: string;
	readonly known: readonly { readonly id: string; readonly name: string }[];
	readonly value: string | null | undefined;
	readonly error: string | undefined;
	onChange(id: string | undefined): void;
}

/** Absent where there is nothing to choose. One that a person does not see is kept. */
function ReferenceField({ label, known, value, error, onChange }: ReferenceFieldProps) {
	if (known.length === 0 && !value) return null;
	const isHidden = value != null && known.every(({ id }) => id !== value);
	return (
		<SelectField
			label={label}
			value={value ?? ""}
			error={error}
			options={[
				{ value: "", label: "(none)" },
				...(isHidden ? [{ value, label: "(not shown to you)" }] : []),
				...known.map(({ id, name }) => ({ value: id, label: name })),
			]}
			onChange={(event) => onChange(event.target.value || undefined)}
		/>
	);
}

function listProblem(list: ValidationList | undefined, sample: string): string | null {
	const value = sample.trim();
	if (list === undefined || value === "") return null;
	const same = (text: string) => (list.case_sensitive ? text : text.toLowerCase());
	if (list.values.some((each) => same(each) === same(value))) return null;
	return list.error_message || `Must be one of the list ${list.name}.`;
}

/** Long texts could keep a pattern busy: the service checks those, with a time limit. */
const TRIED_MAX = 200;

function findPatternProblem(pattern: string | null | undefined, sample: string): string | null {
	if (!pattern || sample === "" || sample.length > TRIED_MAX) return null;
	try {
		return new RegExp(`^(?:${pattern})$`, "u").test(sample) ? null : `Must match ${pattern}`;
	} catch {
		return "The pattern is no regular expression.";
	}
}

const withoutUndefined = (column: EditedColumn): EditedColumn =>
	Object.fromEntries(Object.entries(column).filter(([, value]) => value !== undefined)) as EditedColumn;
