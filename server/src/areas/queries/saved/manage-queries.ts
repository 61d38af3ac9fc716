/** Saved queries: list, detail, saving with versions, deletion. */
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import type { SavedQueryInput, SavedQueryList, SavedQueryPatch, VersionAnswer, VersionQuestion } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { buildFieldError, buildForbiddenError } from "../../../core/errors.ts";
import { markUnchanged } from "../../../core/events.ts";
import { paginateRows } from "../../../core/http/paging.ts";
import { findBrokenUnique, type Tx } from "../../../core/ports/store.ts";
import { findVisibleGroup } from "../../fabrics/manage-groups.ts";
import { checkDriftRules, type RawContent } from "../flow/index.ts";
import {
	addQueries,
	addQuery,
	addVersion,
	findVisibleQuery,
	type NewQuery,
	pickGivenFields,
	readQuery,
	requireEditableQuery,
	requireVisibleQuery,
} from "./add-queries.ts";
import { buildContentColumns, checkContent, computeNextVersion } from "./check-content.ts";
import { canDelete } from "./policy.ts";
import { presentSummary } from "./present.ts";
import { FIRST_CHANGES, FIRST_VERSION, formatVersion, getVersion } from "./rules/versioning.ts";
import type { FoundQuery, QueryRow } from "./sql/queries.ts";
import {
	holdQueryCategory,
	holdUsers,
	listQueryPage,
	lockQuery,
	removeQueryRow,
	setQueryShares,
	updateQueryRow,
} from "./sql/queries.ts";
import { replaceQueryVersion } from "./sql/versions.ts";

/** Canvases that are checked before other requests get a turn. */
const CHECKED_AT_ONCE = 20;

/** A query before a change; `shared_with` may be absent if the change does not concern it. */
type ChangedQuery = Pick<
	QueryRow,
	"id" | "name" | "owner_id" | "is_public" | "enable_time_machine" | "major_version" | "minor_version"
> &
	Partial<Pick<FoundQuery, "shared_with">>;

export const buildQueryTarget = (id: string) => ({ targetType: "saved_query", targetId: id });

async function checkReferences(tx: Tx, caller: Caller, input: SavedQueryPatch, before?: FoundQuery): Promise<void> {
	const group = input.connection_group ?? null;
	const isNew = group !== null && group !== before?.connection_group_id;
	if (isNew && (await findVisibleGroup(tx.db, caller, group)) === null) {
		throw buildFieldError("connection_group", "There is no such connection group that you can see.");
	}
	if (input.drift_rules) checkDriftRules(input.drift_rules);
	if (typeof input.category === "number" && !(await holdQueryCategory(tx, input.category))) {
		throw buildFieldError("category", "There is no such category.");
	}
	const users = input.shared_with ?? [];
	const known = new Set(users.length > 0 ? await holdUsers(tx, users) : []);
	const unknown = users.filter((id) => !known.has(id));
	if (unknown.length > 0) {
		throw buildFieldError("shared_with", `There is no user with the id ${unknown.slice(0, 10).join(", ")}.`);
	}
}

/**
 * Checks the quotas for sharing with more users than before, and for enabling the Time Machine.
 */
async function checkQuota(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	input: SavedQueryPatch,
	before?: ChangedQuery,
): Promise<void> {
	const shares = before?.shared_with ?? [];
	const moreShares = (input.shared_with ?? []).some((id) => !shares.includes(id));
	if (moreShares || (input.is_public && !before?.is_public)) await ctx.quotas.check(caller, "can_share", tx);
	if (input.enable_time_machine && !before?.enable_time_machine) {
		await ctx.quotas.check(caller, "can_use_time_machine", tx);
	}
}

/**
 * Saves canvas, post-processors and variables; as a new version only where the canonical form has
 * changed.
 */
