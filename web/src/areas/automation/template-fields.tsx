/** Fields of a template: its name, its users and approvers, and its columns. */
import { automationCategoryRoutes, groupRoutes } from "@weft/contracts/browser";
import { useAnswer } from "../../platform/call.ts";
import { showGroupName } from "../../platform/group-names.ts";
import { useMay } from "../../platform/profile.ts";
import { AreaField, CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { Panel, ProblemBanner } from "../../ui/page.tsx";
import { ColumnsEditor } from "./columns-editor.tsx";
import { RollbackField } from "./rollback-field.tsx";
import type { OpenedTemplate, TemplateEdit } from "./use-template-edit.ts";

interface AccessFieldsProps extends Pick<OpenedTemplate, "saved" | "begun"> {
	readonly edit: TemplateEdit;
}

export function AccessFields({ saved, begun, edit: { fields, set, canSave, errors } }: AccessFieldsProps) {
	return (
		<fieldset
			disabled={!canSave}
			className="m-0 grid gap-3 rounded-card border border-line bg-surface p-3 md:grid-cols-2"
		>
			<legend className="sr-only">Name and access</legend>
			<TextField
				label="Name"
				value={fields.name}
				maxLength={200}
				error={errors.name}
				onChange={(event) => set({ name: event.target.value })}
			/>
			<AreaField
				label="Description"
				rows={2}
				value={fields.description}
				error={errors.description}
				onChange={(event) => set({ description: event.target.value })}
			/>
			<div className="flex flex-col gap-2">
				<CategoryField category={fields.category} error={errors.category} onChange={(category) => set({ category })} />
				<RollbackField
					of={saved?.id ?? null}
					value={fields.rollback_template}
					error={errors.rollback_template}
					onChange={(rollback_template) => set({ rollback_template })}
				/>
				<CheckField
					label="All users may use it"
					checked={fields.is_public}
					onChange={(event) => set({ is_public: event.target.checked })}
				/>
				<CheckField
					label="Requests need approval"
					checked={fields.requires_approval}
					onChange={(event) => set({ requires_approval: event.target.checked })}
				/>
				<CheckField
					label="Launches need a change plan"
					checked={fields.requires_change_plan}
					onChange={(event) => set({ requires_change_plan: event.target.checked })}
				/>
				<CheckField
					label="Dry runs are allowed"
					disabled={begun.kind === "workflow"}
					checked={fields.allow_check_mode}
					onChange={(event) => set({ allow_check_mode: event.target.checked })}
				/>
			</div>
			<Groups {...{ fields, set }} />
		</fieldset>
	);
}

interface CategoryFieldProps {
	readonly category: number | null;
	readonly error: string | undefined;
	onChange(category: number | null): void;
}

/** Absent where there is no category. */
function CategoryField({ category, error, onChange }: CategoryFieldProps) {
	const enabled = useMay()("view_automationcategory");
	const answer = useAnswer(automationCategoryRoutes.list, { query: { page_size: "200" } }, { enabled });
	const known = answer.data?.results ?? [];
	if (answer.error !== null) return <ProblemBanner error={answer.error} onRetry={() => void answer.refetch()} />;
	if (known.length === 0) return null;
	return (
		<SelectField
			label="Category"
			value={String(category ?? "")}
			options={[{ value: "", label: "(none)" }, ...known.map(({ id, name }) => ({ value: String(id), label: name }))]}
			error={error}
			onChange={(event) => onChange(event.target.value === "" ? null : Number(event.target.value))}
		/>
	);
}

/** Who may use it, and who decides, by group. */
function Groups({ fields, set }: Pick<TemplateEdit, "fields" | "set">) {
	const may = useMay();
	const groups = useAnswer(groupRoutes.list, { query: { page_size: "200" } }, { enabled: may("view_group") });
	const list = groups.data?.results ?? [];
	if (groups.error !== null) return <ProblemBanner error={groups.error} onRetry={() => void groups.refetch()} />;
	if (list.length === 0) return null;
	const choose = (chosen: readonly number[], id: number, on: boolean) =>
		on ? [...chosen, id] : chosen.filter((each) => each !== id);
	return (
		<div className="grid grid-cols-2 gap-3">
			{(
				[
					["Requesters", "allowed_groups", "No group ticked: its owner, or all users if the template is for all."],
					["Approvers", "approver_groups", "No group ticked: every approver."],
				] as const
			).map(([label, key, hint]) => (
				<fieldset key={key} className="m-0 flex min-w-0 flex-col gap-1 border-0 p-0">
					<legend className="font-medium">{label}</legend>
					<p className="m-0 text-muted text-xs">{hint}</p>
					{list.map(({ id, name }) => (
						<CheckField
							key={id}
							label={showGroupName(name)}
							checked={fields[key].includes(id)}
							onChange={(event) => set({ [key]: choose(fields[key], id, event.target.checked) })}
						/>
					))}
				</fieldset>
			))}
		</div>
	);
}

export function ColumnPanels({ edit: { fields, set, canSave, errors } }: { readonly edit: TemplateEdit }) {
	if (fields.sheets.length === 0) {
		return (
			<Panel title="Columns">
				<ColumnsEditor
					columns={fields.schema}
					readOnly={!canSave}
					getError={(index, field) => errors[`schema.${index}.${field}`]}
					onChange={(schema) => set({ schema })}
				/>
			</Panel>
		);
	}
	return fields.sheets.map((sheet, at) => (
		<Panel key={sheet.variable} title={`Columns of ${sheet.name}`}>
			<ColumnsEditor
				columns={sheet.columns}
				readOnly={!canSave}
				getError={(index, field) => errors[`sheets.${at}.columns.${index}.${field}`]}
				onChange={(columns) =>
					set({ sheets: fields.sheets.map((each, index) => (index === at ? { ...each, columns } : each)) })
				}
			/>
		</Panel>
	));
}
