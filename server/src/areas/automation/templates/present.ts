/** Templates and what they draw on as the wire shows them. */
import type {
	AutomationCategory,
	AutomationTemplate,
	ColumnTemplate,
	RegexPattern,
	ValidationList,
	ValidationStatus,
} from "@weft/contracts";
import type { Selectable } from "kysely";
import type { Identity } from "../../../core/caller.ts";
import { type ApprovalRules, isApprovalRequired } from "../connections/rules/approval-rules.ts";
import { buildJobTemplateUrl } from "../connections/rules/server-pages.ts";
import type { AutomationValidationsTable } from "../tables.ts";
import { canChange, canDeleteTemplate, canEditTemplate } from "./policy.ts";
import { showPrompts } from "./rules/prompts.ts";
import type { CategoryRow } from "./sql/categories.ts";
import type { OwnedRow } from "./sql/reference.ts";
import type { ShownTemplate } from "./sql/templates.ts";

export function presentTemplate(row: ShownTemplate, identity: Identity, rules: ApprovalRules): AutomationTemplate {
	return {
		id: row.id,
		name: row.name,
		description: row.description,
		category: row.category_id,
		category_name: row.category_name,
		tags: row.tags,
		kind: row.kind,
		automation_connection: row.connection_id,
		automation_connection_name: row.connection_name,
		automation_job_template_id: row.server_template_id,
		automation_job_template_name: row.server_template_name,
		automation_job_template_url: buildJobTemplateUrl(row, row.kind, row.server_template_id),
		execution_mode: "bulk",
		schema: row.schema,
		sheets: row.sheets,
		validation_lists: row.validation_list_ids,
		allowed_groups: row.allowed_groups,
		allowed_group_names: row.allowed_group_names,
		is_public: row.is_public,
		requires_approval: row.requires_approval || isApprovalRequired(rules, row.connection_id, row.server_template_id),
		approver_groups: row.approver_groups,
		approver_group_names: row.approver_group_names,
		rollback_template: row.rollback_template_id,
		allow_check_mode: row.allow_check_mode,
		variable_mappings: row.variable_mappings,
		...showPrompts(row.prompts),
		askable: [...row.askable],
		expects: row.expects,
		requires_change_plan: row.requires_change_plan,
		request_count: row.request_count,
		success_count: row.success_count,
		failure_count: row.failure_count,
		created_by: row.owner,
		created_at: row.created_at.toISOString(),
		updated_at: row.updated_at.toISOString(),
		can_edit: canEditTemplate(identity, row),
		can_delete: canDeleteTemplate(identity, row),
	};
}

export const presentCategory = (row: CategoryRow): AutomationCategory => ({
	id: row.id,
	name: row.name,
	description: row.description,
	color: row.color,
	icon: row.icon,
	display_order: row.display_order,
	template_count: row.template_count,
	created_at: row.created_at.toISOString(),
});

function presentOwnership(
	row: Pick<
		OwnedRow<"automation_regex_patterns">,
		"is_public" | "usage_count" | "creator" | "created_by" | "created_at" | "updated_at"
	>,
	identity: Identity,
	model: string,
) {
	return {
		is_public: row.is_public,
		usage_count: row.usage_count,
		created_by: row.creator,
		created_at: row.created_at.toISOString(),
		updated_at: row.updated_at.toISOString(),
		can_edit: canChange(identity, row, `change_${model}`),
	};
}

export const presentList = (row: OwnedRow<"automation_validation_lists">, identity: Identity): ValidationList => ({
	id: row.id,
	name: row.name,
	description: row.description,
	values: row.values,
	case_sensitive: row.case_sensitive,
	error_message: row.error_message,
	...presentOwnership(row, identity, "validationlist"),
});

export const presentPattern = (row: OwnedRow<"automation_regex_patterns">, identity: Identity): RegexPattern => ({
	id: row.id,
	name: row.name,
	description: row.description,
	pattern: row.pattern,
	flags: row.flags,
	category: row.category,
	test_strings: row.test_strings,
	...presentOwnership(row, identity, "regexpattern"),
});

export const presentColumn = (row: OwnedRow<"automation_column_templates">, identity: Identity): ColumnTemplate => ({
	id: row.id,
	name: row.name,
	description: row.description,
	column: row.column,
	...presentOwnership(row, identity, "columntemplate"),
});

export const presentValidation = (row: Selectable<AutomationValidationsTable>): ValidationStatus => ({
	task_id: row.id,
	state: row.state,
	progress: row.progress,
	completed: row.state === "SUCCESS" || row.state === "FAILURE",
	result: row.result,
	error: row.error,
});
