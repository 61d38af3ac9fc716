/** SQL that changes the content of snapshots: segments, packs of rows, names and manifests. */
import type { DriftRules, SnapshotOrigin } from "@weft/contracts";
import { sql } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { viewAsBuffer } from "../rules/bytes.ts";
import type { Counters } from "../rules/capture-base.ts";
import type { StoredManifest } from "../rules/manifest.ts";
import type { StoredNames } from "../rules/names.ts";
import type { StoredPack } from "../rules/packs.ts";
import type { SegmentManifest } from "../rules/rebase.ts";

export interface SegmentRow {
	id: string;
	serial: number;
	counters: Counters;
}

/** A history as a capture needs it. */
export interface HistoryState {
	id: string;
	revision: number;
	/** The segment of its latest snapshot; null if it has none. */
	segment: SegmentRow | null;
	/** The numbers of the segment's packs. */
	packs: number[];
	/** Its chunks of names. `state` changes whenever the content does. */
	names: { first: number; state: string }[];
	/** Manifests of the latest snapshot, from its keyframe on. */
	chain: StoredManifest[];
}

export interface LatestSnapshot {
	readonly id: string;
	readonly hash: string;
	readonly origin: SnapshotOrigin;
	readonly distinct: boolean;
	readonly looseHash: Buffer;
	/** The latest snapshot of a run; null if there is none. */
	readonly runId: string | null;
	readonly runHash: string | null;
	/** The saved query's drift rules; null for an ad-hoc query. */
	readonly rules: Partial<DriftRules> | null;
}

/** Rows per statement. */
const BATCH = 100;

/** Read with one statement, so that all parts are of the same time. */
export async function findHistoryState(db: Db, historyKey: string): Promise<HistoryState | undefined> {
	const { rows } = await sql<StatePart>`
		with h as (select id, revision from snapshot_histories where key = ${historyKey}),
		g as (select s.* from snapshot_segments s join h on h.id = s.history_id order by s.serial desc limit 1)
		select 0 as part, coalesce(g.serial, 0) as place, h.id, h.revision, g.id as segment_id, g.next_version, g.next_entry, g.next_pack,
			null::text as state, null::boolean as whole, null::bytea as payload
			from h left join g on true
		union all select 1, p.seq, null, null, null, null, null, null, null, null, null
			from snapshot_packs p join g on g.id = p.segment_id
		union all select 2, n.first_entry, null, null, null, null, null, null, n.xmin::text, null, null
			from snapshot_names n join g on g.id = n.segment_id
		union all select 3, m.position, null, null, null, null, null, null, null, m.whole, m.payload
			from snapshot_manifests m join g on g.id = m.segment_id
			where m.position >= (select max(w.position) from snapshot_manifests w where w.segment_id = g.id and w.whole)
		order by part, place`.execute(db);
	const head = rows[0];
	if (head === undefined) return undefined;
	const of = (part: number) => rows.filter((row) => row.part === part);
	return {
		id: head.id,
		revision: head.revision,
		segment: head.segment_id === null ? null : getSegment({ ...head, id: head.segment_id, serial: head.place }),
		packs: of(1).map(({ place }) => place),
		names: of(2).map(({ place, state }) => ({ first: place, state })),
		chain: of(3).map(({ whole, payload }) => ({ whole, payload })),
	};
}

/** The latest snapshot of a history, and what its drift is measured with. */
export async function findLatestContent(db: Db, historyId: string): Promise<LatestSnapshot | undefined> {
	const { rows } = await sql<LatestSnapshot>`
		select s.id, s.result_hash as hash, s.origin, m.distinct_dns as distinct, m.loose_hash as "looseHash",
			run.id as "runId", run.result_hash as "runHash", q.drift_rules as rules
		from snapshots s join snapshot_manifests m on m.snapshot_id = s.id
		left join saved_queries q on q.id = s.saved_query_id
		left join lateral (
			select r.id, r.result_hash from snapshots r where r.history_id = s.history_id and r.origin = 'run'
			order by r.position desc limit 1
		) run on true
		where s.history_id = ${historyId} order by s.position desc limit 1`.execute(db);
	return rows[0];
}

export async function listSegments(db: Db, historyId: string): Promise<SegmentRow[]> {
	const rows = await db.selectFrom("snapshot_segments").selectAll().where("history_id", "=", historyId).execute();
	return rows.map(getSegment);
}

