/**
 * Plans a search. Frequent terms are in the index of frequent terms, rare ones in the log's own
 * indexes. With both, entries are found by the rare terms and filtered by the frequent ones. The
 * store's planner cannot decide this: it knows neither how terms occur together nor the values of
 * prepared statements.
 */
import type { AuditFilter } from "@weft/contracts";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../core/ports/store.ts";
import { FILTER_TERMS, type FilterTerm, filterTerm } from "../rules/terms.ts";

export interface SearchPlan {
	/** All terms of the filter, when each of them is frequent. */
	readonly terms: readonly string[] | null;
	/** Some term is rare; the others are frequent or unknown. */
	readonly rare: boolean;
	/** The filters whose value is frequent. */
	readonly frequent: ReadonlySet<FilterTerm>;
	/** The search as a `tsquery`; null without a word. */
	readonly query: string | null;
	/** Its rare words; null if there are none. */
	readonly rareQuery: string | null;
}

interface TermLookup {
	readonly complete: boolean;
	readonly indexed: string[];
	readonly words: string[];
	readonly query: string | null;
	readonly rare_query: string | null;
}

/** Leaves the choice to the store's planner. */
export const PLANNER_CHOICE: SearchPlan = {
	terms: null,
	rare: false,
	frequent: new Set(),
	query: null,
	rareQuery: null,
};

/** Filters other than time, with their terms. The store lower-cases usernames. */
const listGivenTerms = (filter: AuditFilter): [FilterTerm, string][] =>
	FILTER_TERMS.flatMap((field) => {
		const value = filter[field];
		return value === undefined || value === "" ? [] : [[field, filterTerm(field, value)] as [FilterTerm, string]];
	});

/** Whether the counts by day, category and action suffice for a filter. */
export const isOfKinds = ({ user, username, ip, request_id, search }: AuditFilter): boolean =>
	user === undefined && !username && !ip && !request_id && !search;

export async function searchPlan(db: Db, filter: AuditFilter): Promise<SearchPlan> {
	const filters = listGivenTerms(filter);
	const { rows } = await sql<TermLookup>`with words as (
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
	const [found] = rows;
	if (found === undefined) throw new Error("a search without a row");
	const { complete, indexed, words, query, rare_query: rareQuery } = found;
	const nothing = filter.search !== undefined && filter.search !== "" && query === null;
	// A request makes few entries, and has an index of its own.
	if (!complete || nothing || filter.request_id) return { ...PLANNER_CHOICE, query };
	const frequent = new Set(
		filters.flatMap(([field]) => (indexed.some((term) => term.startsWith(`${field}=`)) ? [field] : [])),
	);
	const all = rareQuery === null && frequent.size === filters.length;
	return { terms: all ? [...indexed, ...words] : null, rare: !all, frequent, query, rareQuery };
}

/**
 * Unsealed entries `a` that meet a condition. Those in the log are looked up one by one: the
 * planner would expect the newest ids among the first rows, and scan the log from its beginning.
 */
export const buildUnsealedCondition = (condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
		select a.id, a.category from audit_entries a where a.unsealed and ${condition}
		union all select a.id, a.category from audit_pending p cross join lateral (
			select a.id, a.category from only audit_log a where a.id = p.id and ${condition} limit 1) a
	) a`;

/**
 * Sealed entries `a` that meet a condition, looked up one by one. @param ids a statement with an
 * `id`
 */
export const buildSealedCondition = (
	ids: RawBuilder<unknown>,
	condition: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`(${ids}) s
	cross join lateral (select a.id from only audit_log a where a.id = s.id and ${condition} limit 1) a`;

/** The condition of a filter on an entry `a`. */
export function buildConditions(filter: Partial<AuditFilter>, plan: SearchPlan): RawBuilder<boolean> {
	// A condition written as a function call does not use an index.
	const looked = (field: FilterTerm) => !(plan.rare && plan.frequent.has(field));
	const timeLooked = plan.rareQuery === null;
	const all: RawBuilder<unknown>[] = [sql`true`];
	const { category, action, user, username, ip, request_id, created_after, created_before, search } = filter;
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
	if (request_id) all.push(sql`a.request_id = ${request_id} and a.request_id <> ''`);
	if (created_after) {
		const at = new Date(created_after);
		all.push(timeLooked ? sql`a.created_at >= ${at}` : sql`timestamptz_ge(a.created_at, ${at})`);
	}
	if (created_before) {
		const at = new Date(created_before);
		all.push(timeLooked ? sql`a.created_at <= ${at}` : sql`timestamptz_le(a.created_at, ${at})`);
	}
	if (search) {
		if (!plan.rare && plan.terms === null) all.push(sql`a.words @@ ${plan.query}::tsquery`);
		else all.push(sql`ts_match_vq(a.words, ${plan.query}::tsquery)`);
		if (plan.rareQuery !== null) all.push(sql`a.words @@ ${plan.rareQuery}::tsquery`);
	}
	return sql<boolean>`(${sql.join(all, sql` and `)})`;
}
