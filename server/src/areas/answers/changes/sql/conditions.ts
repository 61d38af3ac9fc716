/**
 * Conditions of the feed: which rows a viewer sees, which of them begins an entry, and filters. An
 * entry consists of the rows of a group that the viewer sees; the earliest one begins it.
 */
import { type ChangeFilter, FINDING_SEVERITIES } from "@weft/contracts";
import { type RawBuilder, sql } from "kysely";
import { buildContainsPattern, replaceSigns } from "../../../../core/like.ts";
import { buildVisibleCondition as buildSeenConnection } from "../../../fabrics/sql/visible.ts";
import { buildVisibleCondition as buildSeenQuery } from "../../../queries/saved/sql/visible.ts";

interface Viewer {
	readonly userId: number;
	readonly isAdmin: boolean;
}

export interface FeedView {
	readonly viewer: Viewer;
	readonly filter: ChangeFilter;
	/** Inclusive. */
	readonly since: Date;
	/** Exclusive; null: no end. */
	readonly until: Date | null;
	/** The highest id that is shown; null: all. */
	readonly view: number | null;
	/** Whether the search term is frequent. The feed then reads a page by time, not by the index. */
	readonly isFrequent?: boolean;
}

export type Condition = RawBuilder<boolean>;

export const joinConditions = (all: readonly Condition[]): Condition =>
	sql<boolean>`(${all.length === 0 ? sql`true` : sql.join(all, sql` and `)})`;

/** The ids of the queries that a viewer sees, as an array that is read once per statement. */
export const selectSeenQueries = (viewer: Viewer): RawBuilder<string[]> =>
	sql<string[]>`array(select q.id from saved_queries q where ${buildSeenQuery(viewer, "q")})`;

/** The ids of the connections that a viewer sees, as an array that is read once per statement. */
export const selectSeenConnections = (viewer: Viewer): RawBuilder<string[]> =>
	sql<string[]>`array(select k.id from controller_connections k where ${buildSeenConnection(viewer, "k")})`;

/**
 * Rows of the view under the alias whose query and connection the viewer sees. "is true" keeps the
 * planner from indexes of these columns: it takes the lists for short, and reads all rows by them.
 */
export function buildSeenCondition({ viewer, view }: Pick<FeedView, "viewer" | "view">, alias: string): Condition {
	const of = (column: string) => sql.ref(`${alias}.${column}`);
	const conditions: Condition[] = [];
	if (view !== null) conditions.push(sql`${of("id")} <= ${view}`);
	if (!viewer.isAdmin)
		conditions.push(
			sql`(${of("saved_query_id")} = any(${selectSeenQueries(viewer)})) is true`,
			sql`(${of("connection_id")} = any(${selectSeenConnections(viewer)})) is true`,
		);
	return joinConditions(conditions);
}

/** Whether the row under the alias begins an entry. */
export function buildLeadCondition(shown: Pick<FeedView, "viewer" | "view">, alias: string): Condition {
	const of = (column: string) => sql.ref(`${alias}.${column}`);
	return sql<boolean>`(${of("is_lead")} or not exists (select from object_changes e
		where e.is_shared and e.group_id = ${of("group_id")} and (e.at, e.id) < (${of("at")}, ${of("id")})
			and ${buildSeenCondition(shown, "e")}))`;
}

/**
 * Whether a term that the text of a row contains lies within one of its fields: it has no sign that
 * lists and JSON write between fields, and is no part of the null that stands for a missing value.
 */
const isWithinField = (term: string): boolean => /^[a-z0-9/._:-]+$/i.test(term) && !"null".includes(term.toLowerCase());

/**
 * The term in the dn, class, persons, and names and values of attributes; case makes no difference.
 */
function buildSearchCondition(alias: string, term: string): Condition {
	const of = (column: string) => sql.ref(`${alias}.${column}`);
	const pattern = buildContainsPattern(term);
	// The text of the attributes is JSON: it selects, then their names and values decide.
	const json = JSON.stringify(term).slice(1, -1);
	const inJson = buildContainsPattern(json);
	const exact = sql<boolean>`(${of("dn")} ilike ${pattern} or ${of("class_name")} ilike ${pattern}
		or exists (select from unnest(${of("users")}) u where u ilike ${pattern})
		or (${of("attributes")}::text ilike ${inJson} and exists (
			select from jsonb_array_elements(${of("attributes")}) x, jsonb_array_elements_text(x) v where v ilike ${pattern})))`;
	if (json !== term) return exact;
	// A term that lists and JSON write as it is: one look into the whole text excludes most rows.
	const text = sql`concat(${of("dn")}, ' ', ${of("class_name")}, ' ', ${of("users")}, ' ', ${of("attributes")})`;
	const isFound = isWithinField(term)
		? // Escapes have letters that no field has.
			sql<boolean>`(position(${"\\"} in ${text}) = 0 or ${exact})`
		: exact;
	return sql<boolean>`(${text} ilike ${pattern} and ${isFound})`;
}

