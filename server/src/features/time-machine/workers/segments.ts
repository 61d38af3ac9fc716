/**
 * Segments as those need them who read. What is kept at hand was read at one revision of the history, and is used only while the history still has that
 * revision: one small statement tells.
 */
import type { Db } from "../../../ports/store.ts";
import { owned } from "../domain/bytes.ts";
import { OPENED } from "../domain/manifest.ts";
import { createObjectHolders, type ObjectHolders } from "../domain/packs.ts";
import type {
	ManifestRange,
	SegmentParts,
	SegmentPlace,
	SegmentView,
	SnapshotView,
	ViewManifest,
} from "../repo-view.ts";
import { createLru } from "./lru.ts";

export interface Segment extends SegmentView {
	/** Finds the packs that hold an object. */
	readonly holders: ObjectHolders;
}

export interface SegmentSource {
	/**
	 * The segments that snapshots lie in, with the manifests that tell what each of the snapshots is, or without `chain` at least what changed between
	 * two. What snapshots that are gone lay in is absent.
	 */
	find(snapshotIds: readonly string[], options: { chain: boolean }): Promise<Segment[]>;
}

interface KeptParts extends SegmentParts {
	/** Of the history. */
	readonly revision: number;
	readonly holders: ObjectHolders;
}

interface KeptManifests {
	readonly revision: number;
	readonly manifests: ViewManifest[];
}

/** Bytes that are kept: packs' objects and where names are, manifests. */
const PARTS_BYTES = 8 * 1024 * 1024;
const MANIFEST_BYTES = 4 * 1024 * 1024;
/** Memory of a row beside its bytes, and of an object in the index of its holders, about. */
const ROW = 1_000;
const OBJECT = 8;

const segmentOf = (id: string, { names, packs, holders }: KeptParts, manifests: ViewManifest[]): Segment => ({
	id,
	names,
	packs,
	holders,
	manifests,
});

export function createSegmentSource({ db, view }: { db: Db; view: SnapshotView }): SegmentSource {
	const parts = createLru<KeptParts>(PARTS_BYTES);
	const manifests = createLru<KeptManifests>(MANIFEST_BYTES);

	const rangeKey = (segmentId: string, { low, high, chain }: ManifestRange) => `${segmentId}:${low}:${high}:${chain}`;

	function keepManifests(key: string, revision: number, read: ViewManifest[]): ViewManifest[] {
		const found = read.map(({ payload, looseHash, ...manifest }) => ({
			...manifest,
			payload: payload && owned(payload),
			looseHash: owned(looseHash),
		}));
		const bytes = found.reduce((sum, { payload }) => sum + (payload?.byteLength ?? 0) * (1 + OPENED) + ROW, 0);
		manifests.set(key, { revision, manifests: found }, bytes);
		return found;
	}

	/** Of the place's revision; null where the history has another by now. */
	async function rangeOf({ segmentId, revision }: SegmentPlace, range: ManifestRange): Promise<ViewManifest[] | null> {
		const key = rangeKey(segmentId, range);
		const kept = manifests.get(key);
		if (kept?.revision === revision) return kept.manifests;
		const read = await view.range(db, segmentId, range);
		if (read.revision !== revision) return null;
		return keepManifests(key, revision, read.manifests);
	}

	/** All of one moment. */
	async function readAll(segmentId: string, range: ManifestRange): Promise<Segment | null> {
		const read = await view.segment(db, segmentId, range);
		if (read === undefined) return null;
		let holders: ObjectHolders | undefined;
		const own: KeptParts = {
			revision: read.revision,
			names: read.parts.names,
			packs: read.parts.packs.map(({ objects, ...pack }) => ({ ...pack, objects: owned(objects) })),
			holders(entries) {
				holders ??= createObjectHolders(own.packs);
				return holders(entries);
			},
		};
		const rows = own.packs.length + own.names.length;
		const bytes = own.packs.reduce((sum, { objects }) => sum + objects.byteLength * OBJECT, rows * ROW);
		parts.set(segmentId, own, bytes);
		const kept = keepManifests(rangeKey(segmentId, range), read.revision, read.manifests);
		return segmentOf(segmentId, own, kept);
	}

	return {
		async find(snapshotIds, { chain }) {
			const found: Segment[] = [];
			const places = await view.places(db, snapshotIds);
			for (const place of places) {
				const { segmentId, revision, low, high } = place;
				const range = { low, high, chain: chain || places.length > 1 };
				const kept = parts.get(segmentId);
				const own = kept?.revision === revision ? await rangeOf(place, range) : null;
				const segment =
					kept !== undefined && own !== null ? segmentOf(segmentId, kept, own) : await readAll(segmentId, range);
				if (segment !== null) found.push(segment);
			}
			return found;
		},
	};
}
