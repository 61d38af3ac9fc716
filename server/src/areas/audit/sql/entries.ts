/** SQL that reads matching entries of the audit log, by page or in steps. */
import type { AuditFilter } from "@weft/contracts";
import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Db } from "../../../core/ports/store.ts";
import { listIdsWithin, type Matches } from "../rules/terms.ts";
import type { AuditLogTable } from "../tables.ts";
import { type Beginning, findBeginning } from "./bits.ts";
import { buildConditions, isOfKinds, type SearchPlan, searchPlan } from "./plan.ts";

const COLUMNS = [
	"id",
	"category",
	"action",
	"username",
	"user_id",
	"ip_address",
	"user_agent",
	"description",
	"target_type",
	"target_id",
	"metadata",
	"content_compressed",
	"content_size_bytes",
	"request_id",
	"created_at",
] as const satisfies (keyof AuditLogTable)[];
export type EntryRow = Pick<Selectable<AuditLogTable>, (typeof COLUMNS)[number]>;
const ENTRY = sql.join(COLUMNS.map((column) => sql.ref(`a.${column}`)));

/** Above this many matches, scan by time instead of sorting. */
export const SORT_MAX = 5_000;

interface Slice {
	readonly limit: number;
	readonly offset: number;
	/** How many entries match. */
	readonly count: number;
	readonly plan: SearchPlan;
	/** Matches regardless of time, if they are known. */
	readonly matches: Matches | null;
}

/** The cursor of a read in steps. */
export interface Place {
	readonly id: number;
	readonly at: Date;
}

/** Entries with the ids that a statement returns. */
async function readEntries(db: Db, filter: AuditFilter, ids: RawBuilder<unknown>): Promise<EntryRow[]> {
	const { rows } = await sql<EntryRow>`select ${ENTRY} from (${ids}) page join audit_entries a using (id)
		order by ${orderBy("a", filter.ordering === "-created_at")}`.execute(db);
	return rows;
}

/** Where the scan for a page begins. */
async function findScanStart(
	db: Db,
	filter: AuditFilter,
	walk: { plan: SearchPlan; count: number; skip: number; descending: boolean },
): Promise<Beginning> {
	// A short scan of an index of matching entries is as fast.
	const short = isOfKinds(filter) && walk.skip <= SORT_MAX;
	const { terms } = short || walk.plan.terms !== null ? walk.plan : await searchPlan(db, filter);
	return terms === null ? { passed: 0, at: null, beyond: null } : findBeginning(db, filter, { ...walk, terms });
}

/** One page. */
export async function listEntries(
	db: Db,
	filter: AuditFilter,
	{ limit, offset, count, plan, matches }: Slice,
): Promise<EntryRow[]> {
	if (offset >= count) return [];
	// The second half is read from the other end.
	const far = offset > count / 2;
	const take = Math.min(limit, count - offset);
	const skip = far ? count - offset - take : offset;
	const descending = (filter.ordering === "-created_at") !== far;
	if (count <= SORT_MAX || plan.rare) {
		const known = matches && listIdsWithin(matches, skip + take, descending);
		const ids = sql`with m as materialized (select a.id, a.created_at from audit_entries a where ${buildMatchCondition(filter, plan, known)})
			select m.id from m order by ${orderBy("m", descending)} limit ${take} offset ${skip}`;
		return readEntries(db, filter, ids);
	}
	const { passed, at, beyond } = await findScanStart(db, filter, { plan, count, skip, descending });
	const ids = sql`select a.id from audit_entries a where ${buildConditions(filter, plan)}
		and ${buildNotBeforeCondition(at, descending)}
		and ${beyond === null ? sql`true` : descending ? sql`a.created_at < ${beyond}` : sql`a.created_at > ${beyond}`}
		order by ${orderBy("a", descending)} limit ${take} offset ${skip - passed}`;
	return readEntries(db, filter, ids);
}

