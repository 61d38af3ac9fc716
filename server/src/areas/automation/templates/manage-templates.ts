/** Automation templates: list, create, change, delete, and the template as others launch it. */
import {
	type AutomationTemplate,
	type AutomationTemplateInput,
	type AutomationTemplateList,
	type AutomationTemplatePatch,
	type AutomationTemplateSaved,
	LAUNCH_PROMPTS,
	type ValuesFrom,
} from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import type { Caller, Identity } from "../../../core/caller.ts";
import {
	buildConflictError,
	buildFieldError,
	buildForbiddenError,
	buildInvalidError,
	buildNotFoundError,
} from "../../../core/errors.ts";
import { markUnchanged } from "../../../core/events.ts";
import { paginateRows } from "../../../core/http/paging.ts";
import { getSqlState, type Tx } from "../../../core/ports/store.ts";
import { NotRunnable } from "../../runs/background/index.ts";
import { prepareQueryRun } from "../../runs/background/start-background-runs.ts";
import { readApprovalRules } from "../connections/approval.ts";
import { findDefaultConnection, requireConnection } from "../connections/manage-connections.ts";
import { isApprovalRequired } from "../connections/rules/approval-rules.ts";
import { askApprovalForTemplate } from "../jobs/request/approval-requirement.ts";
import { canDeleteTemplate, canEditTemplate } from "./policy.ts";
import { presentTemplate } from "./present.ts";
import { listNamedIds, loadReferences } from "./references.ts";
import { findTemplateProblems } from "./rules/columns.ts";
import { mergePrompts, showPrompts } from "./rules/prompts.ts";
import { listSheets, type TemplateForm } from "./rules/rules.ts";
import { checkServer } from "./server-check.ts";
import { listReferencesByIds } from "./sql/reference.ts";
import {
	findShownTemplate,
	hasOpenRequests,
	insertTemplate,
	listKnownGroups,
	listTemplatePage,
	lockTemplate,
	removeTemplate,
	type ShownTemplate,
	setTemplateGroups,
	type TemplateRow,
	updateTemplateRow,
} from "./sql/templates.ts";

/** Queries that a check of rows runs. */
const SOURCES_MAX = 5;

/** Fields on which it depends whether the server launches the job with its rows. */
const SERVER_FIELDS = [
	"kind",
	"automation_connection",
	"automation_job_template_id",
	"schema",
	"sheets",
	"variable_mappings",
	"askable",
	...LAUNCH_PROMPTS,
] as const;

const NOT_OWNER = "Only the owner of a template and administrators may do this.";

const buildTemplateTarget = ({ id }: { id: string }) => ({ targetType: "automation_template", targetId: id });

export async function findVisibleTemplate(ctx: Context, identity: Identity, id: string): Promise<ShownTemplate> {
	const row = await findShownTemplate(ctx.store.db, identity, id);
	if (row === undefined) throw buildNotFoundError();
	return row;
}

async function showTemplate(tx: Tx, caller: Identity, id: string): Promise<AutomationTemplate> {
	const row = await findShownTemplate(tx.db, caller, id);
	if (row === undefined) throw buildNotFoundError();
	return presentTemplate(row, caller, await readApprovalRules(tx.db));
}

/**
 * @param given the value that the caller wrote; undefined if they left it out
 * @throws 400 if a template is to launch without approval what its server requires approval for
 */
async function assertApprovalKept(tx: Tx, given: boolean | undefined, connectionId: string | null, serverId: number) {
	if (given !== false || !isApprovalRequired(await readApprovalRules(tx.db), connectionId, serverId)) return;
	throw buildFieldError(
		"requires_approval",
		`The automation server requires approval for job template ${serverId}: leave it true. An administrator can add ` +
			"the job template to free_job_template_ids of the connection.",
	);
}

