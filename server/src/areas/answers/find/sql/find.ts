/** SQL of the search: terms that match, and the objects that a viewer sees. */
import type { FindKind } from "@weft/contracts";
import { type RawBuilder, sql } from "kysely";
import { buildContainsPattern, replaceSigns, SIGN_LETTERS, WORD_SIGNS } from "../../../../core/like.ts";
import type { Tx } from "../../../../core/ports/store.ts";
import { buildVisibleCondition, type Viewer } from "../../../fabrics/sql/visible.ts";
import { visibleTo } from "../../../queries/saved/index.ts";

export interface FoundRow {
	readonly connection_id: string;
	readonly connection_name: string;
	readonly saved_query_id: string;
	readonly query_name: string;
	readonly dn: string;
	readonly class_name: string;
	readonly label: string;
	readonly attribute: string;
	readonly value: string;
	readonly snapshot_id: string;
	readonly seen_at: Date;
	readonly first_seen_at: Date;
	readonly is_current: boolean;
	/** Objects of the whole search, as far as they were counted. */
	readonly total: number;
	/** Terms that matched. */
	readonly hits: number;
}

interface Search {
	readonly kind: FindKind;
	readonly normalized: string;
	readonly connectionId: string | null;
	readonly limit: number;
	/** Terms of each rank that are looked at. */
	readonly counted: number;
}

/** The histories that a viewer sees: of visible queries on visible connections. */
export const selectVisibleIndexes = (viewer: Viewer, connectionId: string | null): RawBuilder<unknown> => sql`
	select x.history_id, c.id as connection_id, c.name as connection_name, q.id as saved_query_id, q.name as query_name,
		(select max(i.position) from indexed_snapshots i where i.history_id = x.history_id) as latest, h.confirmed_at
	from object_indexes x
	join snapshot_histories h on h.id = x.history_id
	join saved_queries q on q.id = x.saved_query_id and ${visibleTo(viewer, "q")}
	join controller_connections c on c.id = x.connection_id and ${buildVisibleCondition(viewer, "c")}
	where ${connectionId}::uuid is null or x.connection_id = ${connectionId}::uuid`;

/**
 * Finds objects. The planner is kept from reading whole tables, from sorting what an index has in
 * order, and from plans that do not know the text: it takes a text for rarer than it is.
 */
export async function findObjects({ db }: Tx, viewer: Viewer, search: Search): Promise<FoundRow[]> {
	await sql`select set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true),
		set_config('plan_cache_mode', 'force_custom_plan', true)`.execute(db);
	const { rows } = await sql<FoundRow>`
		with seen as materialized (${selectVisibleIndexes(viewer, search.connectionId)}),
		newest as materialized (select s.*, greatest(i.executed_at, s.confirmed_at) as latest_at
			from seen s join indexed_snapshots i on i.history_id = s.history_id and i.position = s.latest),
		${buildHits(search)},
		best as (select distinct on (object_id) * from hits order by object_id, rank, tie, length(value)),
		placed as (
			select s.connection_id, s.connection_name, s.saved_query_id, s.query_name, o.history_id, o.presence, o.dn, o.dn_key,
				o.class_name, o.label, coalesce(b.attribute, 'dn') as attribute, coalesce(b.value, o.dn) as value, b.rank, b.tie,
				s.latest <@ o.presence as is_current,
				case when s.latest <@ o.presence then s.latest_at else (select i.executed_at from indexed_snapshots i
					where i.history_id = o.history_id and i.position <@ o.presence order by i.position desc limit 1) end as seen_at
			from best b join indexed_objects o on o.id = b.object_id join newest s on s.history_id = o.history_id
		),
		once as materialized (
			select distinct on (connection_id, dn_key) *, min(rank) over (partition by connection_id, dn_key) as best_rank
			from placed where seen_at is not null order by connection_id, dn_key, seen_at desc, rank, history_id
		),
		page as materialized (select * from once
			order by best_rank, tie, is_current desc, length(dn), dn, connection_name, connection_id limit ${search.limit})
		select p.connection_id, p.connection_name, p.saved_query_id, p.query_name, p.dn, p.class_name, p.label, p.attribute,
			p.value, n.snapshot_id, p.seen_at, f.executed_at as first_seen_at, p.is_current,
			(select count(*) from once)::integer as total, (select count(*) from hits)::integer as hits
		from page p
		cross join lateral (select i.snapshot_id from indexed_snapshots i
			where i.history_id = p.history_id and i.position <@ p.presence order by i.position desc limit 1) n
		cross join lateral (select min(i.executed_at) as executed_at
			from indexed_objects o join seen s on s.history_id = o.history_id and s.connection_id = p.connection_id
			join indexed_snapshots i on i.history_id = o.history_id and i.position <@ o.presence
			where o.dn_key = p.dn_key) f
		order by p.best_rank, p.tie, p.is_current desc, length(p.dn), p.dn, p.connection_name, p.connection_id`.execute(db);
	return rows;
}

