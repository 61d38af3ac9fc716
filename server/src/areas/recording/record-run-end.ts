/**
 * Records the end of a run: the snapshot, the origin's outcome, the states of checks, the execution
 * log, the query's counters and the audit entry are written in one transaction, once, however often
 * the queue task is delivered.
 */
import { type Context, getNow } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import { evaluateRunChecks, type RunChecks, writeRunChecks } from "../checks/evaluate-run-checks.ts";
import { prepareAgain, releaseCapture } from "../history/prepare-capture.ts";
import { getSnapshotOutcome, type SnapshotOutcome } from "../history/snapshot-outcome.ts";
import { storeCapture } from "../history/store-capture.ts";
import { recordExecution } from "../queries/saved/record-execution.ts";
import { finishQueryRun, upsertLatestRun } from "../runs/background/sql.ts";
import { endMemberRun } from "../runs/groups/manage-group-runs.ts";
import { publishRunEnd } from "../runs/pipelines/run-signals.ts";
import { linkRunSnapshot } from "../runs/pipelines/sql/runs.ts";
import { explainFailure, prepareRunCapture, type RunCapture } from "./prepare-run-capture.ts";
import { buildRunActor, isObserved, type RunEnd } from "./run-end.ts";
import { endOrigin } from "./run-origins.ts";

/** Safe to call any number of times and concurrently: the first transaction to commit records. */
export async function recordRunEnd(ctx: Context, end: RunEnd, signal: AbortSignal): Promise<void> {
	const checks = isObserved(end) ? await evaluateRunChecks(ctx, end.run, signal) : null;
	let capture = await prepareRunCapture(ctx, end, checks?.baselines ?? [], signal);
	const { prepared } = capture;
	try {
		for (;;) {
			try {
				const written = await ctx.store.transaction((tx) => writeRunEnd(ctx, tx, end, checks, capture));
				if (written === "recorded") return;
				if (written === "over") return await ctx.store.transaction((tx) => markRecorded(ctx, tx, end));
				if (prepared !== null) await prepareAgain(ctx, prepared);
			} catch (error) {
				if (prepared === null || prepared.failure !== error) throw error;
				capture = { prepared: null, none: await explainFailure(ctx, end, error, signal) };
			}
		}
	} finally {
		if (prepared !== null) await releaseCapture(ctx, prepared);
	}
}

/**
 * Writes the end in one transaction.
 * @returns "stale", with nothing written, if the history has changed since the capture was
 * prepared; "over", with nothing written, if the end is recorded or its origin has an outcome
 */
async function writeRunEnd(
	ctx: Context,
	tx: Tx,
	end: RunEnd,
	checks: RunChecks | null,
	capture: RunCapture,
): Promise<"recorded" | "stale" | "over"> {
	const { run } = end;
	const captured = capture.prepared && (await storeCapture(ctx, tx, capture.prepared));
	if (captured === "stale") return "stale";
	const snapshot = captured === null ? capture.none : getSnapshotOutcome(captured);
	const isFirst = await finishQueryRun(tx, run.jobId, getNow(ctx));
	const note = isFirst ? await endOrigin(ctx, tx, end, snapshot) : null;
	if (note === null) {
		tx.rollBack();
		return "over";
	}
	if (snapshot !== null && snapshot.kind !== "none") await linkRunSnapshot(tx, run.jobId, snapshot.id);
	if (isObserved(end)) await upsertLatestRun(tx, run);
	if (checks !== null) await writeRunChecks(ctx, tx, run, checks, snapshot);
	const outcome = {
		success: run.success,
		result_count: run.totalRows ?? 0,
		execution_time_ms: run.executionTimeMs,
		error_message: run.errorMessage,
	};
	await recordExecution(ctx, tx, { query: run.query, user: run.user, ...outcome });
	await ctx.events.changed(tx, buildRunActor(end, "query_execution", "query_run"), {
		targetType: "saved_query",
		targetId: run.query.id,
		description: `${note.description}${run.success ? "" : ", which failed"}`,
		metadata: {
			...outcome,
			version: run.query.version,
			pipeline_job_id: run.jobId,
			...note.metadata,
			...(snapshot === null ? {} : { snapshot: presentSnapshot(snapshot) }),
		},
	});
	await showRunEnd(ctx, tx, run.jobId);
	return "recorded";
}

/** Marks an end as recorded whose outcome the origin has already. */
async function markRecorded(ctx: Context, tx: Tx, { run }: RunEnd): Promise<void> {
	if (await finishQueryRun(tx, run.jobId, getNow(ctx))) await showRunEnd(ctx, tx, run.jobId);
}

/** Shows the recorded end in the group execution of the run, and to the viewers of both. */
async function showRunEnd(ctx: Context, tx: Tx, jobId: string): Promise<void> {
	publishRunEnd(ctx, tx, jobId);
	await endMemberRun(ctx, tx, jobId);
}

function presentSnapshot(snapshot: NonNullable<SnapshotOutcome>) {
	if (snapshot.kind === "stored") return { snapshot_id: snapshot.id };
	return { reason: snapshot.kind === "none" ? snapshot.reason : "It is the same as the snapshot before." };
}
