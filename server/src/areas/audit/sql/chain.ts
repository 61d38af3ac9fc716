/** SQL of the chain: what waits to be sealed, the blocks, and how many entries a day has. */
import { sql } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { Block, ChainEntry, Listed } from "../rules/chain.ts";
import { COLUMNS } from "./writing.ts";

interface StoredBlock extends Block, Listed {
	readonly mac: Buffer;
}

/** Spelt so that nothing depends on how a driver reads times and JSON. */
const ENTRY = sql`a.id, a.category, a.action, a.user_id, a.username, a.ip_address, a.user_agent, a.description,
	a.target_type, a.target_id, a.metadata::text as metadata, a.content_compressed, a.content_size_bytes, a.request_id,
	(extract(epoch from a.created_at) * 1000000)::bigint::text as created_us,
	encode(pg_catalog.sha256(a.content), 'hex') as content_hash`;

const MOVED = sql.raw(["id", ...COLUMNS].join(", "));

const BLOCK = sql`number, kind, day::text as day, groups, digest, mac, entry_ids as ids, entry_groups, entry_hashes`;

type BlockRow = Omit<StoredBlock, "groups" | "hashes"> & {
	groups: string[];
	entry_groups: string[];
	entry_hashes: Buffer;
};

export interface ReadBlock extends Block {
	readonly mac: Buffer;
	/** Null once all of its entries were purged. */
	readonly listed: Listed | null;
}

/** Must be a transaction's first statement. */
export async function useRepeatableRead(tx: Tx): Promise<void> {
	await sql`set transaction isolation level repeatable read read only`.execute(tx.db);
}

/** The oldest unsealed entries, in order. */
export async function listUnsealedEntries(db: Db, limit: number): Promise<ChainEntry[]> {
	const { rows } = await sql<ChainEntry>`with next as (select id from audit_waiting order by id limit ${limit})
		select ${ENTRY} from (
			select a.* from next cross join lateral (select * from only audit_log a where a.id = next.id limit 1) a
			union all select * from audit_unsealed where id <= (select max(id) from next)
		) a order by a.id`.execute(db);
	return rows;
}

/**
 * Moves waiting entries into the log, or out of its queue. Returns the ids that this call
 * moved.
 */
export async function moveWaitingEntries(tx: Tx, ids: readonly number[]): Promise<Set<number>> {
	await sql`select set_config('weft.audit_sealing', 'on', true)`.execute(tx.db);
	const { rows } = await sql<{ id: number }>`with moved as (
			delete from audit_unsealed where id = any(${ids}) returning ${MOVED}
		), queued as (
			delete from audit_pending where id = any(${ids}) returning id
		), written as (
			insert into audit_log (${MOVED}) select ${MOVED} from moved order by id returning id
		) select id from written union all select id from queued`.execute(tx.db);
	return new Set(rows.map(({ id }) => id));
}

/**
 * Analyzes a log that has grown by a fifth: autovacuum would do so minutes later, with slow
 * plans until then.
 */
export async function refreshLogStatistics(db: Db, added: number): Promise<void> {
	const { rows } = await sql<{ much: boolean }>`select reltuples < 5 * ${added}::integer as much
		from pg_class where oid = 'audit_log'::regclass`.execute(db);
	if (rows[0]?.much) await sql`analyze audit_log`.execute(db);
}

/**
 * Locks the chain until the transaction ends. Returns the encrypted key; empty before the first
 * block.
 */
export async function lockChain(tx: Tx): Promise<string> {
	const { rows } = await sql<{ key_sealed: string }>`select key_sealed from audit_chain for update`.execute(tx.db);
	return rows[0]?.key_sealed ?? "";
}

/** The encrypted key, empty before the first block, and the first block that carries it. */
export async function findChainKey(db: Db): Promise<{ key_sealed: string; first_block: number }> {
	return db.selectFrom("audit_chain").select(["key_sealed", "first_block"]).executeTakeFirstOrThrow();
}

/** @param firstBlock the number of the first block that will carry the key */
export async function storeChainKey(tx: Tx, sealed: string, firstBlock: number): Promise<void> {
	await tx.db.updateTable("audit_chain").set({ key_sealed: sealed, first_block: firstBlock }).execute();
}

/** The last block, and the day of the last one with entries. */
export async function findLastBlock(db: Db): Promise<{ number: number; mac: Buffer; day: string | null } | undefined> {
	const { rows } = await sql<{ number: number; mac: Buffer; day: string | null }>`select number, mac, (
			select day::text from audit_blocks where kind = 'entries' order by number desc limit 1
		) as day from audit_blocks order by number desc limit 1`.execute(db);
	return rows[0];
}

export async function insertBlock(
	tx: Tx,
	block: Block & { mac: Buffer },
	{ ids, groups, hashes }: Listed,
	at: Date,
): Promise<void> {
	await sql`insert into audit_blocks
		(number, kind, day, groups, digest, mac, entry_ids, entry_groups, entry_hashes, sealed_at)
		values (${block.number}, ${block.kind}, ${block.day}::date, ${block.groups}, ${block.digest}, ${block.mac},
			${ids}, ${groups}, ${hashes}, ${at})`.execute(tx.db);
}

/** Counts sealed entries of one day. */
export async function addToDayCount(
	tx: Tx,
	day: string,
	entries: readonly Pick<ChainEntry, "category" | "action">[],
): Promise<void> {
	await sql`insert into audit_days (day, category, action, entries)
		select ${day}::date, category, action, count(*) from unnest(
			${entries.map(({ category }) => category)}::text[], ${entries.map(({ action }) => action)}::text[]
		) as sealed(category, action) group by category, action
		on conflict (day, category, action) do update set entries = audit_days.entries + excluded.entries`.execute(tx.db);
}

/** Blocks after a number, in order. */
export async function listBlocksAfter(db: Db, after: number, limit: number): Promise<ReadBlock[]> {
	const { rows } = await sql<BlockRow>`select ${BLOCK} from audit_blocks where number > ${after}
		order by number limit ${limit}`.execute(db);
	return rows.map(({ ids, entry_groups, entry_hashes, ...block }) => ({
		...block,
		listed: block.kind === "entries" && ids.length === 0 ? null : { ids, groups: entry_groups, hashes: entry_hashes },
	}));
}

export async function listChainEntries(db: Db, ids: readonly number[]): Promise<ChainEntry[]> {
	const { rows } = await sql<ChainEntry>`select ${ENTRY} from only audit_log a where a.id = any(${ids})`.execute(db);
	return rows;
}

/** Entries that are neither in a block nor waiting. */
export async function listStrayEntries(db: Db, limit: number): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`select a.id from only audit_log a
		where not exists (select from audit_pending p where p.id = a.id)
			and not exists (select from (select unnest(entry_ids) as id from audit_blocks) b where b.id = a.id)
		order by a.id limit ${limit}`.execute(db);
	return rows.map(({ id }) => id);
}

export async function countWaitingEntries(db: Db): Promise<number> {
	const { rows } = await sql<{ count: number }>`select count(*) from audit_waiting`.execute(db);
	return rows[0]?.count ?? 0;
}
