/**
 * By which way matching entries are found. What many entries have is in the index of frequent terms; what few have is in the log's
 * own indexes. With both, the few are found and looked at. This is decided here and not by the store's planner, which does not know
 * how terms occur together, nor any value of a statement that is prepared.
 */
import type { AuditFilter } from "@weft/contracts";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../ports/store.ts";
import { FILTER_TERMS, type FilterTerm, filterTerm } from "./domain/terms.ts";

export interface Way {
	/** All terms of the filter, when each of them is frequent. */
	readonly terms: readonly string[] | null;
	/** Some term is rare, and others are frequent or have yet to show. */
	readonly rare: boolean;
	/** The filters whose value is frequent. */
	readonly frequent: ReadonlySet<FilterTerm>;
	/** What is searched for, as the store's query; null without a word. */
	readonly query: string | null;
	/** The rare words of it; null where there are none. */
	readonly rareQuery: string | null;
}

interface Looked {
	readonly complete: boolean;
	readonly indexed: string[];
	readonly words: string[];
	readonly query: string | null;
	readonly rare_query: string | null;
}

/** Whatever the planner thinks best. */
export const PLAIN: Way = { terms: null, rare: false, frequent: new Set(), query: null, rareQuery: null };

/** Filters other than time, and the term of each; user names are still to be put in lower case by the store. */
const given = (filter: AuditFilter): [FilterTerm, string][] =>
	FILTER_TERMS.flatMap((field) => {
		const value = filter[field];
		return value === undefined || value === "" ? [] : [[field, filterTerm(field, value)] as [FilterTerm, string]];
	});

/** Whether the counts by day, category and action say all about a filter. */
export const isOfKinds = ({ user, username, ip, search }: AuditFilter): boolean =>
	user === undefined && !username && !ip && !search;

export async function wayOf(db: Db, filter: AuditFilter): Promise<Way> {
	const filters = given(filter);
	const { rows } = await sql<Looked>`with words as (
			select lexeme, quote_literal(lexeme) || case when length(lexeme) >= 3 then ':*' else '' end as part,
				exists (select from audit_terms t where t.term = lexeme and t.indexed) as indexed
			from unnest(audit_words(${filter.search ?? ""}))
		) select (select complete from audit_index) as complete,
			array(select t.term from audit_terms t where t.indexed and t.term = any(array(
				select case when f.term like 'username=%' then lower(f.term) else f.term end
				from unnest(${filters.map(([, term]) => term)}::text[]) f(term)))) as indexed,
			array(select lexeme from words) as words,
			(select string_agg(part, ' & ') from words) as query,
			(select string_agg(part, ' & ') from words where not indexed) as rare_query`.execute(db);
	const [looked] = rows;
	if (looked === undefined) throw new Error("a search without a row");
	const { complete, indexed, words, query, rare_query: rareQuery } = looked;
	const nothing = filter.search !== undefined && filter.search !== "" && query === null;
	if (!complete || nothing) return { ...PLAIN, query };
	const frequent = new Set(
		filters.flatMap(([field]) => (indexed.some((term) => term.startsWith(`${field}=`)) ? [field] : [])),
	);
	const all = rareQuery === null && frequent.size === filters.length;
	return { terms: all ? [...indexed, ...words] : null, rare: !all, frequent, query, rareQuery };
}

/**
 * Entries `a` that are not sealed and meet a condition on it. Those in the log are looked up one by one: of the newest ids of a long log the
 * planner believes that they are among the first, and would read the log from its beginning to find them.
 */
export const waitingThat = (condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
		select a.id, a.category from audit_entries a where a.unsealed and ${condition}
		union all select a.id, a.category from audit_pending p cross join lateral (
			select a.id, a.category from only audit_log a where a.id = p.id and ${condition} limit 1) a
	) a`;

/** Sealed entries with these ids that meet a condition on `a`, looked up one by one. @param ids a statement with an `id` */
export const sealedThat = (
	ids: RawBuilder<unknown>,
	condition: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`(${ids}) s
	cross join lateral (select a.id from only audit_log a where a.id = s.id and ${condition} limit 1) a`;

/** What an entry `a` must be. */
export function conditions(filter: Partial<AuditFilter>, way: Way): RawBuilder<boolean> {
	// Written as functions, conditions are not looked up in an index.
	const looked = (field: FilterTerm) => !(way.rare && way.frequent.has(field));
	const timeLooked = way.rareQuery === null;
	const all: RawBuilder<unknown>[] = [sql`true`];
	const { category, action, user, username, ip, created_after, created_before, search } = filter;
	if (category) all.push(looked("category") ? sql`a.category = ${category}` : sql`texteq(a.category, ${category})`);
	if (action) all.push(looked("action") ? sql`a.action = ${action}` : sql`texteq(a.action, ${action})`);
	if (user !== undefined) all.push(looked("user") ? sql`a.user_id = ${user}` : sql`int4eq(a.user_id, ${user})`);
	if (username) {
		all.push(
			looked("username")
				? sql`lower(a.username) = lower(${username})`
				: sql`texteq(lower(a.username), lower(${username}))`,
		);
	}
	if (ip) all.push(looked("ip") ? sql`a.ip_address = ${ip}` : sql`texteq(a.ip_address, ${ip})`);
	if (created_after) {
		const at = new Date(created_after);
		all.push(timeLooked ? sql`a.created_at >= ${at}` : sql`timestamptz_ge(a.created_at, ${at})`);
	}
	if (created_before) {
		const at = new Date(created_before);
		all.push(timeLooked ? sql`a.created_at <= ${at}` : sql`timestamptz_le(a.created_at, ${at})`);
	}
	if (search) {
		if (!way.rare && way.terms === null) all.push(sql`a.words @@ ${way.query}::tsquery`);
		else all.push(sql`ts_match_vq(a.words, ${way.query}::tsquery)`);
		if (way.rareQuery !== null) all.push(sql`a.words @@ ${way.rareQuery}::tsquery`);
	}
	return sql<boolean>`(${sql.join(all, sql` and `)})`;
}
