/** Takes over when an execution's pipeline job has ended: the snapshot, the query's log and counters, the audit entry, the end of the run. */
import type { CaptureAnswer, CaptureStored } from "@weft/contracts";
import type { Identity } from "../../platform/caller.ts";
import { AppError } from "../../platform/errors.ts";
import { isStoreDown, type Tx } from "../../ports/store.ts";
import type { VisibleQuery } from "../saved-queries/index.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { JobState, ScheduleNeeds } from "./needs.ts";
import type { TaskRepo, TaskRow } from "./repo.ts";
import type { ExecutionRow, RunRepo } from "./repo-runs.ts";

export const FINISH_QUEUE = "schedules.finish";

export interface FinishJob {
	readonly executionId: string;
}

export type FinishDeps = Pick<
	ScheduleNeeds,
	"store" | "clock" | "log" | "events" | "jobState" | "identityOf" | "findQuery" | "capture" | "recordExecution"
> & { readonly tasks: TaskRepo; readonly runs: RunRepo; readonly lifecycle: Lifecycle };

/** What became of the snapshot; `note` says why there is none. */
interface Kept {
	readonly snapshotId: string | null;
	readonly hasChanges: boolean;
	readonly note: string | null;
}

/** Another delivery has recorded the end of the execution: nothing of this one may stay. */
class AlreadyEnded extends Error {}

const NOTHING: Kept = { snapshotId: null, hasChanges: false, note: null };

export function createFinish(deps: FinishDeps) {
	const { store, log, events, tasks, runs, lifecycle } = deps;

	async function keep(
		job: JobState,
		execution: ExecutionRow,
		identity: Identity | null,
		query: VisibleQuery | null,
		signal: AbortSignal,
		settleStored: (tx: Tx, kept: Kept) => Promise<void>,
	): Promise<Kept | "settled"> {
		const { pipeline_job_id: jobId } = execution;
		if (job.status !== "completed" || jobId === null || !deps.capture) return NOTHING;
		if (identity === null || !query?.enableTimeMachine) return NOTHING;
		const connection = { id: execution.connection_id, name: execution.connection_name };
		let isEndUnrecorded = false;
		const along = async (tx: Tx, answer: CaptureStored): Promise<void> => {
			isEndUnrecorded = true;
			await settleStored(tx, stored(answer));
			isEndUnrecorded = false;
		};
		try {
			const answer = await deps.capture({
				identity,
				query,
				connection,
				jobId,
				executionTimeMs: timeOf(job),
				signal,
				along,
			});
			return answer.success && "snapshot_id" in answer ? "settled" : read(answer);
		} catch (error) {
			// The snapshot was taken back with it: another delivery stores both.
			if (isEndUnrecorded || signal.aborted || isStoreDown(error)) throw error;
			if (error instanceof AppError) return { ...NOTHING, note: `No snapshot was kept: ${error.message}` };
			// Tried again and again it would keep the run from ever ending.
			log.error({ err: error, execution: execution.id }, "a snapshot of a scheduled execution could not be kept");
			return { ...NOTHING, note: "No snapshot was kept because of an internal error." };
		}
	}

	async function settle(
		tx: Tx,
		task: TaskRow,
		execution: ExecutionRow,
		job: JobState,
		kept: Kept,
		query: VisibleQuery | null,
		owner: string,
	): Promise<boolean> {
		const { status, ...error } = endOf(job, kept);
		const ended = await lifecycle.end(tx, task, execution, {
			status,
			...error,
			result_count: job.totalRows,
			snapshot_id: kept.snapshotId,
			started_at: job.startedAt ?? execution.started_at ?? execution.created_at,
			...(job.completedAt ? { completed_at: job.completedAt } : {}),
		});
		if (!ended || status === "cancelled") return ended;
		const success = status === "success";
		const name = query?.name ?? task.query_name;
		if (name !== task.query_name) await tasks.update(tx, task.id, { query_name: name });
		await deps.recordExecution(tx, {
			query: { id: task.saved_query_id, name },
			user: { userId: task.owner_id, username: owner },
			success,
			result_count: job.totalRows ?? 0,
			execution_time_ms: timeOf(job),
			error_message: success ? null : error.error_message,
		});
		await events.changed(
			tx,
			{
				userId: task.owner_id,
				username: owner,
				ip: "",
				userAgent: "",
				requestId: "",
				audit: { category: "query_execution", action: "query_run" },
			},
			{
				targetType: "saved_query",
				targetId: task.saved_query_id,
				description: `The scheduled task "${task.name}" ran ${name} against ${execution.connection_name}${success ? "" : ", which failed"}`,
				metadata: {
					success,
					scheduled_task: task.id,
					scheduled_execution: execution.id,
					result_count: job.totalRows ?? 0,
					execution_time_ms: timeOf(job),
				},
			},
		);
		if (!kept.hasChanges || kept.snapshotId === null || query === null) return true;
		await events.emit(tx, {
			type: "notification_due",
			userId: query.ownerId,
			category: "time_machine",
			severity: "warning",
			title: `"${query.name}" has changed on ${execution.connection_name}`,
			body: `The scheduled task "${task.name}" found objects that differ from the snapshot before.`,
			link: `/api/time-machine/snapshots/${kept.snapshotId}/`,
			key: `drift:${kept.snapshotId}`,
		});
		return true;
	}

	return {
		/** Safe to be called any number of times for the same execution, at once or in turn, and before its job has ended. */
		async finish(data: unknown, signal: AbortSignal): Promise<void> {
			const { executionId } = data as FinishJob;
			const execution = await runs.execution(store.db, executionId);
			if (execution?.status !== "running" || execution.pipeline_job_id === null) return;
			const job = (await deps.jobState(execution.pipeline_job_id)) ?? LOST;
			if (job.status === "pending" || job.status === "running") return;
			const [task] = (await tasks.byIds(store.db, [execution.task_id])).values();
			if (task === undefined) return;
			const identity = await deps.identityOf(task.owner_id);
			const query = identity && (await deps.findQuery(identity, task.saved_query_id));
			const record = async (tx: Tx, kept: Kept): Promise<void> => {
				const locked = await tasks.lock(tx, execution.task_id);
				if (locked === undefined) return;
				const ended = await settle(tx, locked, execution, job, kept, query, identity?.username ?? "");
				if (!ended) throw new AlreadyEnded();
			};
			try {
				const kept = await keep(job, execution, identity, query, signal, record);
				if (kept === "settled") return;
				if (kept.note !== null)
					log.warn({ execution: executionId, note: kept.note }, "no snapshot of a scheduled execution");
				await store.transaction((tx) => record(tx, kept));
			} catch (error) {
				if (!(error instanceof AlreadyEnded)) throw error;
			}
		},
	};
}