/**
 * Whether the index of texts has rows with the term: it has trigrams, and lists and JSON as they
 * are written.
 */
const isIndexedTerm = (term: string): boolean =>
	/[a-z0-9/[\]:._ -]{3}/i.test(term) && JSON.stringify(term) === `"${term}"`;

/** Rows under the alias of groups in which a row has the term, from the index of texts. */
function buildTextCondition({ since }: FeedView, alias: string, term: string): Condition {
	const pattern = buildContainsPattern(replaceSigns(term));
	return sql<boolean>`${sql.ref(`${alias}.id`)} in (
		with found as materialized (select t.id, t.group_id, t.is_shared from object_changes t where t.at >= ${since}
			and change_text(t.dn, t.class_name, t.users, t.attributes) like lower(${pattern}))
		select f.id from found f
		union all select g.id from found f join object_changes g on g.is_shared and g.group_id = f.group_id
			where f.is_shared)`;
}

/** A condition on one row of an entry, that holds for the entry if it does for any of its rows. */
function buildAnyCondition(shown: FeedView, alias: string, build: (alias: string) => Condition): Condition {
	const of = (column: string) => sql.ref(`${alias}.${column}`);
	// The order of rows is no news, but keeps the planner from looking into all groups beforehand.
	return sql<boolean>`(${build(alias)} or (${of("is_shared")} and exists (
		select from object_changes m where m.is_shared and m.group_id = ${of("group_id")}
			and (m.at, m.id) > (${of("at")}, ${of("id")}) and ${buildSeenCondition(shown, "m")} and ${build("m")})))`;
}

/** The highest severity of an entry: an index in FINDING_SEVERITIES. */
export function buildSeverity(shown: FeedView, alias: string): RawBuilder<number> {
	return sql<number>`case when ${sql.ref(`${alias}.is_shared`)} then (
		select max(m.severity) from object_changes m where m.is_shared and m.group_id = ${sql.ref(`${alias}.group_id`)}
			and ${buildSeenCondition(shown, "m")}) else ${sql.ref(`${alias}.severity`)} end`;
}

/** Filters on columns that all rows of an entry have in common with its first one. */
export function buildCommonFilters({ filter }: FeedView, alias: string): Condition[] {
	const of = (column: string) => sql.ref(`${alias}.${column}`);
	const conditions: Condition[] = [];
	if (filter.connection !== undefined) conditions.push(sql`${of("connection_id")} = ${filter.connection}`);
	if (filter.tenant !== undefined) conditions.push(sql`${of("tenant")} = ${filter.tenant}`);
	if (filter.class !== undefined) conditions.push(sql`${of("class_name")} = ${filter.class}`);
	if (filter.change !== undefined) conditions.push(sql`${of("change")} = ${filter.change}`);
	return conditions;
}

/** The rows under the alias, at any time, that begin the entries of the view. */
export function buildBeginCondition(shown: FeedView, alias: string): Condition {
	const { saved_query: query, user, search, severity } = shown.filter;
	const conditions = buildCommonFilters(shown, alias);
	const addAny = (build: (row: string) => Condition) => conditions.push(buildAnyCondition(shown, alias, build));
	if (query !== undefined) addAny((row) => sql`${sql.ref(`${row}.saved_query_id`)} = ${query}`);
	if (user !== undefined)
		addAny((row) => sql`(${sql.ref(`${row}.users`)} <> '{}' and ${sql.ref(`${row}.users`)} @> array[${user}::text])`);
	if (search !== undefined) {
		if (isIndexedTerm(search) && !shown.isFrequent) conditions.push(buildTextCondition(shown, alias, search));
		addAny((row) => buildSearchCondition(row, search));
	}
	if (severity !== undefined)
		conditions.push(sql`${buildSeverity(shown, alias)} = ${FINDING_SEVERITIES.indexOf(severity)}`);
	conditions.push(buildSeenCondition(shown, alias), buildLeadCondition(shown, alias));
	return joinConditions(conditions);
}

/** The rows under the alias that begin the entries of the view in its window. */
export function buildEntryCondition(shown: FeedView, alias: string): Condition {
	const at = sql.ref(`${alias}.at`);
	const conditions: Condition[] = [sql`${at} >= ${shown.since}`];
	if (shown.until !== null) conditions.push(sql`${at} < ${shown.until}`);
	return joinConditions([...conditions, buildBeginCondition(shown, alias)]);
}
