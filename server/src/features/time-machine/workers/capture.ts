/** Parses a capture against the history that it is about to join, and computes its stored form. */
import { JsonTextError } from "../../../platform/json/tokens.ts";
import type { Db } from "../../../ports/store.ts";
import { type AppendedSnapshot, appendSnapshot } from "../domain/append.ts";
import { createCaptureBase } from "../domain/capture-base.ts";
import {
	type CaptureBody,
	type CaptureDocument,
	type DocumentContent,
	type ReadLimits,
	readCapture,
	readResult,
} from "../domain/document.ts";
import { createSegmentRows } from "../domain/segment-rows.ts";
import type { HistoryState, SnapshotContent } from "../repo-content.ts";
import type { PackSource } from "./pack-source.ts";
import { retryIfGone } from "./read.ts";

export interface CaptureDeps {
	readonly db: Db;
	readonly content: Pick<SnapshotContent, "state">;
	readonly packs: PackSource;
}

export interface CaptureTask {
	readonly bytes: Uint8Array;
	/** Whether `bytes` are the body of a request, or result_data alone. */
	readonly as: "body" | "result";
	readonly limits: ReadLimits;
	/** Key of the history. It may be a guess: a wrong one costs time and nothing else. */
	readonly key: string;
}

/** The stored form of a capture. */
export interface CaptureContent {
	readonly hash: string;
	readonly looseRows: number;
	readonly looseHash: Uint8Array;
	readonly distinct: boolean;
	readonly appended: AppendedSnapshot;
	/** result_data without insignificant whitespace, in case the capture must be appended again. */
	readonly text: Uint8Array;
}

export type ParsedCapture = Omit<CaptureDocument, "content"> & {
	/** Null if the document is larger than the limit. */
	readonly content: CaptureContent | null;
};

/** The history that a capture was parsed against; null if there was none. */
export type HistoryHead = Pick<HistoryState, "id" | "revision" | "segment"> | null;

/**
 * `rest` is the body without result_data, as JSON text; null if there is no body or it is not an
 * object.
 */
export type CaptureOutput =
	| { ok: true; rest: string | null; result: "missing" | "scalar" | ParsedCapture; head: HistoryHead }
	| { ok: false; code: JsonTextError["code"]; offset: number; message: string };

export async function parseCapture(deps: CaptureDeps, { bytes, as, limits, key }: CaptureTask): Promise<CaptureOutput> {
	const { head, base, chain } = await readBase(deps, key);
	try {
		const { rest, result }: CaptureBody =
			as === "body"
				? readCapture(bytes, limits, base)
				: { rest: null, result: readResult(bytes, limits, base) ?? "scalar" };
		if (typeof result === "string") return { ok: true, rest, result, head };
		const { content } = result;
		if (content === null) return { ok: true, rest, result: { ...result, content }, head };
		const appended = appendSnapshot(content, base, chain);
		const stored = appended === null ? startSegment(content.text) : contentOf(content, appended);
		return { ok: true, rest, result: { ...result, content: stored }, head };
	} catch (error) {
		if (!(error instanceof JsonTextError)) throw error;
		const { code, offset, message } = error;
		return { ok: false, code, offset, message };
	}
}

async function readBase({ db, content, packs }: CaptureDeps, key: string) {
	return retryIfGone(async () => {
		const history = await content.state(db, key);
		if (history === undefined) return { head: null, base: null, chain: [] };
		const { id, revision, segment, chain } = history;
		const head = { id, revision, segment };
		if (segment === null) return { head, base: null, chain };
		const rows = createSegmentRows(await packs.decoded(segment.id, history.packs));
		const names = await packs.lookup(segment.id, history.names);
		return { head, base: createCaptureBase({ counters: segment.counters, rows, names, chain }), chain };
	});
}

/**
 * Parses a capture as the first of a new segment, because the latest segment of the history is
 * full.
 */
function startSegment(text: Buffer): CaptureContent {
	const content = readResult(text, { maxBytes: text.length })?.content;
	const appended = content ? appendSnapshot(content, null) : null;
	if (!content || appended === null) throw new Error("A text that was parsed cannot be parsed again");
	return contentOf(content, appended);
}

function contentOf(content: DocumentContent, appended: AppendedSnapshot): CaptureContent {
	const { hash, looseRows, looseHash, distinct, text } = content;
	return { hash, looseRows, looseHash: Uint8Array.from(looseHash), distinct, appended, text };
}