const SEEN = sql`array(select s.history_id from seen s)`;

/** The columns of a hit. */
const selectHit = (rank: RawBuilder<unknown>, tie: RawBuilder<unknown>) =>
	sql`select t.object_id, ${rank} as rank, ${tie} as tie, t.attribute, t.value`;

/**
 * The first of some terms whose objects the viewer sees, in the order of the terms: they are read
 * one after another, each with its object, until there are enough.
 */
const selectVisibleHits = (terms: RawBuilder<unknown>, limit: number) => sql`
	(with found as materialized (${terms})
	select f.object_id, f.rank, f.tie, f.attribute, f.value from found f
	cross join lateral (select o.history_id from indexed_objects o where o.id = f.object_id offset 0) o
	where o.history_id = any(${SEEN}) limit ${limit})`;

/** Terms that fulfil a condition, the best first. */
const selectBestTerms = (
	rank: RawBuilder<unknown>,
	tie: RawBuilder<unknown>,
	where: RawBuilder<unknown>,
	limit: number,
) => selectVisibleHits(sql`${selectHit(rank, tie)} from object_terms t where ${where} order by 2, 3`, limit);

/** Terms that fulfil a condition, in the order of an index: not all of them are read. */
const selectTerms = (rank: number, where: RawBuilder<unknown>, limit: number, order = sql``) =>
	selectVisibleHits(
		sql`${selectHit(sql.lit(rank), sql`length(t.value)`)} from object_terms t where ${where} ${order}`,
		limit,
	);

/** DNs that fulfil a condition. */
const selectDns = (
	rank: number,
	where: RawBuilder<unknown>,
	limit: number,
	{ order = sql``, sample = sql`` } = {},
) => sql`
	(select o.id as object_id, ${sql.lit(rank)} as rank, length(o.dn) as tie, null::text as attribute, null::text as value
	from indexed_objects o ${sample} where ${where} and (o.history_id = any(${SEEN})) is true ${order} limit ${limit})`;

/** The column contains a text: the first condition selects by the index, the second decides. */
const buildContains = (column: RawBuilder<unknown>, text: string) => sql`
	translate(${column}, ${sql.lit(WORD_SIGNS)}, ${sql.lit(SIGN_LETTERS)}) like ${buildContainsPattern(replaceSigns(text))}
		and ${column} like ${buildContainsPattern(text)}`;

/** Addresses and prefixes in a network, the widest first, one length after another. */
const selectNetworks = (network: string, limit: number) =>
	selectVisibleHits(
		sql`${selectHit(sql`case when t.net = ${network}::inet then 0 else 1 end`, sql`g.length`)}
			from generate_series(masklen(${network}::inet), case family(${network}::inet) when 4 then 32 else 128 end)
				as g (length)
			cross join lateral (select t.* from object_terms t
				where t.net is not null and masklen(t.net) = g.length and t.net >= set_masklen(${network}::inet, g.length)
					and t.net <= set_masklen(broadcast(${network}::inet), g.length) offset 0) t`,
		limit,
	);

/**
 * Builds the common table expression `hits`, and those that it needs. Ranks: 0 equals the text, 1
 * begins with it, 2 contains it, 3 only the DN contains it. All DNs share words, so they are
 * searched for parts only if nothing else matches.
 */