export async function insertSegment(tx: Tx, historyId: string, segment: SegmentRow): Promise<void> {
	await tx.db
		.insertInto("snapshot_segments")
		.values({
			id: segment.id,
			history_id: historyId,
			serial: segment.serial,
			...toCounterColumns(segment.counters),
		})
		.execute();
}

export async function updateCounters(tx: Tx, segmentId: string, counters: Counters): Promise<void> {
	await tx.db.updateTable("snapshot_segments").set(toCounterColumns(counters)).where("id", "=", segmentId).execute();
}

export async function deleteSegment(tx: Tx, segmentId: string): Promise<void> {
	await tx.db.deleteFrom("snapshot_segments").where("id", "=", segmentId).execute();
}

export async function insertPacks(tx: Tx, segmentId: string, packs: readonly StoredPack[]): Promise<void> {
	for (let at = 0; at < packs.length; at += BATCH) {
		const rows = packs.slice(at, at + BATCH).map((pack) => ({
			segment_id: segmentId,
			seq: pack.seq,
			first_version: pack.firstVersion,
			last_version: pack.lastVersion,
			rows: viewAsBuffer(pack.rows),
			objects: viewAsBuffer(pack.objects),
			hashes: viewAsBuffer(pack.hashes),
			payload: viewAsBuffer(pack.payload),
		}));
		await tx.db.insertInto("snapshot_packs").values(rows).execute();
	}
}

export async function deletePacks(tx: Tx, segmentId: string, packs: readonly number[]): Promise<void> {
	await tx.db
		.deleteFrom("snapshot_packs")
		.where("segment_id", "=", segmentId)
		.where(sql<boolean>`seq = any(${packs}::integer[])`)
		.execute();
}

export async function insertNames(tx: Tx, segmentId: string, names: readonly StoredNames[]): Promise<void> {
	for (let at = 0; at < names.length; at += BATCH) {
		const rows = names
			.slice(at, at + BATCH)
			.map(({ first, payload }) => ({ segment_id: segmentId, first_entry: first, payload: viewAsBuffer(payload) }));
		await tx.db.insertInto("snapshot_names").values(rows).execute();
	}
}

/** Replaces a chunk of names, or deletes it if the payload is empty. */
export async function replaceNames(tx: Tx, segmentId: string, { first, payload }: StoredNames): Promise<void> {
	if (payload.byteLength === 0) {
		await tx.db
			.deleteFrom("snapshot_names")
			.where("segment_id", "=", segmentId)
			.where("first_entry", "=", first)
			.execute();
		return;
	}
	await tx.db
		.updateTable("snapshot_names")
		.set({ payload: viewAsBuffer(payload) })
		.where("segment_id", "=", segmentId)
		.where("first_entry", "=", first)
		.execute();
}

export async function insertManifest(
	tx: Tx,
	of: { snapshotId: string; segmentId: string; position: number; distinct: boolean; looseHash: Uint8Array },
	{ whole, payload }: StoredManifest,
): Promise<void> {
	await tx.db
		.insertInto("snapshot_manifests")
		.values({
			snapshot_id: of.snapshotId,
			segment_id: of.segmentId,
			position: of.position,
			whole,
			payload: payload && viewAsBuffer(payload),
			distinct_dns: of.distinct,
			loose_hash: viewAsBuffer(of.looseHash),
		})
		.execute();
}

export async function replaceManifest(tx: Tx, { snapshotId, whole, payload }: SegmentManifest): Promise<void> {
	await tx.db
		.updateTable("snapshot_manifests")
		.set({ whole, payload: payload && viewAsBuffer(payload) })
		.where("snapshot_id", "=", snapshotId)
		.execute();
}

interface StatePart {
	part: number;
	place: number;
	id: string;
	revision: number;
	segment_id: string | null;
	next_version: number;
	next_entry: number;
	next_pack: number;
	state: string;
	whole: boolean;
	payload: Buffer | null;
}

function getSegment(row: {
	id: string;
	serial: number;
	next_version: number;
	next_entry: number;
	next_pack: number;
}): SegmentRow {
	return {
		id: row.id,
		serial: row.serial,
		counters: { nextVersion: row.next_version, nextEntry: row.next_entry, nextPack: row.next_pack },
	};
}

function toCounterColumns({ nextVersion, nextEntry, nextPack }: Counters) {
	return { next_version: nextVersion, next_entry: nextEntry, next_pack: nextPack };
}
