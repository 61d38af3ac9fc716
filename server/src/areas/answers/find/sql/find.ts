/** SQL of the search: terms that match, and the objects that a viewer sees. */
import type { FindKind } from "@weft/contracts";
import { type RawBuilder, sql } from "kysely";
import { buildContainsPattern } from "../../../../core/like.ts";
import type { Db } from "../../../../core/ports/store.ts";
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
		(select max(i.position) from indexed_snapshots i where i.history_id = x.history_id) as latest
	from object_indexes x
	join saved_queries q on q.id = x.saved_query_id and ${visibleTo(viewer, "q")}
	join controller_connections c on c.id = x.connection_id and ${buildVisibleCondition(viewer, "c")}
	where ${connectionId}::uuid is null or x.connection_id = ${connectionId}::uuid`;

export async function findObjects(db: Db, viewer: Viewer, search: Search): Promise<FoundRow[]> {
	const { rows } = await sql<FoundRow>`
		with seen as materialized (${selectVisibleIndexes(viewer, search.connectionId)}),
		hits as (${buildHits(search)}),
		best as (select distinct on (object_id) * from hits order by object_id, rank, tie, length(value)),
		placed as (
			select s.connection_id, s.connection_name, s.saved_query_id, s.query_name, o.dn, o.dn_key, o.class_name, o.label,
				coalesce(b.attribute, 'dn') as attribute, coalesce(b.value, o.dn) as value, b.rank, b.tie,
				n.snapshot_id, n.executed_at as seen_at, f.executed_at as first_seen_at, s.latest <@ o.presence as is_current
			from best b join indexed_objects o on o.id = b.object_id join seen s on s.history_id = o.history_id
			join lateral (select i.snapshot_id, i.executed_at from indexed_snapshots i
				where i.history_id = o.history_id and i.position <@ o.presence order by i.position desc limit 1) n on true
			join lateral (select i.executed_at from indexed_snapshots i
				where i.history_id = o.history_id and i.position <@ o.presence order by i.position limit 1) f on true
		),
		once as (
			select distinct on (connection_id, dn_key) *,
				min(first_seen_at) over (partition by connection_id, dn_key) as first_at,
				min(rank) over (partition by connection_id, dn_key) as best_rank
			from placed order by connection_id, dn_key, seen_at desc, rank, snapshot_id
		)
		select connection_id, connection_name, saved_query_id, query_name, dn, class_name, label, attribute, value,
			snapshot_id, seen_at, first_at as first_seen_at, is_current,
			(count(*) over ())::integer as total, (select count(*) from hits)::integer as hits
		from once order by best_rank, tie, is_current desc, length(dn), dn, connection_name, connection_id
		limit ${search.limit}`.execute(db);
	return rows;
}

const IS_SEEN = sql`exists (select from seen s where s.history_id = o.history_id)`;

/** Terms that fulfil a condition. */
const selectTerms = (
	rank: RawBuilder<unknown>,
	tie: RawBuilder<unknown>,
	where: RawBuilder<unknown>,
	limit: number,
) => sql`
	(select t.object_id, ${rank} as rank, ${tie} as tie, t.attribute, t.value
	from object_terms t join indexed_objects o on o.id = t.object_id
	where ${where} and ${IS_SEEN} order by 2, 3 limit ${limit})`;

/** DNs that fulfil a condition. */
const selectDns = (rank: number, where: RawBuilder<unknown>, limit: number) => sql`
	(select o.id as object_id, ${sql.lit(rank)} as rank, length(o.dn) as tie, null::text as attribute, null::text as value
	from indexed_objects o where ${where} and ${IS_SEEN} limit ${limit})`;

/** Ranks: exact 0, begins with the text 1, contains it 2, contained in the DN only 3. */
function buildHits({ kind, normalized, counted }: Search): RawBuilder<unknown> {
	const limit = counted + 1;
	const rank = (value: number) => sql.lit(value);
	if (kind === "ip") {
		const isAddress = sql`masklen(t.net) = case family(t.net) when 4 then 32 else 128 end`;
		const contains = sql`t.net is not null and t.net >>= ${normalized}::inet`;
		return selectTerms(sql`case when ${isAddress} then 0 else 1 end`, sql`-masklen(t.net)`, contains, limit);
	}
	if (kind === "prefix") {
		const within = sql`t.net is not null and t.net <<= ${normalized}::inet`;
		const isSame = sql`case when t.net = ${normalized}::inet then 0 else 1 end`;
		return selectTerms(isSame, sql`masklen(t.net)`, within, limit);
	}
	if (kind === "vlan") {
		const number = Number(normalized.replace("vlan-", ""));
		const width = sql`upper(t.vlans) - lower(t.vlans)`;
		const contains = sql`t.vlans is not null and t.vlans @> ${number}::integer`;
		return selectTerms(sql`case when ${width} = 1 then 0 else 1 end`, width, contains, limit);
	}
	const lower = normalized.toLowerCase();
	if (kind === "mac") return selectTerms(rank(0), sql`0`, sql`t.term = ${lower}`, limit);
	const part = buildContainsPattern(lower);
	const begin = part.slice(1);
	const beginOfDn = buildContainsPattern([...lower].slice(0, 400).join("")).slice(1);
	const ofDn = kind === "dn";
	const parts: RawBuilder<unknown>[] = [
		selectTerms(rank(0), sql`length(t.value)`, sql`t.term = ${lower}`, limit),
		selectTerms(rank(1), sql`length(t.value)`, sql`t.term like ${begin} and t.term <> ${lower}`, limit),
	];
	if (ofDn)
		parts.push(
			selectDns(
				0,
				sql`left(lower(o.dn), 400) = ${[...lower].slice(0, 400).join("")} and lower(o.dn) = ${lower}`,
				limit,
			),
			selectDns(
				1,
				sql`left(lower(o.dn), 400) like ${beginOfDn} and lower(o.dn) like ${begin} and lower(o.dn) <> ${lower}`,
				limit,
			),
		);
	// Shorter texts have no trigram, and would be looked for in every row.
	if (lower.length >= 3)
		parts.push(
			selectTerms(rank(2), sql`length(t.value)`, sql`t.term like ${part} and t.term not like ${begin}`, limit),
			selectDns(3, sql`lower(o.dn) like ${part}`, limit),
		);
	return sql.join(parts, sql` union all `);
}