async function saveContent(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	row: ChangedQuery,
	before: RawContent,
	input: SavedQueryPatch,
) {
	const raw = {
		flow_data: input.flow_data ?? before.flow_data,
		post_processors: input.post_processors ?? before.post_processors,
		variables: input.variables ?? before.variables,
	};
	const after = checkContent(raw);
	const { level, version, changes } = computeNextVersion(getVersion(row), before, after);
	const content = buildContentColumns(raw, after.hash);
	if (level === "none") await replaceQueryVersion(tx, row.id, version, content);
	else await addVersion(ctx, tx, caller, row.id, { ...version, content, changes });
	return { version, changes };
}

/**
 * Writes the given fields of a locked query that the caller may change. The category and the
 * users that it is shared with exist. @param before its content; read if absent
 */
export async function writeQueryFields(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	row: ChangedQuery,
	input: SavedQueryPatch,
	before?: RawContent,
): Promise<void> {
	const fields = pickGivenFields(input);
	await checkQuota(ctx, tx, caller, input, row);
	const { version, changes } = fields.some((field) => CONTENT_FIELDS.has(field))
		? await saveContent(ctx, tx, caller, row, before ?? (await requireVisibleQuery(tx.db, row)), input)
		: { version: getVersion(row), changes: [] };
	const { name, description, category, tags_list, is_public, is_template, enable_time_machine } = input;
	const { drift_rules, connection_group } = input;
	await updateQueryRow(tx, row.id, {
		name,
		description,
		category_id: category,
		tags: tags_list,
		is_public,
		is_template,
		enable_time_machine,
		connection_group_id: connection_group,
		...(drift_rules && { drift_rules: JSON.stringify(drift_rules) }),
		major_version: version.major,
		minor_version: version.minor,
		updated_at: new Date(ctx.clock.now()),
	});
	if (input.shared_with) await setQueryShares(tx, row.id, excludeOwner(input.shared_with, row.owner_id));
	await ctx.events.changed(tx, caller, {
		...buildQueryTarget(row.id),
		description: `Changed the query ${input.name ?? row.name}`,
		metadata: { fields, version: formatVersion(version), changes },
	});
}

async function saveQuery(ctx: Context, tx: Tx, caller: Caller, id: string, input: SavedQueryPatch) {
	const row = await requireEditableQuery(tx, caller, id);
	if (pickGivenFields(input).length === 0) markUnchanged(caller);
	else {
		await checkReferences(tx, caller, input, row);
		await writeQueryFields(ctx, tx, caller, row, input);
	}
	return readQuery(tx.db, caller, id);
}

/**
 * Adds queries with a category that exists, without shares. Rejects on a taken name.
 * @param leaving how many of the caller's queries the same transaction deletes afterwards
 */
export async function createQueriesIn(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	given: readonly { readonly id: string; readonly input: SavedQueryInput }[],
	leaving: number,
): Promise<void> {
	if (given.length === 0) return;
	await ctx.quotas.check(caller, "can_create_queries", tx);
	const more = given.length - leaving;
	if (more > 0) await ctx.quotas.check(caller, "queries_max", tx, more);
	await checkQuota(ctx, tx, caller, {
		is_public: given.some(({ input }) => input.is_public),
		enable_time_machine: given.some(({ input }) => input.enable_time_machine),
	});
	const added: NewQuery[] = [];
	for (const { id, input } of given) {
		const { flow_data, post_processors, variables, shared_with: _none, ...fields } = input;
		const raw = { flow_data, post_processors, variables };
		added.push({ id, fields, content: buildContentColumns(raw, checkContent(raw).hash), changes: FIRST_CHANGES });
		if (added.length % CHECKED_AT_ONCE === 0) await nextEventLoopTurn();
	}
	await addQueries(ctx, tx, caller, added);
	for (const { id, fields } of added) await announceNew(ctx, tx, caller, id, fields);
}

