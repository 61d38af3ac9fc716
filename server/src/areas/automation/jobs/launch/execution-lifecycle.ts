/** Starts and ends executions; each change of a launch and its snapshots is one transaction. */
import type { AutomationExecutionStatus, AutomationKind, AutomationWarning } from "@weft/contracts";
import { type Context, getNow } from "../../../../context.ts";
import type { Actor } from "../../../../core/events.ts";
import type { Tx } from "../../../../core/ports/store.ts";
import { CANCEL_QUEUE, LAUNCH_QUEUE } from "../queues.ts";
import { endRequest, recordLaunchedJob } from "../request/request-progress.ts";
import { formatStoredText, maskWarning, maskWords } from "../rules/masked-words.ts";
import type { FinalExecutionStatus, JobCauses } from "../rules/states.ts";
import { dropColumnResults } from "../sql/column-results.ts";
import {
	type ExecutionRow,
	type ExecutionValues,
	insertExecution,
	lockExecution,
	setExecutionStatus,
	updateExecutionRow,
} from "../sql/executions.ts";
import { holdNewLaunch } from "../sql/held-launches.ts";
import { finishJobSnapshot, insertJobSnapshots, type SnapshotTarget } from "../sql/job-snapshots.ts";
import { advancePolls, lockOpenExecution } from "../sql/polls.ts";
import type { RequestRow } from "../sql/requests.ts";
import { ensureStream } from "../sql/streams.ts";
import { getExecutionTopic, requestTopic } from "../topics.ts";
import { prepareContent } from "./content-cache.ts";

/** The change window of a launch, as it is in the transaction of the launch. */
export interface BoundWindow {
	readonly id: string;
	/** `open`: the launch goes out at once. */
	readonly gate: "open" | "waiting_before" | "blocked";
}

export interface Opening {
	readonly requestId: string;
	readonly connectionId: string;
	readonly kind: AutomationKind;
	readonly serverTemplateId: number;
	readonly checkMode: boolean;
	/** Captured by the change window before and after the job; null: the request names no query. */
	readonly snapshotTarget: SnapshotTarget | null;
	/** The change window of the launch, and whether its work is going on; null: none. */
	readonly window: BoundWindow | null;
	readonly launchedBy: { readonly userId: number | null; readonly username: string };
	readonly relaunch?: { readonly of: ExecutionRow; readonly hosts: "all" | "failed" };
}

const REFERENCE_BYTES = 18;

const findMask = async (ctx: Context, tx: Tx, requestId: string) => (await prepareContent(ctx, tx.db, requestId)).mask;

/** Updates a row. Words of the server are masked before they are stored. */
export async function updateExecution(
	ctx: Context,
	tx: Tx,
	execution: Pick<ExecutionRow, "id" | "request_id">,
	values: ExecutionValues,
): Promise<void> {
	await updateExecutionRow(tx, execution.id, maskWords(values, await findMask(ctx, tx, execution.request_id)));
}

/** Changes the status of a locked execution, and masks words of the server. */
export async function updateExecutionStatus(
	ctx: Context,
	tx: Tx,
	row: ExecutionRow,
	cause: JobCauses["execution"],
	status: AutomationExecutionStatus,
	values: ExecutionValues,
): Promise<void> {
	const masked = maskWords(values, await findMask(ctx, tx, row.request_id));
	await setExecutionStatus(tx, row, cause, status, masked);
}

export function publishExecutionChange(ctx: Context, tx: Tx, execution: Pick<ExecutionRow, "id" | "request_id">): void {
	for (const topic of [getExecutionTopic(execution.id), requestTopic(execution.request_id)]) {
		tx.afterCommit(() => ctx.pubsub.publish(topic, ""));
	}
}

/** Returns the query and the connection of the snapshots around a job; null: there are none. */
export const getSnapshotTarget = ({ watch_query_id, target_controller_id }: RequestRow): SnapshotTarget | null =>
	watch_query_id === null || target_controller_id === null
		? null
		: { queryId: watch_query_id, controllerId: target_controller_id };

/** Stores the intent of a launch, and the queue task that carries it out. */
export async function openExecution(ctx: Context, tx: Tx, opening: Opening): Promise<string> {
	const id = ctx.ids.uuid();
	const at = getNow(ctx);
	const { relaunch, snapshotTarget } = opening;
	await insertExecution(tx, {
		id,
		request_id: opening.requestId,
		connection_id: opening.connectionId,
		kind: opening.kind,
		server_template_id: opening.serverTemplateId,
		check_mode: opening.checkMode,
		change_window_id: opening.window?.id ?? null,
		// A job that is launched again has the variables of the first one, and with them its
		// reference.
		reference: relaunch?.of.reference ?? ctx.ids.token(REFERENCE_BYTES),
		lookup_at: at,
		launched_by_id: opening.launchedBy.userId,
		launched_by: opening.launchedBy.username,
		...(relaunch
			? {
					relaunch_of: relaunch.of.id,
					relaunch_hosts: relaunch.hosts,
					relaunch_count: relaunch.of.relaunch_count + 1,
					reference_sent: relaunch.of.reference_sent,
				}
			: {}),
		created_at: at,
		updated_at: at,
	});
	if (snapshotTarget !== null && opening.window !== null) await insertJobSnapshots(tx, id, snapshotTarget);
	if (opening.window !== null && opening.window.gate !== "open") await holdNewLaunch(tx, id, opening.window.gate);
	else await ctx.jobs.enqueue(tx, LAUNCH_QUEUE, { executionId: id });
	publishExecutionChange(ctx, tx, { id, request_id: opening.requestId });
	return id;
}

