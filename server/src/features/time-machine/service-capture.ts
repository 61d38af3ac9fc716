/**
 * Capturing: a result becomes a snapshot unless it is a duplicate, too large or no result at all. The heavy work is done before the transaction,
 * which then decides once more, with the history locked, and writes everything or nothing.
 */
import type { CaptureAnswer, CaptureFields, CaptureStored } from "@weft/contracts";
import { type Identity, isAllowed } from "../../platform/caller.ts";
import { forbidden, invalidField, notFound, unavailable } from "../../platform/errors.ts";
import { type Actor, unchanged } from "../../platform/events.ts";
import { sqlState, type Tx } from "../../ports/store.ts";
import { captureInput, problemOf } from "./capture-body.ts";
import { hintOf } from "./domain/hint.ts";
import { historyKey } from "./domain/history.ts";
import { bytesAllowed, decideOutcome, megabytes, type Outcome } from "./domain/outcome.ts";
import type { KnownQuery } from "./policy.ts";
import type { NewSnapshot, SnapshotRow } from "./repo.ts";
import type { SegmentRow } from "./repo-content.ts";
import { DEFAULT_SETTINGS, type TimeMachineDeps } from "./service.ts";
import type { Base, CaptureContent, CaptureRead, CaptureTask } from "./workers/capturing.ts";
import type { LatestMark } from "./workers/latest.ts";
import { createLru } from "./workers/lru.ts";

/** Who captures: a user, by a request or through a background run. */
export type Capturer = Identity & Actor;

export interface CaptureInput {
	readonly fields: CaptureFields;
	/** result_data by itself: an object or an array. Large bytes are taken over, unless they are shared: the caller's view of them is empty afterwards. */
	readonly bytes: Uint8Array;
	readonly executionType: "manual" | "scheduled";
	readonly signal?: AbortSignal | undefined;
	/** The version of the saved query that was run, where that may be another one by now. */
	readonly version?: Pick<KnownQuery, "version" | "versionHash">;
	/** Written in the transaction that stores the snapshot; not called when none is stored. May be called again when it is retried. */
	readonly along?: (tx: Tx, answer: CaptureStored) => Promise<void>;
}

/** Histories of which it is remembered as what their latest text was kept. */
const MARKS = 1_000;
/** How often a capture is woven again because others were faster. */
const TRIES = 20;

interface Captured {
	readonly document: CaptureRead;
	/** The history that it was read against, and as which. */
	readonly key: string;
	readonly base: Base;
}

type Access = "allowed" | "hidden" | "forbidden";

interface Source {
	readonly access: Access;
	readonly query: KnownQuery | null;
	readonly connectionName: string;
}

