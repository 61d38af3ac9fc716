/**
 * Prepares captures outside of transactions: a result is parsed against the head of its history.
 * `storeCapture` stores it, unless the history has changed since; then it is prepared again.
 */
import type { CaptureFields } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { isAllowed } from "../../core/caller.ts";
import { buildFieldError, buildNotFoundError, buildUnavailableError } from "../../core/errors.ts";
import { findVisibleConnection } from "../fabrics/manage-connections.ts";
import { loadVisibleQuery } from "../queries/saved/visible-query.ts";
import { findProblem, readCaptureInput } from "./capture-body.ts";
import type { CaptureInput, CaptureOptions, Capturer, CaptureTarget, PreparedCapture } from "./captures.ts";
import { decideCapture, declineCapture } from "./decide-capture.ts";
import type { KnownQuery } from "./policy.ts";
import { RESERVATION_ATTEMPTS, reserveHistory } from "./reserve-history.ts";
import { buildHistoryKey } from "./rules/history.ts";
import { guessHistory } from "./rules/history-guess.ts";
import { computeAllowedBytes } from "./rules/outcome.ts";
import { findSettingsOrDefault } from "./snapshot-settings.ts";
import { endReservation, findHistory, findLatestSnapshot } from "./sql/snapshots.ts";
import type { CaptureTask, HistoryHead, ParsedCapture } from "./workers/capture.ts";

/**
 * How often a capture is prepared before it reserves the history, because other processes changed
 * it faster.
 */
const FREE_ATTEMPTS = 5;

/** Prepares the result of a run. 400 under `result_data`, 403, 404. */
export async function prepareCapture(
	ctx: Context,
	capturer: Capturer,
	{ fields, query, bytes, options }: CaptureInput,
): Promise<PreparedCapture> {
	const settings = await findSettingsOrDefault(ctx, capturer.userId);
	const limits = { maxBytes: computeAllowedBytes(settings.max_snapshot_size_mb) };
	const target = await findTarget(ctx, capturer, { fields, query, options, settings });
	const output = await parseCapture(ctx, { bytes, as: "result", limits, key: target.key }, options);
	if (!output.ok) throw buildFieldError("result_data", `${findProblem(output.code)}: ${output.message}.`);
	if (typeof output.result === "string") throw buildFieldError("result_data", "Must be an object or an array.");
	return decideParsed(ctx, target, { document: output.result, head: output.head, key: target.key });
}

/** Prepares the body of a request, which holds fields and rows. 400, 403, 404. */
export async function prepareBody(
	ctx: Context,
	capturer: Capturer,
	bytes: Uint8Array,
	signal: AbortSignal,
): Promise<PreparedCapture> {
	const settings = await findSettingsOrDefault(ctx, capturer.userId);
	const limits = { maxBytes: computeAllowedBytes(settings.max_snapshot_size_mb) };
	// The history is only certain once the body is parsed. A wrong guess costs time and nothing
	// else.
	const guess = guessHistory(bytes);
	const key = getKey(capturer, guess, guess.controller_connection_name, { valuesDigest: null, isPrivate: false });
	const common = { executionType: "manual", origin: "client", requests: null, baselines: [], signal } as const;
	const output = await parseCapture(ctx, { bytes, as: "body", limits, key }, common);
	const { fields, document, head } = readCaptureInput(output);
	const { saved_query_id: queryId } = fields;
	const query = queryId === null ? null : await loadVisibleQuery(ctx.store.db, capturer, queryId);
	const options = { ...common, valuesDigest: null, isPrivate: isForeign(capturer, query) };
	const target = await findTarget(ctx, capturer, { fields, query, options, settings });
	return decideParsed(ctx, target, { document, head, key });
}

/**
 * Prepares a stale capture again. If others have changed the history faster each time, it is
 * reserved meanwhile. @throws 503 if even that does not help
 */
export async function prepareAgain(ctx: Context, capture: PreparedCapture): Promise<void> {
	try {
		capture.staleCount++;
		if (capture.staleCount >= FREE_ATTEMPTS) await reserveForCapture(ctx, capture);
		await parseAgain(ctx, capture);
	} catch (error) {
		capture.failure = error;
		throw error;
	}
}

/** Ends the turn and the reservation of a capture that is stored, declined or given up. */
export async function releaseCapture(ctx: Context, capture: PreparedCapture): Promise<void> {
	capture.endTurn?.();
	capture.endTurn = null;
	await endOwnReservation(ctx, capture);
}

/** Whether only the capturer sees the capture: the query belongs to another user. */
const isForeign = (capturer: Capturer, query: KnownQuery | null): boolean =>
	query !== null && !capturer.isAdmin && query.ownerId !== capturer.userId;

