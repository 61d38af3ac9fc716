/**
 * SQL that reads what snapshots hold. What must fit together comes from one statement; packs are fetched after it, and are as they were or gone.
 */
import { sql } from "kysely";
import type { Db } from "../../ports/store.ts";
import type { StoredNames } from "./domain/names.ts";
import type { PackIndex, PackRange, StoredPack } from "./domain/packs.ts";
import type { SegmentManifest } from "./domain/rebase.ts";
import type { Recorded } from "./domain/verify.ts";

export interface ViewManifest extends SegmentManifest {
	/** Whether no dn occurs twice. */
	distinct: boolean;
	/** Of the rows without a dn. */
	looseHash: Buffer;
}

/** A segment as far as some of its snapshots need it. */
export interface SegmentView {
	id: string;
	/** From the whole one before the first of the snapshots to the last of them. */
	manifests: ViewManifest[];
	/** All packs, ascending by version. Without what was not asked for the objects are empty. */
	packs: (PackRange & Pick<StoredPack, "objects">)[];
	/** All stored names; `state` is another whenever what they say is. */
	names: { first: number; state: string }[];
}

const RANGE = ["seq", "first_version as firstVersion", "last_version as lastVersion"] as const;
const INDEX = [...RANGE, "rows", "objects", "hashes"] as const;

export function createSnapshotView() {
	return {
		/** The segments that snapshots lie in; those of snapshots that are gone are absent. */
		async segments(db: Db, snapshotIds: readonly string[], parts: { objects?: boolean } = {}): Promise<SegmentView[]> {
			const { rows } = await sql<ViewPart>`
				with b as (
					select segment_id, min(position) as low, max(position) as high from snapshot_manifests
					where snapshot_id = any(${snapshotIds}::uuid[]) group by segment_id)
				select 0 as part, m.segment_id, m.position as place, m.snapshot_id, m.whole, m.distinct_dns, m.loose_hash, null::integer as last, null::integer as seq,
						m.payload, null::text as state
					from b join snapshot_manifests m on m.segment_id = b.segment_id and m.position <= b.high and m.position >= (
						select max(w.position) from snapshot_manifests w where w.segment_id = b.segment_id and w.position <= b.low and w.whole)
				union all select 1, p.segment_id, p.first_version, null, null, null, null, p.last_version, p.seq,
						case when ${parts.objects === true}::boolean then p.objects end, null
					from b join snapshot_packs p on p.segment_id = b.segment_id
				union all select 2, n.segment_id, n.first_entry, null, null, null, null, null, null, null, n.xmin::text
					from b join snapshot_names n on n.segment_id = b.segment_id
				order by part, place`.execute(db);
			const segments = new Map<string, SegmentView>();
			for (const row of rows) {
				const segment = segments.get(row.segment_id) ?? { id: row.segment_id, manifests: [], packs: [], names: [] };
				segments.set(row.segment_id, segment);
				const { place, payload } = row;
				if (row.part === 0)
					segment.manifests.push({
						...{ snapshotId: row.snapshot_id, position: place, whole: row.whole, payload },
						...{ distinct: row.distinct_dns, looseHash: row.loose_hash },
					});
				else if (row.part === 1)
					segment.packs.push({
						...{ seq: row.seq, firstVersion: place, lastVersion: row.last, objects: payload ?? Buffer.alloc(0) },
					});
				else segment.names.push({ first: place, state: row.state });
			}
			return [...segments.values()];
		},

		/** All manifests of a segment, in the order of positions. */
		async manifests(db: Db, segmentId: string): Promise<SegmentManifest[]> {
			return db
				.selectFrom("snapshot_manifests")
				.select(["snapshot_id as snapshotId", "position", "whole", "payload"])
				.where("segment_id", "=", segmentId)
				.orderBy("position")
				.execute();
		},

		/** All packs of a segment, or those of some numbers, without their text. */
		async packs(db: Db, segmentId: string, wanted: readonly number[] | null = null): Promise<PackIndex[]> {
			let found = db.selectFrom("snapshot_packs").select(INDEX).where("segment_id", "=", segmentId);
			if (wanted !== null) found = found.where(sql<boolean>`seq = any(${wanted}::integer[])`);
			return found.orderBy("first_version").execute();
		},

		/** All snapshots of a segment as they were recorded, and the numbers of its packs. */
		async recorded(db: Db, segmentId: string): Promise<{ snapshots: Recorded[]; packs: number[] }> {
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
		},

		async fullPacks(db: Db, segmentId: string, wanted: readonly number[]): Promise<StoredPack[]> {
			return db
				.selectFrom("snapshot_packs")
				.select([...INDEX, "payload"])
				.where("segment_id", "=", segmentId)
				.where(sql<boolean>`seq = any(${wanted}::integer[])`)
				.orderBy("first_version")
				.execute();
		},

		/** The compressed texts of some packs, and where each row is in them. */
		async texts(
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
		},

		/** The stored names of a saved query's segments, the segment with the latest snapshot last, without what they say. */
		async namesOfQuery(db: Db, savedQueryId: string): Promise<{ segmentId: string; first: number; state: string }[]> {
			const { rows } = await sql<{ segmentId: string; first: number; state: string }>`
				select n.segment_id as "segmentId", n.first_entry as first, n.xmin::text as state
				from snapshot_histories h
				join snapshot_segments g on g.history_id = h.id
				join snapshot_names n on n.segment_id = g.id
				join lateral (select max(s.executed_at) as at from snapshot_manifests m join snapshots s on s.id = m.snapshot_id where m.segment_id = g.id) latest on true
				where h.saved_query_id = ${savedQueryId}
				order by latest.at, g.id, n.first_entry`.execute(db);
			return rows;
		},

		/** Stored names, all or those with some first numbers. */
		async names(
			db: Db,
			segmentId: string,
			wanted: readonly number[] | null = null,
		): Promise<(StoredNames & { state: string })[]> {
			const { rows } = await sql<StoredNames & { state: string }>`
				select first_entry as first, payload, xmin::text as state from snapshot_names
				where segment_id = ${segmentId} and (${wanted}::integer[] is null or first_entry = any(${wanted}::integer[]))
				order by first_entry`.execute(db);
			return rows;
		},
	};
}

export type SnapshotView = ReturnType<typeof createSnapshotView>;

interface RecordedPart extends Recorded {
	place: number;
	/** Of packs alone. */
	seq: number | null;
}

interface ViewPart {
	part: number;
	segment_id: string;
	place: number;
	snapshot_id: string;
	whole: boolean;
	distinct_dns: boolean;
	loose_hash: Buffer;
	last: number;
	seq: number;
	payload: Buffer | null;
	state: string;
}
