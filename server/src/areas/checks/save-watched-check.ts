/** Saves a query with a check of its rows and a schedule in one transaction. */
import {
	type CadenceQuestion,
	type Check,
	type CheckCreate,
	type SavedQueryInput,
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
	type FieldErrors,
} from "../../core/errors.ts";
import { findBrokenUnique, type Tx } from "../../core/ports/store.ts";
import { readProfile } from "../accounts/sign-in/manage-own-account.ts";
import type { VisibleQuery } from "../queries/saved/index.ts";
import { createQueriesIn, writeQueryFields } from "../queries/saved/manage-queries.ts";
import { findOwnByName, lockOwnQueries } from "../queries/saved/sql/queries.ts";
import type { KnownReferences } from "../schedules/known-references.ts";
import { insertTask, prepareTask } from "../schedules/manage-tasks.ts";
import { evaluateCheckFirst } from "./evaluate-check.ts";
import { buildCheckColumns, insertCheck, readCheck } from "./manage-checks.ts";
import { isSameJson } from "./rules/same-json.ts";

interface WatchedCheck {
	/** Id of the query if it is new. */
	readonly id: string;
	/** Fields of a valid saved query. It is as public as the check. */
	readonly query: Readonly<Record<string, unknown>>;
	/** Its `saved_query` is left out. */
	readonly check: Omit<CheckCreate, "saved_query"> & { readonly controller_connection_ids: string[] };
	readonly schedule: CadenceQuestion | null;
	/** Whether a query of the caller with the same name and canvas is taken instead of a new one. */
	readonly isQueryReused: boolean;
	/** The field that says that another query of the caller has the name. */
	readonly nameField: "name" | "non_field_errors";
}

/**
 * Saves query, check and schedule, all or nothing. Evaluates the new check once where the caller
 * can run its query.
 * @throws 403 without the right to save queries or schedules, 400 by field
 */
export async function saveWatchedCheck(
	ctx: Context,
	caller: Caller,
	{ id, query, check, schedule, isQueryReused, nameField }: WatchedCheck,
): Promise<Check> {
	if (!isAllowed(caller, "add_savedquery"))
		throw buildForbiddenError("You need the permission add_savedquery for this.");
	if (schedule !== null && !isAllowed(caller, "add_scheduledtask"))
		throw buildForbiddenError(
			"You need the permission add_scheduledtask for a schedule. Leave it out, or ask an administrator.",
		);
	const input = savedQueryInput.parse({ ...query, is_public: check.is_public });
	const known: KnownReferences = {
		db: ctx.store.db,
		queries: new Map([[id, buildNewQuery(input, id, caller)]]),
		connections: null,
		groups: null,
	};
	const columns = await buildCheckColumns(ctx, caller, { ...check, saved_query: id }, null, known);
	const { name, controller_connection_ids } = check;
	const task =
		schedule === null
			? null
			: await prepareSchedule(ctx, caller, schedule, { name, saved_query: id, controller_connection_ids }, known);
	const saved = await ctx.store
		.transaction(async (tx) => {
			const own = isQueryReused ? await findSameQuery(ctx, tx, caller, input) : undefined;
			if (own === undefined) await createQueriesIn(ctx, tx, caller, [{ id, input }], 0);
			const saved_query_id = own ?? id;
			const added = await insertCheck(ctx, tx, caller, { ...columns, saved_query_id });
			if (task !== null) {
				await insertTask(ctx, tx, caller, { ...task.row, saved_query_id }, task.planned, ctx.ids.uuid());
			}
			return readCheck(ctx, tx.db, caller, added);
		})
		.catch((error: unknown) => {
			throw findBrokenUnique(error) === "saved_queries_owner_name" ? buildNameError(name, nameField) : error;
		});
	await evaluateCheckFirst(ctx, caller, saved.id);
	return saved;
}

/**
 * The caller's query of the same name. It becomes public where the new one would be.
 * @throws AppError 400 where it has another canvas
 */
export async function findSameQuery(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	input: SavedQueryInput,
): Promise<string | undefined> {
	const own = await findOwnByName(tx, caller.userId, input.name);
	if (own === undefined) return undefined;
	const [found] = await lockOwnQueries(tx, caller.userId, [own]);
	const isSame =
		found !== undefined &&
		isSameJson(found.flow_data, input.flow_data) &&
		isSameJson(found.post_processors, input.post_processors);
	if (!isSame) throw buildNameError(input.name, "non_field_errors");
	if (input.is_public && !found.is_public) await writeQueryFields(ctx, tx, caller, found, { is_public: true });
	return own;
}

const buildNameError = (name: string, field: string): AppError =>
	buildFieldError(
		field,
		`You have another query with the name "${name}". ${field === "name" ? "Choose another name" : "Rename it, and add the check again"}.`,
	);

/** @throws AppError 400 with messages below `schedule`, and without a connection to run on */
export async function prepareSchedule(
	ctx: Context,
	caller: Caller,
	cadence: CadenceQuestion,
	fields: Pick<TaskCreate, "name" | "saved_query"> & { readonly controller_connection_ids: string[] },
	known: KnownReferences | null,
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

/** The query as it will be. */
export const buildNewQuery = (input: SavedQueryInput, id: string, { userId }: Caller): VisibleQuery => ({
	id,
	name: input.name,
	ownerId: userId,
	enableTimeMachine: input.enable_time_machine,
	isPublic: input.is_public,
	version: "",
	versionHash: "",
	flowData: input.flow_data,
	postProcessors: input.post_processors,
	variables: input.variables,
});
