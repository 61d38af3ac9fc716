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
import type { Caller, Identity } from "../../../platform/caller.ts";
import {
	buildConflictError,
	buildForbiddenError,
	buildInvalidError,
	invalidField,
	notFound,
} from "../../../platform/errors.ts";
import { type Events, markUnchanged } from "../../../platform/events.ts";
import { paginateRows } from "../../../platform/http/paging.ts";
import type { Quotas } from "../../../platform/quotas.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import { type Store, sqlState, type Tx } from "../../../ports/store.ts";
import { NotRunnable, type QueryRunsFeature } from "../../query-runs/index.ts";
import { readApprovalRules } from "../connections/index.ts";
import { templateProblems } from "./domain/columns.ts";
import { mergePrompts, showPrompts } from "./domain/prompts.ts";
import { listSheets, type TemplateForm } from "./domain/rules.ts";
import { canDeleteTemplate, canEditTemplate } from "./policy.ts";
import { presentTemplate } from "./present.ts";
import { loadReferences, namedIds, type ReferenceRepos } from "./references.ts";
import type { ShownTemplate, TemplateRow } from "./repo.ts";
import {
	findShownTemplate,
	hasOpenRequests,
	insertTemplate,
	listKnownGroups,
	listTemplatePage,
	lockTemplate,
	removeTemplate,
	setTemplateGroups,
	updateTemplateRow,
} from "./repo.ts";
import { createServerCheck, type ServerCheckDeps } from "./server-check.ts";

export interface TemplateDeps extends ServerCheckDeps {
	readonly store: Store;
	readonly clock: Pick<Clock, "now">;
	readonly ids: Pick<Ids, "uuid">;
	readonly events: Pick<Events, "changed">;
	readonly quotas: Pick<Quotas, "check">;
	readonly references: ReferenceRepos;
	/** A connection that the identity sees, or 400 under the field. */
	namedConnection(identity: Identity, id: string, field: string): Promise<{ id: string; name: string }>;
	readonly queryRuns: Pick<QueryRunsFeature, "prepare">;
	defaultConnection(identity: Identity): Promise<{ id: string; name: string } | null>;
	/**
	 * Called when a template asks for approval that did not before: what waits for a launch waits for
	 * approval.
	 */
	approvalNeeded(tx: Tx, templateId: string): Promise<void>;
}

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

