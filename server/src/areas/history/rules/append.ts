/**
 * Appends a capture to its history: rows whose text the segment has are referenced, new rows are
 * packed. Snapshots of a segment share rows. Once a segment holds several times more rows than a
 * snapshot has, the next capture starts another one, so the cost of reading, appending and deleting
 * follows the size of a snapshot and not that of the history.
 */
import type { CaptureBase, Counters } from "./capture-base.ts";
import type { DocumentContent } from "./document.ts";
import { encodeDelta, encodeKeyframe, getManifest, type Manifest, type StoredManifest } from "./manifest.ts";
import type { StoredNames } from "./names.ts";
import { type NewRow, packAll, type StoredPack } from "./packs.ts";

/** The stored form of a captured snapshot. */
export interface AppendedSnapshot {
	/** Whether the snapshot starts a segment. */
	startsSegment: boolean;
	/** Of the segment, after the capture. */
	counters: Counters;
	packs: StoredPack[];
	names: StoredNames[];
	manifest: StoredManifest;
}

export interface AppendOptions {
	packBytes?: number;
	/** Most manifests from one keyframe to the next. */
	chain?: number;
	/** Number of rows that a segment may hold whatever the size of its snapshots. */
	rows?: number;
}

const CHAIN = 64;
const SEGMENT_ROWS = 16_384;
/** Rows that a segment may hold for each row of a snapshot. */
const SEGMENT_SHARE = 4;
/**
 * Numbers that a segment may use for each row that it may hold: those of deleted rows are not
 * reused.
 */
const NUMBERS_SHARE = 16;
/** A delta of fewer bytes is not compared with a keyframe. */
const SMALL_DELTA_BYTES = 4096;

/**
 * @param content parsed against `base`
 * @param chain manifests of the latest snapshot, from its keyframe on
 * @returns null if the segment is full: then parse and append the capture without a base
 */
export function appendSnapshot(
	content: DocumentContent,
	base: CaptureBase | null,
	chain: readonly StoredManifest[] = [],
	options: AppendOptions = {},
): AppendedSnapshot | null {
	const before = base?.counters ?? { nextVersion: 0, nextEntry: 0, nextPack: 0 };
	const nextVersion = before.nextVersion + content.newRows.length;
	const most = Math.max(options.rows ?? SEGMENT_ROWS, SEGMENT_SHARE * content.slots.length);
	const isFull =
		(base?.rows.slots ?? 0) + content.newRows.length > most ||
		Math.max(nextVersion, content.nextEntry) > NUMBERS_SHARE * most;
	if (base !== null && isFull) return null;

	const packs = packAll(appendNewRows(content, before.nextVersion), before.nextPack, options.packBytes);
	const manifest = getManifest(content, getVersions(content, base));
	return {
		startsSegment: base === null,
		counters: { nextVersion, nextEntry: content.nextEntry, nextPack: before.nextPack + packs.length },
		packs,
		names: content.names,
		manifest:
			base === null || chain.length >= (options.chain ?? CHAIN)
				? encodeKeyframe(manifest)
				: encodeShorter(base.latest, manifest),
	};
}

/** Versions of the capture's rows, in order. */
function getVersions({ slots }: DocumentContent, base: CaptureBase | null): Int32Array {
	if (base === null) return slots;
	const { rows, counters } = base;
	const firstNew = counters.nextVersion - rows.slots;
	return slots.map((slot) => (slot < rows.slots ? (rows.versions[slot] as number) : firstNew + slot));
}

function* appendNewRows({ text, newRows }: DocumentContent, firstVersion: number): Generator<NewRow> {
	for (const [at, { start, length, textHash, rowHash, objects }] of newRows.entries())
		yield { version: firstVersion + at, text: text.subarray(start, start + length), textHash, rowHash, objects };
}

/**
 * A manifest as a delta, or as a keyframe if that takes no more bytes: then it need not lengthen
 * the chain.
 */
export function encodeShorter(before: Manifest, manifest: Manifest): StoredManifest {
	const delta = encodeDelta(before, manifest);
	if (delta.payload === null || delta.payload.byteLength < SMALL_DELTA_BYTES) return delta;
	const keyframe = encodeKeyframe(manifest);
	return (keyframe.payload?.byteLength ?? 0) <= delta.payload.byteLength ? keyframe : delta;
}
