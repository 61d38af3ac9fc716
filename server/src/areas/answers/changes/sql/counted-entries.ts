/**
 * The entries of a view as numbers: whole days from their counts, where they are counted, and the
 * rest of the window from its rows. Both are read by one statement, so that no entry is missing or
 * there twice.
 */
import { FINDING_SEVERITIES } from "@weft/contracts";
import { type RawBuilder, sql } from "kysely";
import {
	buildBeginCondition,
	buildCommonFilters,
	buildSeenCondition,
	type Condition,
	type FeedView,
	joinConditions,
	selectSeenConnections,
	selectSeenQueries,
} from "./conditions.ts";

/** The later rows of a group under the alias that the viewer sees. */
const selectLater = (shown: FeedView, alias: string): RawBuilder<unknown> => sql`
	(select l.severity, l.users, l.query from jsonb_to_recordset(${sql.ref(`${alias}.later`)})
		as l (query uuid, severity smallint, users text[])
	where l.query = any(${selectSeenQueries(shown.viewer)}))`;

/** Counts of a day under the alias that begin entries of the view. */
function buildDayCondition(shown: FeedView, alias: string): Condition {
	const of = (column: string) => sql.ref(`${alias}.${column}`);
	const { saved_query: query, user, severity } = shown.filter;
	const seen = selectSeenQueries(shown.viewer);
	const conditions = [
		...buildCommonFilters(shown, alias),
		sql<boolean>`${of("saved_query_id")} = any(${seen})`,
		sql<boolean>`${of("connection_id")} = any(${selectSeenConnections(shown.viewer)})`,
		sql<boolean>`(${of("earlier")} = '{}' or not ${of("earlier")} && ${seen})`,
	];
	const hasLater = (condition: Condition) =>
		sql`(${of("later")} is not null and exists (select from ${selectLater(shown, alias)} l where ${condition}))`;
	if (query !== undefined)
		conditions.push(sql`(${of("saved_query_id")} = ${query} or ${hasLater(sql`l.query = ${query}`)})`);
	if (user !== undefined)
		conditions.push(sql`(${of("users")} @> array[${user}::text] or ${hasLater(sql`l.users @> array[${user}::text]`)})`);
	if (severity !== undefined) {
		const highest = sql`case when ${of("later")} is null then ${of("severity")} else greatest(${of("severity")},
			(select max(l.severity) from ${selectLater(shown, alias)} l)) end`;
		conditions.push(sql`${highest} = ${FINDING_SEVERITIES.indexOf(severity)}`);
	}
	return joinConditions(conditions);
}

/**
 * Common table expressions; the last one, `counted`, has connection_id, change, class_name, tenant,
 * at (of a whole day its beginning), users, later and changes, the number of entries.
 * @param byDays whether counts of whole days may be taken; a search needs the rows
 */
export function selectCountedEntries(shown: FeedView, { byDays }: { byDays: boolean }): RawBuilder<unknown> {
	const window = sql`tstzrange(${shown.since}::timestamptz, ${shown.until}::timestamptz)`;
	const range = sql`tstzrange(day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC')`;
	const takesDays = byDays && shown.filter.search === undefined;
	// In the form of the counts. Read only by statements that use the column.
	const later = sql`case when c.is_shared then (
		select jsonb_agg(jsonb_build_object('query', m.saved_query_id, 'severity', m.severity, 'users', m.users))
		from object_changes m where m.is_shared and m.group_id = c.group_id and (m.at, m.id) > (c.at, c.id)
			and ${buildSeenCondition(shown, "m")}) end`;
	return sql`
		days as materialized (select day from change_days where is_current and ${takesDays} and ${window} @> ${range}),
		rest as materialized (select lower(r) as since, upper(r) as until from unnest(
			tstzmultirange(${window}) - coalesce((select range_agg(${range}) from days), '{}'::tstzmultirange)) r),
		counted as (
			select d.connection_id, d.change, d.class_name, d.tenant, d.day::timestamp at time zone 'UTC' as at, d.users,
				d.later, d.changes
			from days join change_day_counts d on d.day = days.day where ${buildDayCondition(shown, "d")}
			union all
			select r.* from rest cross join lateral (
				select c.connection_id, c.change, c.class_name, c.tenant, c.at, c.users, ${later}, 1
				from object_changes c where c.at >= rest.since and c.at < coalesce(rest.until, 'infinity')
					and ${buildBeginCondition(shown, "c")} offset 0) r)`;
}

/** The persons of rows under the alias: those of the row and of later rows that the viewer sees. */
export const selectPersons = (shown: FeedView, alias: string): RawBuilder<unknown> => sql`
	(select unnest(${sql.ref(`${alias}.users`)}) as name
	union select unnest(l.users) from ${selectLater(shown, alias)} l)`;