export function createCapture(deps: TimeMachineDeps) {
	const { store, repo, clock, ids, events, work, content } = deps;

	const settingsOf = async (userId: number) => (await deps.settings.find(store.db, userId)) ?? DEFAULT_SETTINGS;

	/** The latest snapshots of histories that were captured here, for the captures after them. */
	const latest = createLru<LatestMark>(MARKS);
	const read = (task: Omit<CaptureTask, "latest">, signal: AbortSignal | undefined) =>
		work.capture({ ...task, latest: latest.get(task.key) ?? null }, { size: task.bytes.byteLength, signal });

	/** The saved query and the connection that the capture names, and whether the caller may capture for them. */
	async function sourceOf(capturer: Capturer, fields: CaptureFields): Promise<Source> {
		const { saved_query_id: queryId, controller_connection_id: connectionId } = fields;
		const query = queryId === null ? null : await deps.queries.find(capturer, queryId);
		const connection = connectionId === null ? null : await deps.connections.find(capturer, connectionId);
		const hidden = (queryId !== null && query === null) || (connectionId !== null && connection === null);
		const access = hidden ? "hidden" : isAllowed(capturer, "add_snapshot") ? "allowed" : "forbidden";
		return { access, query, connectionName: fields.controller_connection_name || (connection?.name ?? "") };
	}

	async function capture(
		capturer: Capturer,
		fields: CaptureFields,
		{ document, key: readAs, base: readBase }: Captured,
		options: Omit<CaptureInput, "fields" | "bytes">,
	): Promise<CaptureAnswer> {
		const { access, query, connectionName } = await sourceOf(capturer, fields);
		if (access === "allowed") await deps.assertQuota(capturer);
		const settings = await settingsOf(capturer.userId);
		const key = keyOf(capturer, fields, connectionName);
		const decide = (previous: SnapshotRow | undefined): Outcome =>
			decideOutcome({
				isDocument: true,
				access,
				signals: document.signals,
				sizeBytes: document.sizeBytes,
				limitMb: settings.max_snapshot_size_mb,
				hash: document.content?.hash ?? null,
				previous: previous === undefined ? null : { id: previous.id, hash: previous.result_hash },
				storeDuplicates: settings.store_duplicates,
			});

		const outcome = decide(access === "allowed" ? await repo.latest(store.db, key) : undefined);
		const { content: kept } = document;
		if (outcome.kind !== "store" || kept === null) return declined(capturer, outcome);
		return deps.turns.run(key, () => keep(kept));

		/** Stores what was woven unless the history has changed meanwhile; then it is woven into what it has become. */
		async function keep(given: CaptureContent): Promise<CaptureAnswer> {
			let { woven, text, token } = given;
			let base = readBase;
			let fits = readAs === key;
			for (let left = TRIES; left > 0; left--) {
				if (!fits) {
					const limits = { maxBytes: text.byteLength };
					const again = await read({ bytes: text, as: "result", limits, key }, options.signal);
					if (!again.ok || typeof again.result === "string" || again.result.content === null)
						throw new Error("A text that was read cannot be read again");
					({ woven, text, token } = again.result.content);
					({ base } = again);
				}
				const answer = await insert({ ...given, woven, token }, base);
				if (answer !== null) return answer;
				fits = false;
			}
			throw unavailable("The history changes faster than this capture can be added to it.");
		}

		/** Null when the history is no longer what the capture was woven into. */
		async function insert(
			{ hash, looseRows, token, ...rows }: CaptureContent,
			base: Base,
		): Promise<CaptureAnswer | null> {
			return store
				.transaction(async (tx) => {
					const history = await repo.lockHistory(tx, {
						id: ids.uuid(),
						key,
						saved_query_id: fields.saved_query_id,
						owner_id: fields.saved_query_id === null ? capturer.userId : null,
					});
					if (history === undefined) throw notFound();
					if (history.revision !== (base?.revision ?? 0)) return null;
					const previous = await repo.latest(tx.db, key);
					const final = decide(previous);
					if (final.kind !== "store") return declined(capturer, final);
					const snapshot: NewSnapshot = {
						id: ids.uuid(),
						history_id: history.id,
						position: (previous?.position ?? 0) + 1,
						saved_query_id: fields.saved_query_id,
						query_name: fields.query_name || (query?.name ?? ""),
						class_name: fields.class_name,
						query_version: (options.version ?? query)?.version ?? "",
						query_version_hash: (options.version ?? query)?.versionHash ?? "",
						query_structure: structureOf(fields),
						controller_connection_id: fields.controller_connection_id,
						controller_connection_name: connectionName,
						execution_type: options.executionType,
						execution_time_ms: fields.execution_time_ms,
						// Clocks of several nodes differ a little; the order in a history does not.
						executed_at: new Date(Math.max(clock.now(), previous?.executed_at.getTime() ?? 0)),
						executed_by_id: capturer.userId,
						executed_by: capturer.username,
						result_count: document.signals.rowCount,
						loose_count: looseRows,
						result_size_bytes: document.sizeBytes,
						result_hash: hash,
						is_duplicate: final.isDuplicate,
						has_changes: final.hasChanges,
						annotation: null,
						label: null,
					};
					await repo.insert(tx, snapshot);
					const place = { snapshotId: snapshot.id, historyId: history.id, position: snapshot.position };
					await storeWoven(tx, rows, { ...place, segment: base?.segment ?? null });
					await repo.touchHistory(tx, history.id);
					const mark = { historyId: history.id, revision: history.revision + 1, token };
					tx.afterCommit(() => latest.set(key, mark, 1));
					await events.changed(tx, capturer, {
						targetType: "snapshot",
						targetId: snapshot.id,
						description: `${capturer.username} captured ${snapshot.query_name || "an ad-hoc query"}`,
						metadata: { result_count: snapshot.result_count, has_changes: snapshot.has_changes },
					});
					const answer: CaptureStored = {
						success: true,
						snapshot_id: snapshot.id,
						result_count: snapshot.result_count,
						result_size_mb: megabytes(snapshot.result_size_bytes),
						is_duplicate: snapshot.is_duplicate,
						has_changes: snapshot.has_changes,
					};
					await options.along?.(tx, answer);
					return answer;
				})
				.catch((error: unknown) => {
					// The saved query, or the user, was deleted meanwhile.
					if (sqlState(error) === FOREIGN_KEY_VIOLATION) throw notFound();
					throw error;
				});
		}
	}

	async function storeWoven(
		tx: Tx,
		{ woven, distinct, looseHash }: Pick<CaptureContent, "woven" | "distinct" | "looseHash">,
		of: { snapshotId: string; historyId: string; position: number; segment: SegmentRow | null },
	): Promise<void> {
		let segmentId = of.segment?.id;
		if (woven.fresh || segmentId === undefined) {
			segmentId = ids.uuid();
			const serial = (of.segment?.serial ?? 0) + 1;
			await content.insertSegment(tx, of.historyId, { id: segmentId, serial, counters: woven.counters });
		} else if (woven.packs.length > 0) await content.count(tx, segmentId, woven.counters);
		await content.insertPacks(tx, segmentId, woven.packs);
		await content.insertNames(tx, segmentId, woven.names);
		await content.insertManifest(tx, { ...of, segmentId, distinct, looseHash }, woven.manifest);
	}

	async function limitsOf(userId: number) {
		return { maxBytes: bytesAllowed((await settingsOf(userId)).max_snapshot_size_mb) };
	}

	return {
		/** Captures from the body of a request, which holds fields and rows. 400, 403, 404. */
		async fromBody(capturer: Capturer, bytes: Uint8Array, signal: AbortSignal): Promise<CaptureAnswer> {
			const limits = await limitsOf(capturer.userId);
			// Which history it is can only be said for certain once the body is read; a wrong guess costs time and nothing else.
			const hint = hintOf(bytes);
			const key = keyOf(capturer, hint, hint.controller_connection_name);
			const output = await read({ bytes, as: "body", limits, key }, signal);
			try {
				const { fields, document, base } = captureInput(output);
				return await capture(capturer, fields, { document, key, base }, { executionType: "manual", signal });
			} finally {
				deps.bodyMemory.give(bytes);
			}
		},

		/** Captures rows that are there as text. 400 under `result_data`, 403, 404. */
		async fromResult(capturer: Capturer, { fields, bytes, ...options }: CaptureInput): Promise<CaptureAnswer> {
			const limits = await limitsOf(capturer.userId);
			const { connectionName } = await sourceOf(capturer, fields);
			const key = keyOf(capturer, fields, connectionName);
			const output = await read({ bytes, as: "result", limits, key }, options.signal);
			if (!output.ok) throw invalidField("result_data", `${problemOf(output.code)}: ${output.message}.`);
			if (typeof output.result === "string") throw invalidField("result_data", "Must be an object or an array.");
			return capture(capturer, fields, { document: output.result, key, base: output.base }, options);
		},
	};
}