export async function listEntriesByIds(db: Db, ids: readonly number[], descending: boolean): Promise<EntryRow[]> {
	if (ids.length === 0) return [];
	const { rows } = await sql<EntryRow>`select ${ENTRY} from audit_entries a where a.id = any(${ids})
		order by ${orderBy("a", descending)}`.execute(db);
	return rows;
}

export async function findEntry(db: Db, id: number): Promise<EntryRow | undefined> {
	return db.selectFrom("audit_log").select(COLUMNS).where("id", "=", id).executeTakeFirst();
}

/** The content of an entry, as stored. */
export async function findEntryContent(db: Db, id: number): Promise<Buffer | null> {
	const row = await db.selectFrom("audit_log").select("content").where("id", "=", id).executeTakeFirst();
	return row?.content ?? null;
}

/** The greatest id; later entries have greater ones. */
export async function findLastEntryId(db: Db): Promise<number> {
	const row = await db.selectFrom("audit_log").select("id").orderBy("id", "desc").limit(1).executeTakeFirst();
	return row?.id ?? 0;
}

/** Up to `limit` matching entries after `place`, of those with ids up to `lastId`. */
export async function listNextEntries(
	db: Db,
	filter: AuditFilter,
	{
		lastId,
		place,
		limit,
		count,
		plan,
		matches,
	}: Omit<Slice, "offset"> & {
		readonly lastId: number;
		readonly place: Place | null;
	},
): Promise<EntryRow[]> {
	const descending = filter.ordering === "-created_at";
	const sorted = count <= SORT_MAX || plan.rare;
	const { at } =
		sorted || place !== null ? { at: null } : await findScanStart(db, filter, { plan, count, skip: 0, descending });
	const after =
		place === null
			? buildNotBeforeCondition(at, descending)
			: descending
				? sql`(a.created_at, a.id) < (${place.at}, ${place.id})`
				: sql`(a.created_at, a.id) > (${place.at}, ${place.id})`;
	const known = matches && listIdsWithin(matches, Number.POSITIVE_INFINITY, descending);
	const following = sql`select a.id, a.created_at from audit_entries a
		where ${buildMatchCondition(filter, plan, known)} and ${after} and a.id <= ${lastId}`;
	const ids = sorted
		? sql`with m as materialized (${following}) select m.id from m order by ${orderBy("m", descending)} limit ${limit}`
		: sql`${following} order by ${orderBy("a", descending)} limit ${limit}`;
	return readEntries(db, filter, ids);
}

/**
 * Users with an entry since an instant. Skips through the index from user to user: they are
 * few.
 */
export async function listActorsSince(db: Db, since: Date): Promise<number> {
	const { rows } = await sql<{ count: number }>`with recursive actor(user_id) as (
			select min(user_id) from only audit_log
			union all
			select (select min(a.user_id) from only audit_log a where a.user_id > actor.user_id) from actor
				where actor.user_id is not null
		) select count(*) from (
			select user_id from actor where exists (
				select from only audit_log a where a.user_id = actor.user_id and a.created_at >= ${since})
			union select user_id from audit_unsealed where user_id is not null and created_at >= ${since}
		) active`.execute(db);
	return rows[0]?.count ?? 0;
}

export const orderBy = (alias: string, descending: boolean): RawBuilder<unknown> =>
	sql.join(
		["created_at", "id"].map((column) => sql`${sql.ref(`${alias}.${column}`)} ${descending ? sql`desc` : sql`asc`}`),
	);

/**
 * The condition on entries `a`. @param known ids of the candidates: all matches regardless of time
 */
function buildMatchCondition(
	filter: AuditFilter,
	plan: SearchPlan,
	known: readonly number[] | null,
): RawBuilder<unknown> {
	const { created_after, created_before } = filter;
	return known === null
		? buildConditions(filter, plan)
		: sql`a.id = any(${known}) and ${buildConditions({ created_after, created_before }, plan)}`;
}

function buildNotBeforeCondition(at: Date | null, descending: boolean): RawBuilder<unknown> {
	if (at === null) return sql`true`;
	return descending ? sql`a.created_at <= ${at}` : sql`a.created_at >= ${at}`;
}