const announceNew = (
	ctx: Context,
	tx: Tx,
	caller: Caller,
	id: string,
	{ name, is_public }: NewQuery["fields"],
): Promise<void> =>
	ctx.events.changed(tx, caller, {
		...buildQueryTarget(id),
		description: `Created the query ${name}`,
		metadata: { version: formatVersion(FIRST_VERSION), is_public },
	});

/** Deletes a locked query that the caller may delete. */
export async function removeLockedQuery(ctx: Context, tx: Tx, caller: Caller, row: ChangedQuery): Promise<void> {
	await removeQueryRow(tx, row.id);
	await ctx.events.changed(tx, caller, {
		...buildQueryTarget(row.id),
		description: `Deleted the query ${row.name}`,
		metadata: { version: formatVersion(getVersion(row)) },
	});
}

/** 400 under `name` when the caller has a query of this name; the transaction stays usable. */
async function createQuery(ctx: Context, tx: Tx, caller: Caller, input: SavedQueryInput) {
	const { flow_data, post_processors, variables, shared_with, ...fields } = input;
	const raw = { flow_data, post_processors, variables };
	const content = buildContentColumns(raw, checkContent(raw).hash);
	const id = ctx.ids.uuid();
	await checkReferences(tx, caller, input);
	await ctx.quotas.check(caller, "can_create_queries", tx);
	await ctx.quotas.check(caller, "queries_max", tx);
	await checkQuota(ctx, tx, caller, input);
	if (!(await addQuery(ctx, tx, caller, { id, fields, content, changes: FIRST_CHANGES }))) throw nameTaken();
	await setQueryShares(tx, id, excludeOwner(shared_with, caller.userId));
	await announceNew(ctx, tx, caller, id, fields);
	return readQuery(tx.db, caller, id);
}

export async function listVisibleSavedQueries(ctx: Context, caller: Caller, filter: SavedQueryList, url: string) {
	return paginateRows(url, filter, await listQueryPage(ctx.store.db, caller, filter), presentSummary);
}

export const readSavedQuery = (ctx: Context, caller: Caller, id: string) => readQuery(ctx.store.db, caller, id);

/** How saving would move the version. */
export async function previewVersion(
	ctx: Context,
	caller: Caller,
	id: string,
	input: VersionQuestion,
): Promise<VersionAnswer> {
	const row = await findVisibleQuery(ctx.store.db, caller, id);
	const before = await requireVisibleQuery(ctx.store.db, row);
	const { flow_data, post_processors = before.post_processors, variables = before.variables } = input;
	const after = checkContent({ flow_data, post_processors, variables });
	const { level, version, changes } = computeNextVersion(getVersion(row), before, after);
	return { level, version: formatVersion(version), changes };
}

export const createSavedQuery = (ctx: Context, caller: Caller, input: SavedQueryInput) =>
	ctx.store.transaction((tx) => createQuery(ctx, tx, caller, input));

/** Changes the given fields. Concurrent updates run one after another. */
export async function updateSavedQuery(ctx: Context, caller: Caller, id: string, input: SavedQueryPatch) {
	try {
		return await ctx.store.transaction((tx) => saveQuery(ctx, tx, caller, id, input));
	} catch (error) {
		throw findBrokenUnique(error) === "saved_queries_owner_name" ? nameTaken() : error;
	}
}

export async function removeSavedQuery(ctx: Context, caller: Caller, id: string): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		await lockQuery(tx, id);
		const row = await findVisibleQuery(tx.db, caller, id);
		if (!canDelete(caller, row)) throw buildForbiddenError("Only the owner of the query may delete it.");
		await removeLockedQuery(ctx, tx, caller, row);
	});
}

const CONTENT_FIELDS: ReadonlySet<string> = new Set(["flow_data", "post_processors", "variables"]);

const nameTaken = () => buildFieldError("name", "The query's owner has another one of this name.");

const excludeOwner = (userIds: readonly number[], ownerId: number): number[] => userIds.filter((id) => id !== ownerId);
