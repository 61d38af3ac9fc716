/**
 * The controller's state before and after a job, as snapshots of a query. A capture that fails is told, and neither keeps the
 * launch from being made nor repeats it: the launch waits for it with a bound, and by its own mark.
 */
import type { CaptureAnswer, CaptureFields, CaptureStored } from "@weft/contracts";
import type { Identity } from "../../platform/caller.ts";
import { AppError } from "../../platform/errors.ts";
import type { Actor } from "../../platform/events.ts";
import type { Tx } from "../../ports/store.ts";
import type { ExecutionNeeds } from "./needs.ts";
import { executionTopic, LAUNCH_QUEUE, WATCH_QUEUE } from "./needs.ts";
import type { ExecutionRepo, ExecutionRow } from "./repo.ts";
import type { LaunchRepo } from "./repo-launch.ts";
import type { Phase, WatchRepo, WatchRow } from "./repo-watches.ts";

/** What captures need of queries, runs and the Time Machine. */
export interface SnapshotNeeds {
	/** A query and a connection that the identity sees. @throws an error whose message is for the user */
	prepareQuery(
		identity: Identity,
		queryId: string,
		connectionId: string,
	): Promise<{
		readonly id: string;
		readonly name: string;
		readonly version: string;
		readonly versionHash: string;
		readonly connection: { readonly id: string; readonly name: string };
		start(why: string, along: (tx: Tx, runId: string) => Promise<void>): Promise<string>;
	}>;
	readonly isNotRunnable: (error: unknown) => error is Error;
	runState(id: string): Promise<{
		readonly status: string;
		readonly error: string | null;
		readonly startedAt: Date | null;
		readonly completedAt: Date | null;
	} | null>;
	runDocument(
		identity: Identity,
		id: string,
		maxBytes: number,
	): Promise<{
		readonly bytes: Uint8Array | null;
		readonly className: string;
		readonly version: { readonly version: string; readonly versionHash: string } | undefined;
	}>;
	capture(
		capturer: Identity & Actor,
		input: {
			readonly fields: CaptureFields;
			readonly bytes: Uint8Array;
			readonly executionType: "manual";
			readonly version: { readonly version: string; readonly versionHash: string };
			readonly along: (tx: Tx, answer: CaptureStored) => Promise<void>;
		},
	): Promise<CaptureAnswer>;
}

export type SnapshotDeps = Pick<ExecutionNeeds, "store" | "jobs" | "clock" | "log" | "pubsub" | "identityOf"> &
	SnapshotNeeds & {
		readonly executions: ExecutionRepo;
		readonly launches: LaunchRepo;
		readonly watches: WatchRepo;
	};

/** No user's limit of a snapshot is higher; white space between rows does not count towards it. */
const MAX_BYTES = 110 * 1024 * 1024;
const TRIES = 3;

/** Why there is no snapshot, in words for people. */
class Failed extends Error {}
/** Another process is at it, or was. */
class Taken extends Error {}

