/**
 * The life of a run: opened with one execution per connection. When all of them have ended, the
 * failed ones are retried, or the run finishes and its owner is notified. Each function works in
 * the caller's transaction, which holds the lock of the task.
 */
import { createHash } from "node:crypto";
import type { Updateable } from "kysely";
import { type Context, getNow } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import { listVisibleMembers } from "../fabrics/sql/groups.ts";
import { holdRunAlert } from "./hold-alerts.ts";
import { buildNotice, getOutcome, isOutcomeSent, isRetryable, mayRetry } from "./rules/outcome.ts";
import type { ExecutionRow, RunRow } from "./sql/runs.ts";
import {
	endTaskExecution,
	findScheduledRun,
	insertScheduledRuns,
	insertTaskExecutions,
	listRunExecutions,
	listWaitingRuns,
	updateScheduledRun,
} from "./sql/runs.ts";
import type { TaskRow } from "./sql/tasks.ts";
import { countTaskRun, findTaskSettings } from "./sql/tasks.ts";
import type { ScheduledExecutionsTable } from "./tables.ts";

export const START_QUEUE = "schedules.start";
export const EMAIL_QUEUE = "schedules.email";
/** Executions that one background job starts. */
const STARTED_AT_ONCE = 25;
const MINUTE = 60_000;

export interface StartJob {
	readonly executionIds: readonly string[];
}

export interface EmailJob {
	readonly to: string;
	readonly subject: string;
	readonly text: string;
	readonly messageId: string;
	/** Absent in mails that the previous version queued. */
	readonly sender?: { readonly taskId: string; readonly ownerId: number };
}

export async function enqueueExecutions(ctx: Context, tx: Tx, executionIds: readonly string[]): Promise<void> {
	const batches: StartJob[] = [];
	for (let at = 0; at < executionIds.length; at += STARTED_AT_ONCE) {
		batches.push({ executionIds: executionIds.slice(at, at + STARTED_AT_ONCE) });
	}
	await ctx.jobs.enqueueAll(tx, START_QUEUE, batches);
}

const getExecution = (
	ctx: Context,
	run: { readonly id: string; readonly task_id: string; readonly attempt: number },
	connection: { readonly connection_id: string; readonly connection_name: string },
	at: Date,
) => ({
	id: ctx.ids.uuid(),
	run_id: run.id,
	task_id: run.task_id,
	connection_id: connection.connection_id,
	connection_name: connection.connection_name,
	retry_attempt: run.attempt,
	created_at: at,
	watched_at: at,
});

/**
 * The connections of each task as they are now, by the task's id: the named ones, then the other
 * members of its group.
 */
async function listConnections(tx: Tx, all: readonly TaskRow[]): Promise<ReadonlyMap<string, Target[]>> {
	const memberships = all.flatMap(({ connection_group_id: groupId, owner_id: userId }) =>
		groupId === null ? [] : { groupId, userId },
	);
	const members = await listVisibleMembers(tx.db, memberships);
	return new Map(
		all.map((task) => [task.id, getTargets(task, members.get(`${task.connection_group_id}:${task.owner_id}`))]),
	);
}

/**
 * One run per task, unless that instant of the task has run. The counters are the caller's.
 * @returns the executions' ids by task
 */
export async function openRuns(
	ctx: Context,
	tx: Tx,
	due: readonly { readonly task: TaskRow; readonly dueAt: Date | null }[],
): Promise<ReadonlyMap<string, readonly string[]>> {
	const at = getNow(ctx);
	const wanted = due.map(({ task, dueAt }) => ({ task, run: { id: ctx.ids.uuid(), task_id: task.id, due_at: dueAt } }));
	const made = await insertScheduledRuns(
		tx,
		wanted.map(({ run }) => ({ ...run, state: "running" as const, created_at: at })),
	);
	const started = wanted.filter(({ run }) => made.has(run.id));
	const connections = await listConnections(
		tx,
		started.map(({ task }) => task),
	);
	const executions = started.flatMap(({ task, run }) =>
		(connections.get(task.id) ?? []).map((connection) => getExecution(ctx, { ...run, attempt: 0 }, connection, at)),
	);
	await insertTaskExecutions(tx, executions);
	await enqueueExecutions(
		ctx,
		tx,
		executions.map(({ id }) => id),
	);
	const byTask = new Map<string, string[]>();
	for (const { id, task_id } of executions) byTask.set(task_id, [...(byTask.get(task_id) ?? []), id]);
	return byTask;
}

/**
 * Tries the failed connections of a run once more; those that the task has lost meanwhile are
 * left out.
 */
export async function retryRun(ctx: Context, tx: Tx, task: TaskRow, run: RunRow): Promise<void> {
	const all = await listRunExecutions(tx, run.id);
	const current = new Set((await listConnections(tx, [task])).get(task.id)?.map((one) => one.connection_id));
	const again = filterRetryable(all, run.attempt).filter(({ connection_id }) => current.has(connection_id));
	if (again.length === 0 || !mayRetry(task, run.attempt)) return finishRun(ctx, tx, task, run, all, {});
	const next = { ...run, attempt: run.attempt + 1 };
	const executions = again.map((execution) => getExecution(ctx, next, execution, getNow(ctx)));
	await updateScheduledRun(tx, run.id, { state: "running", attempt: next.attempt, retry_at: null });
	await insertTaskExecutions(tx, executions);
	await countTaskRun(tx, task.id, { executions: executions.length });
	await enqueueExecutions(
		ctx,
		tx,
		executions.map(({ id }) => id),
	);
}

