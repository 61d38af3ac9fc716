/** Stores a capture in its history, parsed again when the history has changed since. */
import type { CaptureAnswer, CaptureFields, CaptureStored, SnapshotOrigin } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Identity } from "../../core/caller.ts";
import { buildForbiddenError, notFound } from "../../core/errors.ts";
import { type Actor, markUnchanged } from "../../core/events.ts";
import { sqlState, type Tx } from "../../ports/store.ts";
import { decideOutcome, type Outcome, toMegabytes } from "./domain/outcome.ts";
import type { KnownQuery } from "./policy.ts";
import {
	findHistory,
	findLatestSnapshot,
	type HistoryRow,
	incrementRevision,
	insertSnapshotRow,
	type LockedHistory,
	lockHistory,
	type NewSnapshot,
	type SnapshotRow,
} from "./repo.ts";
import type { BaselineRow } from "./repo-baselines.ts";
import {
	insertManifest,
	insertNames,
	insertPacks,
	insertSegment,
	type SegmentRow,
	updateCounters,
} from "./repo-content.ts";
import { findSnapshotSettings } from "./repo-settings.ts";
import { DEFAULT_SETTINGS } from "./service.ts";
import { enqueueAttribution } from "./service-attribution.ts";
import { holdHistory } from "./service-reservation.ts";
import type { CaptureContent, CaptureTask, HistoryHead, ParsedCapture } from "./workers/capture.ts";
import type { BaselineDrifts, RunDrift } from "./workers/drift.ts";

export interface CapturedDrifts {
	/**
	 * Against the latest snapshot of a run, null if there is none; snapshots that clients captured do
	 * not count.
	 */
	readonly drift: RunDrift | null;
	readonly baselines: BaselineDrifts;
}

/** What became of a result. `baselines` is known also where it equals the latest snapshot. */
export interface Captured {
	readonly answer: CaptureAnswer;
	readonly baselines: BaselineDrifts;
}

/**
 * How often a capture is appended before it reserves the history, because other processes changed
 * it faster.
 */
const APPEND_ATTEMPTS = 5;

const FOREIGN_KEY_VIOLATION = "23503";

/** A parsed capture, and what it was parsed against: the head of the history with a key. */
export interface Parsed {
	readonly document: ParsedCapture;
	readonly key: string;
	readonly head: HistoryHead;
}

export interface Source {
	readonly access: "allowed" | "hidden" | "forbidden";
	readonly query: KnownQuery | null;
	readonly connectionName: string;
}

export function parseCapture(
	ctx: Context,
	task: Omit<CaptureTask, "baselines">,
	{ baselines, signal }: Pick<CaptureInput, "baselines" | "signal">,
) {
	const size = Math.max(task.bytes.byteLength, ...baselines.map(({ bytes }) => bytes));
	return ctx.areas.history.threads.capture({ ...task, baselines: baselines.map(({ id }) => id) }, { size, signal });
}

/** A capture that may be stored, and the history that it belongs to. */
export interface CaptureState extends Source {
	readonly ctx: Context;
	readonly capturer: Capturer;
	readonly fields: CaptureFields;
	readonly parsed: Parsed;
	readonly options: CaptureOptions;
	readonly settings: Awaited<ReturnType<typeof listSettings>>;
	/** The saved query whose history this is; null for private and ad-hoc captures. */
	readonly ofQuery: string | null;
	/** Identifies the history. */
	readonly key: string;
}

export const decideCapture = (capture: CaptureState, previous: SnapshotRow | undefined): Outcome =>
	decideOutcome({
		isDocument: true,
		access: capture.access,
		signals: capture.parsed.document.signals,
		sizeBytes: capture.parsed.document.sizeBytes,
		limitMb: capture.settings.max_snapshot_size_mb,
		hash: capture.parsed.document.content?.hash ?? null,
		previous: previous === undefined ? null : { id: previous.id, hash: previous.result_hash },
		// A run is recorded even if a client captured the same result before it.
		storeDuplicates:
			capture.settings.store_duplicates || (capture.options.origin === "run" && previous?.origin === "client"),
	});

export function declineCapture(capture: CaptureState, declined: Outcome, of: CaptureContent | null): Captured {
	return { answer: answerDeclined(capture.capturer, declined), baselines: of?.baselines ?? new Map() };
}

/**
 * Stores the capture. If the history has changed since, it is parsed against the new head and
 * tried again. If others are faster each time, the history is reserved meanwhile.
 */
