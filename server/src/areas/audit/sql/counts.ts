/**
 * Counts matching entries, exactly. Sealed entries change only by a purge, so they are counted
 * once: by day, category and action in the store; by bits if all terms of the filter are frequent;
 * else in a cache of the process. Only later entries are counted again.
 */
import type { AuditFilter } from "@weft/contracts";
import { sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { Db } from "../../../core/ports/store.ts";
import type { Matches } from "../rules/terms.ts";
import { findByTerms } from "./bits.ts";
import { orderBy, SORT_MAX } from "./entries.ts";
import {
	buildConditions,
	buildSealedCondition,
	buildUnsealedCondition,
	isOfKinds,
	PLANNER_CHOICE,
	type SearchPlan,
	searchPlan,
} from "./plan.ts";

export interface Count {
	readonly count: number;
	readonly plan: SearchPlan;
	/** The ids of the page, if counting read them anyway. */
	readonly page: readonly number[] | null;
	/** Matches regardless of time, if they are few and known. */
	readonly matches: Matches | null;
}

interface Counted {
	/** The last block whose entries are in it, and the purges before it. */
	readonly block: number;
	readonly purges: number;
	readonly count: number;
}

/** A page of a list. */
interface Cut {
	readonly limit: number;
	readonly offset: number;
}

const NONE: Cut = { limit: 0, offset: 0 };
const CACHED_COUNTS = 500;
const DAY_MS = 86_400_000;

/** Counts of filters, by block of the chain. */
interface CountsState {
	readonly counted: LRUCache<string, Counted>;
}

/** Reads the counts of whole days, and counts entries at both ends of the time window. */
async function countKinds(db: Db, filter: AuditFilter, plan: SearchPlan): Promise<number> {
	const { created_after, created_before, ...kinds } = filter;
	const from = created_after === undefined ? null : new Date(created_after);
	const to = created_before === undefined ? null : new Date(created_before);
	/** The first and the one after the last day that lie in it as a whole. */
	const first = from === null ? null : new Date(Math.ceil(from.getTime() / DAY_MS) * DAY_MS);
	const end = to === null ? null : new Date(Math.floor(to.getTime() / DAY_MS) * DAY_MS);
	if (first !== null && end !== null && first >= end) return countMatches(db, filter, plan);
	const kind = buildConditions(kinds, plan);
	const whole = sql`${first === null ? sql`true` : sql`a.created_at >= ${first}`}
			and ${end === null ? sql`true` : sql`a.created_at < ${end}`}`;
	const { rows } = await sql<{ count: number }>`select (
				select coalesce(sum(d.entries), 0)::bigint from audit_days d
				where ${first === null ? sql`true` : sql`d.day >= ${getDate(first)}`}
					and ${end === null ? sql`true` : sql`d.day < ${getDate(end)}`}
					and ${kinds.category ? sql`d.category = ${kinds.category}` : sql`true`}
					and ${kinds.action ? sql`d.action = ${kinds.action}` : sql`true`}
			) + (
				select count(*) from ${buildUnsealedCondition(sql`${kind} and ${whole}`)}
			) + (
				select count(*) from audit_entries a where ${kind} and
					${from === null ? sql`false` : sql`a.created_at >= ${from} and a.created_at < ${first}`}
			) + (
				select count(*) from audit_entries a where ${kind} and
					${to === null ? sql`false` : sql`a.created_at >= ${end} and a.created_at <= ${to}`}
			) as count`.execute(db);
	return rows[0]?.count ?? 0;
}

async function countMatches(db: Db, filter: AuditFilter, plan: SearchPlan): Promise<number> {
	const { rows } = await sql<{ count: number }>`select count(*) from audit_entries a
			where ${buildConditions(filter, plan)}`.execute(db);
	return rows[0]?.count ?? 0;
}

/** In one statement: the number of matches, the ids of one page, and the state of the chain. */
async function countWithPage(db: Db, filter: AuditFilter, plan: SearchPlan, { limit, offset }: Cut) {
	const { rows } = await sql<Counted & { pending: number; ids: number[] }>`with m as materialized (
				select a.id, a.created_at, a.unsealed or p.id is not null as pending
				from audit_entries a left join audit_pending p using (id) where ${buildConditions(filter, plan)}
			) select (select coalesce(max(number), 0) from audit_blocks) as block,
				(select purges from audit_chain) as purges,
				(select count(*) from m where not pending) as count,
				(select count(*) from m where pending) as pending,
				array(select m.id from m order by ${orderBy("m", filter.ordering === "-created_at")} limit ${limit} offset ${offset}) as ids
			`.execute(db);
	const [row] = rows;
	if (row === undefined) throw new Error("a count without a row");
	return row;
}

/**
 * Counts entries after a block one by one: a plan by the filter would count all of them again.
 */
async function countAfterBlock(db: Db, filter: AuditFilter, plan: SearchPlan, { block }: Counted) {
	const matching = buildConditions(filter, plan);
	const newer = sql`select unnest(entry_ids) as id from audit_blocks where number > ${block}`;
	const { rows } = await sql<{ block: number; purges: number; sealed: number; pending: number }>`
			select (select coalesce(max(number), 0) from audit_blocks) as block,
				(select purges from audit_chain) as purges,
				(select count(*) from ${buildSealedCondition(newer, matching)}) as sealed,
				(select count(*) from ${buildUnsealedCondition(matching)}) as pending`.execute(db);
	const [row] = rows;
	if (row === undefined) throw new Error("a count without a row");
	return row;
}

async function countEntries(repo: CountsState, db: Db, filter: AuditFilter, cut: Cut = NONE): Promise<Count> {
	if (isOfKinds(filter))
		return { count: await countKinds(db, filter, PLANNER_CHOICE), plan: PLANNER_CHOICE, page: null, matches: null };
	const plan = await searchPlan(db, filter);
	if (plan.terms !== null) {
		return { ...(await findByTerms(db, filter, { plan, terms: plan.terms, few: SORT_MAX })), plan, page: null };
	}
	const { ordering: _, ...asked } = filter;
	const key = JSON.stringify(Object.entries(asked).sort());
	const known = repo.counted.get(key);
	if (known !== undefined) {
		const { block, purges, sealed, pending } = await countAfterBlock(db, filter, plan, known);
		if (purges === known.purges) {
			repo.counted.set(key, { block, purges, count: known.count + sealed });
			return { count: known.count + sealed + pending, plan, page: null, matches: null };
		}
	}
	const { pending, ids, ...fresh } = await countWithPage(db, filter, plan, cut);
	repo.counted.set(key, fresh);
	return { count: fresh.count + pending, plan, page: ids, matches: null };
}

/** Numbers of entries by category since an instant. */
async function countByCategory(db: Db, since: Date): Promise<{ category: string; count: number }[]> {
	const first = new Date(Math.ceil(since.getTime() / DAY_MS) * DAY_MS);
	const { rows } = await sql<{
		category: string;
		count: number;
	}>`select category, sum(entries)::bigint as count from (
					select d.category, d.entries from audit_days d where d.day >= ${getDate(first)}
					union all
					select a.category, 1 from ${buildUnsealedCondition(sql`a.created_at >= ${first}`)}
					union all
					select a.category, count(*) from audit_entries a
						where a.created_at >= ${since} and a.created_at < ${first} group by a.category
				) counted group by category order by category`.execute(db);
	return rows;
}

export function createCountsRepo() {
	const repo: CountsState = { counted: new LRUCache<string, Counted>({ max: CACHED_COUNTS }) };

	return {
		count: (db: Db, filter: AuditFilter, cut?: Cut) => countEntries(repo, db, filter, cut),

		/** Numbers of entries by category since an instant. */
		byCategory: countByCategory,
	};
}

/** The UTC day of an instant. Computed by the store, which cannot read years above 9999 as text. */
const getDate = (at: Date) => sql`(${at}::timestamptz at time zone 'UTC')::date`;
export type CountsRepo = ReturnType<typeof createCountsRepo>;
