/**
 * Stores prepared captures. The decision is repeated with the history locked, and everything or
 * nothing is stored.
 */
import type { CaptureFields, CaptureStored } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { buildNotFoundError } from "../../core/errors.ts";
import { getSqlState, type Tx } from "../../core/ports/store.ts";
import { enqueueAttribution } from "./attribute-changes.ts";
import type { Captured, CaptureTarget, PreparedCapture } from "./captures.ts";
import { decideCapture, declineCapture } from "./decide-capture.ts";
import { toMegabytes } from "./rules/outcome.ts";
import {
	insertManifest,
	insertNames,
	insertPacks,
	insertSegment,
	type SegmentRow,
	updateCounters,
} from "./sql/content.ts";
import {
	findLatestSnapshot,
	type HistoryRow,
	incrementRevision,
	insertSnapshotRow,
	lockHistory,
	type NewSnapshot,
	updateConfirmedAt,
} from "./sql/snapshots.ts";
import type { CaptureContent } from "./workers/capture.ts";

const FOREIGN_KEY_VIOLATION = "23503";

/**
 * Stores a capture in the caller's transaction, which holds the history's lock from then on.
 * Returns "stale", with nothing written, if the history has changed since the capture was prepared:
 * then it is prepared again.
 * @throws 404 if its query or user is gone
 */
export async function storeCapture(ctx: Context, tx: Tx, capture: PreparedCapture): Promise<Captured | "stale"> {
	const { content, declined, head } = capture;
	if (declined !== null) {
		await confirmLatest(ctx, tx, capture, declined);
		return declined;
	}
	if (content === null) throw new Error("A capture without content cannot be stored");
	try {
		const wanted = {
			id: ctx.ids.uuid(),
			key: capture.key,
			saved_query_id: findQueryId(capture),
			owner_id: findQueryId(capture) === null ? capture.capturer.userId : null,
			private_of: findPrivateQueryId(capture),
		};
		const holder = capture.reservation?.holder ?? null;
		const history = await lockHistory(tx, wanted, { holder, now: new Date(ctx.clock.now()) });
		if (history === undefined) throw buildNotFoundError();
		if (history.isReserved || history.revision !== (head?.revision ?? 0)) return "stale";
		return await insertSnapshot(ctx, tx, capture, history, content);
	} catch (error) {
		// The saved query or the user has been deleted meanwhile.
		capture.failure = getSqlState(error) === FOREIGN_KEY_VIOLATION ? buildNotFoundError() : error;
		throw capture.failure;
	}
}

/** Notes that the latest snapshot still holds, if the capture found the same result. */
async function confirmLatest(ctx: Context, tx: Tx, { key }: PreparedCapture, { answer }: Captured): Promise<void> {
	const isSame = answer.success && "reason" in answer && answer.reason === "duplicate";
	if (isSame) await updateConfirmedAt(tx, key, new Date(ctx.clock.now()));
}

/** The saved query whose history this is; null for private and ad-hoc captures. */
const findQueryId = ({ options, fields }: CaptureTarget): string | null =>
	options.isPrivate ? null : fields.saved_query_id;

/** The saved query of a private capture. */
const findPrivateQueryId = ({ options, fields }: CaptureTarget): string | null =>
	options.isPrivate ? fields.saved_query_id : null;

async function insertSnapshot(
	ctx: Context,
	tx: Tx,
	capture: PreparedCapture,
	history: HistoryRow,
	content: CaptureContent,
): Promise<Captured> {
	const { hash, looseRows, drift, runDrift, baselines, differences, ...rows } = content;
	const previous = await findLatestSnapshot(tx.db, capture.key);
	const final = decideCapture(capture, previous);
	if (final.kind !== "store") {
		const declined = declineCapture(capture, final);
		await confirmLatest(ctx, tx, capture, declined);
		return declined;
	}
	const snapshot: NewSnapshot = {
		id: ctx.ids.uuid(),
		history_id: history.id,
		position: (previous?.position ?? 0) + 1,
		saved_query_id: findQueryId(capture),
		private_of: findPrivateQueryId(capture),
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
		executed_at: new Date(Math.max(ctx.clock.now(), previous?.executed_at.getTime() ?? 0)),
		executed_by_id: capture.capturer.userId,
		executed_by: capture.capturer.username,
		result_count: capture.signals.rowCount,
		loose_count: looseRows,
		result_size_bytes: capture.sizeBytes,
		result_hash: hash,
		is_duplicate: final.isDuplicate,
		has_changes: final.hasChanges,
		drift: drift && JSON.stringify(drift.drift),
		annotation: null,
		label: null,
	};
	await insertSnapshotRow(tx, snapshot);
	const place = { snapshotId: snapshot.id, historyId: history.id, position: snapshot.position };
	await insertContent(ctx, tx, rows, { ...place, segment: capture.head?.segment ?? null });
	await incrementRevision(tx, history.id);
	if (differences !== null) tx.afterCommit(() => ctx.areas.history.recentDifferences.set(snapshot.id, differences));
	await ctx.events.changed(tx, capture.capturer, {
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
		await enqueueAttribution(ctx, tx, snapshot.id, capture.options.requests);
	await ctx.events.emit(tx, { type: "snapshot_captured", historyId: history.id, snapshotId: snapshot.id });
	return { answer, drift: runDrift, baselines };
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