function buildHits({ kind, normalized, counted }: Search): RawBuilder<unknown> {
	const limit = counted + 1;
	const hits = (one: RawBuilder<unknown>) => sql`hits as (${one})`;
	if (kind === "ip") {
		const isAddress = sql`masklen(t.net) = case family(t.net) when 4 then 32 else 128 end`;
		const contains = sql`t.net is not null and t.net >>= ${normalized}::inet`;
		return hits(selectBestTerms(sql`case when ${isAddress} then 0 else 1 end`, sql`-masklen(t.net)`, contains, limit));
	}
	if (kind === "prefix") return hits(selectNetworks(normalized, limit));
	if (kind === "vlan") {
		const number = Number(normalized.replace("vlan-", ""));
		const width = sql`upper(t.vlans) - lower(t.vlans)`;
		const contains = sql`t.vlans is not null and t.vlans @> ${number}::integer`;
		return hits(selectBestTerms(sql`case when ${width} = 1 then 0 else 1 end`, width, contains, limit));
	}
	const lower = normalized.toLowerCase();
	const exact = selectTerms(0, sql`t.term = ${lower}`, limit);
	if (kind === "mac") return hits(exact);
	const part = buildContainsPattern(lower);
	const begin = part.slice(1);
	const byTerm = sql`order by t.term using ~<~`;
	const first = [exact, selectTerms(1, sql`t.term like ${begin} and t.term <> ${lower}`, limit, byTerm)];
	if (kind === "dn") first.push(...selectBeginningDns(lower, begin, limit));
	const beginnings = sql`beginnings as materialized (${sql.join(first, sql` union all `)})`;
	// Shorter texts have no trigram, and would be looked for in every row.
	if (lower.length < 3) return sql`${beginnings}, hits as (select * from beginnings)`;
	const isWanted = kind === "dn" ? sql`= 0` : sql`< ${limit}`;
	const isPart = sql`(select count(*) from beginnings) ${isWanted} and ${buildContains(sql`t.term`, lower)}
		and t.term not like ${begin}`;
	const parts = sql`${beginnings}, parts as materialized (${selectTerms(2, isPart, limit)})`;
	const isLast = sql`not exists (select from beginnings) and not exists (select from parts)`;
	const both = sql`select * from beginnings union all select * from parts`;
	if (kind === "dn") {
		// No visible DN begins with the text: it may be in the DN of another object inside of a DN.
		const isInside = sql`${isLast} and substring(lower(o.dn) from '.((uni|topology)/.*)') like ${part}`;
		return sql`${parts}, hits as (${both} union all ${selectDns(3, isInside, limit)})`;
	}
	const isInside = sql`${isLast} and ${buildContains(sql`lower(o.dn)`, lower)}`;
	// A text of very many DNs is found often enough in a hundredth of the table.
	const isSampled = sql`${isLast} and lower(o.dn) like ${part}`;
	const sample = selectDns(3, isSampled, limit, { sample: sql`tablesample system (1) repeatable (0)` });
	return sql`${parts}, sampled as materialized (${sample}),
		hits as (${both} union all select * from sampled where (select count(*) from sampled) = ${limit}
			union all ${selectDns(3, sql`(select count(*) from sampled) < ${limit} and ${isInside}`, limit)})`;
}

/** Selects the DN itself, and DNs that begin with it. The index has their first 400 characters. */
function selectBeginningDns(lower: string, begin: string, limit: number): RawBuilder<unknown>[] {
	const start = [...lower].slice(0, 400).join("");
	const beginOfDn = buildContainsPattern(start).slice(1);
	const isExact = sql`left(lower(o.dn), 400) = ${start} and lower(o.dn) = ${lower}`;
	const begins = sql`left(lower(o.dn), 400) like ${beginOfDn} and lower(o.dn) like ${begin}`;
	const isBelow = sql`${begins} and lower(o.dn) <> ${lower}`;
	return [
		selectDns(0, isExact, limit),
		selectDns(1, isBelow, limit, { order: sql`order by left(lower(o.dn), 400) using ~<~` }),
	];
}
