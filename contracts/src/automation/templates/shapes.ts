/** Automation templates: the server's job, its columns, users and approvers; drafts and files. */
import * as z from "zod";
import { defineDictionary, defineList, definePatternText } from "../../core/bounded.ts";
import { boolParam, defineOrdering, intId, intRef, paging, timestamp, userRef, uuid } from "../../core/common.ts";
import { defineLine } from "../../core/text.ts";
import { rowExpectation, rowExpectations } from "../../windows/row-expectation.ts";
import { automationWarning, defineInteger, getText, removeDuplicates, searchText } from "../common.ts";
import { askable, promptFields, shownPrompts } from "../prompts.ts";
import { AUTOMATION_KINDS, AUTOMATION_LIMITS, LAUNCH_PROMPTS } from "../values.ts";
import { COLUMN_TYPES, DRAFT_NOTES } from "./values.ts";

const MAX_INT = 2_147_483_647;
const number = z.number("Must be a number.");
const length = defineInteger(0, AUTOMATION_LIMITS.cell);

/** Allowed values from a query: one field of the rows that a saved query returns. */
const valuesFrom = z.object({
	saved_query: uuid,
	controller_connection: uuid,
	/** Attribute, with or without its class: `name` or `fvTenant.name`. */
	field: defineLine(200),
});
export type ValuesFrom = z.output<typeof valuesFrom>;

const defaults = defineList(z.string().max(AUTOMATION_LIMITS.cell), { max: AUTOMATION_LIMITS.choices });

export const templateColumn = z.object({
	name: defineLine(100),
	label: getText(200).optional(),
	description: getText(2000).optional(),
	field_type: z.enum(COLUMN_TYPES, { error: `Must be one of: ${COLUMN_TYPES.join(", ")}.` }),
	required: z.boolean().default(false),
	/** For enum and multi_enum. */
	choices: defineList(z.string("Must be a text.").max(1000, "Must be at most 1000 characters."), {
		max: AUTOMATION_LIMITS.choices,
		tooMany: `Must be at most ${AUTOMATION_LIMITS.choices} choices.`,
	})
		.transform(removeDuplicates)
		.optional(),
	/** What an empty cell counts as. */
	default: z
		.union([z.string().max(AUTOMATION_LIMITS.cell), number, z.boolean(), defaults, z.null()], {
			error: "Must be a text, a number, true or false, or a list of texts.",
		})
		.optional(),
	/** Of numbers and vlans. */
	min: number.nullish(),
	max: number.nullish(),
	/** Of texts, in characters. */
	min_length: length.nullish(),
	max_length: length.nullish(),
	/** The cell must be one of the list's values. */
	validation_list: uuid.nullish(),
	/** The whole cell must match; `pattern` is one of its own. */
	regex_pattern: uuid.nullish(),
	pattern: z.string().max(2000, "Must be at most 2000 characters.").nullish(),
	/** No two rows have the same value. */
	unique: z.boolean().default(false),
	/** False: the column is for people; it is checked, and not sent to the job. */
	send: z.boolean().default(true),
	/** What this column leaves open is taken from there. */
	column_template: uuid.nullish(),
	/** Said instead of the built-in message when a cell is wrong. */
	error_message: getText(500).nullish(),
	/** Lets `{{` and `{%` through, which the automation server may run as templates. */
	allow_jinja: z.boolean().default(false),
	values_from: valuesFrom.nullish(),
});
export type TemplateColumn = z.output<typeof templateColumn>;

const variable = definePatternText(
	/^[A-Za-z_][A-Za-z0-9_]{0,99}$/,
	100,
	"Must be a variable name: letters, digits and _, no digit first.",
);
const columns = defineList(templateColumn, {
	max: AUTOMATION_LIMITS.columns,
	error: "Must be a list of columns.",
	tooMany: `Must be at most ${AUTOMATION_LIMITS.columns} columns.`,
});
const rowCount = defineInteger(0, AUTOMATION_LIMITS.rows);