/** Checks what the input refers to and how it fits together; gives the columns of the table. */
async function buildTemplateValues(
	tx: Tx,
	caller: Identity,
	input: AutomationTemplatePatch,
	before: TemplateRow | null,
) {
	const { schema = before?.schema ?? [], sheets = before?.sheets ?? [] } = input;
	const form = { schema, sheets };
	const known = await loadReferences(tx.db, caller, form);
	const columns = listSheets(form).flatMap((sheet) => sheet.columns);
	const uses = listNamedIds(columns);
	const lists = input.validation_lists ?? before?.validation_list_ids ?? [];
	const seen = await listReferencesByIds(tx.db, "automation_validation_lists", caller, lists);
	const problems = findTemplateProblems(
		{
			...form,
			variable_mappings: input.variable_mappings ?? before?.variable_mappings ?? {},
			expects: input.expects ?? before?.expects ?? [],
		},
		known,
	);
	const kept = new Set(before?.validation_list_ids);
	if (lists.some((id) => !kept.has(id) && !seen.some((row) => row.id === id))) {
		problems.validation_lists = ["There is no such validation list that you can see."];
	}
	if (input.rollback_template != null && !(await findShownTemplate(tx.db, caller, input.rollback_template))) {
		problems.rollback_template = ["There is no such template that you can see."];
	}
	for (const field of ["allowed_groups", "approver_groups"] as const) {
		const wanted = input[field] ?? [];
		const found = await listKnownGroups(tx, wanted);
		const missing = wanted.find((id) => !found.has(id));
		if (missing !== undefined) problems[field] = [`There is no group ${missing}.`];
	}
	if (Object.keys(problems).length > 0) throw buildInvalidError(problems);
	const plain = {
		name: input.name,
		description: input.description,
		category_id: input.category,
		tags: input.tags,
		kind: input.kind,
		server_template_id: input.automation_job_template_id,
		is_public: input.is_public,
		requires_approval: input.requires_approval,
		requires_change_plan: input.requires_change_plan,
		rollback_template_id: input.rollback_template,
		allow_check_mode: input.allow_check_mode,
		validation_list_ids: input.validation_lists,
		askable: input.askable,
	};
	return {
		...(Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)) as {
			[Key in keyof typeof plain]?: NonNullable<(typeof plain)[Key]>;
		}),
		...(input.schema ? { schema: JSON.stringify(schema) } : {}),
		...(input.sheets ? { sheets: JSON.stringify(sheets) } : {}),
		...(input.expects ? { expects: JSON.stringify(input.expects) } : {}),
		...(input.variable_mappings ? { variable_mappings: JSON.stringify(input.variable_mappings) } : {}),
		prompts: JSON.stringify(mergePrompts(before?.prompts ?? {}, input)),
		...uses,
		list_ids: [...new Set([...uses.list_ids, ...lists])],
	};
}

/** The connection that is named, or else the default one. @throws 400 under its field */
export async function chooseConnection(ctx: Context, caller: Identity, id: string | undefined) {
	if (id !== undefined) return requireConnection(ctx, caller, id, "automation_connection");
	const found = await findDefaultConnection(ctx, caller);
	if (found !== null) return found;
	throw buildFieldError("automation_connection", "This field is required: there is no default connection.");
}

/** Checks that the caller can run every query that newly gives allowed values. */
async function assertSourcesRunnable(
	ctx: Context,
	caller: Identity,
	input: AutomationTemplatePatch,
	before: TemplateForm,
): Promise<void> {
	const { schema = [], sheets = [] } = input;
	const key = ({ saved_query, controller_connection }: ValuesFrom) => `${saved_query} ${controller_connection}`;
	const listColumns = (form: TemplateForm) => listSheets(form).flatMap(({ columns }) => columns);
	const known = new Set(listColumns(before).flatMap(({ values_from: from }) => (from ? [key(from)] : [])));
	const fresh = listColumns({ schema, sheets }).flatMap(({ name, values_from: from }) =>
		from && !known.has(key(from)) ? [{ name, from }] : [],
	);
	const all = new Set([...known, ...fresh.map(({ from }) => key(from))]);
	if (fresh.length > 0 && all.size > SOURCES_MAX) {
		throw buildFieldError("schema", `Values may come from at most ${SOURCES_MAX} queries.`);
	}
	for (const { name, from } of fresh) {
		await prepareQueryRun(ctx, caller, from.saved_query, from.controller_connection).catch((error: unknown) => {
			if (!(error instanceof NotRunnable)) throw error;
			throw buildFieldError("schema", `The values of the column "${name}" cannot be had: ${error.message}`);
		});
	}
}

