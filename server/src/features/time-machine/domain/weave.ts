/**
 * Adds a capture to its history: rows whose text the segment has already are only named, new ones are packed. A segment shares rows among its
 * snapshots; when it holds several times more rows than a snapshot has, the next capture begins another one, so that reading, adding and deleting
 * stay as dear as a snapshot and not as a history.
 */
import { noPause, type Pause } from "../../../platform/workers/pause.ts";
import type { DocumentContent } from "./document.ts";
import type { Counters, Known } from "./known.ts";
import { encodeDelta, encodeWhole, type Manifest, manifestOf, type StoredManifest } from "./manifest.ts";
import type { StoredNames } from "./names.ts";
import { type NewRow, packAll, type StoredPack } from "./packs.ts";

export interface Woven {
	/** Whether the snapshot begins a segment. */
	fresh: boolean;
	counters: Counters;
	packs: StoredPack[];
	names: StoredNames[];
	manifest: StoredManifest;
}

export interface WeaveOptions {
	packBytes?: number;
	/** Manifests of a chain at most. */
	chain?: number;
	/** Rows that a segment may always hold. */
	rows?: number;
	pause?: Pause;
}

const CHAIN = 64;
const SEGMENT_ROWS = 16_384;
/** Rows that a segment may hold for each row of a snapshot. */
const SEGMENT_SHARE = 4;
/** Numbers that a segment may use for each row that it may hold: those of rows that died are not used again. */
const NUMBERS_SHARE = 16;

/** @param content read against `known` @param chain of the latest snapshot @returns null when the segment is full: then read and weave it without one */
export function weave(
	content: DocumentContent,
	known: Known | null,
	chain: readonly StoredManifest[] = [],
	options: WeaveOptions = {},
): Woven | null {
	const before = known?.counters ?? { nextVersion: 0, nextEntry: 0, nextPack: 0 };
	const knownSlots = known?.rows.slots ?? 0;
	const nextVersion = before.nextVersion + content.fresh.length;
	const most = Math.max(options.rows ?? SEGMENT_ROWS, SEGMENT_SHARE * content.slots.length);
	const isFull =
		knownSlots + content.fresh.length > most || Math.max(nextVersion, content.nextEntry) > NUMBERS_SHARE * most;
	if (known !== null && isFull) return null;

	const { pause = noPause } = options;
	const packs = packAll(newRows(content, before.nextVersion, pause), before.nextPack, options.packBytes);
	pause();
	const manifest = manifestOf(content, versionsOf(content, known));
	pause();
	return {
		fresh: known === null,
		counters: { nextVersion, nextEntry: content.nextEntry, nextPack: before.nextPack + packs.length },
		packs,
		names: content.names,
		manifest:
			known === null || chain.length >= (options.chain ?? CHAIN)
				? encodeWhole(manifest)
				: shorter(encodeDelta(known.latest, manifest), manifest),
	};
}

/** Row by row of a capture that was read against `known`. */
export function versionsOf({ slots }: Pick<DocumentContent, "slots">, known: Known | null): Int32Array {
	if (known === null) return slots;
	const { rows, counters } = known;
	const next = counters.nextVersion - rows.slots;
	const versions = new Int32Array(slots.length);
	for (let row = 0; row < slots.length; row++) {
		const slot = slots[row] as number;
		versions[row] = slot < rows.slots ? (rows.versions[slot] as number) : next + slot;
	}
	return versions;
}

function* newRows({ text, fresh }: DocumentContent, firstVersion: number, pause: Pause): Generator<NewRow> {
	for (const [at, { start, length, textHash, rowHash, objects }] of fresh.entries()) {
		pause();
		yield { version: firstVersion + at, text: text.subarray(start, start + length), textHash, rowHash, objects };
	}
}

/** A delta that says more than the whole list is not worth a longer chain. */
export function shorter(delta: StoredManifest, manifest: Manifest): StoredManifest {
	if (delta.payload === null || delta.payload.byteLength < 4096) return delta;
	const whole = encodeWhole(manifest);
	return (whole.payload?.byteLength ?? 0) <= delta.payload.byteLength ? whole : delta;
}
