/**
 * Recording the end of a background run: the snapshot, the execution log, the query's counters and the audit entry, all in
 * one transaction with the mark that says so. However often the job is delivered, it happens once.
 */
import type { CaptureAnswer, CaptureStored } from "@weft/contracts";
import type { Identity } from "../../platform/caller.ts";
import { AppError } from "../../platform/errors.ts";
import type { Actor, Events } from "../../platform/events.ts";
import type { Clock } from "../../ports/clock.ts";
import type { JobQueue } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { Store, Tx } from "../../ports/store.ts";
import type { PipelineFeature, RunStanding } from "../pipelines/index.ts";
import type { SavedQueriesFeature } from "../saved-queries/index.ts";
import type { TimeMachine } from "../time-machine/index.ts";
import type { BackgroundRunRepo, RunRow } from "./repo.ts";

export const FINISH_QUEUE = "background_runs.finish";
/** Each holds a whole result. */
const CONCURRENCY = 2;
/** No user's limit of a snapshot is higher; white space between rows does not count towards it. */
const MAX_BYTES = 110 * 1024 * 1024;
const MAX_MB = 100;
/** Captures that went wrong for no fault of the run's, after which its end is recorded without a snapshot. */
const TRIES = 5;

export interface FinishDeps {
	readonly store: Store;
	readonly repo: BackgroundRunRepo;
	readonly clock: Pick<Clock, "now">;
	readonly log: Log;
	readonly events: Pick<Events, "changed">;
	readonly pipelines: Pick<PipelineFeature, "stateOf" | "documentOf">;
	/** A user as they are now; null when gone or not active. */
	identityOf(userId: number): Promise<Identity | null>;
	readonly recordExecution: SavedQueriesFeature["recordExecution"];
	readonly capture: TimeMachine["capture"];
}

/** What became of the snapshot: where it is, or why there is none; null where none was asked for. */
type Kept = { readonly snapshot_id: string } | { readonly reason: string } | null;

/** Somebody else recorded the end. */
class Recorded extends Error {}

export function createFinish(deps: FinishDeps) {
	const { store, repo, clock, log, pipelines } = deps;

	async function settle(tx: Tx, run: RunRow, job: RunStanding, kept: Kept): Promise<void> {
		const snapshotId = kept !== null && "snapshot_id" in kept ? kept.snapshot_id : null;
		if (!(await repo.finish(tx, run.job_id, new Date(clock.now()), snapshotId))) throw new Recorded();
		const outcome = outcomeOf(job);
		await deps.recordExecution(tx, {
			query: { id: run.query_id, name: run.query_name },
			user: { userId: run.user_id, username: run.username },
			...outcome,
		});
		await deps.events.changed(tx, actorOf(run, "query_execution", "query_run"), {
			targetType: "saved_query",
			targetId: run.query_id,
			description: `Ran the query ${run.query_name}${outcome.success ? "" : ", which failed"}`,
			metadata: {
				...outcome,
				version: run.query_version,
				pipeline_job_id: run.job_id,
				...(kept === null ? {} : { snapshot: kept }),
			},
		});
	}

	/** Keeps the rows, and with them the end. Answers what became of it, and whether the end is recorded. */
	async function keep(run: RunRow, job: RunStanding, signal: AbortSignal): Promise<{ kept: Kept; settled: boolean }> {
		const without = (reason: string) => ({ kept: { reason }, settled: false });
		if (job.status !== "completed" || !run.enable_time_machine) return { kept: null, settled: false };
		const identity = await deps.identityOf(run.user_id);
		if (identity === null) return without("The user is not active any more.");
		const { bytes, className, connection } = await pipelines.documentOf(identity, run.job_id, MAX_BYTES);
		if (bytes === null) return without(`The result has more than ${MAX_MB} MB.`);
		const answer = await deps.capture(
			{ ...identity, ...actorOf(run, "time_machine", "snapshot_capture"), userId: identity.userId },
			{
				bytes,
				signal,
				executionType: "manual",
				version: { version: run.query_version, versionHash: run.query_version_hash },
				fields: {
					saved_query_id: run.query_id,
					query_name: run.query_name,
					class_name: className,
					controller_connection_id: connection.id,
					controller_connection_name: connection.name,
					execution_time_ms: outcomeOf(job).execution_time_ms,
				},
				along: (tx: Tx, { snapshot_id }: CaptureStored) => settle(tx, run, job, { snapshot_id }),
			},
		);
		return stored(answer) ? { kept: answer, settled: true } : without(reasonOf(answer));
	}

	/** The same where the capture goes wrong: what will not get better is a reason, everything else is tried again. */
	async function keepOrNot(run: RunRow, job: RunStanding, signal: AbortSignal) {
		try {
			return await keep(run, job, signal);
		} catch (error) {
			if (error instanceof Recorded || signal.aborted) throw error;
			if (error instanceof AppError && error.status < 500) return { kept: { reason: error.message }, settled: false };
			if ((await repo.countFailure(store.db, run.job_id)) < TRIES) throw error;
			log.error({ err: error, job: run.job_id }, "the result of a run could not be kept as a snapshot");
			return { kept: { reason: "The result could not be kept." }, settled: false };
		}
	}

	async function finish(data: unknown, signal: AbortSignal): Promise<void> {
		const { jobId } = data as { jobId: string };
		const run = await repo.find(store.db, jobId);
		const job = await pipelines.stateOf(jobId);
		if (run === undefined || run.finished_at !== null || job === null || job.completedAt === null) return;
		try {
			const { kept, settled } = await keepOrNot(run, job, signal);
			if (!settled) await store.transaction((tx) => settle(tx, run, job, kept));
		} catch (error) {
			if (!(error instanceof Recorded)) throw error;
		}
	}

	return { queue: { name: FINISH_QUEUE, concurrency: CONCURRENCY, handler: finish } satisfies JobQueue, finish };
}

const actorOf = (
	run: RunRow,
	category: "query_execution" | "time_machine",
	action: string,
): Actor & { userId: number } => ({
	userId: run.user_id,
	username: run.username,
	ip: run.ip_address,
	userAgent: run.user_agent,
	requestId: run.request_id,
	audit: { category, action },
});

function outcomeOf({ status, totalRows, error, startedAt, completedAt }: RunStanding) {
	const success = status === "completed";
	const took = startedAt && completedAt ? completedAt.getTime() - startedAt.getTime() : 0;
	return {
		success,
		result_count: totalRows ?? 0,
		execution_time_ms: Math.max(0, took),
		error_message: success ? null : status === "cancelled" ? "The run was cancelled." : (error ?? "The run failed."),
	};
}

const stored = (answer: CaptureAnswer): answer is CaptureStored => answer.success && "snapshot_id" in answer;

function reasonOf(answer: CaptureAnswer): string {
	if (answer.success) return "It is the same as the snapshot before.";
	if (answer.error === "snapshot_too_large") {
		return `The result has ${answer.size_mb} MB; the limit is ${answer.limit_mb} MB.`;
	}
	return "reason" in answer ? answer.reason : "";
}