const sheet = z.object({
	name: defineLine(100),
	/** The job's variable that its rows become. */
	variable,
	min_rows: rowCount.nullish(),
	max_rows: rowCount.nullish(),
	columns: columns.min(1, "Must have at least one column."),
});
export type TemplateSheet = z.output<typeof sheet>;
const sheets = defineList(sheet, {
	max: AUTOMATION_LIMITS.sheets,
	error: "Must be a list of sheets.",
	tooMany: `Must be at most ${AUTOMATION_LIMITS.sheets} sheets.`,
});

const groupIds = defineList(intRef, {
	max: 100,
	error: "Must be a list of group ids.",
	tooMany: "Must be at most 100 groups.",
}).transform(removeDuplicates);
const listIds = defineList(uuid, {
	max: 200,
	error: "Must be a list of validation list ids.",
	tooMany: "Must be at most 200.",
}).transform(removeDuplicates);
const tags = defineList(defineLine(50), { max: 50, tooMany: "Must be at most 50 tags." }).transform(removeDuplicates);
const mappings = defineDictionary(z.unknown(), { max: 1_000, key: variable, error: "Must be an object of variables." });
const serverId = z.int("Must be the id of a template on the automation server.").min(1).max(MAX_INT);
const mode = z.literal("bulk", { error: "Must be bulk, the only mode there is." });

const fields = {
	name: defineLine(200),
	description: getText(10_000),
	category: intRef.nullable(),
	tags,
	kind: z.enum(AUTOMATION_KINDS, { error: "Must be job or workflow." }),
	automation_connection: uuid,
	automation_job_template_id: serverId,
	execution_mode: mode,
	schema: columns,
	sheets,
	validation_lists: listIds,
	allowed_groups: groupIds,
	is_public: z.boolean(),
	requires_approval: z.boolean(),
	approver_groups: groupIds,
	rollback_template: uuid.nullable(),
	allow_check_mode: z.boolean(),
	variable_mappings: mappings,
	...promptFields,
	askable,
	/** Expected changes of each row of a request. */
	expects: rowExpectations,
	/** Refuses a launch without a change plan or change window; dry runs need none. */
	requires_change_plan: z.boolean(),
};

export const automationTemplateInput = z.object({
	name: fields.name,
	description: fields.description.default(""),
	category: fields.category.default(null),
	tags: fields.tags.default([]),
	kind: fields.kind.default("job"),
	/** The default connection where absent. */
	automation_connection: fields.automation_connection.optional(),
	automation_job_template_id: fields.automation_job_template_id,
	execution_mode: mode.default("bulk"),
	schema: columns.default([]),
	sheets: sheets.default([]),
	validation_lists: fields.validation_lists.default([]),
	allowed_groups: fields.allowed_groups.default([]),
	is_public: fields.is_public.default(false),
	/** Absent: false. The connection may require approval all the same; false is then refused. */
	requires_approval: fields.requires_approval.optional(),
	approver_groups: fields.approver_groups.default([]),
	rollback_template: fields.rollback_template.default(null),
	allow_check_mode: fields.allow_check_mode.default(true),
	variable_mappings: mappings.default({}),
	...z.object(promptFields).partial().shape,
	/** Launch prompts that requests may set. */
	askable: askable.default([]),
	expects: rowExpectations.default([]),
	requires_change_plan: fields.requires_change_plan.default(false),
});
export const automationTemplatePatch = z.object(fields).partial();
export type AutomationTemplateInput = z.output<typeof automationTemplateInput>;
export type AutomationTemplatePatch = z.output<typeof automationTemplatePatch>;

