/** Parses a capture against the history that it is about to join, and computes its stored form. */
import { JsonTextError } from "../../../core/json/tokens.ts";
import type { Db } from "../../../core/ports/store.ts";
import { type AppendedSnapshot, appendSnapshot } from "../rules/append.ts";
import { createCaptureBase } from "../rules/capture-base.ts";
import { type CaptureBody, type CaptureDocument, type ReadLimits, readCapture, readResult } from "../rules/document.ts";
import { createSegmentRows } from "../rules/segment-rows.ts";
import type { HistoryState } from "../sql/content.ts";
import { findHistoryState, findLatestContent } from "../sql/content.ts";
import { type Before, type Drifts, measureDrifts, type Parsed } from "./drift.ts";
import type { PackSource } from "./pack-source.ts";
import { retryIfGone } from "./read.ts";
import type { SegmentSource } from "./segment-source.ts";

export interface CaptureSources {
	readonly db: Db;
	readonly packs: PackSource;
	readonly segments: SegmentSource;
}

export interface CaptureTask {
	readonly bytes: Uint8Array;
	/** Whether `bytes` are the body of a request, or result_data alone. */
	readonly as: "body" | "result";
	readonly limits: ReadLimits;
	/** Key of the history. It may be a guess: a wrong one costs time and nothing else. */
	readonly key: string;
	/** Ids of further snapshots that the drift is measured against. */
	readonly baselines: readonly string[];
}

/** The stored form of a capture. */
export interface CaptureContent extends Drifts {
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

export async function parseCapture(deps: CaptureSources, task: CaptureTask): Promise<CaptureOutput> {
	const { bytes, as, limits, key, baselines } = task;
	const { head, ...before } = await readBase(deps, key);
	const { base, chain } = before;
	try {
		const { rest, result }: CaptureBody =
			as === "body"
				? readCapture(bytes, limits, base)
				: { rest: null, result: readResult(bytes, limits, base) ?? "scalar" };
		if (typeof result === "string") return { ok: true, rest, result, head };
		const { content } = result;
		if (content === null) return { ok: true, rest, result: { ...result, content }, head };
		const appended = appendSnapshot(content, base, chain);
		const parsed = appended === null ? startSegment(content.text) : { content, appended };
		const drifts = await measureDrifts(deps, before, parsed, { isRun: as === "result", baselines });
		return { ok: true, rest, result: { ...result, content: { ...getContent(parsed), ...drifts } }, head };
	} catch (error) {
		if (!(error instanceof JsonTextError)) throw error;
		const { code, offset, message } = error;
		return { ok: false, code, offset, message };
	}
}

const NOTHING_BEFORE = { segment: null, base: null, chain: [], columns: [] };

async function readBase({ db, packs }: CaptureSources, key: string): Promise<Before & { head: HistoryHead }> {
	return retryIfGone(async () => {
		const history = await findHistoryState(db, key);
		if (history === undefined) return { head: null, ...NOTHING_BEFORE, latest: undefined };
		const { id, revision, segment, chain } = history;
		const head = { id, revision, segment };
		if (segment === null) return { head, ...NOTHING_BEFORE, latest: undefined };
		const columns = await packs.decoded(segment.id, history.packs);
		const names = await packs.lookup(segment.id, history.names);
		const base = createCaptureBase({ counters: segment.counters, rows: createSegmentRows(columns), names, chain });
		return { head, segment: segment.id, base, chain, columns, latest: await findLatestContent(db, id) };
	});
}

/**
 * Parses a capture as the first of a new segment, because the latest segment of the history is
 * full.
 */
function startSegment(text: Buffer): Parsed {
	const content = readResult(text, { maxBytes: text.length })?.content;
	const appended = content ? appendSnapshot(content, null) : null;
	if (!content || appended === null) throw new Error("A text that was parsed cannot be parsed again");
	return { content, appended };
}

function getContent({ content, appended }: Parsed): Omit<CaptureContent, keyof Drifts> {
	const { hash, looseRows, looseHash, distinct, text } = content;
	return { hash, looseRows, looseHash: Uint8Array.from(looseHash), distinct, appended, text };
}
