/** Reads a capture against the history that it is about to join, whose rows it mostly repeats, and weaves it in. */

import { JsonTextError } from "../../../platform/json/tokens.ts";
import type { Db } from "../../../ports/store.ts";
import {
	type CaptureBody,
	type CaptureDocument,
	type CaptureReader,
	type DocumentContent,
	type ReadLimits,
	readCapture,
	readResult,
} from "../domain/document.ts";
import { readKnown, type SegmentState } from "../domain/known.ts";
import { versionsOf, type Woven, weave } from "../domain/weave.ts";
import type { HistoryState, SnapshotContent } from "../repo-content.ts";
import type { LatestMark, LatestTexts } from "./latest.ts";
import type { PackSource } from "./packs.ts";
import { undisturbed } from "./reading.ts";

export interface Capturing {
	readonly db: Db;
	readonly content: Pick<SnapshotContent, "state">;
	readonly packs: PackSource;
	readonly latest: LatestTexts;
	readonly reader: CaptureReader;
}

export interface CaptureTask {
	readonly bytes: Uint8Array;
	/** A request's body, or result_data by itself. */
	readonly as: "body" | "result";
	readonly limits: ReadLimits;
	/** The history, as far as one can tell before reading. A wrong one costs time and nothing else. */
	readonly key: string;
	/** What is known of its latest snapshot; null where that was captured elsewhere. */
	readonly latest: LatestMark | null;
}

/** What a capture is, and what it adds to its history. */
export interface CaptureContent {
	readonly hash: string;
	readonly looseRows: number;
	readonly looseHash: Uint8Array;
	readonly distinct: boolean;
	readonly woven: Woven;
	/** result_data without insignificant whitespace, in case that it must be woven once more. */
	readonly text: Uint8Array;
	/** By which the thread finds the text again; empty where it has not kept it. */
	readonly token: string;
}

export type CaptureRead = Omit<CaptureDocument, "content"> & {
	/** Null when the document is larger than the limit. */
	readonly content: CaptureContent | null;
};

/** The history that a capture was read against; null where there was none. */
export type Base = Pick<HistoryState, "id" | "revision" | "segment"> | null;

/** `rest` is the body without result_data, as JSON text; null when there is no body or it is not an object. */
export type CaptureOutput =
	| { ok: true; rest: string | null; result: "missing" | "scalar" | CaptureRead; base: Base }
	| { ok: false; code: JsonTextError["code"]; offset: number; message: string };

export async function captureInto(capturing: Capturing, task: CaptureTask): Promise<CaptureOutput> {
	const { base, state } = await stateOf(capturing, task.key);
	const isLatest = task.latest?.historyId === base?.id && task.latest?.revision === base?.revision;
	const mark = isLatest ? task.latest : null;
	const { pause } = capturing.reader;
	try {
		const before = mark && capturing.latest.find(task.key, mark.token);
		const known = state === null ? null : readKnown(state, before);
		const read: CaptureBody =
			task.as === "body"
				? readCapture(task.bytes, task.limits, known, capturing.reader)
				: { rest: null, result: readResult(task.bytes, task.limits, known, capturing.reader) ?? "scalar" };
		const { rest, result } = read;
		if (typeof result === "string") return { ok: true, rest, result, base };
		if (result.content === null) return { ok: true, rest, result: { ...result, content: null }, base };
		const woven = weave(result.content, known, state?.chain, { pause });
		const content = woven === null ? alone(result.content.text) : { read: result.content, woven };
		const { manifest, fresh } = content.woven;
		const isSame = !manifest.whole && manifest.payload === null;
		pause();
		const versions = versionsOf(content.read, fresh ? null : known);
		const token = before && mark && isSame ? mark.token : capturing.latest.keep(task.key, content.read, versions);
		return { ok: true, rest, result: { ...result, content: contentOf(content, token) }, base };
	} catch (error) {
		if (!(error instanceof JsonTextError)) throw error;
		const { code, offset, message } = error;
		return { ok: false, code, offset, message };
	}
}

async function stateOf(
	{ db, content, packs }: Capturing,
	key: string,
): Promise<{ base: Base; state: SegmentState | null }> {
	return undisturbed(async () => {
		const history = await content.state(db, key);
		if (history === undefined) return { base: null, state: null };
		const { id, revision, segment } = history;
		const base = { id, revision, segment };
		if (segment === null) return { base, state: null };
		const rows = await packs.rows(segment.id, history.packs);
		const names = await packs.lookup(segment.id, history.names);
		return { base, state: { counters: segment.counters, rows, names, chain: history.chain } };
	});
}

interface Weaving {
	read: DocumentContent;
	woven: Woven;
}

/** In a segment of its own, because the history's latest is full. */
function alone(text: Buffer): Weaving {
	const read = readResult(text, { maxBytes: text.length })?.content;
	const woven = read ? weave(read, null) : null;
	if (!read || woven === null) throw new Error("A text that was read cannot be read again");
	return { read, woven };
}

function contentOf({ read, woven }: Weaving, token: string): CaptureContent {
	const { hash, looseRows, looseHash, distinct, text } = read;
	return { hash, looseRows, looseHash: Uint8Array.from(looseHash), distinct, woven, text, token };
}