export const automationTemplate = z.object({
	id: z.string(),
	name: z.string(),
	description: z.string(),
	category: z.int().nullable(),
	category_name: z.string().nullable(),
	tags: z.array(z.string()),
	kind: z.enum(AUTOMATION_KINDS),
	automation_connection: z.string().nullable(),
	automation_connection_name: z.string(),
	automation_job_template_id: z.int(),
	/** Name of the job template on the automation server at the last save; null if not known. */
	automation_job_template_name: z.string().nullable(),
	/** Page of the job template in the automation server's UI; empty once the server is deleted. */
	automation_job_template_url: z.string(),
	execution_mode: z.literal("bulk"),
	schema: z.array(templateColumn),
	sheets: z.array(sheet),
	validation_lists: z.array(z.string()),
	allowed_groups: z.array(z.int()),
	allowed_group_names: z.array(z.string()),
	is_public: z.boolean(),
	/** True also where the automation server requires it. */
	requires_approval: z.boolean(),
	approver_groups: z.array(z.int()),
	approver_group_names: z.array(z.string()),
	rollback_template: z.string().nullable(),
	allow_check_mode: z.boolean(),
	variable_mappings: z.record(z.string(), z.unknown()),
	/** Launch prompts that each job of the template gets; null: the server's template decides. */
	...shownPrompts,
	askable: z.array(z.enum(LAUNCH_PROMPTS)),
	expects: z.array(rowExpectation),
	requires_change_plan: z.boolean(),
	request_count: z.int(),
	success_count: z.int(),
	failure_count: z.int(),
	/** Null once the user is gone. */
	created_by: userRef.nullable(),
	created_at: timestamp,
	updated_at: timestamp,
	can_edit: z.boolean(),
	can_delete: z.boolean(),
});
export type AutomationTemplate = z.infer<typeof automationTemplate>;

export const automationTemplateSaved = automationTemplate.extend({
	/** What the server would refuse a launch for, or that it could not be asked. */
	warnings: z.array(automationWarning),
});
export type AutomationTemplateSaved = z.infer<typeof automationTemplateSaved>;

export const automationTemplateList = z.object({
	...paging,
	category: intId.optional(),
	search: searchText.optional(),
	kind: z.enum(AUTOMATION_KINDS, { error: "Must be job or workflow." }).optional(),
	automation_connection: uuid.optional(),
	my_templates: boolParam.optional(),
	ordering: defineOrdering(["name", "created_at", "updated_at", "request_count"], "name"),
});
export type AutomationTemplateList = z.output<typeof automationTemplateList>;

const draftNote = z.object({
	code: z.enum(DRAFT_NOTES),
	/** The survey's variable; null where it is not about one question. */
	variable: z.string().nullable(),
	message: z.string(),
});
export type DraftNote = z.infer<typeof draftNote>;

/** `template` is the body of a create request; `notes` list survey settings it cannot express. */
export const automationTemplateDraft = z.object({ template: automationTemplateInput, notes: z.array(draftNote) });
export type AutomationTemplateDraft = z.input<typeof automationTemplateDraft>;

export const templateFromServer = z.object({
	/** The default connection where absent. */
	automation_connection: fields.automation_connection.optional(),
	automation_job_template_id: fields.automation_job_template_id,
	kind: fields.kind.default("job"),
});
export type TemplateFromServer = z.output<typeof templateFromServer>;

export const sheetFileQuery = z.object({
	format: z.enum(["csv", "xlsx"], { error: "Must be csv or xlsx." }).default("xlsx"),
	/** All sheets where absent; a CSV holds one. */
	sheet: defineLine(100).optional(),
});
export type SheetFileQuery = z.output<typeof sheetFileQuery>;

export const fileTable = z.object({
	/** Null for a CSV. */
	name: z.nullable(z.string()),
	/** The lines that are not empty, from the first line on. */
	rows: z.array(z.array(z.string())),
	/** Null, or why the sheet cannot be read; it has no rows then. */
	problem: z.nullable(z.string()),
	/** Sentences on rows that are read although the sheet hides them; absent without any. */
	notes: z.array(z.string()).optional(),
});
export type FileTable = z.infer<typeof fileTable>;
