/**
 * SQL that reads the content of snapshots. Parts that must be of the same time are read with one
 * statement. Packs are read afterwards: they are unchanged or deleted.
 */
import { sql } from "kysely";
import type { Db } from "../../../core/ports/store.ts";
import type { StoredNames } from "../rules/names.ts";
import type { PackIndex, PackRange, StoredPack } from "../rules/packs.ts";
import type { SegmentManifest } from "../rules/rebase.ts";
import type { Recorded } from "../rules/verify.ts";

export interface ViewManifest extends SegmentManifest {
	/** Whether no dn occurs twice. */
	distinct: boolean;
	/** Of the rows without a dn. */
	looseHash: Buffer;
}

/** The positions of some snapshots in a segment. */
export interface SegmentPlace {
	segmentId: string;
	/** Of the history: changes whenever the content of the segment does. */
	revision: number;
	/** First and last position of the snapshots. */
	low: number;
	high: number;
}

/** Manifests up to position `high`, from the keyframe on that the one at `low` depends on. */
export interface ManifestRange {
	low: number;
	high: number;
}

/** Parts of a segment beside its manifests. */
export interface SegmentParts {
	/** All packs, ascending by version. */
	packs: (PackRange & Pick<StoredPack, "objects">)[];
	/** All chunks of names. `state` changes whenever the content does. */
	names: { first: number; state: string }[];
}

const RANGE = ["seq", "first_version as firstVersion", "last_version as lastVersion"] as const;
const INDEX = [...RANGE, "rows", "objects", "hashes"] as const;

/** The segments of snapshots. Those of deleted snapshots are absent. */
export async function listSegmentPlaces(db: Db, snapshotIds: readonly string[]): Promise<SegmentPlace[]> {
	const { rows } = await sql<SegmentPlace>`
		select m.segment_id as "segmentId", h.revision, min(m.position) as low, max(m.position) as high
		from snapshot_manifests m join snapshot_segments g on g.id = m.segment_id join snapshot_histories h on h.id = g.history_id
		where m.snapshot_id = any(${snapshotIds}::uuid[]) group by m.segment_id, h.revision`.execute(db);
	return rows;
}

/**
 * Manifests of a segment, ascending, and the history's revision; none if the segment no longer
 * exists.
 */
export async function findManifestRange(
	db: Db,
	segmentId: string,
	range: ManifestRange,
): Promise<{ revision: number; manifests: ViewManifest[] }> {
	const { rows } = await sql<RangePart>`${getManifests(segmentId, range)} order by place`.execute(db);
	return { revision: rows[0]?.revision ?? -1, manifests: rows.map(getManifest) };
}

/** A segment and the history's revision, at the same time; undefined if it no longer exists. */
export async function findSegment(
	db: Db,
	segmentId: string,
	range: ManifestRange,
): Promise<{ revision: number; manifests: ViewManifest[]; parts: SegmentParts } | undefined> {
	const { rows } = await sql<ViewPart>`
		select 0 as part, m.*, null::integer as last, null::integer as seq, null::text as state from (${getManifests(segmentId, range)}) m
		union all select 1, null, p.first_version, null, null, null, null, p.objects, p.last_version, p.seq, null
			from snapshot_packs p where p.segment_id = ${segmentId}
		union all select 2, null, n.first_entry, null, null, null, null, null, null, null, n.xmin::text
			from snapshot_names n where n.segment_id = ${segmentId}
		order by part, place`.execute(db);
	const of = (part: number) => rows.filter((row) => row.part === part);
	const manifests = of(0);
	if (manifests[0] === undefined) return undefined;
	return {
		revision: manifests[0].revision,
		manifests: manifests.map(getManifest),
		parts: {
			packs: of(1).map(({ place, last, seq, payload }) => ({
				seq,
				firstVersion: place,
				lastVersion: last,
				objects: payload ?? Buffer.alloc(0),
			})),
			names: of(2).map(({ place, state }) => ({ first: place, state })),
		},
	};
}

/** All manifests of a segment, by position. */
export async function listManifests(db: Db, segmentId: string): Promise<SegmentManifest[]> {
	return db
		.selectFrom("snapshot_manifests")
		.select(["snapshot_id as snapshotId", "position", "whole", "payload"])
		.where("segment_id", "=", segmentId)
		.orderBy("position")
		.execute();
}

/** Packs of a segment without their text: all, or those with some numbers. */
export async function listPackHeads(
	db: Db,
	segmentId: string,
	wanted: readonly number[] | null = null,
): Promise<PackIndex[]> {
	let found = db.selectFrom("snapshot_packs").select(INDEX).where("segment_id", "=", segmentId);
	if (wanted !== null) found = found.where(sql<boolean>`seq = any(${wanted}::integer[])`);
	return found.orderBy("first_version").execute();
}