async function setGroups(tx: Tx, id: string, input: AutomationTemplatePatch): Promise<void> {
	if (input.allowed_groups) await setTemplateGroups(tx, id, "use", input.allowed_groups);
	if (input.approver_groups) await setTemplateGroups(tx, id, "approve", input.approver_groups);
}

async function writeInTransaction<T>(ctx: Context, work: (tx: Tx) => Promise<T>): Promise<T> {
	return ctx.store.transaction(work).catch((error: unknown) => {
		// Of the references only the category is not looked at first.
		if (getSqlState(error) === "23503") throw buildFieldError("category", "There is no such category.");
		throw error;
	});
}

/** @param approval `requires_approval` as the caller wrote it */
async function saveTemplateChange(
	ctx: Context,
	caller: Caller,
	id: string,
	input: AutomationTemplatePatch,
	approval: boolean | undefined,
): Promise<AutomationTemplateSaved> {
	const connection =
		input.automation_connection === undefined
			? null
			: await requireConnection(ctx, caller, input.automation_connection, "automation_connection");
	const known = await findVisibleTemplate(ctx, caller, id);
	if (!canEditTemplate(caller, known)) throw buildForbiddenError(NOT_OWNER);
	if (input.schema || input.sheets) await assertSourcesRunnable(ctx, caller, input, known);
	const connectionId = connection?.id ?? known.connection_id;
	const isChecked = connectionId !== null && SERVER_FIELDS.some((name) => input[name] !== undefined);
	const wanted = {
		kind: input.kind ?? known.kind,
		id: input.automation_job_template_id ?? known.server_template_id,
	};
	const form = {
		schema: input.schema ?? known.schema,
		sheets: input.sheets ?? known.sheets,
		variable_mappings: input.variable_mappings ?? known.variable_mappings,
		prompts: mergePrompts(known.prompts, input),
		askable: input.askable ?? known.askable,
	};
	const checked = isChecked ? await checkServer(ctx, caller, connectionId, wanted, form) : null;
	const isSameJob =
		connectionId === known.connection_id && wanted.kind === known.kind && wanted.id === known.server_template_id;
	const name = checked?.name ?? (isSameJob ? known.server_template_name : null);
	const saved = await writeInTransaction(ctx, async (tx) => {
		if (!(await findShownTemplate(tx.db, caller, id))) throw buildNotFoundError();
		const before = await lockTemplate(tx, id);
		if (before === undefined) throw buildNotFoundError();
		if (!canEditTemplate(caller, before)) throw buildForbiddenError(NOT_OWNER);
		const names = Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : [name]));
		if (names.length === 0) {
			markUnchanged(caller);
			return showTemplate(tx, caller, id);
		}
		if (input.is_public === true && !before.is_public) await ctx.quotas.check(caller, "can_share", tx);
		const serverId = input.automation_job_template_id ?? before.server_template_id;
		await assertApprovalKept(tx, approval, connection?.id ?? before.connection_id, serverId);
		if (input.rollback_template === id) throw buildFieldError("rollback_template", "A template cannot undo itself.");
		await updateTemplateRow(tx, id, {
			...(await buildTemplateValues(tx, caller, input, before)),
			...(connection ? { connection_id: connection.id, connection_name: connection.name } : {}),
			server_template_name: name,
			updated_at: getNow(ctx),
		});
		await setGroups(tx, id, input);
		if (input.requires_approval === true && !before.requires_approval) await askApprovalForTemplate(ctx, tx, id);
		await ctx.events.changed(tx, caller, {
			...buildTemplateTarget(before),
			description: `${caller.username} changed the automation template "${input.name ?? before.name}"`,
			metadata: { fields: names },
		});
		return showTemplate(tx, caller, id);
	});
	return { ...saved, warnings: [...(checked?.warnings ?? [])] };
}