export function createTemplates(deps: TemplateDeps) {
	const { store, clock, ids, events, quotas, references } = deps;
	const checkServer = createServerCheck(deps);

	async function findVisibleTemplate(identity: Identity, id: string): Promise<ShownTemplate> {
		const row = await findShownTemplate(store.db, identity, id);
		if (row === undefined) throw notFound();
		return row;
	}

	async function readTemplate(tx: Tx, caller: Identity, id: string): Promise<AutomationTemplate> {
		const row = await findShownTemplate(tx.db, caller, id);
		if (row === undefined) throw notFound();
		return presentTemplate(row, caller, await readApprovalRules(tx.db));
	}

	/**
	 * @param given the value that the caller wrote; undefined if they left it out
	 * @throws 400 if a template is to launch without approval what its server requires approval for
	 */
	async function assertApprovalKept(tx: Tx, given: boolean | undefined, connectionId: string | null, serverId: number) {
		if (given !== false || !(await readApprovalRules(tx.db)).isRequired(connectionId, serverId)) return;
		throw invalidField(
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
		const known = await loadReferences(references, tx.db, caller, form);
		const columns = listSheets(form).flatMap((sheet) => sheet.columns);
		const uses = namedIds(columns);
		const lists = input.validation_lists ?? before?.validation_list_ids ?? [];
		const seen = await references.lists.byIds(tx.db, caller, lists);
		const problems = templateProblems(
			{ ...form, variable_mappings: input.variable_mappings ?? before?.variable_mappings ?? {} },
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
			...(input.variable_mappings ? { variable_mappings: JSON.stringify(input.variable_mappings) } : {}),
			prompts: JSON.stringify(mergePrompts(before?.prompts ?? {}, input)),
			...uses,
			list_ids: [...new Set([...uses.list_ids, ...lists])],
		};
	}

	async function getConnection(caller: Identity, id: string | undefined) {
		if (id !== undefined) return deps.namedConnection(caller, id, "automation_connection");
		const found = await deps.defaultConnection(caller);
		if (found !== null) return found;
		throw invalidField("automation_connection", "This field is required: there is no default connection.");
	}

	/** Checks that the caller can run every query that newly gives allowed values. */
	async function checkSources(caller: Identity, input: AutomationTemplatePatch, before: TemplateForm): Promise<void> {
		const { schema = [], sheets = [] } = input;
		const key = ({ saved_query, controller_connection }: ValuesFrom) => `${saved_query} ${controller_connection}`;
		const listColumns = (form: TemplateForm) => listSheets(form).flatMap(({ columns }) => columns);
		const known = new Set(listColumns(before).flatMap(({ values_from: from }) => (from ? [key(from)] : [])));
		const fresh = listColumns({ schema, sheets }).flatMap(({ name, values_from: from }) =>
			from && !known.has(key(from)) ? [{ name, from }] : [],
		);
		const all = new Set([...known, ...fresh.map(({ from }) => key(from))]);
		if (fresh.length > 0 && all.size > SOURCES_MAX) {
			throw invalidField("schema", `Values may come from at most ${SOURCES_MAX} queries.`);
		}
		for (const { name, from } of fresh) {
			await deps.queryRuns.prepare(caller, from.saved_query, from.controller_connection).catch((error: unknown) => {
				if (!(error instanceof NotRunnable)) throw error;
				throw invalidField("schema", `The values of the column "${name}" cannot be had: ${error.message}`);
			});
		}
	}

	async function setGroups(tx: Tx, id: string, input: AutomationTemplatePatch): Promise<void> {
		if (input.allowed_groups) await setTemplateGroups(tx, id, "use", input.allowed_groups);
		if (input.approver_groups) await setTemplateGroups(tx, id, "approve", input.approver_groups);
	}

	async function inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
		return store.transaction(work).catch((error: unknown) => {
			// Of the references only the category is not looked at first.
			if (sqlState(error) === "23503") throw invalidField("category", "There is no such category.");
			throw error;
		});
	}

	/** @param approval `requires_approval` as the caller wrote it */
	async function updateTemplate(
		caller: Caller,
		id: string,
		input: AutomationTemplatePatch,
		approval: boolean | undefined,
	): Promise<AutomationTemplateSaved> {
		const connection =
			input.automation_connection === undefined
				? null
				: await deps.namedConnection(caller, input.automation_connection, "automation_connection");
		const known = await findVisibleTemplate(caller, id);
		if (!canEditTemplate(caller, known)) throw buildForbiddenError(NOT_OWNER);
		if (input.schema || input.sheets) await checkSources(caller, input, known);
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
		const warnings = isChecked ? await checkServer(caller, connectionId, wanted, form) : [];
		const saved = await inTransaction(async (tx) => {
			if (!(await findShownTemplate(tx.db, caller, id))) throw notFound();
			const before = await lockTemplate(tx, id);
			if (before === undefined) throw notFound();
			if (!canEditTemplate(caller, before)) throw buildForbiddenError(NOT_OWNER);
			const names = Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : [name]));
			if (names.length === 0) {
				markUnchanged(caller);
				return readTemplate(tx, caller, id);
			}
			if (input.is_public === true && !before.is_public) await quotas.check(caller, "can_share", tx);
			const serverId = input.automation_job_template_id ?? before.server_template_id;
			await assertApprovalKept(tx, approval, connection?.id ?? before.connection_id, serverId);
			if (input.rollback_template === id) throw invalidField("rollback_template", "A template cannot undo itself.");
			await updateTemplateRow(tx, id, {
				...(await buildTemplateValues(tx, caller, input, before)),
				...(connection ? { connection_id: connection.id, connection_name: connection.name } : {}),
				updated_at: new Date(clock.now()),
			});
			await setGroups(tx, id, input);
			if (input.requires_approval === true && !before.requires_approval) await deps.approvalNeeded(tx, id);
			await events.changed(tx, caller, {
				...buildTemplateTarget(before),
				description: `${caller.username} changed the automation template "${input.name ?? before.name}"`,
				metadata: { fields: names },
			});
			return readTemplate(tx, caller, id);
		});
		return { ...saved, warnings };
	}

	return {
		visible: findVisibleTemplate,

		async list(caller: Identity, filter: AutomationTemplateList, url: string) {
			const page = await listTemplatePage(store.db, caller, filter);
			const rules = await readApprovalRules(store.db);
			return paginateRows(url, filter, page, (row) => presentTemplate(row, caller, rules));
		},

		async detail(caller: Identity, id: string): Promise<AutomationTemplate> {
			return presentTemplate(await findVisibleTemplate(caller, id), caller, await readApprovalRules(store.db));
		},

		async create(caller: Caller, input: AutomationTemplateInput): Promise<AutomationTemplateSaved> {
			const connection = await getConnection(caller, input.automation_connection);
			await checkSources(caller, input, { schema: [], sheets: [] });
			const wanted = { kind: input.kind, id: input.automation_job_template_id };
			const warnings = await checkServer(caller, connection.id, wanted, { ...input, prompts: mergePrompts({}, input) });
			const saved = await inTransaction(async (tx) => {
				await quotas.check(caller, "can_use_automation", tx);
				if (input.is_public) await quotas.check(caller, "can_share", tx);
				await quotas.check(caller, "automation_templates_max", tx);
				await assertApprovalKept(tx, input.requires_approval, connection.id, wanted.id);
				const id = ids.uuid();
				const at = new Date(clock.now());
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
					is_public: input.is_public,
					requires_approval: input.requires_approval ?? false,
					allow_check_mode: input.allow_check_mode,
					tags: input.tags,
					validation_list_ids: input.validation_lists,
					connection_id: connection.id,
					connection_name: connection.name,
				});
				await setGroups(tx, id, input);
				await events.changed(tx, caller, {
					...buildTemplateTarget({ id }),
					description: `${caller.username} made the automation template "${input.name}"`,
					metadata: { kind: input.kind, automation_job_template_id: input.automation_job_template_id },
				});
				return readTemplate(tx, caller, id);
			});
			return { ...saved, warnings };
		},

		update: (caller: Caller, id: string, input: AutomationTemplatePatch) =>
			updateTemplate(caller, id, input, input.requires_approval),

		replace: (caller: Caller, id: string, input: AutomationTemplateInput) =>
			updateTemplate(
				caller,
				id,
				{ ...showPrompts({}), ...input, requires_approval: input.requires_approval ?? false },
				input.requires_approval,
			),

		/** The history stays: requests hold a copy of what they ran. */
		async remove(caller: Caller, id: string): Promise<void> {
			await store.transaction(async (tx) => {
				if (!(await findShownTemplate(tx.db, caller, id))) throw notFound();
				const row = await lockTemplate(tx, id);
				if (row === undefined) throw notFound();
				if (!canDeleteTemplate(caller, row)) {
					throw buildForbiddenError(NOT_OWNER);
				}
				if (await hasOpenRequests(tx.db, id)) {
					throw buildConflictError("Requests that use this template are not over yet.");
				}
				await removeTemplate(tx, id);
				await events.changed(tx, caller, {
					...buildTemplateTarget(row),
					description: `${caller.username} deleted the automation template "${row.name}"`,
				});
			});
		},
	};
}
export type Templates = ReturnType<typeof createTemplates>;
