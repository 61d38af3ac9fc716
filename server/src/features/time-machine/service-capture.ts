/**
 * Capturing: a result becomes a snapshot unless it is a duplicate, too large, or not a result. It
 * is parsed before the transaction, which decides again with the history locked, and stores
 * everything or nothing.
 */
import type { CaptureAnswer, CaptureFields, CaptureStored, SnapshotOrigin } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type Identity, isAllowed } from "../../platform/caller.ts";
import { buildForbiddenError, invalidField, notFound } from "../../platform/errors.ts";
import { type Actor, markUnchanged } from "../../platform/events.ts";
import { sqlState, type Tx } from "../../ports/store.ts";
import { findVisibleConnection } from "../connections/service.ts";
import { loadVisibleQuery } from "../saved-queries/visible-query.ts";
import { findProblem, readCaptureInput } from "./capture-body.ts";
import { historyKey } from "./domain/history.ts";
import { guessHistory } from "./domain/history-guess.ts";
import { bytesAllowed, decideOutcome, type Outcome, toMegabytes } from "./domain/outcome.ts";
import type { KnownQuery } from "./policy.ts";
import type { HistoryRow, LockedHistory, NewSnapshot, SnapshotRow } from "./repo.ts";
import { findHistory, findLatestSnapshot, incrementRevision, insertSnapshotRow, lockHistory } from "./repo.ts";
import type { BaselineRow } from "./repo-baselines.ts";
import type { SegmentRow } from "./repo-content.ts";
import { insertManifest, insertNames, insertPacks, insertSegment, updateCounters } from "./repo-content.ts";
import { findSnapshotSettings } from "./repo-settings.ts";
import { DEFAULT_SETTINGS } from "./service.ts";
import { enqueueAttribution } from "./service-attribution.ts";
import { holdHistory } from "./service-reservation.ts";
import type { CaptureContent, CaptureTask, HistoryHead, ParsedCapture } from "./workers/capture.ts";
import type { BaselineDrifts, RunDrift } from "./workers/drift.ts";

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

type CaptureOptions = Omit<CaptureInput, "fields" | "bytes" | "requests"> & {
	readonly origin: SnapshotOrigin;
	/** Null if no run made the result. */
	readonly requests: number | null;
};

/**
 * How often a capture is appended before it reserves the history, because other processes changed
 * it faster.
 */
const APPEND_ATTEMPTS = 5;
const FOREIGN_KEY_VIOLATION = "23503";

/** A parsed capture, and what it was parsed against: the head of the history with a key. */
interface Parsed {
	readonly document: ParsedCapture;
	readonly key: string;
	readonly head: HistoryHead;
}

interface Source {
	readonly access: "allowed" | "hidden" | "forbidden";
	readonly query: KnownQuery | null;
	readonly connectionName: string;
}

const listSettings = async (ctx: Context, userId: number) =>
	(await findSnapshotSettings(ctx.store.db, userId)) ?? DEFAULT_SETTINGS;

function parseCapture(
	ctx: Context,
	task: Omit<CaptureTask, "baselines">,
	{ baselines, signal }: Pick<CaptureInput, "baselines" | "signal">,
) {
	const size = Math.max(task.bytes.byteLength, ...baselines.map(({ bytes }) => bytes));
	return ctx.areas.timeMachine.threads.capture({ ...task, baselines: baselines.map(({ id }) => id) }, { size, signal });
}

/**
 * The saved query and the connection that a capture names, and whether the caller may capture for
 * them.
 */
async function findSource(ctx: Context, capturer: Capturer, fields: CaptureFields): Promise<Source> {
	const { saved_query_id: queryId, controller_connection_id: connectionId } = fields;
	const query = queryId === null ? null : await loadVisibleQuery(ctx.store.db, capturer, queryId);
	const connection = connectionId === null ? null : await findVisibleConnection(ctx, capturer, connectionId);
	const hidden = (queryId !== null && query === null) || (connectionId !== null && connection === null);
	const access = hidden ? "hidden" : isAllowed(capturer, "add_snapshot") ? "allowed" : "forbidden";
	return { access, query, connectionName: fields.controller_connection_name || (connection?.name ?? "") };
}

/** What a client captures for another user's query is seen by that client's user only. */
async function isPrivate(ctx: Context, capturer: Capturer, queryId: string | null): Promise<boolean> {
	const query = queryId === null ? null : await loadVisibleQuery(ctx.store.db, capturer, queryId);
	return query !== null && !capturer.isAdmin && query.ownerId !== capturer.userId;
}