export async function appendCapture(capture: CaptureState, first: CaptureContent): Promise<Captured> {
	let current = first;
	let { head } = capture.parsed;

	async function parseAgain(): Promise<void> {
		const { text } = current;
		const task = { bytes: text, as: "result", limits: { maxBytes: text.byteLength }, key: capture.key } as const;
		const again = await parseCapture(capture.ctx, task, capture.options);
		if (!again.ok || typeof again.result === "string" || again.result.content === null)
			throw new Error("A text that was parsed cannot be parsed again");
		current = again.result.content;
		({ head } = again);
	}

	const tryToStore = (holder: string | null) =>
		runWithHistoryLock(capture, holder, async (tx, history) =>
			history.isReserved || history.revision !== (head?.revision ?? 0)
				? null
				: insertSnapshot(capture, tx, history, current, head),
		);
	let isCurrent = capture.parsed.key === capture.key;
	for (let left = APPEND_ATTEMPTS; left > 0; left--) {
		if (!isCurrent) await parseAgain();
		const answer = await tryToStore(null);
		if (answer !== null) return answer;
		isCurrent = false;
	}
	const history = await findHistory(capture.ctx.store.db, capture.key);
	if (history === undefined) throw notFound();
	return holdHistory(capture.ctx, history.id, async (holder) => {
		await parseAgain();
		return tryToStore(holder);
	});
}

/** Runs `change` in a transaction that holds the history's lock. */
async function runWithHistoryLock<T>(
	capture: CaptureState,
	holder: string | null,
	change: (tx: Tx, history: LockedHistory) => Promise<T>,
): Promise<T> {
	return capture.ctx.store
		.transaction(async (tx) => {
			const wanted = {
				id: capture.ctx.ids.uuid(),
				key: capture.key,
				saved_query_id: capture.ofQuery,
				owner_id: capture.ofQuery === null ? capture.capturer.userId : null,
				private_of: capture.options.isPrivate ? capture.fields.saved_query_id : null,
			};
			const history = await lockHistory(tx, wanted, { holder, now: new Date(capture.ctx.clock.now()) });
			if (history === undefined) throw notFound();
			return change(tx, history);
		})
		.catch((error: unknown) => {
			// The saved query or the user has been deleted meanwhile.
			if (sqlState(error) === FOREIGN_KEY_VIOLATION) throw notFound();
			throw error;
		});
}

async function insertSnapshot(
	capture: CaptureState,
	tx: Tx,
	history: HistoryRow,
	current: CaptureContent,
	head: HistoryHead,
): Promise<Captured> {
	const { hash, looseRows, drift, runDrift, baselines, ...rows } = current;
	const previous = await findLatestSnapshot(tx.db, capture.key);
	const final = decideCapture(capture, previous);
	if (final.kind !== "store") return declineCapture(capture, final, current);
	const snapshot: NewSnapshot = {
		id: capture.ctx.ids.uuid(),
		history_id: history.id,
		position: (previous?.position ?? 0) + 1,
		saved_query_id: capture.ofQuery,
		private_of: capture.options.isPrivate ? capture.fields.saved_query_id : null,
		values_digest: capture.options.valuesDigest,
		query_name: capture.fields.query_name || (capture.query?.name ?? ""),
		class_name: capture.fields.class_name,
		query_version: (capture.options.version ?? capture.query)?.version ?? "",
		query_version_hash: (capture.options.version ?? capture.query)?.versionHash ?? "",
		query_structure: computeStructure(capture.fields),
		controller_connection_id: capture.fields.controller_connection_id,
		controller_connection_name: capture.connectionName,
		execution_type: capture.options.executionType,
		origin: capture.options.origin,
		execution_time_ms: capture.fields.execution_time_ms,
		// Clocks of nodes differ. Within a history, times must not go back.
		executed_at: new Date(Math.max(capture.ctx.clock.now(), previous?.executed_at.getTime() ?? 0)),
		executed_by_id: capture.capturer.userId,
		executed_by: capture.capturer.username,
		result_count: capture.parsed.document.signals.rowCount,
		loose_count: looseRows,
		result_size_bytes: capture.parsed.document.sizeBytes,
		result_hash: hash,
		is_duplicate: final.isDuplicate,
		has_changes: final.hasChanges,
		drift: drift && JSON.stringify(drift.drift),
		annotation: null,
		label: null,
	};
	await insertSnapshotRow(tx, snapshot);
	const place = { snapshotId: snapshot.id, historyId: history.id, position: snapshot.position };
	await insertContent(capture.ctx, tx, rows, { ...place, segment: head?.segment ?? null });
	await incrementRevision(tx, history.id);
	await capture.ctx.events.changed(tx, capture.capturer, {
		targetType: "snapshot",
		targetId: snapshot.id,
		description: `${capture.capturer.username} captured ${snapshot.query_name || "an ad-hoc query"}`,
		metadata: { result_count: snapshot.result_count, has_changes: snapshot.has_changes },
	});
	const answer: CaptureStored = {
		success: true,
		snapshot_id: snapshot.id,
		result_count: snapshot.result_count,
		result_size_mb: toMegabytes(snapshot.result_size_bytes),
		is_duplicate: snapshot.is_duplicate,
		has_changes: snapshot.has_changes,
	};
	if (capture.options.requests !== null && snapshot.controller_connection_id !== null && drift?.drift.severity)
		await enqueueAttribution(capture.ctx, tx, snapshot.id, capture.options.requests);
	await capture.options.along?.(tx, answer, { drift: runDrift, baselines });
	return { answer, baselines };
}