type HistoryFields = Pick<CaptureFields, "saved_query_id" | "query_name" | "class_name" | "controller_connection_id">;

function keyOf(capturer: Capturer, fields: HistoryFields, connectionName: string): string {
	return historyKey({
		savedQueryId: fields.saved_query_id,
		ownerId: capturer.userId,
		queryName: fields.query_name,
		className: fields.class_name,
		connectionId: fields.controller_connection_id,
		connectionName,
	});
}

const FOREIGN_KEY_VIOLATION = "23503";

function structureOf(fields: CaptureFields): string | null {
	if (fields.saved_query_id !== null || fields.query_structure === undefined) return null;
	return JSON.stringify(fields.query_structure);
}

/** The answer when nothing is kept. */
function declined(capturer: Capturer, outcome: Outcome): CaptureAnswer {
	switch (outcome.kind) {
		case "hidden":
			throw notFound();
		case "forbidden":
			throw forbidden("You need the permission add_snapshot for this.");
		case "controller_error":
			unchanged(capturer);
			return { success: false, error: "controller_error_response", reason: outcome.reason };
		case "too_large":
			unchanged(capturer);
			return {
				success: false,
				error: "snapshot_too_large",
				size_mb: outcome.sizeMb,
				limit_mb: outcome.limitMb,
			};
		case "duplicate":
			unchanged(capturer);
			return { success: true, skipped: true, reason: "duplicate", previous_snapshot_id: outcome.previousId };
		default:
			throw new Error(`A capture cannot end as ${outcome.kind}`);
	}
}
