/**
 * Capturing: a result becomes a snapshot unless it is a duplicate, too large, or not a result. It
 * is parsed before the transaction, which decides again with the history locked, and stores
 * everything or nothing.
 */
import type { CaptureAnswer, CaptureFields } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { isAllowed } from "../../core/caller.ts";
import { invalidField } from "../../core/errors.ts";
import { findVisibleConnection } from "../fabrics/service.ts";
import { loadVisibleQuery } from "../queries/saved/visible-query.ts";
import { findProblem, readCaptureInput } from "./capture-body.ts";
import { historyKey } from "./domain/history.ts";
import { guessHistory } from "./domain/history-guess.ts";
import { bytesAllowed } from "./domain/outcome.ts";
import { findLatestSnapshot } from "./repo.ts";
import {
	appendCapture,
	type Captured,
	type CaptureInput,
	type CaptureOptions,
	type Capturer,
	type CaptureState,
	decideCapture,
	declineCapture,
	listSettings,
	type Parsed,
	parseCapture,
	type Source,
} from "./service-capture-store.ts";

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

	const key = getKey(capturer, fields, connectionName, options);
	const capture: CaptureState = {
		ctx,
		capturer,
		fields,
		parsed,
		options,
		access,
		query,
		connectionName,
		settings: await listSettings(ctx, capturer.userId),
		ofQuery: options.isPrivate ? null : fields.saved_query_id,
		key,
	};

	const outcome = decideCapture(
		capture,
		access === "allowed" ? await findLatestSnapshot(ctx.store.db, key) : undefined,
	);
	if (outcome.kind !== "store" || content === null) return declineCapture(capture, outcome, content);
	return ctx.areas.history.historyMutex.run(key, () => appendCapture(capture, content));
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
