/** SQL that counts the rows of whole days (UTC), for the counts of long windows. */
import { sql } from "kysely";
import type { Db, Tx } from "../../../../core/ports/store.ts";

/** Whole days between two instants that have rows and no current counts, oldest first. */
export async function listUncountedDays(
	db: Db,
	{ since, until, limit }: { since: Date; until: Date; limit: number },
): Promise<string[]> {
	const midnight = (instant: Date) => sql`date_trunc('day', ${instant}::timestamptz at time zone 'UTC')`;
	const { rows } = await sql<{ day: string }>`
		select d::date::text as day from generate_series(${midnight(since)} + interval '1 day',
			${midnight(until)} - interval '1 day', interval '1 day') d
		where not exists (select from change_days k where k.day = d::date and k.is_current)
			and exists (select from object_changes c where c.at >= d at time zone 'UTC'
				and c.at < (d + interval '1 day') at time zone 'UTC')
		order by d limit ${limit}`.execute(db);
	return rows.map(({ day }) => day);
}

/** Deletes counts of days before a time. */
export async function deleteDaysBefore(db: Db, before: Date): Promise<void> {
	await sql`delete from change_days where day < (${before}::timestamptz at time zone 'UTC')::date`.execute(db);
}

/**
 * Counts a day without counts, or with outdated ones. The caller holds the lock of the writers.
 */
export async function countDay(tx: Tx, day: string): Promise<void> {
	const { rows } = await sql`insert into change_days as k (day, is_current) values (${day}::date, true)
		on conflict (day) do update set is_current = true where not k.is_current returning 1 as one`.execute(tx.db);
	if (rows.length === 0) return;
	await sql`delete from change_day_counts where day = ${day}::date`.execute(tx.db);
	await sql`
		insert into change_day_counts (day, connection_id, saved_query_id, change, class_name, tenant, severity, users,
			earlier, later, changes)
		select ${day}::date, c.connection_id, c.saved_query_id, c.change, c.class_name, c.tenant, c.severity, c.users,
			coalesce(g.earlier, '{}'), g.later, count(*)
		from object_changes c left join lateral (
			select array_agg(distinct m.saved_query_id) filter (where (m.at, m.id) < (c.at, c.id)) as earlier,
				jsonb_agg(distinct jsonb_build_object('query', m.saved_query_id, 'severity', m.severity, 'users', m.users))
					filter (where (m.at, m.id) > (c.at, c.id)) as later
			from object_changes m where c.is_shared and m.is_shared and m.group_id = c.group_id) g on true
		where c.at >= ${day}::timestamp at time zone 'UTC'
			and c.at < (${day}::timestamp + interval '1 day') at time zone 'UTC'
		group by c.connection_id, c.saved_query_id, c.change, c.class_name, c.tenant, c.severity, c.users, g.earlier,
			g.later`.execute(tx.db);
}