/** The job was removed before anybody asked how it ended. */
const LOST: JobState = {
	status: "failed",
	totalRows: null,
	error: "The run was removed before it ended.",
	startedAt: null,
	completedAt: null,
};

const timeOf = ({ startedAt, completedAt }: JobState): number =>
	startedAt && completedAt ? Math.max(0, completedAt.getTime() - startedAt.getTime()) : 0;

function endOf(job: JobState, kept: Kept) {
	switch (job.status) {
		case "completed":
			return {
				status: "success" as const,
				error_type: kept.note === null ? null : "snapshot",
				error_message: kept.note,
			};
		case "cancelled":
			return { status: "cancelled" as const, error_type: null, error_message: "The run was cancelled." };
		default:
			return { status: "failed" as const, error_type: "run", error_message: job.error ?? "The run failed." };
	}
}

function read(answer: CaptureAnswer): Kept {
	if (!answer.success) {
		const why =
			answer.error === "snapshot_too_large"
				? `it has ${answer.size_mb} MB, and the limit is ${answer.limit_mb} MB.`
				: `the controller's answer was no result: ${answer.reason}`;
		return { ...NOTHING, note: `No snapshot was kept: ${why}` };
	}
	// What was captured before is what this run found, too.
	return "skipped" in answer ? { ...NOTHING, snapshotId: answer.previous_snapshot_id } : stored(answer);
}

const stored = ({ snapshot_id, has_changes }: CaptureStored): Kept => ({
	snapshotId: snapshot_id,
	hasChanges: has_changes,
	note: null,
});