async function captureResult(
	ctx: Context,
	capturer: Capturer,
	fields: CaptureFields,
	parsed: Parsed,
	options: CaptureOptions,
): Promise<Captured> {
	const { access, query, connectionName } = await findSource(ctx, capturer, fields);
	if (access === "allowed") await ctx.quotas.check(capturer, "can_use_time_machine");
	const { document } = parsed;
	const { content } = document;
	const settings = await listSettings(ctx, capturer.userId);
	const ofQuery = options.isPrivate ? null : fields.saved_query_id;
	const key = getKey(capturer, fields, connectionName, options);
	const decide = (previous: SnapshotRow | undefined): Outcome =>
		decideOutcome({
			isDocument: true,
			access,
			signals: document.signals,
			sizeBytes: document.sizeBytes,
			limitMb: settings.max_snapshot_size_mb,
			hash: content?.hash ?? null,
			previous: previous === undefined ? null : { id: previous.id, hash: previous.result_hash },
			// A run is recorded even if a client captured the same result before it.
			storeDuplicates: settings.store_duplicates || (options.origin === "run" && previous?.origin === "client"),
		});

	const outcome = decide(access === "allowed" ? await findLatestSnapshot(ctx.store.db, key) : undefined);
	if (outcome.kind !== "store" || content === null) return declineCapture(outcome, content);
	return ctx.areas.timeMachine.historyMutex.run(key, () => appendCapture(content));

	function declineCapture(declined: Outcome, of: CaptureContent | null): Captured {
		return { answer: answerDeclined(capturer, declined), baselines: of?.baselines ?? new Map() };
	}

	/**
	 * Stores the capture. If the history has changed since, it is parsed against the new head and
	 * tried again. If others are faster each time, the history is reserved meanwhile.
	 */
	async function appendCapture(first: CaptureContent): Promise<Captured> {
		let current = first;
		let { head } = parsed;

		async function parseAgain(): Promise<void> {
			const { text } = current;
			const task = { bytes: text, as: "result", limits: { maxBytes: text.byteLength }, key } as const;
			const again = await parseCapture(ctx, task, options);
			if (!again.ok || typeof again.result === "string" || again.result.content === null)
				throw new Error("A text that was parsed cannot be parsed again");
			current = again.result.content;
			({ head } = again);
		}

		const tryToStore = (holder: string | null) =>
			runWithHistoryLock(holder, async (tx, history) =>
				history.isReserved || history.revision !== (head?.revision ?? 0)
					? null
					: insertSnapshot(tx, history, current, head),
			);
		let isCurrent = parsed.key === key;
		for (let left = APPEND_ATTEMPTS; left > 0; left--) {
			if (!isCurrent) await parseAgain();
			const answer = await tryToStore(null);
			if (answer !== null) return answer;
			isCurrent = false;
		}
		const history = await findHistory(ctx.store.db, key);
		if (history === undefined) throw notFound();
		return holdHistory(ctx, history.id, async (holder) => {
			await parseAgain();
			return tryToStore(holder);
		});
	}

	/** Runs `change` in a transaction that holds the history's lock. */
	async function runWithHistoryLock<T>(
		holder: string | null,
		change: (tx: Tx, history: LockedHistory) => Promise<T>,
	): Promise<T> {
		return ctx.store
			.transaction(async (tx) => {
				const wanted = {
					id: ctx.ids.uuid(),
					key,
					saved_query_id: ofQuery,
					owner_id: ofQuery === null ? capturer.userId : null,
					private_of: options.isPrivate ? fields.saved_query_id : null,
				};
				const history = await lockHistory(tx, wanted, { holder, now: new Date(ctx.clock.now()) });
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
		tx: Tx,
		history: HistoryRow,
		current: CaptureContent,
		head: HistoryHead,
	): Promise<Captured> {
		const { hash, looseRows, drift, runDrift, baselines, ...rows } = current;
		const previous = await findLatestSnapshot(tx.db, key);
		const final = decide(previous);
		if (final.kind !== "store") return declineCapture(final, current);
		const snapshot: NewSnapshot = {
			id: ctx.ids.uuid(),
			history_id: history.id,
			position: (previous?.position ?? 0) + 1,
			saved_query_id: ofQuery,
			private_of: options.isPrivate ? fields.saved_query_id : null,
			values_digest: options.valuesDigest,
			query_name: fields.query_name || (query?.name ?? ""),
			class_name: fields.class_name,
			query_version: (options.version ?? query)?.version ?? "",
			query_version_hash: (options.version ?? query)?.versionHash ?? "",
			query_structure: computeStructure(fields),
			controller_connection_id: fields.controller_connection_id,
			controller_connection_name: connectionName,
			execution_type: options.executionType,
			origin: options.origin,
			execution_time_ms: fields.execution_time_ms,
			// Clocks of nodes differ. Within a history, times must not go back.
			executed_at: new Date(Math.max(ctx.clock.now(), previous?.executed_at.getTime() ?? 0)),
			executed_by_id: capturer.userId,
			executed_by: capturer.username,
			result_count: document.signals.rowCount,
			loose_count: looseRows,
			result_size_bytes: document.sizeBytes,
			result_hash: hash,
			is_duplicate: final.isDuplicate,
			has_changes: final.hasChanges,
			drift: drift && JSON.stringify(drift.drift),
			annotation: null,
			label: null,
		};
		await insertSnapshotRow(tx, snapshot);
		const place = { snapshotId: snapshot.id, historyId: history.id, position: snapshot.position };
		await insertContent(ctx, tx, rows, { ...place, segment: head?.segment ?? null });
		await incrementRevision(tx, history.id);
		await ctx.events.changed(tx, capturer, {
			targetType: "snapshot",
			targetId: snapshot.id,
			description: `${capturer.username} captured ${snapshot.query_name || "an ad-hoc query"}`,
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
		if (options.requests !== null && snapshot.controller_connection_id !== null && drift?.drift.severity)
			await enqueueAttribution(ctx, tx, snapshot.id, options.requests);
		await options.along?.(tx, answer, { drift: runDrift, baselines });
		return { answer, baselines };
	}
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

async function listLimits(ctx: Context, userId: number) {
	return { maxBytes: bytesAllowed((await listSettings(ctx, userId)).max_snapshot_size_mb) };
}

/** Captures from the body of a request, which holds fields and rows. 400, 403, 404. */
export async function fromBody(
	ctx: Context,
	capturer: Capturer,
	bytes: Uint8Array,
	signal: AbortSignal,
): Promise<CaptureAnswer> {
	const limits = await listLimits(ctx, capturer.userId);
	// The history is only certain once the body is parsed. A wrong guess costs time and nothing
	// else.
	const guess = guessHistory(bytes);
	const key = getKey(capturer, guess, guess.controller_connection_name, { valuesDigest: null, isPrivate: false });
	const options = { executionType: "manual", origin: "client", requests: null, baselines: [], signal } as const;
	const output = await parseCapture(ctx, { bytes, as: "body", limits, key }, options);
	const { fields, document, head } = readCaptureInput(output);
	const of = { valuesDigest: null, isPrivate: await isPrivate(ctx, capturer, fields.saved_query_id) };
	return (await captureResult(ctx, capturer, fields, { document, key, head }, { ...options, ...of })).answer;
}

/** Captures a result from JSON text. 400 under `result_data`, 403, 404. */
export async function captureFromResult(
	ctx: Context,
	capturer: Capturer,
	{ fields, bytes, ...options }: CaptureInput,
): Promise<Captured> {
	const limits = await listLimits(ctx, capturer.userId);
	const { connectionName } = await findSource(ctx, capturer, fields);
	const key = getKey(capturer, fields, connectionName, options);
	const output = await parseCapture(ctx, { bytes, as: "result", limits, key }, options);
	if (!output.ok) throw invalidField("result_data", `${findProblem(output.code)}: ${output.message}.`);
	if (typeof output.result === "string") throw invalidField("result_data", "Must be an object or an array.");
	return captureResult(
		ctx,
		capturer,
		fields,
		{ document: output.result, key, head: output.head },
		{ ...options, origin: "run" },
	);
}

type HistoryFields = Pick<CaptureFields, "saved_query_id" | "query_name" | "class_name" | "controller_connection_id">;

function getKey(
	capturer: Capturer,
	fields: HistoryFields,
	connectionName: string,
	{ valuesDigest, isPrivate }: Pick<CaptureInput, "valuesDigest" | "isPrivate">,
): string {
	return historyKey({
		savedQueryId: fields.saved_query_id,
		ownerId: capturer.userId,
		queryName: fields.query_name,
		className: fields.class_name,
		connectionId: fields.controller_connection_id,
		connectionName,
		valuesDigest,
		isPrivate,
	});
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