/**
 * Ends an execution, and with the last one of its attempt goes on with the run. False when it had
 * ended before.
 */
export async function endExecution(
	ctx: Context,
	tx: Tx,
	task: TaskRow,
	execution: Pick<ExecutionRow, "id" | "run_id">,
	values: Updateable<ScheduledExecutionsTable> & { readonly status: "success" | "failed" | "cancelled" },
): Promise<boolean> {
	if (!(await endTaskExecution(tx, execution.id, { completed_at: getNow(ctx), ...values }))) return false;
	const counts = { successes: values.status === "success" ? 1 : 0, failures: values.status === "failed" ? 1 : 0 };
	const all = await listRunExecutions(tx, execution.run_id);
	if (all.some(({ status }) => status === "pending" || status === "running")) {
		await countTaskRun(tx, task.id, counts);
		return true;
	}
	const run = await findScheduledRun(tx, execution.run_id);
	if (filterRetryable(all, run.attempt).length > 0 && mayRetry(task, run.attempt)) {
		const retry_at = new Date(ctx.clock.now() + task.retry_interval_minutes * MINUTE);
		await countTaskRun(tx, task.id, counts);
		await updateScheduledRun(tx, run.id, { state: "waiting", retry_at });
	} else await finishRun(ctx, tx, task, run, all, counts);
	return true;
}

async function finishRun(
	ctx: Context,
	tx: Tx,
	task: TaskRow,
	run: RunRow,
	all: readonly ExecutionRow[],
	counts: { readonly successes?: number; readonly failures?: number },
): Promise<void> {
	const executions = keepLastOfEach(all);
	const outcome = getOutcome(executions.map(({ status }) => status));
	const notice = buildNotice(task, outcome, executions);
	await updateScheduledRun(tx, run.id, { state: "finished", outcome, retry_at: null, finished_at: getNow(ctx) });
	const isNewest = task.last_run_at === null || run.created_at >= task.last_run_at;
	await countTaskRun(tx, task.id, { ...counts, ...(isNewest ? { last_run_status: outcome } : {}) });
	if (await holdRunAlert(ctx, tx, task, executions, notice)) return;
	if (!isOutcomeSent(task, outcome)) return;
	await ctx.events.emit(tx, {
		type: "notification_due",
		userId: task.owner_id,
		category: "scheduled_task",
		...notice,
		link: `/api/queries/scheduled-executions/?task_id=${task.id}`,
		facts: {
			event: "schedule_run_ended",
			objects: [{ kind: "scheduled_task", id: task.id, name: task.name, before: task.last_run_status, after: outcome }],
		},
		key: `scheduled_run:${run.id}`,
	});
	const wanted = outcome === "success" ? task.email_on_success : task.email_on_failure && outcome !== "cancelled";
	if (ctx.mailer === null || !wanted || task.email_recipients.length === 0) return;
	if (!(await findTaskSettings(tx.db)).email_enabled) return;
	const text = `${notice.body}\n\nRun of ${(run.due_at ?? run.created_at).toISOString()}\n`;
	const mails = task.email_recipients.map((to): EmailJob => {
		const recipient = createHash("sha256").update(to).digest("hex").slice(0, 16);
		const sender = { taskId: task.id, ownerId: task.owner_id };
		return { to, subject: notice.title, text, messageId: `run.${run.id}.${recipient}@weft`, sender };
	});
	await ctx.jobs.enqueueAll(tx, EMAIL_QUEUE, mails);
}

/** Gives up the retries that a task's runs wait for. */
export async function endWaiting(ctx: Context, tx: Tx, task: TaskRow): Promise<void> {
	for (const run of await listWaitingRuns(tx, task.id))
		await finishRun(ctx, tx, task, run, await listRunExecutions(tx, run.id), {});
}

const filterRetryable = (all: readonly ExecutionRow[], attempt: number): ExecutionRow[] =>
	all.filter((execution) => execution.retry_attempt === attempt && isRetryable(execution));

/** The last execution of each connection, by the connection's name. */
function keepLastOfEach(all: readonly ExecutionRow[]): ExecutionRow[] {
	const last = new Map<string, ExecutionRow>();
	for (const execution of all) {
		const known = last.get(execution.connection_id);
		if (known === undefined || execution.retry_attempt > known.retry_attempt)
			last.set(execution.connection_id, execution);
	}
	return [...last.values()].sort((a, b) => a.connection_name.localeCompare(b.connection_name, "en", { numeric: true }));
}

type Target = Pick<ExecutionRow, "connection_id" | "connection_name">;

/**
 * @param members of the task's group; undefined if there is no such group that the owner sees. The
 * group then stands for its members, and its execution fails: they are never left out silently.
 */
function getTargets(task: TaskRow, members: readonly { readonly id: string; readonly name: string }[] | undefined) {
	const targets: Target[] = task.connection_ids.map((connection_id, i) => ({
		connection_id,
		connection_name: task.connection_names[i] ?? "",
	}));
	if (task.connection_group_id === null) return targets;
	for (const { id, name } of members ?? []) {
		if (!task.connection_ids.includes(id)) targets.push({ connection_id: id, connection_name: name });
	}
	if (members === undefined || targets.length === 0) {
		targets.push({ connection_id: task.connection_group_id, connection_name: task.connection_group_name });
	}
	return targets;
}