export function createSnapshots(deps: SnapshotDeps) {
	const { store, jobs, clock, log, pubsub, executions, launches, watches } = deps;

	/** The end of one phase. After the first one the launch need not wait any longer. */
	async function finish(tx: Tx, { execution_id, phase }: WatchRow, end: Parameters<WatchRepo["finish"]>[3]) {
		if (!(await watches.finish(tx, execution_id, phase, end))) throw new Taken();
		tx.afterCommit(() => pubsub.publish(executionTopic(execution_id), ""));
		if (phase !== "before") return;
		await launches.letGo(tx, execution_id, new Date(clock.now()));
		await jobs.enqueue(tx, LAUNCH_QUEUE, { executionId: execution_id });
	}

	async function identityOf(execution: ExecutionRow): Promise<Identity> {
		const identity = execution.launched_by_id === null ? null : await deps.identityOf(execution.launched_by_id);
		if (identity === null) throw new Failed(`${execution.launched_by} is not active any more.`);
		return identity;
	}

	async function begin(watch: WatchRow, execution: ExecutionRow): Promise<void> {
		const query = await deps.prepareQuery(await identityOf(execution), watch.query_id, watch.controller_id);
		await query.start(`the state ${watch.phase} an automation job`, async (tx, runId) => {
			if (!(await watches.running(tx, watch, runId))) throw new Taken();
		});
	}

	async function keep(watch: WatchRow, execution: ExecutionRow, runId: string): Promise<void> {
		const run = await deps.runState(runId);
		if (run === null) throw new Failed("The run of the query does not exist any more.");
		// Its end puts this step into the queue again.
		if (run.completedAt === null) return;
		if (run.status !== "completed") throw new Failed(run.error ?? `The run of the query was ${run.status}.`);
		const late = watch.phase === "before" && execution.sent_at !== null && execution.sent_at < run.completedAt;
		if (late)
			throw new Failed("The query was not over in time: the job was launched without waiting for it any longer.");
		const identity = await identityOf(execution);
		const query = await deps.prepareQuery(identity, watch.query_id, watch.controller_id);
		const { bytes, className, version = query } = await deps.runDocument(identity, runId, MAX_BYTES);
		if (bytes === null) throw new Failed("The result is larger than any snapshot may be.");
		const actor: Actor = {
			userId: identity.userId,
			username: identity.username,
			ip: "",
			userAgent: "",
			requestId: "",
			audit: { category: "time_machine", action: "snapshot_capture" },
		};
		const took = run.startedAt === null ? 0 : run.completedAt.getTime() - run.startedAt.getTime();
		const answer = await deps.capture(
			{ ...identity, ...actor, userId: identity.userId },
			{
				bytes,
				executionType: "manual",
				version,
				fields: {
					saved_query_id: query.id,
					query_name: query.name,
					class_name: className,
					controller_connection_id: query.connection.id,
					controller_connection_name: query.connection.name,
					execution_time_ms: Math.max(0, took),
				},
				along: (tx, { snapshot_id: snapshotId }) => finish(tx, watch, { snapshotId }),
			},
		);
		if (answer.success && "snapshot_id" in answer) return;
		// Nothing has changed since: the snapshot of then is that of now.
		const end = answer.success ? { snapshotId: answer.previous_snapshot_id } : { problem: reasonOf(answer) };
		await store.transaction((tx) => finish(tx, watch, end));
	}

	/** What can be said of a failure; null: it may be tried again. */
	async function problemOf(watch: WatchRow, error: unknown): Promise<string | null> {
		if (error instanceof Failed || deps.isNotRunnable(error)) return (error as Error).message;
		if (error instanceof AppError && error.status < 500) return error.message;
		if ((await watches.countFailure(store.db, watch)) < TRIES) return null;
		log.error({ err: error, execution: watch.execution_id }, "the state around a job could not be captured");
		return "The state could not be captured because of an internal error.";
	}

	return {
		/** One step of a capture; safe to be called any number of times. */
		async step(data: unknown): Promise<void> {
			const { executionId, phase } = data as { executionId: string; phase: Phase };
			const watch = await watches.find(store.db, executionId, phase);
			const execution = await executions.row(store.db, executionId);
			if (watch === undefined || execution === undefined || watch.status !== "waiting") return;
			try {
				await (watch.run_id === null ? begin(watch, execution) : keep(watch, execution, watch.run_id));
			} catch (error) {
				if (error instanceof Taken) return;
				const problem = await problemOf(watch, error);
				if (problem === null) throw error;
				await store
					.transaction((tx) => finish(tx, watch, { problem }))
					.catch((other: unknown) => {
						if (!(other instanceof Taken)) throw other;
					});
			}
		},

		/** A run has ended: where it is one of these, its rows are to be kept. */
		async runEnded(tx: Tx, runId: string): Promise<void> {
			const watch = await watches.ofRun(tx.db, runId);
			if (watch?.status !== "waiting") return;
			await jobs.enqueue(tx, WATCH_QUEUE, { executionId: watch.execution_id, phase: watch.phase });
		},
	};
}
export type Snapshots = ReturnType<typeof createSnapshots>;

function reasonOf(answer: Extract<CaptureAnswer, { success: false }>): string {
	if (answer.error === "snapshot_too_large") {
		return `The result has ${answer.size_mb} MB; your limit of a snapshot is ${answer.limit_mb} MB.`;
	}
	return answer.reason;
}
