/**
 * Steps that the use cases of saved queries share: finding, locking, adding and presenting a query.
 */
import { SAVED_QUERY_LIMITS, type SavedQuery, type SavedQueryInput } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller, Identity } from "../../../core/caller.ts";
import { buildForbiddenError, buildNotFoundError } from "../../../core/errors.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { buildContentColumns } from "./check-content.ts";
import { canEdit } from "./policy.ts";
import { presentDetail } from "./present.ts";
import { copyNames, copyPrefix } from "./rules/copy-name.ts";
import { FIRST_VERSION, getVersion, type Version } from "./rules/versioning.ts";
import type { FoundQuery, QueryRow } from "./sql/queries.ts";
import { findSavedQuery, insertQueries, insertQuery, listNamesLike, lockQuery } from "./sql/queries.ts";
import type { VersionRow } from "./sql/versions.ts";
import { findVersionRow, insertQueryVersion, insertQueryVersions, listVersionsUpTo } from "./sql/versions.ts";

/** A query to be added: its fields and its first version. */
export interface NewQuery {
	readonly id: string;
	readonly fields: Omit<SavedQueryInput, "flow_data" | "post_processors" | "variables" | "shared_with">;
	readonly content: ReturnType<typeof buildContentColumns>;
	readonly changes: string[];
}

type NextVersion = Version & Pick<NewQuery, "content" | "changes">;

/** Rows of one statement. */
const INSERTED_AT_ONCE = 100;

/** The fields that have a value. */
export const pickGivenFields = (input: object): string[] =>
	Object.entries(input).flatMap(([field, value]) => (value === undefined ? [] : [field]));

/** 404 where the caller may not see it. */
export async function findVisibleQuery(db: Db, identity: Identity, id: string): Promise<FoundQuery> {
	const row = await findSavedQuery(db, identity, id);
	if (row === undefined) throw buildNotFoundError("There is no such query.");
	return row;
}

export async function findQueryVersion(db: Db, id: string, wanted: Version): Promise<VersionRow> {
	const row = await findVersionRow(db, id, wanted);
	if (row === undefined) throw buildNotFoundError("The query has no such version.");
	return row;
}

export async function addVersion(ctx: Context, tx: Tx, caller: Caller, id: string, next: NextVersion): Promise<void> {
	await insertQueryVersion(tx, getVersionRow(ctx, caller, id, next));
}

function getVersionRow(ctx: Context, caller: Caller, query_id: string, next: NextVersion) {
	const { major, minor, content, changes } = next;
	const created_at = new Date(ctx.clock.now());
	return { query_id, major, minor, changes, ...content, created_at, created_by: caller.username };
}

function getRow(ctx: Context, caller: Caller, { id, fields }: NewQuery) {
	const { tags_list, category, drift_rules, connection_group = null, ...columns } = fields;
	const at = new Date(ctx.clock.now());
	return {
		...columns,
		id,
		owner_id: caller.userId,
		tags: tags_list,
		category_id: category,
		connection_group_id: connection_group,
		...(drift_rules && { drift_rules: JSON.stringify(drift_rules) }),
		major_version: FIRST_VERSION.major,
		minor_version: FIRST_VERSION.minor,
		created_at: at,
		updated_at: at,
	};
}

export const requireVisibleQuery = (db: Db, row: Pick<QueryRow, "id" | "major_version" | "minor_version">) =>
	findQueryVersion(db, row.id, getVersion(row));

/** The names for a copy that the caller has no query of yet. */
export async function freeCopyNames(tx: Tx, caller: Caller, name: string): Promise<Iterable<string>> {
	const max = SAVED_QUERY_LIMITS.name;
	const taken = new Set(await listNamesLike(tx, caller.userId, copyPrefix(name, max)));
	return copyNames(name, max, taken);
}

/**
 * Locks the query. 404 where the caller may not see it, 403 where the caller may not change it.
 */
export async function requireEditableQuery(tx: Tx, caller: Caller, id: string): Promise<FoundQuery> {
	await lockQuery(tx, id);
	const row = await findVisibleQuery(tx.db, caller, id);
	if (!canEdit(caller, row)) throw buildForbiddenError("Only the owner of the query may change it.");
	return row;
}

export async function readQuery(db: Db, caller: Identity, id: string): Promise<SavedQuery> {
	const row = await findVisibleQuery(db, caller, id);
	const { history, last } = await listVersionsUpTo(db, id, getVersion(row));
	if (last === undefined) throw buildNotFoundError("The query has no such version.");
	return presentDetail({ row, current: last, history }, caller);
}

/** False when the caller has a query of this name. */
export async function addQuery(ctx: Context, tx: Tx, caller: Caller, query: NewQuery): Promise<boolean> {
	const inserted = await insertQuery(tx, getRow(ctx, caller, query));
	if (inserted) await addVersion(ctx, tx, caller, query.id, { ...FIRST_VERSION, ...query });
	return inserted;
}

/** Rejects when the caller has a query of one of the names (unique violation). */
export async function addQueries(ctx: Context, tx: Tx, caller: Caller, added: readonly NewQuery[]): Promise<void> {
	for (let at = 0; at < added.length; at += INSERTED_AT_ONCE) {
		const part = added.slice(at, at + INSERTED_AT_ONCE);
		await insertQueries(
			tx,
			part.map((query) => getRow(ctx, caller, query)),
		);
		await insertQueryVersions(
			tx,
			part.map((query) => getVersionRow(ctx, caller, query.id, { ...FIRST_VERSION, ...query })),
		);
	}
}