/** The history of a capture, and whether the caller may capture for its query and connection. */
async function findTarget(
	ctx: Context,
	capturer: Capturer,
	{ fields, query, options, settings }: Pick<CaptureTarget, "fields" | "query" | "options" | "settings">,
): Promise<CaptureTarget> {
	const { saved_query_id: queryId, controller_connection_id: connectionId } = fields;
	const connection = connectionId === null ? null : await findVisibleConnection(ctx, capturer, connectionId);
	const hidden = (queryId !== null && query === null) || (connectionId !== null && connection === null);
	const access = hidden ? "hidden" : isAllowed(capturer, "add_snapshot") ? "allowed" : "forbidden";
	const connectionName = fields.controller_connection_name || (connection?.name ?? "");
	const key = getKey(capturer, fields, connectionName, options);
	return { capturer, fields, query, options, settings, access, connectionName, key };
}

interface Parsed {
	readonly document: ParsedCapture;
	readonly head: HistoryHead;
	/** The history that the result was parsed against; it may be a wrong guess. */
	readonly key: string;
}

/** Decides about a parsed result, and waits for its turn if it is to be stored. */
async function decideParsed(
	ctx: Context,
	target: CaptureTarget,
	{ document, head, key }: Parsed,
): Promise<PreparedCapture> {
	const isAccessible = target.access === "allowed";
	if (isAccessible) await ctx.quotas.check(target.capturer, "can_use_time_machine");
	const { content, signals, sizeBytes } = document;
	const state = { staleCount: 0, reservation: null, endTurn: null, failure: null };
	const undecided = { ...target, ...state, signals, sizeBytes, content, head };
	const outcome = decideCapture(
		undecided,
		isAccessible ? await findLatestSnapshot(ctx.store.db, target.key) : undefined,
	);
	if (outcome.kind !== "store" || content === null)
		return { ...undecided, declined: declineCapture(undecided, outcome) };
	const capture: PreparedCapture = { ...undecided, declined: null };
	capture.endTurn = await ctx.areas.history.historyMutex.acquire(target.key);
	if (key === target.key) return capture;
	try {
		await parseAgain(ctx, capture);
		return capture;
	} catch (error) {
		await releaseCapture(ctx, capture);
		throw error;
	}
}

async function parseAgain(ctx: Context, capture: PreparedCapture): Promise<void> {
	if (capture.content === null) throw new Error("A capture without content cannot be stale");
	const { text } = capture.content;
	const task = { bytes: text, as: "result", limits: { maxBytes: text.byteLength }, key: capture.key } as const;
	const again = await parseCapture(ctx, task, capture.options);
	if (!again.ok || typeof again.result === "string" || again.result.content === null)
		throw new Error("A text that was parsed cannot be parsed again");
	capture.content = again.result.content;
	capture.head = again.head;
}

function parseCapture(
	ctx: Context,
	task: Omit<CaptureTask, "baselines">,
	{ baselines, signal }: Pick<CaptureOptions, "baselines" | "signal">,
) {
	const size = Math.max(task.bytes.byteLength, ...baselines.map(({ bytes }) => bytes));
	return ctx.areas.history.threads.capture({ ...task, baselines: baselines.map(({ id }) => id) }, { size, signal });
}

/** Reserves the history of a capture anew: an earlier reservation has run out. */
async function reserveForCapture(ctx: Context, capture: PreparedCapture): Promise<void> {
	await endOwnReservation(ctx, capture);
	if (capture.staleCount >= FREE_ATTEMPTS + RESERVATION_ATTEMPTS)
		throw buildUnavailableError("The history changes faster than it can be worked on.");
	const history = await findHistory(ctx.store.db, capture.key);
	if (history === undefined) throw buildNotFoundError();
	const holder = ctx.ids.uuid();
	await reserveHistory(ctx, history.id, holder);
	capture.reservation = { historyId: history.id, holder };
}

async function endOwnReservation(ctx: Context, capture: PreparedCapture): Promise<void> {
	if (capture.reservation === null) return;
	const { historyId, holder } = capture.reservation;
	capture.reservation = null;
	await endReservation(ctx.store.db, historyId, holder);
}

type HistoryFields = Pick<CaptureFields, "saved_query_id" | "query_name" | "class_name" | "controller_connection_id">;

function getKey(
	capturer: Capturer,
	fields: HistoryFields,
	connectionName: string,
	{ valuesDigest, isPrivate }: Pick<CaptureOptions, "valuesDigest" | "isPrivate">,
): string {
	return buildHistoryKey({
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
