/** Prepares the rows of an ended run as a snapshot, outside of the transaction that records it. */
import type { Context } from "../../context.ts";
import { AppError } from "../../core/errors.ts";
import { isStoreDown } from "../../core/ports/store.ts";
import type { PreparedCapture } from "../history/captures.ts";
import type { BaselineRow } from "../history/index.ts";
import { prepareCapture } from "../history/prepare-capture.ts";
import { explainNoSnapshot, type NoSnapshot } from "../history/snapshot-outcome.ts";
import { countCaptureFailure } from "../runs/background/sql.ts";
import { readRunDocument } from "../runs/pipelines/run-standing.ts";
import { buildRunActor, type RunEnd } from "./run-end.ts";
import { getExecutionType } from "./run-origins.ts";

/** The largest snapshot that any user's settings allow, in megabytes. */
const MAX_MB = 100;
/** White space between rows does not count towards the limit of a snapshot. */
const MAX_BYTES = 1.1 * MAX_MB * 1024 * 1024;
/** Failed captures after which the end is recorded without a snapshot. */
const CAPTURE_TRIES = 5;

/** `none` is null if no snapshot was requested or the run did not complete. */
export type RunCapture =
	| { readonly prepared: PreparedCapture; readonly none: null }
	| { readonly prepared: null; readonly none: NoSnapshot | null };

/** @param baselines earlier snapshots of the query and connection to compare the rows with */
export async function prepareRunCapture(
	ctx: Context,
	end: RunEnd,
	baselines: readonly BaselineRow[],
	signal: AbortSignal,
): Promise<RunCapture> {
	const { row, run, identity, versionHash } = end;
	if (!run.success || !row.keeps_snapshot) return { prepared: null, none: null };
	if (identity === null)
		return { prepared: null, none: explainNoSnapshot(`${run.user.username} is not active any more.`) };
	try {
		const { bytes, className, requests } = await readRunDocument(ctx, run.job, MAX_BYTES);
		if (bytes === null) return { prepared: null, none: explainNoSnapshot(`The result has more than ${MAX_MB} MB.`) };
		const capturer = { ...identity, ...buildRunActor(end, "time_machine", "snapshot_capture") };
		const prepared = await prepareCapture(ctx, capturer, {
			bytes,
			query: run.currentQuery,
			fields: {
				saved_query_id: run.query.id,
				query_name: run.query.name,
				class_name: className,
				controller_connection_id: run.connection.id,
				controller_connection_name: run.connection.name,
				execution_time_ms: run.executionTimeMs,
			},
			options: {
				origin: "run",
				executionType: getExecutionType(end),
				signal,
				requests,
				...(versionHash === null ? {} : { version: { version: run.query.version, versionHash } }),
				valuesDigest: row.values_digest,
				isPrivate: !row.is_trusted,
				baselines,
			},
		});
		return { prepared, none: null };
	} catch (error) {
		return { prepared: null, none: await explainFailure(ctx, end, error, signal) };
	}
}

/** Counts a failed capture. @throws the error while it is worth another try */
export async function explainFailure(
	ctx: Context,
	{ run }: RunEnd,
	error: unknown,
	signal: AbortSignal,
): Promise<NoSnapshot> {
	if (signal.aborted || isStoreDown(error)) throw error;
	if (error instanceof AppError && error.status < 500) return explainNoSnapshot(error.message);
	if ((await countCaptureFailure(ctx.store.db, run.jobId)) < CAPTURE_TRIES) throw error;
	ctx.log.error({ err: error, job: run.jobId }, "the result of a run could not be captured");
	return explainNoSnapshot("The result could not be captured because of an internal error.");
}
