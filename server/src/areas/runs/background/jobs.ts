/**
 * Records the end of runs: the snapshot, the execution log, the query's counters, the audit entry
 * and the origin's own outcome are written in one transaction, once, however often the queue task
 * is delivered.
 */
import type { Context } from "../../../context.ts";
import type { Identity } from "../../../core/caller.ts";
import { AppError } from "../../../core/errors.ts";
import type { Actor } from "../../../core/events.ts";
import { runInShare } from "../../../core/work-share.ts";
import { isStoreDown, type Tx } from "../../../ports/store.ts";
import { findIdentity } from "../../accounts/sign-in/service-sessions.ts";
import type { Captured } from "../../history/index.ts";
import { captureFromResult } from "../../history/service-capture.ts";
import type { VisibleQuery } from "../../queries/saved/index.ts";
import { recordExecution } from "../../queries/saved/service-executions.ts";
import { loadVisibleQuery } from "../../queries/saved/visible-query.ts";
import { linkRunSnapshot } from "../pipelines/repo.ts";
import { findRunStanding, type RunStanding, readRunDocument } from "../pipelines/service-standing.ts";
import type { EndedRun, Observation, RunObserver, RunOrigin, SnapshotOutcome } from "./origins.ts";
import type { QueryRunRow } from "./repo.ts";
import { countCaptureFailure, findOpenQueryRun, finishQueryRun, listUnrecordedRuns, upsertLatestRun } from "./repo.ts";

export const RECORD_QUEUE = "query_runs.record";
/** The largest snapshot that any user's settings allow, in megabytes. */
const MAX_MB = 100;
/** White space between rows does not count towards the limit of a snapshot. */
const MAX_BYTES = 1.1 * MAX_MB * 1024 * 1024;
/** Failed captures after which the end is recorded without a snapshot. */
const CAPTURE_TRIES = 5;
/** A run that ended this long ago without a record has lost its queue task. */
const LOST_MS = 60_000;
const LOST_AT_ONCE = 100;

interface ObservedRun extends EndedRun {
	readonly observed: readonly Observation[];
}

/**
 * The end is recorded already, or the origin has an outcome already. Rolls back what this delivery
 * has written.
 */
class AlreadyEnded extends Error {}

/** The parts of the service that take part in recording ended runs. */
interface RecorderState {
	readonly ctx: Context;
	readonly origins: Map<string, RunOrigin>;
	readonly observers: RunObserver[];
}

/**
 * A cancelled run shows nothing of the fabric, other variable values show something else, and a
 * user who may not edit the query decides nothing of it.
 */
const isObserved = (row: QueryRunRow, { status }: EndedRun): boolean =>
	status !== "cancelled" && row.is_trusted && row.values_digest === null;

async function observeRun(
	recorder: RecorderState,
	row: QueryRunRow,
	run: EndedRun,
	signal: AbortSignal,
): Promise<Observation[]> {
	const observed: Observation[] = [];
	if (!isObserved(row, run)) return observed;
	for (const observer of recorder.observers) observed.push(await observer.observe(run, signal));
	return observed;
}

