/** SQL that counts the entries of the feed. */
import type { ChangeBucket, ObjectChangeKind } from "@weft/contracts";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../../core/ports/store.ts";
import { type FeedView, selectSeenQueries } from "./conditions.ts";
import { selectCountedEntries, selectPersons } from "./counted-entries.ts";

/** Entries of a kind on a connection in a period. */
export interface PeriodCount {
	readonly connection_id: string;
	readonly connection_name: string;
	readonly change: ObjectChangeKind;
	readonly period: Date;
	readonly count: number;
}

export interface NamedCount {
	readonly kind: "user" | "tenant" | "class";
	/** Of the counted entries; null: those of all connections. */
	readonly connection_id: string | null;
	readonly name: string;
	readonly changes: number;
	/** Names of the kind. */
	readonly total: number;
}

const DAY_MS = 24 * 3_600_000;

interface Periods {
	readonly bucket: ChangeBucket;
	readonly tz: string;
}

/** The beginning of the period that an instant lies in. */
const truncateTime = ({ bucket, tz }: Periods, instant: RawBuilder<unknown>) =>
	sql<Date>`date_trunc(${bucket}, ${instant}, ${tz})`;

/**
 * The beginnings of the periods of a window: hours by the clock, days by the calendar of the zone.
 */
export async function listPeriods(
	db: Db,
	periods: Periods,
	{ since, until }: { since: Date; until: Date },
): Promise<Date[]> {
	const first = truncateTime(periods, sql`${since}::timestamptz`);
	const { rows } =
		periods.bucket === "hour"
			? await sql<{ at: Date }>`select g as at from generate_series(${first}, ${until}::timestamptz, '1 hour') g
				where g < ${until} order by g`.execute(db)
			: await sql<{ at: Date }>`select g at time zone ${periods.tz} as at
				from generate_series(${first} at time zone ${periods.tz}, ${until}::timestamptz at time zone ${periods.tz}, '1 day') g
				where g at time zone ${periods.tz} < ${until} order by g`.execute(db);
	return rows.map(({ at }) => at);
}

/**
 * Entries by connection, kind and period.
 * @param starts the beginnings of the periods, ascending
 */
export async function countByPeriod(db: Db, shown: FeedView, starts: readonly Date[]): Promise<PeriodCount[]> {
	const byDays = starts.every((start) => start.getTime() % DAY_MS === 0);
	const { rows } = await sql<PeriodCount>`
		with ${selectCountedEntries(shown, { byDays })}
		select f.connection_id, k.name as connection_name, f.change, (${starts}::timestamptz[])[f.period] as period, f.count
		from (
			select connection_id, change, width_bucket(at, ${starts}::timestamptz[]) as period,
				sum(changes)::bigint as count
			from counted group by 1, 2, 3) f
		join controller_connections k on k.id = f.connection_id
		order by k.name, k.id, f.period`.execute(db);
	return rows;
}

/** A period of a connection in which a run that stores snapshots completed. */
export interface ObservedPeriod {
	readonly connection_id: string;
	readonly period: Date;
}

interface ObservedWindow {
	readonly connections: readonly string[];
	/** The beginnings of the periods, ascending. */
	readonly starts: readonly Date[];
	/** The end of the last period. */
	readonly until: Date;
}

/** Periods with a completed run of a query that the viewer sees, and that the filter selects. */
export async function listObservedPeriods(
	db: Db,
	{ viewer, filter }: Pick<FeedView, "viewer" | "filter">,
	{ connections, starts, until }: ObservedWindow,
): Promise<ObservedPeriod[]> {
	const query = filter.saved_query;
	const { rows } = await sql<ObservedPeriod>`
		select c.id as connection_id, p.since as period
		from unnest(${connections}::uuid[]) c (id)
		cross join unnest(${starts}::timestamptz[], ${[...starts.slice(1), until]}::timestamptz[]) p (since, until)
		where exists (select from pipeline_jobs j join query_runs r on r.job_id = j.id
			where j.controller_connection_id = c.id and j.status = 'completed' and j.saved_query_id is not null
				and j.completed_at >= p.since and j.completed_at < p.until and r.keeps_snapshot
				and ${viewer.isAdmin ? sql`true` : sql`j.saved_query_id = any(${selectSeenQueries(viewer)})`}
				and ${query === undefined ? sql`true` : sql`j.saved_query_id = ${query}`})`.execute(db);
	return rows;
}

interface NamedLimits {
	readonly named: number;
	/** Persons of each connection. */
	readonly connectionUsers: number;
}

/**
 * Tenants, classes and persons with the most entries, up to a limit of each kind; persons of all
 * connections, and of each one.
 */
export async function countByName(db: Db, shown: FeedView, limits: NamedLimits): Promise<NamedCount[]> {
	const { rows } = await sql<NamedCount>`
		with ${selectCountedEntries(shown, { byDays: true })},
		persons as (
			select g.connection_id, p.name, sum(g.changes) as changes from (
				select connection_id, users, later, sum(changes) as changes from counted
				where users <> '{}' or later is not null group by 1, 2, 3) g
			cross join lateral ${selectPersons(shown, "g")} p group by 1, 2),
		named as (
			select 'tenant' as kind, null::uuid as connection_id, tenant as name, sum(changes) as changes
				from counted where tenant is not null group by 3
			union all
			select 'class', null, class_name, sum(changes) from counted where class_name is not null group by 3
			union all
			select 'user', connection_id, name, sum(changes) from persons group by grouping sets ((name), (connection_id, name))),
		ranked as (select *, row_number() over (partition by kind, connection_id order by changes desc, name) as rank,
			count(*) over (partition by kind, connection_id) as total from named)
		select kind, connection_id, name, changes::bigint as changes, total from ranked
		where rank <= case when connection_id is null then ${limits.named}::integer else ${limits.connectionUsers} end
		order by kind, connection_id, rank`.execute(db);
	return rows;
}