export async function listTemplates(ctx: Context, caller: Identity, filter: AutomationTemplateList, url: string) {
	const page = await listTemplatePage(ctx.store.db, caller, filter);
	const rules = await readApprovalRules(ctx.store.db);
	return paginateRows(url, filter, page, (row) => presentTemplate(row, caller, rules));
}

export async function readTemplate(ctx: Context, caller: Identity, id: string): Promise<AutomationTemplate> {
	return presentTemplate(await findVisibleTemplate(ctx, caller, id), caller, await readApprovalRules(ctx.store.db));
}

export async function createTemplate(
	ctx: Context,
	caller: Caller,
	input: AutomationTemplateInput,
): Promise<AutomationTemplateSaved> {
	const connection = await chooseConnection(ctx, caller, input.automation_connection);
	await assertSourcesRunnable(ctx, caller, input, { schema: [], sheets: [] });
	const wanted = { kind: input.kind, id: input.automation_job_template_id };
	const checked = await checkServer(ctx, caller, connection.id, wanted, {
		...input,
		prompts: mergePrompts({}, input),
	});
	const saved = await writeInTransaction(ctx, async (tx) => {
		await ctx.quotas.check(caller, "can_use_automation", tx);
		if (input.is_public) await ctx.quotas.check(caller, "can_share", tx);
		await ctx.quotas.check(caller, "automation_templates_max", tx);
		await assertApprovalKept(tx, input.requires_approval, connection.id, wanted.id);
		const id = ctx.ids.uuid();
		const at = getNow(ctx);
		const {
			schema = "[]",
			sheets = "[]",
			variable_mappings = "{}",
			...rest
		} = await buildTemplateValues(tx, caller, input, null);
		await insertTemplate(tx, {
			id,
			schema,
			sheets,
			variable_mappings,
			created_by: caller.userId,
			created_at: at,
			updated_at: at,
			category_id: null,
			rollback_template_id: null,
			...rest,
			name: input.name,
			description: input.description,
			kind: input.kind,
			server_template_id: input.automation_job_template_id,
			server_template_name: checked.name,
			is_public: input.is_public,
			requires_approval: input.requires_approval ?? false,
			allow_check_mode: input.allow_check_mode,
			tags: input.tags,
			validation_list_ids: input.validation_lists,
			connection_id: connection.id,
			connection_name: connection.name,
		});
		await setGroups(tx, id, input);
		await ctx.events.changed(tx, caller, {
			...buildTemplateTarget({ id }),
			description: `${caller.username} made the automation template "${input.name}"`,
			metadata: { kind: input.kind, automation_job_template_id: input.automation_job_template_id },
		});
		return showTemplate(tx, caller, id);
	});
	return { ...saved, warnings: [...checked.warnings] };
}

export const changeTemplate = (ctx: Context, caller: Caller, id: string, input: AutomationTemplatePatch) =>
	saveTemplateChange(ctx, caller, id, input, input.requires_approval);

export const replaceTemplate = (ctx: Context, caller: Caller, id: string, input: AutomationTemplateInput) =>
	saveTemplateChange(
		ctx,
		caller,
		id,
		{ ...showPrompts({}), ...input, requires_approval: input.requires_approval ?? false },
		input.requires_approval,
	);

/** The history stays: requests hold a copy of what they ran. */
export async function deleteTemplate(ctx: Context, caller: Caller, id: string): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		if (!(await findShownTemplate(tx.db, caller, id))) throw buildNotFoundError();
		const row = await lockTemplate(tx, id);
		if (row === undefined) throw buildNotFoundError();
		if (!canDeleteTemplate(caller, row)) {
			throw buildForbiddenError(NOT_OWNER);
		}
		if (await hasOpenRequests(tx.db, id)) {
			throw buildConflictError("Requests that use this template are not over yet.");
		}
		await removeTemplate(tx, id);
		await ctx.events.changed(tx, caller, {
			...buildTemplateTarget(row),
			description: `${caller.username} deleted the automation template "${row.name}"`,
		});
	});
}
