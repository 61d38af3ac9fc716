/** The fields of an edited template, with their draft and their save. */
import { useNavigate } from "@tanstack/react-router";
import type { AutomationTemplate, AutomationTemplateDraft } from "@weft/contracts";
import { automationTemplateRoutes, LAUNCH_PROMPTS, type LaunchPrompt } from "@weft/contracts/browser";
import { useEffect, useState } from "react";
import { callRoute, useAction } from "../../platform/call.ts";
import { useSaveGuard } from "../../platform/conflict.ts";
import { useDraft } from "../../platform/draft-state.ts";
import type { Draft } from "../../platform/drafts.ts";
import { findProblem } from "../../platform/problem.ts";
import { useMay } from "../../platform/profile.ts";
import { showToast } from "../../ui/toast.tsx";
import { type EditedChange, editChange, writeChange } from "../windows/edited-change.ts";
import type { EditedColumn } from "./column-types.ts";
import { type PromptTexts, readPrompts, writePrompts } from "./launch-prompts.ts";

interface TemplateFields {
	readonly name: string;
	readonly description: string;
	/** Id of the category; null: none. */
	readonly category: number | null;
	readonly is_public: boolean;
	readonly requires_approval: boolean;
	readonly allow_check_mode: boolean;
	readonly requires_change_plan: boolean;
	/** Expected changes of each row. */
	readonly expects: readonly EditedChange[];
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

/** A stored template, or what a new one begins with. */
export interface OpenedTemplate {
	readonly saved: AutomationTemplate | null;
	readonly begun: AutomationTemplate | AutomationTemplateDraft["template"];
	readonly notes: AutomationTemplateDraft["notes"];
}

export type TemplateEdit = ReturnType<typeof useTemplateEdit>;

export function useTemplateEdit({ saved, begun }: OpenedTemplate) {
	const draft = useDraft();
	const navigate = useNavigate();
	const may = useMay();
	const [initial] = useState(() => getFields(saved, begun));
	const [fields, setFields] = useState(() => (draft === null ? initial : restoreFields(draft, initial)));
	useEffect(() => {
		for (const [name, value] of Object.entries(stripSecrets(fields))) draft?.keep(name, value);
	}, [draft, fields]);
	const canSave = saved === null ? may("add_automationtemplate") : saved.can_edit;
	const guard = useSaveGuard(saved, ({ id }) => callRoute(automationTemplateRoutes.detail, { params: { id } }));
	const save = useAction(
		async () => {
			// Settings of the survey without a form field are sent unchanged.
			const { prompts, expects, ...plain } = fields;
			const body = {
				...(saved === null ? begun : {}),
				...plain,
				expects: expects.map(writeChange),
				...readPrompts(prompts),
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
	const paths = Object.keys(errors);
	return {
		fields,
		set: (change: Partial<TemplateFields>) => setFields((before) => ({ ...before, ...change })),
		/** Whether a field differs from its first value. */
		isChanged: JSON.stringify(fields) !== JSON.stringify(initial),
		canSave,
		save,
		/** The service's messages, by field. */
		errors,
		/** The error of the save, unless fields show all of it. */
		failure: paths.length > 0 && paths.every(isShownField) ? null : save.error,
	};
}

const getFields = (saved: AutomationTemplate | null, begun: OpenedTemplate["begun"]): TemplateFields => ({
	name: begun.name,
	description: begun.description ?? "",
	category: begun.category ?? null,
	is_public: begun.is_public ?? false,
	requires_approval: begun.requires_approval ?? saved === null,
	allow_check_mode: begun.allow_check_mode ?? true,
	requires_change_plan: begun.requires_change_plan ?? false,
	expects: saved?.expects.map(editChange) ?? [],
	allowed_groups: begun.allowed_groups ?? [],
	approver_groups: begun.approver_groups ?? [],
	variable_mappings: begun.variable_mappings ?? {},
	rollback_template: begun.rollback_template ?? null,
	prompts: writePrompts(begun),
	askable: begun.askable ?? [],
	schema: (begun.schema ?? []) as EditedColumn[],
	sheets: (begun.sheets ?? []) as TemplateFields["sheets"],
});

/** Removes the defaults of password columns, which a draft must not store. */
function stripSecrets(fields: TemplateFields): TemplateFields {
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

/** Puts the draft's values over the saved fields. Password columns keep their saved default. */
function restoreFields(draft: Draft, saved: TemplateFields): TemplateFields {
	const stored = Object.entries(stripSecrets(saved)).map(([name, value]) => [name, draft.begin(name, value)]);
	const fields = Object.fromEntries(stored) as TemplateFields;
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

const SHOWN = /^(name|description|category|variable_mappings|rollback_template|askable)$|^(schema|sheets|expects)\./;
const isShownField = (path: string): boolean => SHOWN.test(path) || LAUNCH_PROMPTS.some((name) => name === path);
