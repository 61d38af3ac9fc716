/**
 * The texts of captures that this thread read last, for the captures that follow them: most rows come again as they were, and comparing bytes takes a
 * fraction of hashing them. Whether a capture became a snapshot is not known here; whoever stored it says so with the next one, by its token.
 */
import { randomUUID } from "node:crypto";
import { copyBytes } from "../../../platform/copy.ts";
import { noPause } from "../../../platform/workers/pause.ts";
import type { DocumentContent } from "../domain/document.ts";
import type { Before } from "../domain/known.ts";

/** A history's latest snapshot: of which revision of the history it is, and as what its text was kept. */
export interface LatestMark {
	readonly historyId: string;
	readonly revision: number;
	readonly token: string;
}

export interface LatestTexts {
	/** The text with a token, if it is still there. */
	find(key: string, token: string): Before | null;
	/** Keeps a text in place of the one with the same key; gives its token, empty where it is too small to be worth it, or too large. */
	keep(
		key: string,
		content: Pick<DocumentContent, "text" | "headBytes" | "tailBytes" | "rowHashes">,
		versions: Int32Array,
	): string;
}

/** Of all texts; and of one below which hashing is as quick. */
const KEPT_BYTES = 32 * 1024 * 1024;
const SMALL_BYTES = 256 * 1024;
/** Room for a text to grow, so that the same memory serves the next one: memory that is new each time would have to be collected each time. */
const ROOM = 1.125;
/** Bytes that are copied between two pauses. */
const PIECE = 1024 * 1024;

interface Kept {
	readonly token: string;
	readonly memory: Uint8Array<ArrayBuffer>;
	readonly before: Before;
}

const bytesOf = ({ memory, before }: Kept): number =>
	memory.byteLength + before.rowHashes.buffer.byteLength + before.versions.buffer.byteLength;

/** @param pause of the thread */
export function createLatestTexts(pause = noPause): LatestTexts {
	/** Last used last. */
	const texts = new Map<string, Kept>();

	return {
		find(key, token) {
			const kept = texts.get(key);
			if (kept?.token !== token) return null;
			texts.delete(key);
			texts.set(key, kept);
			return kept.before;
		},
		keep(key, { text, headBytes, tailBytes, rowHashes }, versions) {
			const old = texts.get(key);
			texts.delete(key);
			if (text.byteLength < SMALL_BYTES || text.byteLength * ROOM > KEPT_BYTES) return "";
			const fits = old !== undefined && old.memory.byteLength >= text.byteLength;
			const memory = fits ? old.memory : new Uint8Array(Math.ceil(text.byteLength * ROOM));
			for (let at = 0; at < text.byteLength; at += PIECE) {
				copyBytes(text.subarray(at, at + PIECE), memory, at);
				pause();
			}
			const token = randomUUID();
			const before = { text: memory.subarray(0, text.byteLength), headBytes, tailBytes, versions, rowHashes };
			texts.set(key, { token, memory, before });
			let held = Array.from(texts.values(), bytesOf).reduce((sum, bytes) => sum + bytes, 0);
			for (const [oldest, kept] of texts) {
				if (held <= KEPT_BYTES) break;
				held -= bytesOf(kept);
				texts.delete(oldest);
			}
			return token;
		},
	};
}