async function insertContent(
	ctx: Context,
	tx: Tx,
	{ appended, distinct, looseHash }: Pick<CaptureContent, "appended" | "distinct" | "looseHash">,
	of: { snapshotId: string; historyId: string; position: number; segment: SegmentRow | null },
): Promise<void> {
	let segmentId = of.segment?.id;
	if (appended.startsSegment || segmentId === undefined) {
		segmentId = ctx.ids.uuid();
		const serial = (of.segment?.serial ?? 0) + 1;
		await insertSegment(tx, of.historyId, { id: segmentId, serial, counters: appended.counters });
	} else if (appended.packs.length > 0) await updateCounters(tx, segmentId, appended.counters);
	await insertPacks(tx, segmentId, appended.packs);
	await insertNames(tx, segmentId, appended.names);
	await insertManifest(tx, { ...of, segmentId, distinct, looseHash }, appended.manifest);
}

function computeStructure(fields: CaptureFields): string | null {
	if (fields.saved_query_id !== null || fields.query_structure === undefined) return null;
	return JSON.stringify(fields.query_structure);
}

/** The answer if nothing is stored. */
function answerDeclined(capturer: Capturer, outcome: Outcome): CaptureAnswer {
	switch (outcome.kind) {
		case "hidden":
			throw notFound();
		case "forbidden":
			throw buildForbiddenError("You need the permission add_snapshot for this.");
		case "controller_error":
			markUnchanged(capturer);
			return { success: false, error: "controller_error_response", reason: outcome.reason };
		case "too_large":
			markUnchanged(capturer);
			return { success: false, error: "snapshot_too_large", size_mb: outcome.sizeMb, limit_mb: outcome.limitMb };
		case "duplicate":
			markUnchanged(capturer);
			return { success: true, skipped: true, reason: "duplicate", previous_snapshot_id: outcome.previousId };
		default:
			throw new Error(`A capture cannot end as ${outcome.kind}`);
	}
}

/** Who captures: a user, with a request or through a background run. */
export type Capturer = Identity & Actor;

export interface CaptureInput {
	readonly fields: CaptureFields;
	/**
	 * result_data: an object or an array as JSON text. Large bytes are transferred to a thread, which
	 * leaves the caller's view of them empty.
	 */
	readonly bytes: Uint8Array;
	readonly executionType: "manual" | "scheduled";
	readonly signal?: AbortSignal | undefined;
	/** Requests to the controller that the run made. */
	readonly requests: number;
	/** The version of the saved query that ran, if the query may have been edited since. */
	readonly version?: Pick<KnownQuery, "version" | "versionHash">;
	/** Of the variable values; null for those of the saved query. */
	readonly valuesDigest: string | null;
	/** Whether only the capturer sees the result of the saved query. */
	readonly isPrivate: boolean;
	/** Snapshots of the history that the result is compared with, beside the latest one. */
	readonly baselines: readonly BaselineRow[];
	/**
	 * Runs in the transaction that stores the snapshot, and not at all if none is stored. May run
	 * again when the transaction is retried.
	 */
	readonly along?: (tx: Tx, answer: CaptureStored, drifts: CapturedDrifts) => Promise<void>;
}

export type CaptureOptions = Omit<CaptureInput, "fields" | "bytes" | "requests"> & {
	readonly origin: SnapshotOrigin;
	/** Null if no run made the result. */
	readonly requests: number | null;
};

export const listSettings = async (ctx: Context, userId: number) =>
	(await findSnapshotSettings(ctx.store.db, userId)) ?? DEFAULT_SETTINGS;
