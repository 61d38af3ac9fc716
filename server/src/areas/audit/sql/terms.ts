/** SQL that fills the index of frequent terms (docs/adr/0012-audit.md). */
import { sql } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { SEGMENT, type TermSource } from "../rules/terms.ts";

export interface IndexedEntry extends TermSource {
	readonly created_at: Date;
}

/** The bits of a term in one segment. */
export interface TermBits {
	readonly term: string;
	readonly segment: number;
	readonly bits: string;
}

interface IndexState {
	readonly block: number;
	readonly entries: number;
	readonly complete: boolean;
}

export interface SegmentBits {
	readonly segment: number;
	readonly bits: string;
	readonly oldest: Date;
	readonly newest: Date;
}

export async function findIndexState(db: Db): Promise<IndexState> {
	return db.selectFrom("audit_index").select(["block", "entries", "complete"]).executeTakeFirstOrThrow();
}

/** Serializes indexing, also against purges, until the transaction ends. */
export async function lockIndex(tx: Tx): Promise<IndexState> {
	// Which plan is good depends on how many entries have a term.
	await sql`set local plan_cache_mode = force_custom_plan`.execute(tx.db);
	return tx.db.selectFrom("audit_index").select(["block", "entries", "complete"]).forUpdate().executeTakeFirstOrThrow();
}

/** The next blocks, up to the one that completes `entries` entries. */
export async function listIndexableBlocks(
	db: Db,
	block: number,
	entries: number,
): Promise<{ number: number; ids: number[] }[]> {
	const { rows } = await sql<{ number: number; ids: number[] }>`select number, entry_ids as ids from (
			select number, entry_ids, sum(cardinality(entry_ids)) over (order by number) - cardinality(entry_ids) as before
			from (select number, entry_ids from audit_blocks where number > ${block} order by number limit ${entries}) b
		) summed where before < ${entries} order by number`.execute(db);
	return rows;
}

export async function listIndexedEntries(db: Db, ids: readonly number[]): Promise<IndexedEntry[]> {
	const { rows } = await sql<IndexedEntry>`select a.id, a.created_at, a.category, a.action, a.user_id,
		lower(a.username) as username, a.ip_address, tsvector_to_array(a.words) as words
		from only audit_log a where a.id = any(${ids})`.execute(db);
	return rows;
}

/** The ids of those entries that still exist. */
export async function listExistingIds(tx: Tx, ids: readonly number[]): Promise<Set<number>> {
	const { rows } = await sql<{ id: number }>`select id from only audit_log where id = any(${ids})`.execute(tx.db);
	return new Set(rows.map(({ id }) => id));
}

export async function insertSegmentBits(tx: Tx, segments: readonly SegmentBits[]): Promise<void> {
	await sql`insert into audit_segments as s (segment, present, oldest, newest)
		select segment, bits::bit(4096), oldest, newest from unnest(
			${segments.map(({ segment }) => segment)}::integer[], ${segments.map(({ bits }) => bits)}::text[],
			${segments.map(({ oldest }) => oldest)}::timestamptz[], ${segments.map(({ newest }) => newest)}::timestamptz[]
		) as added(segment, bits, oldest, newest)
		on conflict (segment) do update set present = s.present | excluded.present,
			oldest = least(s.oldest, excluded.oldest), newest = greatest(s.newest, excluded.newest)`.execute(tx.db);
}

/** Terms that have bits. */
export async function listIndexedTerms(tx: Tx): Promise<string[]> {
	const { rows } = await sql<{ term: string }>`select term from audit_terms where indexed`.execute(tx.db);
	return rows.map(({ term }) => term);
}

export async function insertTermBits(tx: Tx, bits: readonly TermBits[]): Promise<void> {
	await sql`insert into audit_bits as b (term, segment, entries)
		select term, segment, bits::bit(4096) from unnest(${bits.map(({ term }) => term)}::text[],
			${bits.map(({ segment }) => segment)}::integer[], ${bits.map(({ bits }) => bits)}::text[]
		) as added(term, segment, bits)
		on conflict (term, segment) do update set entries = b.entries | excluded.entries`.execute(tx.db);
}

/**
 * Adds to the counts of terms. Returns the terms that reached `enough` and have no bits yet.
 */
export async function addTermCounts(tx: Tx, counts: ReadonlyMap<string, number>, enough: number): Promise<string[]> {
	const { rows } = await sql<{ term: string }>`with counted as (
			insert into audit_terms as t (term, entries)
			select * from unnest(${[...counts.keys()]}::text[], ${[...counts.values()]}::bigint[])
			on conflict (term) do update set entries = t.entries + excluded.entries
			returning term, entries, indexed
		) select term from counted where not indexed and entries >= ${enough}`.execute(tx.db);
	return rows.map(({ term }) => term);
}

/** Stores the bits of a term for all indexed entries, and for later ones from now on. */
export async function indexTerm(tx: Tx, term: string): Promise<void> {
	await sql`insert into audit_bits (term, segment, entries)
		select ${term}, a.id / ${sql.lit(SEGMENT)}, audit_bits_of(array_agg(a.id))
		from only audit_log a join audit_segments s on s.segment = a.id / ${sql.lit(SEGMENT)}
		where ${hasTerm(term)} and get_bit(s.present, a.id % ${sql.lit(SEGMENT)}) = 1
			and a.id < (select max(segment) + 1 from audit_segments) * ${sql.lit(SEGMENT)}
		group by 2`.execute(tx.db);
	await sql`update audit_terms set indexed = true where term = ${term}`.execute(tx.db);
}

export async function moveIndexTo(tx: Tx, block: number, entries: number): Promise<void> {
	await sql`update audit_index set block = ${block}, entries = entries + ${entries}`.execute(tx.db);
}

export async function completeIndex(db: Db, block: number): Promise<void> {
	await sql`update audit_index set complete = true where block = ${block}`.execute(db);
}

/** The condition on an entry `a` that it has this term. */
function hasTerm(term: string) {
	const at = term.indexOf("=");
	if (at < 0) {
		const word = sql`quote_literal(${term}::text)`;
		return sql`a.words @@ (case when length(${term}) >= 3 then ${word} || ':*' else ${word} end)::tsquery`;
	}
	const value = term.slice(at + 1);
	switch (term.slice(0, at)) {
		case "category":
			return sql`a.category = ${value}`;
		case "action":
			return sql`a.action = ${value}`;
		case "user":
			return sql`a.user_id = ${Number(value)}`;
		case "username":
			return sql`lower(a.username) = ${value}`;
		default:
			return sql`a.ip_address = ${value}`;
	}
}