/** Records the job of a launch, and has it polled. */
export async function recordLaunch(
	ctx: Context,
	tx: Tx,
	execution: ExecutionRow,
	job: { readonly id: number; readonly type: string },
	warnings: readonly AutomationWarning[],
	/** The reason why the job must be cancelled; null: it may go on. */
	problem: string | null,
): Promise<void> {
	const at = getNow(ctx);
	const row = await lockExecution(tx, execution.id);
	const cancel = problem !== null || (row?.cancel_requested_at ?? null) !== null;
	await updateExecution(ctx, tx, execution, {
		poll_at: at,
		updated_at: at,
		...(problem === null ? {} : { error: problem, cancel_requested_at: row?.cancel_requested_at ?? at }),
	});
	if (job.type === "job") await ensureStream(tx, execution.id, job.id, job.type);
	await advancePolls(tx.db, [execution.connection_id], at);
	const mask = await findMask(ctx, tx, execution.request_id);
	const masked = warnings.map((warning) => maskWarning(warning, mask));
	await recordLaunchedJob(ctx, tx, execution.request_id, job.id, masked);
	if (cancel) await ctx.jobs.enqueue(tx, CANCEL_QUEUE, { executionId: execution.id });
	await ctx.events.changed(tx, buildActor(execution, "automation_job_launch"), {
		...buildExecutionTarget(execution),
		description: `The automation server launched job ${job.id}${execution.check_mode ? " in check mode" : ""}`,
		metadata: {
			automation_request: execution.request_id,
			automation_job_id: job.id,
			check_mode: execution.check_mode,
			...(problem === null ? {} : { cancelled_because: problem }),
		},
	});
	publishExecutionChange(ctx, tx, execution);
}

/** Ends an execution. Returns false if it was over before. */
export async function endExecution(
	ctx: Context,
	tx: Tx,
	execution: ExecutionRow,
	status: FinalExecutionStatus,
	values: ExecutionValues & { readonly error?: string | null } = {},
): Promise<boolean> {
	const row = await lockOpenExecution(tx, execution.id);
	if (row === undefined) return false;
	const at = getNow(ctx);
	const given = values.error ?? null;
	const error = given === null ? row.error : formatStoredText(given, await findMask(ctx, tx, row.request_id));
	await updateExecutionStatus(ctx, tx, row, "end", status, {
		finished_at: at,
		...values,
		error,
		ended_at: at,
		updated_at: at,
		poll_at: null,
		lookup_at: null,
		launch_token: null,
		progress: row.job_id === null ? 0 : 100,
	});
	await dropColumnResults(tx, row.id);
	if (row.job_id === null)
		await finishJobSnapshot(tx, { execution_id: row.id, phase: "after" }, { problem: "There was no job." });
	// A process of the version before launched it, and no window captures anything.
	if (row.change_window_id === null)
		for (const phase of ["before", "after"] as const)
			await finishJobSnapshot(tx, { execution_id: row.id, phase }, { problem: "Weft was updated meanwhile." });
	await endRequest(ctx, tx, {
		executionId: row.id,
		requestId: row.request_id,
		status,
		error,
		jobId: row.job_id,
	});
	await ctx.events.changed(tx, buildActor(row, "automation_job_end"), {
		...buildExecutionTarget(row),
		description:
			row.job_id === null
				? `An automation request was not launched: ${error ?? status}`
				: `Job ${row.job_id} of the automation server ended: ${status}`,
		metadata: { automation_request: row.request_id, automation_job_id: row.job_id, status, error },
	});
	if (row.change_window_id !== null)
		await ctx.events.emit(tx, { type: "automation_execution_ended", windowId: row.change_window_id });
	publishExecutionChange(ctx, tx, row);
	ctx.log.info({ execution: row.id, job: row.job_id, status }, "an automation execution ended");
	return true;
}

export const buildExecutionTarget = ({ id }: { readonly id: string }) => ({
	targetType: "automation_execution",
	targetId: id,
});

/** Background work acts on behalf of the user who launched the execution. */
const buildActor = (execution: Pick<ExecutionRow, "launched_by_id" | "launched_by">, action: string): Actor => ({
	userId: execution.launched_by_id,
	username: execution.launched_by,
	ip: "",
	userAgent: "",
	requestId: "",
	audit: { category: "automation_execution", action },
});
