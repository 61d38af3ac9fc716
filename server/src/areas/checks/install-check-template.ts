/** The library of checks: its list, and a template as a query and a check of the caller. */
import {
	type CadenceQuestion,
	type Check,
	type CheckInstall,
	type CheckTemplatesQuery,
	savedQueryInput,
	type TaskCreate,
} from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type Caller, isAllowed } from "../../core/caller.ts";
import {
	AppError,
	buildFieldError,
	buildForbiddenError,
	buildInvalidError,
	buildNotFoundError,
	type FieldErrors,
} from "../../core/errors.ts";
import { getOffset, paginateRows } from "../../core/http/paging.ts";
import { findBrokenUnique, type Tx } from "../../core/ports/store.ts";
import { readProfile } from "../accounts/sign-in/manage-own-account.ts";
import type { VisibleQuery } from "../queries/saved/index.ts";
import { createQueriesIn } from "../queries/saved/manage-queries.ts";
import { findOwnByName, lockOwnQueries } from "../queries/saved/sql/queries.ts";
import type { KnownReferences } from "../schedules/known-references.ts";
import { insertTask, prepareTask } from "../schedules/manage-tasks.ts";
import { evaluateCheckFirst } from "./evaluate-check.ts";
import { buildCheckColumns, insertCheck, readCheck } from "./manage-checks.ts";
import { CHECK_TEMPLATES } from "./rules/library/index.ts";
import { listKeywords, matchesSearch } from "./rules/library/keywords.ts";
import type { CheckTemplate } from "./rules/library/template.ts";
import { isSameJson } from "./rules/same-json.ts";

/** The caller's query of the template; saved under the id if there is none. */
async function getQuery(ctx: Context, tx: Tx, caller: Caller, { name, description, query }: CheckTemplate, id: string) {
	const own = await findOwnByName(tx, caller.userId, name);
	if (own === undefined) {
		const input = savedQueryInput.parse({ name, description, ...query });
		await createQueriesIn(ctx, tx, caller, [{ id, input }], 0);
		return id;
	}
	const [found] = await lockOwnQueries(tx, caller.userId, [own]);
	const isSame =
		found !== undefined &&
		isSameJson(found.flow_data, query.flow_data) &&
		isSameJson(found.post_processors, query.post_processors);
	if (!isSame) throw nameTaken(name);
	return own;
}

export function listCheckTemplates(filter: CheckTemplatesQuery, url: string) {
	const start = getOffset(filter);
	const found = CHECK_TEMPLATES.filter((template) => matchesSearch(template, (filter.search ?? "").trim()));
	const rows = found.slice(start, start + filter.page_size);
	return paginateRows(url, filter, { count: found.length, rows }, presentTemplate);
}

/**
 * Saves query, check and schedule, all or nothing. Evaluates the new check once where the caller
 * can run its query. Throws 403 without the right to save queries or schedules, 404 for an unknown
 * key, 400 for a taken name.
 */
export async function installCheckTemplate(
	ctx: Context,
	caller: Caller,
	key: string,
	{ controller_connection_ids, schedule, notify }: CheckInstall,
): Promise<Check> {
	const template = CHECK_TEMPLATES.find((one) => one.key === key);
	if (template === undefined) throw buildNotFoundError("There is no such check template.");
	if (!isAllowed(caller, "add_savedquery"))
		throw buildForbiddenError("You need the permission add_savedquery for this.");
	if (schedule !== null && !isAllowed(caller, "add_scheduledtask"))
		throw buildForbiddenError(
			"You need the permission add_scheduledtask for a schedule. Leave it out, or ask an administrator.",
		);
	const id = ctx.ids.uuid();
	const { name, description, severity, check } = template;
	const known = {
		db: ctx.store.db,
		queries: new Map([[id, getContent(template, id, caller)]]),
		connections: null,
		groups: null,
	};
	const columns = await buildCheckColumns(
		ctx,
		caller,
		{
			name,
			description,
			severity,
			...check,
			saved_query: id,
			controller_connection_ids,
			...(notify === undefined ? {} : { notify }),
		},
		null,
		known,
	);
	const task =
		schedule === null
			? null
			: await prepareSchedule(ctx, caller, schedule, { name, saved_query: id, controller_connection_ids }, known);
	const installed = await ctx.store
		.transaction(async (tx) => {
			const saved_query_id = await getQuery(ctx, tx, caller, template, id);
			const added = await insertCheck(ctx, tx, caller, { ...columns, saved_query_id });
			if (task !== null) {
				await insertTask(ctx, tx, caller, { ...task.row, saved_query_id }, task.planned, ctx.ids.uuid());
			}
			return readCheck(tx.db, caller, added);
		})
		.catch((error: unknown) => {
			throw findBrokenUnique(error) === "saved_queries_owner_name" ? nameTaken(name) : error;
		});
	await evaluateCheckFirst(ctx, caller, installed.id);
	return installed;
}

/** @throws AppError 400 with messages below `schedule`, and without a connection to run on */
async function prepareSchedule(
	ctx: Context,
	caller: Caller,
	cadence: CadenceQuestion,
	fields: Pick<TaskCreate, "name" | "saved_query"> & { readonly controller_connection_ids: string[] },
	known: KnownReferences,
) {
	const named = fields.controller_connection_ids;
	const { default_controller_connection_id: usual } = (await readProfile(ctx, caller)).preferences;
	const controller_connection_ids = named.length > 0 || usual === null ? named : [usual];
	if (controller_connection_ids.length === 0) {
		throw buildFieldError(
			"controller_connection_ids",
			"A schedule needs a connection to run on. Name at least one, or choose a default one in your profile.",
		);
	}
	try {
		return await prepareTask(ctx, caller, { ...fields, ...cadence, controller_connection_ids }, known);
	} catch (error) {
		if (!(error instanceof AppError) || error.status !== 400) throw error;
		const below = ([field, messages]: [string, unknown]) =>
			field in fields ? [field, messages] : [`schedule.${field}`, messages];
		throw buildInvalidError(Object.fromEntries(Object.entries(error.body).map(below)) as FieldErrors);
	}
}

const nameTaken = (name: string) =>
	buildFieldError("non_field_errors", `You have another query with the name "${name}". Rename it, and install again.`);

/** The query of a template as it will be. */
function getContent({ name, query }: CheckTemplate, id: string, { userId }: Caller): VisibleQuery {
	return {
		id,
		name,
		ownerId: userId,
		enableTimeMachine: false,
		version: "",
		versionHash: "",
		flowData: query.flow_data,
		postProcessors: query.post_processors,
		variables: [],
	};
}

const presentTemplate = ({ query, check, sources, ...plain }: CheckTemplate) => ({
	...plain,
	keywords: listKeywords(plain),
	sources: [...sources],
	query: {
		flow_data: {
			nodes: query.flow_data.nodes.map((node) => ({ ...node })),
			edges: query.flow_data.edges.map((edge) => ({ ...edge })),
		},
		post_processors: query.post_processors.map((processor) => ({ ...processor })),
	},
	check: { ...check, config: { ...check.config } },
});
