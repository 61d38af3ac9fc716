/**
 * Starts executions: what the owner may do and see is asked anew for each run, then the pipeline
 * takes over.
 */
import type { Context } from "../../context.ts";
import type { Identity } from "../../core/caller.ts";
import { isAllowed } from "../../core/caller.ts";
import { AppError } from "../../core/errors.ts";
import { isStoreDown } from "../../core/ports/store.ts";
import { findIdentity } from "../accounts/sign-in/create-sessions.ts";
import { findVisibleConnection } from "../fabrics/manage-connections.ts";
import type { VisibleQuery } from "../queries/saved/index.ts";
import { loadVisibleQuery } from "../queries/saved/visible-query.ts";
import { readQueryProgram, startQueryRuns } from "../runs/background/start-background-runs.ts";
import { SCHEDULE } from "./end-scheduled-run.ts";
import type { StartJob } from "./lifecycle.ts";
import { endExecution } from "./lifecycle.ts";
import type { ExecutionRow } from "./sql/runs.ts";
import { beginTaskExecutions, holdPendingExecutions, listPendingExecutions } from "./sql/runs.ts";
import type { TaskRow } from "./sql/tasks.ts";
import { findTasksByIds, lockTaskRow } from "./sql/tasks.ts";

/** Why an execution cannot start; the message is for the owner. */
class Unstartable extends Error {
	readonly kind: "owner" | "quota" | "query" | "connection" | "invalid_query";

	constructor(kind: Unstartable["kind"], message: string) {
		super(message);
		this.kind = kind;
	}
}

interface Ready {
	readonly identity: Identity;
	readonly task: TaskRow;
	readonly execution: ExecutionRow;
	readonly read: ReturnType<typeof readQueryProgram>;
	readonly query: VisibleQuery;
	readonly connection: { readonly id: string; readonly name: string };
}

const INTERNAL = "The run could not be started because of an internal error.";

/** @throws Unstartable */
async function prepareExecution(
	ctx: Context,
	task: TaskRow,
	execution: ExecutionRow,
	answers: Answers,
): Promise<Ready> {
	const { connection_id, connection_name } = execution;
	const owner = task.owner_id;
	const identity = await answerOnce(answers, `user:${owner}`, () => findIdentity(ctx, owner));
	if (identity === null) throw new Unstartable("owner", "The task's owner is not active any more.");
	if (!isAllowed(identity, "execute_savedquery")) {
		throw new Unstartable("owner", "The task's owner may not run queries any more.");
	}
	await answerOnce(answers, `quotas:${owner}`, () => isWithinQuota(ctx.quotas.check(identity, "can_schedule")));
	const query = await answerOnce(answers, `query:${owner}:${task.saved_query_id}`, () =>
		loadVisibleQuery(ctx.store.db, identity, task.saved_query_id),
	);
	if (query === null) {
		throw new Unstartable(
			"query",
			`The query "${task.query_name}" was deleted, or the task's owner cannot see it any more.`,
		);
	}
	if (connection_id === task.connection_group_id) {
		throw new Unstartable(
			"connection",
			`The connection group "${connection_name}" was deleted, or the task's owner sees none of its connections any more.`,
		);
	}
	const connection = await answerOnce(answers, `connection:${owner}:${connection_id}`, () =>
		findVisibleConnection(ctx, identity, connection_id),
	);
	if (connection === null) {
		throw new Unstartable(
			"connection",
			`The controller connection "${connection_name}" was deleted, or the task's owner cannot see it any more.`,
		);
	}
	if (!connection.isActive) {
		throw new Unstartable("connection", `The controller connection "${connection.name}" is not active.`);
	}
	return { identity, task, execution, read: readProgram(query, task), query, connection };
}

function readProgram(query: VisibleQuery, task: TaskRow): Ready["read"] {
	try {
		return readQueryProgram(query, task.variable_values);
	} catch (error) {
		if (!(error instanceof AppError)) throw error;
		throw new Unstartable("invalid_query", `The query cannot be run: ${formatWords(error)}`);
	}
}

