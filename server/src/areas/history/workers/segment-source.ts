/**
 * Reads the parts of segments that the requested snapshots need. Cached parts belong to one
 * revision of the history, and are used only while the history has that revision.
 */
import { LRUCache } from "lru-cache";
import type { Db } from "../../../core/ports/store.ts";
import { copyBytesIfView } from "../rules/bytes.ts";
import { decodeObjects, type PackObjects, type PackRange } from "../rules/packs.ts";
import type { ManifestRange, SegmentParts, SegmentPlace, ViewManifest } from "../sql/view.ts";
import { findManifestRange, findSegment, listSegmentPlaces } from "../sql/view.ts";

/** A segment with the manifests that some of its snapshots need. */
export interface SegmentView extends Omit<SegmentParts, "packs"> {
	id: string;
	packs: (PackRange & Pick<PackObjects, "entries">)[];
	manifests: ViewManifest[];
}

export interface SegmentSource {
	/**
	 * The segments of some snapshots, each with the manifests that are needed to read these
	 * snapshots. Segments of snapshots that no longer exist are absent.
	 */
	find(snapshotIds: readonly string[]): Promise<SegmentView[]>;
}

/** A value of one revision of the history. */
interface Revised<Value> {
	readonly revision: number;
	readonly value: Value;
}

/** Limits of the caches in bytes, per thread. */
const PARTS_BYTES = 8 * 1024 * 1024;
const MANIFEST_BYTES = 4 * 1024 * 1024;
/** Approximate memory of a cached table row beside its bytes. */
const ROW = 1_000;

export function createSegmentSource({ db }: { db: Db }): SegmentSource {
	const parts = new LRUCache<string, Revised<Pick<SegmentView, "names" | "packs">>>({ maxSize: PARTS_BYTES });
	const manifests = new LRUCache<string, Revised<ViewManifest[]>>({ maxSize: MANIFEST_BYTES });

	const rangeKey = (segmentId: string, { low, high }: ManifestRange) => `${segmentId}:${low}:${high}`;

	function cacheManifests(key: string, revision: number, read: readonly ViewManifest[]): ViewManifest[] {
		const value = read.map(({ payload, looseHash, ...manifest }) => ({
			...manifest,
			payload: payload && copyBytesIfView(payload),
			looseHash: copyBytesIfView(looseHash),
		}));
		const size = value.reduce((sum, { payload }) => sum + (payload?.byteLength ?? 0) + ROW, ROW);
		manifests.set(key, { revision, value }, { size });
		return value;
	}

	/** Manifests of the place's revision; null if the history has another one by now. */
	async function findManifests(place: SegmentPlace): Promise<ViewManifest[] | null> {
		const { segmentId, revision } = place;
		const key = rangeKey(segmentId, place);
		const cached = manifests.get(key);
		if (cached?.revision === revision) return cached.value;
		const read = await findManifestRange(db, segmentId, place);
		return read.revision === revision ? cacheManifests(key, revision, read.manifests) : null;
	}

	async function readAll(place: SegmentPlace): Promise<SegmentView | null> {
		const { segmentId } = place;
		const read = await findSegment(db, segmentId, place);
		if (read === undefined) return null;
		const { revision } = read;
		const packs = read.parts.packs.map(({ objects, ...pack }) => ({
			...pack,
			entries: decodeObjects(objects).entries,
		}));
		const value = { names: read.parts.names, packs };
		const size = packs.reduce((sum, { entries }) => sum + entries.byteLength + ROW, ROW * (1 + value.names.length));
		parts.set(segmentId, { revision, value }, { size });
		return { id: segmentId, ...value, manifests: cacheManifests(rangeKey(segmentId, place), revision, read.manifests) };
	}

	return {
		async find(snapshotIds) {
			const found: SegmentView[] = [];
			for (const place of await listSegmentPlaces(db, snapshotIds)) {
				const { segmentId, revision } = place;
				const cached = parts.get(segmentId);
				const own = cached?.revision === revision ? await findManifests(place) : null;
				const segment =
					cached !== undefined && own !== null
						? { id: segmentId, ...cached.value, manifests: own }
						: await readAll(place);
				if (segment !== null) found.push(segment);
			}
			return found;
		},
	};
}