/**
 * All snapshots of a segment with the values recorded at their capture, and the numbers of its
 * packs.
 */
export async function listRecordedSnapshots(
	db: Db,
	segmentId: string,
): Promise<{ snapshots: Recorded[]; packs: number[] }> {
	const { rows } = await sql<RecordedPart>`
		select m.position as place, m.snapshot_id as "snapshotId", m.whole, m.payload, s.result_hash as hash, s.result_count as rows,
				s.result_size_bytes as bytes, null::integer as seq
			from snapshot_manifests m join snapshots s on s.id = m.snapshot_id where m.segment_id = ${segmentId}
		union all select p.first_version, null, null, null, null, null, null, p.seq from snapshot_packs p where p.segment_id = ${segmentId}
		order by seq nulls first, place`.execute(db);
	return {
		snapshots: rows.filter(({ seq }) => seq === null).map(({ seq: _, place: __, ...recorded }) => recorded),
		packs: rows.flatMap(({ seq }) => (seq === null ? [] : [seq])),
	};
}

export async function listFullPacks(db: Db, segmentId: string, wanted: readonly number[]): Promise<StoredPack[]> {
	return db
		.selectFrom("snapshot_packs")
		.select([...INDEX, "payload"])
		.where("segment_id", "=", segmentId)
		.where(sql<boolean>`seq = any(${wanted}::integer[])`)
		.orderBy("first_version")
		.execute();
}

/** The compressed texts of some packs, and their rows' lengths. */
export async function listPackTexts(
	db: Db,
	segmentId: string,
	wanted: readonly number[],
): Promise<Pick<StoredPack, "seq" | "rows" | "payload">[]> {
	return db
		.selectFrom("snapshot_packs")
		.select(["seq", "rows", "payload"])
		.where("segment_id", "=", segmentId)
		.where(sql<boolean>`seq = any(${wanted}::integer[])`)
		.execute();
}

/**
 * The chunks of names of a saved query's segments, without their payload: of one connection, or
 * of all (null). The segment with the latest snapshot is last.
 */
export async function listQueryNames(
	db: Db,
	{ savedQueryId, connectionId }: { savedQueryId: string; connectionId: string | null },
): Promise<{ segmentId: string; first: number; state: string }[]> {
	const { rows } = await sql<{ segmentId: string; first: number; state: string }>`
		select n.segment_id as "segmentId", n.first_entry as first, n.xmin::text as state
		from snapshot_histories h
		join snapshot_segments g on g.history_id = h.id
		join snapshot_names n on n.segment_id = g.id
		join lateral (select max(s.executed_at) as at from snapshot_manifests m join snapshots s on s.id = m.snapshot_id where m.segment_id = g.id) latest on true
		where h.saved_query_id = ${savedQueryId} and (${connectionId}::uuid is null or exists (
			select from snapshots s where s.history_id = h.id and s.controller_connection_id = ${connectionId}::uuid))
		order by latest.at, g.id, n.first_entry`.execute(db);
	return rows;
}

/** Chunks of names: all, or those with some first numbers. */
export async function listNameChunks(
	db: Db,
	segmentId: string,
	wanted: readonly number[] | null = null,
): Promise<(StoredNames & { state: string })[]> {
	const { rows } = await sql<StoredNames & { state: string }>`
		select first_entry as first, payload, xmin::text as state from snapshot_names
		where segment_id = ${segmentId} and (${wanted}::integer[] is null or first_entry = any(${wanted}::integer[]))
		order by first_entry`.execute(db);
	return rows;
}

interface RecordedPart extends Recorded {
	place: number;
	/** Null in rows of snapshots. */
	seq: number | null;
}

interface RangePart {
	revision: number;
	place: number;
	snapshot_id: string;
	whole: boolean;
	distinct_dns: boolean;
	loose_hash: Buffer;
	payload: Buffer | null;
}

interface ViewPart extends RangePart {
	part: number;
	last: number;
	seq: number;
	state: string;
}

function getManifests(segmentId: string, { low, high }: ManifestRange) {
	return sql`
		select h.revision, m.position as place, m.snapshot_id, m.whole, m.distinct_dns, m.loose_hash, m.payload
		from snapshot_manifests m join snapshot_segments g on g.id = m.segment_id join snapshot_histories h on h.id = g.history_id
		where m.segment_id = ${segmentId} and m.position <= ${high}::integer and m.position >= (
			select max(w.position) from snapshot_manifests w
			where w.segment_id = ${segmentId} and w.position <= ${low}::integer and w.whole)`;
}

function getManifest({ snapshot_id, place, whole, payload, distinct_dns, loose_hash }: RangePart): ViewManifest {
	return {
		snapshotId: snapshot_id,
		position: place,
		whole,
		payload,
		distinct: distinct_dns,
		looseHash: loose_hash,
	};
}