/** All of them or, when that fails, none. */
async function startReadyRuns(ctx: Context, ready: readonly Ready[]): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const held = await holdPendingExecutions(
			tx,
			ready.map(({ execution }) => execution.id),
		);
		const due = ready.filter(({ execution }) => held.has(execution.id));
		const ids = await isWithinQuota(
			startQueryRuns(
				ctx,
				tx,
				due.map(({ identity, execution, read, connection, query }) => ({
					identity,
					...read,
					connection,
					query,
					origin: SCHEDULE,
					originId: execution.id,
					keepsSnapshot: query.enableTimeMachine,
					isTrusted: true,
				})),
			),
		);
		const begun = due.flatMap(({ execution, connection }, i) => {
			const job = ids[i];
			return job === undefined ? [] : [{ id: execution.id, job, connection_name: connection.name }];
		});
		await beginTaskExecutions(tx, new Date(ctx.clock.now()), begun);
	});
}

async function failExecution(
	ctx: Context,
	execution: ExecutionRow,
	error_type: string,
	error_message: string,
): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const task = await lockTaskRow(tx, execution.task_id);
		if (task !== undefined)
			await endExecution(ctx, tx, task, execution, { status: "failed", error_type, error_message });
	});
}

/** Ends the execution as failed, unless it is the store's fault. */
async function buildGivenUpOutcome(ctx: Context, execution: ExecutionRow, error: unknown): Promise<null> {
	if (isStoreDown(error)) throw error;
	if (error instanceof Unstartable) await failExecution(ctx, execution, error.kind, error.message);
	else {
		ctx.log.error({ err: error, execution: execution.id }, "a scheduled execution could not be started");
		await failExecution(ctx, execution, "internal", INTERNAL);
	}
	return null;
}

/** Safe to be called any number of times for the same executions, at once or in turn. */
export async function startExecution(ctx: Context, data: unknown, signal: AbortSignal): Promise<void> {
	const { executionIds } = data as StartJob;
	const pending = await listPendingExecutions(ctx.store.db, executionIds);
	const owners = await findTasksByIds(
		ctx.store.db,
		pending.map(({ task_id }) => task_id),
	);
	const answers: Answers = new Map();
	const ready: Ready[] = [];
	for (const execution of pending) {
		signal.throwIfAborted();
		const task = owners.get(execution.task_id);
		if (task === undefined) continue;
		const one = await prepareExecution(ctx, task, execution, answers).catch((error: unknown) =>
			buildGivenUpOutcome(ctx, execution, error),
		);
		if (one !== null) ready.push(one);
	}
	if (ready.length === 0) return;
	await startReadyRuns(ctx, ready).catch(async (error: unknown) => {
		if (isStoreDown(error)) throw error;
		// One of them spoils it for all: each by itself.
		for (const one of ready)
			await startReadyRuns(ctx, [one]).catch((reason: unknown) => buildGivenUpOutcome(ctx, one.execution, reason));
	});
}

/**
 * By question. Executions that are started together mostly have the same owner, query and
 * connection.
 */
type Answers = Map<string, Promise<unknown>>;

/** Asks unless the question was asked before. A key stands for answers of one type. */
function answerOnce<T>(answers: Answers, key: string, ask: () => Promise<T>): Promise<T> {
	const answer = (answers.get(key) as Promise<T> | undefined) ?? ask();
	answers.set(key, answer);
	return answer;
}

/** Turns the refusal of a quota into a reason why the execution cannot start. */
async function isWithinQuota<T>(work: Promise<T>): Promise<T> {
	return work.catch((error: unknown) => {
		throw error instanceof AppError ? new Unstartable("quota", error.message) : error;
	});
}

const WORDS_MAX = 500;

/** The messages of a 400 in one line. */
function formatWords({ body }: AppError): string {
	const words = Object.entries(body).map(([field, messages]) => `${field}: ${[messages].flat().join(" ")}`);
	return words.join("; ").slice(0, WORDS_MAX);
}