async function recordRunEnd(
	recorder: RecorderState,
	tx: Tx,
	row: QueryRunRow,
	{ observed, ...run }: ObservedRun,
	snapshot: SnapshotOutcome,
): Promise<void> {
	const origin = getOrigin(recorder, row);
	if (!(await finishQueryRun(tx, run.jobId, new Date(recorder.ctx.clock.now())))) throw new AlreadyEnded();
	const note = await origin.ended(tx, run, snapshot);
	if (note === null) throw new AlreadyEnded();
	if (snapshot !== null && snapshot.kind !== "none") await linkRunSnapshot(tx, run.jobId, snapshot.id);
	if (isObserved(row, run)) await upsertLatestRun(tx, run);
	for (const observation of observed) await observation.write(tx, snapshot);
	const outcome = {
		success: run.success,
		result_count: run.totalRows ?? 0,
		execution_time_ms: run.executionTimeMs,
		error_message: run.errorMessage,
	};
	await recordExecution(recorder.ctx, tx, { query: run.query, user: run.user, ...outcome });
	await recorder.ctx.events.changed(tx, buildActor(row, run, "query_execution", "query_run"), {
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
	await recorder.ctx.events.emit(tx, { type: "pipeline_job_recorded", jobId: run.jobId });
}

/** Marks an end as recorded whose outcome the origin has already. */
async function markRecorded(recorder: RecorderState, tx: Tx, jobId: string): Promise<void> {
	if (await finishQueryRun(tx, jobId, new Date(recorder.ctx.clock.now()))) {
		await recorder.ctx.events.emit(tx, { type: "pipeline_job_recorded", jobId });
	}
}

/**
 * Captures the rows. Returns "settled" when a snapshot was stored: the end is recorded with it.
 */
async function captureRows(
	recorder: RecorderState,
	row: QueryRunRow,
	run: ObservedRun,
	identity: Identity | null,
	versionHash: string | null,
	signal: AbortSignal,
): Promise<Exclude<SnapshotOutcome, { kind: "stored" }> | "settled"> {
	if (!run.success || !row.keeps_snapshot) return null;
	const origin = getOrigin(recorder, row);
	const refusal = (await origin.refuseSnapshot?.(run)) ?? null;
	if (refusal !== null) return explainNoSnapshot(refusal);
	if (identity === null) return explainNoSnapshot(`${run.user.username} is not active any more.`);
	let isSettling = false;
	try {
		const { bytes, className, requests } = await readRunDocument(recorder.ctx, identity, run.jobId, MAX_BYTES);
		if (bytes === null) return explainNoSnapshot(`The result has more than ${MAX_MB} MB.`);
		const captured = await captureFromResult(
			recorder.ctx,
			{ ...identity, ...buildActor(row, run, "time_machine", "snapshot_capture") },
			{
				bytes,
				requests,
				signal,
				executionType: origin.executionType,
				valuesDigest: row.values_digest,
				isPrivate: !row.is_trusted,
				baselines: run.observed.flatMap(({ baselines }) => baselines),
				...(versionHash === null ? {} : { version: { version: run.query.version, versionHash } }),
				fields: {
					saved_query_id: run.query.id,
					query_name: run.query.name,
					class_name: className,
					controller_connection_id: run.connection.id,
					controller_connection_name: run.connection.name,
					execution_time_ms: run.executionTimeMs,
				},
				async along(tx, { snapshot_id: id }, drifts) {
					isSettling = true;
					await recordRunEnd(recorder, tx, row, run, { kind: "stored", id, ...drifts });
					isSettling = false;
				},
			},
		);
		return getOutcome(captured);
	} catch (error) {
		if (isSettling || signal.aborted || isStoreDown(error)) throw error;
		if (error instanceof AppError && error.status < 500) return explainNoSnapshot(error.message);
		if ((await countCaptureFailure(recorder.ctx.store.db, run.jobId)) < CAPTURE_TRIES) throw error;
		recorder.ctx.log.error({ err: error, job: run.jobId }, "the result of a run could not be captured");
		return explainNoSnapshot("The result could not be captured because of an internal error.");
	}
}

function getOrigin(recorder: RecorderState, { origin, job_id }: QueryRunRow): RunOrigin {
	const found = recorder.origins.get(origin);
	if (found === undefined) throw new Error(`The run ${job_id} has the unknown origin "${origin}".`);
	return found;
}

async function recordEnd(
	recorder: RecorderState,
	row: QueryRunRow,
	standing: RunStanding,
	signal: AbortSignal,
): Promise<void> {
	const { query, completedAt } = standing;
	if (completedAt === null || query === null) return;
	const identity = await findIdentity(recorder.ctx, standing.ownerId);
	const currentQuery = identity && (await loadVisibleQuery(recorder.ctx.store.db, identity, query.id));
	const ended = endedRun(row, standing, query, completedAt, currentQuery);
	const run = { ...ended, observed: await observeRun(recorder, row, ended, signal) };
	try {
		const snapshot = await captureRows(recorder, row, run, identity, standing.versionHash, signal);
		if (snapshot !== "settled")
			await recorder.ctx.store.transaction((tx) => recordRunEnd(recorder, tx, row, run, snapshot));
	} catch (error) {
		if (!(error instanceof AlreadyEnded)) throw error;
		await recorder.ctx.store.transaction((tx) => markRecorded(recorder, tx, row.job_id));
	}
}

/** Registers a part of the service whose runs are recorded. */
function registerOrigin(recorder: RecorderState, origin: RunOrigin): void {
	if (recorder.origins.has(origin.name)) throw new Error(`The origin "${origin.name}" is registered twice.`);
	recorder.origins.set(origin.name, origin);
}

/** Registers a part of the service that looks at the rows of all runs. */
function addObserver(recorder: RecorderState, observer: RunObserver): void {
	recorder.observers.push(observer);
}

/**
 * Records the end of a run. Safe to call any number of times, concurrently, and before the run
 * has ended.
 */
async function recordRun(recorder: RecorderState, jobId: string, signal: AbortSignal): Promise<void> {
	const row = await findOpenQueryRun(recorder.ctx.store.db, jobId);
	const standing = await findRunStanding(recorder.ctx, jobId);
	if (row === undefined || standing == null) return;
	await runInShare({ userId: standing.ownerId, lane: "recording" }, () => recordEnd(recorder, row, standing, signal));
}

/** Enqueues the end of runs that ended a while ago and are not recorded. */
async function sweepRuns(recorder: RecorderState): Promise<void> {
	const lost = await listUnrecordedRuns(
		recorder.ctx.store.db,
		new Date(recorder.ctx.clock.now() - LOST_MS),
		LOST_AT_ONCE,
	);
	if (lost.length === 0) return;
	recorder.ctx.log.warn({ runs: lost.length }, "the end of some runs was not recorded; recording it now");
	await recorder.ctx.store.transaction((tx) =>
		recorder.ctx.jobs.enqueueAll(
			tx,
			RECORD_QUEUE,
			lost.map((jobId) => ({ jobId })),
		),
	);
}

export function createRecorder(ctx: Context) {
	const recorder: RecorderState = { ctx, origins: new Map(), observers: [] };

	return {
		register: (origin: RunOrigin) => registerOrigin(recorder, origin),

		observe: (observer: RunObserver) => addObserver(recorder, observer),

		record: (jobId: string, signal: AbortSignal) => recordRun(recorder, jobId, signal),

		sweep: () => sweepRuns(recorder),
	};
}

export type Recorder = ReturnType<typeof createRecorder>;

const explainNoSnapshot = (reason: string) => ({ kind: "none", reason }) as const;

function endedRun(
	row: QueryRunRow,
	standing: RunStanding,
	query: EndedRun["query"],
	completedAt: Date,
	currentQuery: VisibleQuery | null,
): EndedRun {
	const { connection, status, totalRows, startedAt, error } = standing;
	const success = status === "completed";
	return {
		jobId: row.job_id,
		originId: row.origin_id,
		user: { userId: standing.ownerId, username: row.username },
		query,
		currentQuery,
		connection,
		status,
		success,
		totalRows,
		startedAt,
		completedAt,
		executionTimeMs: startedAt === null ? 0 : Math.max(0, completedAt.getTime() - startedAt.getTime()),
		errorMessage: success ? null : status === "cancelled" ? "The run was cancelled." : (error ?? "The run failed."),
	};
}

const buildActor = (
	row: QueryRunRow,
	run: EndedRun,
	category: "query_execution" | "time_machine",
	action: string,
): Actor & EndedRun["user"] => ({
	...run.user,
	ip: row.ip_address,
	userAgent: row.user_agent,
	requestId: row.request_id,
	audit: { category, action },
});

function getOutcome({ answer, baselines }: Captured) {
	if (answer.success) {
		if ("snapshot_id" in answer) return "settled";
		return { kind: "unchanged", id: answer.previous_snapshot_id, baselines } as const;
	}
	if (answer.error === "snapshot_too_large") {
		return explainNoSnapshot(`The result has ${answer.size_mb} MB; the limit is ${answer.limit_mb} MB.`);
	}
	return explainNoSnapshot(answer.reason);
}

function presentSnapshot(snapshot: NonNullable<SnapshotOutcome>) {
	if (snapshot.kind === "stored") return { snapshot_id: snapshot.id };
	return { reason: snapshot.kind === "none" ? snapshot.reason : "It is the same as the snapshot before." };
}
