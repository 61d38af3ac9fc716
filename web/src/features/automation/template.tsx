/** One template: its job, columns, users and approvers; also a new one from a server's survey. */
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { AutomationTemplate, AutomationTemplateDraft } from "@weft/contracts";
import {
	automationCategoryRoutes,
	automationTemplateRoutes,
	groupRoutes,
	LAUNCH_PROMPTS,
	type LaunchPrompt,
} from "@weft/contracts/browser";
import { FilePlus2, Save, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { callRoute, useAction, useAnswer } from "../../platform/call.ts";
import { useSaveGuard } from "../../platform/conflict.ts";
import { useDraft } from "../../platform/draft-state.ts";
import type { Draft } from "../../platform/drafts.ts";
import { formatPlural } from "../../platform/format.ts";
import { showGroupName } from "../../platform/group-names.ts";
import { findProblem } from "../../platform/problem.ts";
import { useMay } from "../../platform/profile.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { AreaField, CheckField, SelectField, TextField } from "../../ui/field.tsx";
import { Drafted, RestoredDraft } from "../../ui/form.tsx";
import { PageHead, Panel } from "../../ui/page.tsx";
import { Pill } from "../../ui/pill.tsx";
import { SaveProblem } from "../../ui/save-problem.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Unloaded } from "../../ui/unloaded.tsx";
import { ColumnsEditor, type EditedColumn } from "./columns-editor.tsx";
import { ConstantsEditor } from "./constants.tsx";
import { LaunchOptions } from "./launch-options.tsx";
import { type PromptTexts, readPrompts, writePrompts } from "./launch-prompts.ts";
import { OnlyConstants } from "./only-constants.tsx";
import { RollbackField } from "./rollback-field.tsx";

const newRoute = getRouteApi("/app/automation/templates/new");
const savedRoute = getRouteApi("/app/automation/templates/$id");
const CRUMBS = [{ label: "Templates", to: "/automation/templates" as const }];

export function NewTemplatePage() {
	const { connection = "", job = "", kind } = newRoute.useSearch();
	const body = {
		automation_connection: connection,
		automation_job_template_id: Number(job),
		kind: kind === "workflow" ? ("workflow" as const) : ("job" as const),
	};
	const answer = useAnswer(automationTemplateRoutes.fromServer, { body }, { staleTime: Number.POSITIVE_INFINITY });
	if (answer.data === undefined) {
		return <Unloaded what="Job template" crumbs={CRUMBS} error={answer.error} onRetry={() => void answer.refetch()} />;
	}
	const begins = `${connection} ${job} ${body.kind}`;
	return (
		<Drafted key={begins} form="template" id={`new ${begins}`}>
			<Editor saved={null} begun={answer.data.template} notes={answer.data.notes} />
		</Drafted>
	);
}

export function TemplatePage() {
	const { id } = savedRoute.useParams();
	const answer = useAnswer(automationTemplateRoutes.detail, { params: { id } });
	if (answer.data === undefined) {
		return <Unloaded what="Template" crumbs={CRUMBS} error={answer.error} onRetry={() => void answer.refetch()} />;
	}
	return (
		<Drafted key={answer.data.updated_at} form="template" id={id}>
			<Editor saved={answer.data} begun={answer.data} notes={[]} />
		</Drafted>
	);
}

interface Fields {
	readonly name: string;
	readonly description: string;
	/** Id of the category; null: none. */
	readonly category: number | null;
	readonly is_public: boolean;
	readonly requires_approval: boolean;
	readonly allow_check_mode: boolean;
	readonly allowed_groups: readonly number[];
	readonly approver_groups: readonly number[];
	readonly variable_mappings: Readonly<Record<string, unknown>>;
	readonly rollback_template: string | null;
	readonly prompts: PromptTexts;
	/** Launch prompts that requests may set. */
	readonly askable: readonly LaunchPrompt[];
	readonly schema: readonly EditedColumn[];
	readonly sheets: readonly {
		readonly name: string;
		readonly variable: string;
		readonly columns: readonly EditedColumn[];
	}[];
}

interface EditorProps {
	readonly saved: AutomationTemplate | null;
	readonly begun: AutomationTemplate | AutomationTemplateDraft["template"];
	readonly notes: AutomationTemplateDraft["notes"];
}

function Editor({ saved, begun, notes }: EditorProps) {
	const draft = useDraft();
	const navigate = useNavigate();
	const may = useMay();
	const [initial] = useState<Fields>(() => ({
		name: begun.name,
		description: begun.description ?? "",
		category: begun.category ?? null,
		is_public: begun.is_public ?? false,
		requires_approval: begun.requires_approval ?? saved === null,
		allow_check_mode: begun.allow_check_mode ?? true,
		allowed_groups: begun.allowed_groups ?? [],
		approver_groups: begun.approver_groups ?? [],
		variable_mappings: begun.variable_mappings ?? {},
		rollback_template: begun.rollback_template ?? null,
		prompts: writePrompts(begun),
		askable: begun.askable ?? [],
		schema: (begun.schema ?? []) as EditedColumn[],
		sheets: (begun.sheets ?? []) as Fields["sheets"],
	}));
	const [fields, setFields] = useState(() => (draft === null ? initial : restoreFields(draft, initial)));
	useEffect(() => {
		for (const [name, value] of Object.entries(withoutSecrets(fields))) draft?.keep(name, value);
	}, [draft, fields]);
	const [removing, setRemoving] = useState(false);
	const set = (change: Partial<Fields>) => setFields((before) => ({ ...before, ...change }));
	const canSave = saved === null ? may("add_automationtemplate") : saved.can_edit;
	const guard = useSaveGuard(saved, ({ id }) => callRoute(automationTemplateRoutes.detail, { params: { id } }));
	const save = useAction(
		async () => {
			// A survey's settings that the form does not show go along unchanged.
			const { prompts, ...plain } = fields;
			const body = {
				...plain,
				...readPrompts(prompts),
				...(saved === null ? omitFormFields(begun) : {}),
			} as unknown as AutomationTemplateDraft["template"];
			await guard.assertUnchanged(body);
			return saved === null
				? callRoute(automationTemplateRoutes.create, { body })
				: callRoute(automationTemplateRoutes.update, { params: { id: saved.id }, body });
		},
		{
			stale: ["automation_templates"],
			onSuccess(made) {
				draft?.drop();
				guard.accept(made);
				showToast(`${made.name} is saved`);
				for (const { message } of made.warnings) showToast(message);
				if (saved === null) void navigate({ to: "/automation/templates/$id", params: { id: made.id }, replace: true });
			},
		},
	);
	const errors = save.error === null ? {} : findProblem(save.error).fields;
	const general = save.error !== null && !Object.keys(errors).some((path) => isShownField(path));
	return (
		<>
			<PageHead
				title={fields.name || "New template"}
				crumbs={CRUMBS}
				facts={
					<>
						<Pill>{begun.kind === "workflow" ? "Workflow" : "Job"}</Pill>
						<span>
							{saved ? `${saved.automation_connection_name}, ` : ""}template {begun.automation_job_template_id} of the
							server
						</span>
						{saved?.category_name && <span>{saved.category_name}</span>}
						{saved && <span className="num">{formatPlural(saved.request_count, "request")}</span>}
						{saved === null && <span>not saved yet</span>}
					</>
				}
				actions={
					<>
						{saved?.can_delete && (
							<Button variant="danger" icon={Trash2} onClick={() => setRemoving(true)}>
								Delete
							</Button>
						)}
						{saved && may("add_automationrequest") && (
							<ButtonLink icon={FilePlus2} to="/automation/requests/new" search={{ template: saved.id }}>
								New request
							</ButtonLink>
						)}
						{canSave && (
							<Button variant="primary" icon={Save} busy={save.isPending} onClick={() => save.mutate(undefined)}>
								Save
							</Button>
						)}
					</>
				}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				<RestoredDraft />
				{general && <SaveProblem error={save.error} onSaveMine={() => save.mutate(undefined)} />}
				<OnlyConstants
					columns={[fields.schema, ...fields.sheets.map(({ columns }) => columns)].flat().map(({ name }) => name)}
					constants={fields.variable_mappings}
				/>
				{notes.length > 0 && (
					<Panel title="Notes on the survey" padded>
						<ul className="m-0 flex list-disc flex-col gap-1 pl-4">
							{notes.map(({ code, variable, message }) => (
								<li key={`${code} ${variable} ${message}`}>
									{variable && <span className="mono">{variable}: </span>}
									{message}
								</li>
							))}
						</ul>
					</Panel>
				)}
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
						<CategoryField
							category={fields.category}
							error={errors.category}
							onChange={(category) => set({ category })}
						/>
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
							label="Dry runs are allowed"
							disabled={begun.kind === "workflow"}
							checked={fields.allow_check_mode}
							onChange={(event) => set({ allow_check_mode: event.target.checked })}
						/>
					</div>
					<Groups {...{ fields, set }} />
				</fieldset>
				{fields.sheets.length === 0 ? (
					<Panel title="Columns">
						<ColumnsEditor
							columns={fields.schema}
							readOnly={!canSave}
							getError={(index, field) => errors[`schema.${index}.${field}`]}
							onChange={(schema) => set({ schema })}
						/>
					</Panel>
				) : (
					fields.sheets.map((sheet, at) => (
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
					))
				)}
				<Panel title="Launch options">
					<LaunchOptions
						prompts={fields.prompts}
						askable={fields.askable}
						readOnly={!canSave}
						getError={(name) => errors[name]}
						onChange={set}
					/>
				</Panel>
				<Panel title="Variables of every job">
					<ConstantsEditor
						constants={fields.variable_mappings}
						readOnly={!canSave}
						error={errors.variable_mappings}
						onChange={(variable_mappings) => set({ variable_mappings })}
					/>
				</Panel>
			</div>
			{saved && (
				<Confirm
					open={removing}
					title={`Delete ${saved.name}?`}
					verb="Delete the template"
					onConfirm={async () => {
						await callRoute(automationTemplateRoutes.remove, { params: { id: saved.id } });
						void navigate({ to: "/automation/templates" });
					}}
					onClose={() => setRemoving(false)}
				>
					<p className="m-0">Its requests and their history are kept. Open requests prevent it.</p>
				</Confirm>
			)}
		</>
	);
}

/** As a draft stores it: without the defaults of columns with passwords. */
function withoutSecrets(fields: Fields): Fields {
	const strip = (columns: readonly EditedColumn[]) =>
		columns.map((column) => {
			const { default: _, ...rest } = column;
			return column.field_type === "password" ? rest : column;
		});
	return {
		...fields,
		schema: strip(fields.schema),
		sheets: fields.sheets.map((sheet) => ({ ...sheet, columns: strip(sheet.columns) })),
	};
}

/** The fields of the draft over the saved ones. A column with passwords has its saved default. */
function restoreFields(draft: Draft, saved: Fields): Fields {
	const stored = Object.entries(withoutSecrets(saved)).map(([name, value]) => [name, draft.begin(name, value)]);
	const fields = Object.fromEntries(stored) as Fields;
	const complete = (columns: readonly EditedColumn[], before: readonly EditedColumn[]) =>
		columns.map((column) => {
			const same = before.find(({ name, field_type }) => name === column.name && field_type === "password");
			return column.field_type === "password" && same?.default !== undefined
				? { ...column, default: same.default }
				: column;
		});
	return {
		...fields,
		schema: complete(fields.schema, saved.schema),
		sheets: fields.sheets.map((sheet, at) => ({
			...sheet,
			columns: complete(sheet.columns, saved.sheets[at]?.columns ?? []),
		})),
	};
}

const SHOWN = /^(name|description|category|variable_mappings|rollback_template|askable)$|^(schema|sheets)\./;
const isShownField = (path: string): boolean => SHOWN.test(path) || LAUNCH_PROMPTS.some((name) => name === path);

/** What of a draft the form has no field for. */
function omitFormFields(begun: EditorProps["begun"]): object {
	const { name: _, description: __, schema: ___, sheets: ____, ...others } = begun;
	const own = [
		"category",
		"is_public",
		"requires_approval",
		"allow_check_mode",
		"allowed_groups",
		"approver_groups",
		"variable_mappings",
		"rollback_template",
		"askable",
		...LAUNCH_PROMPTS,
	];
	return Object.fromEntries(Object.entries(others).filter(([key]) => !own.includes(key)));
}

interface CategoryFieldProps {
	readonly category: number | null;
	readonly error: string | undefined;
	onChange(category: number | null): void;
}

/** Absent where there is no category. */
function CategoryField({ category, error, onChange }: CategoryFieldProps) {
	const enabled = useMay()("view_automationcategory");
	const { data } = useAnswer(automationCategoryRoutes.list, { query: { page_size: "200" } }, { enabled });
	const known = data?.results ?? [];
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
function Groups({ fields, set }: { fields: Fields; set(change: Partial<Fields>): void }) {
	const may = useMay();
	const groups = useAnswer(groupRoutes.list, { query: { page_size: "200" } }, { enabled: may("view_group") });
	const list = groups.data?.results ?? [];
	if (list.length === 0) return null;
	const choose = (chosen: readonly number[], id: number, on: boolean) =>
		on ? [...chosen, id] : chosen.filter((each) => each !== id);
	return (
		<div className="grid grid-cols-2 gap-3">
			{(
				[
					["May use it", "allowed_groups"],
					["Approve", "approver_groups"],
				] as const
			).map(([label, key]) => (
				<fieldset key={key} className="m-0 flex min-w-0 flex-col gap-1 border-0 p-0">
					<legend className="font-medium">{label}</legend>
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
