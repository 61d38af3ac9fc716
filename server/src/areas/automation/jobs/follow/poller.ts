/**
 * Polls automation jobs. Only one process polls a connection at a time, with one request for the
 * states of all due jobs. A server that does not answer is polled at growing intervals; its jobs do
 * not fail because of it.
 */
import { type Context, getNow, getTimeIn } from "../../../../context.ts";
import { AutomationError, type AutomationTarget, type JobState } from "../../../../integrations/awx/port.ts";
import { findServer } from "../../connections/manage-connections.ts";
import { isServerFailure } from "../rules/poll-errors.ts";
import type { ExecutionRow } from "../sql/executions.ts";
import { claimDuePolls, listDueExecutions, releasePoll, renewPollLease } from "../sql/polls.ts";
import { endWithError, pollExecution, postponePoll, saveExplanation, saveListedState } from "./follow-job.ts";

/**
 * Lease of a connection, in milliseconds; renewed while it is held. After the death of a process
 * its connections are not polled for this long.
 */
const LEASE_MS = 20_000;
const CONNECTIONS_AT_ONCE = 8;
const JOBS_AT_ONCE = 500;
/** Polls of jobs of one connection at the same time; the driver has bounds of its own. */
const POLLS_AT_ONCE = 6;
/** Bytes of job variables in one answer about many jobs. */
const ANSWER_BYTES = 8 * 1_048_576;
const LONGEST_WAIT_MS = 30_000;
/** Consecutive failures of a server after which its executions show an explanation. */
const EXPLAIN_AFTER_FAILURES = 3;

/** States of all, in as few requests as their size allows. */
async function listStates(
	ctx: Context,
	target: AutomationTarget,
	rows: readonly ExecutionRow[],
): Promise<ReadonlyMap<number, JobState>> {
	const all = new Map<number, JobState>();
	let batch: number[] = [];
	let bytes = 0;
	const flushBatch = async () => {
		if (batch.length === 0) return;
		for (const [id, state] of await ctx.automation.states(target, batch)) all.set(id, state);
		[batch, bytes] = [[], 0];
	};
	for (const { job_id, vars_bytes } of rows) {
		if (bytes + vars_bytes > ANSWER_BYTES) await flushBatch();
		batch.push(job_id ?? 0);
		bytes += vars_bytes;
	}
	await flushBatch();
	return all;
}

/**
 * Runs work for one execution. An error of its job alone is logged and explained on the execution,
 * which is then polled later. Returns an error of the server itself; else null.
 */
async function pollAlone(ctx: Context, row: ExecutionRow, poll: () => Promise<void>): Promise<AutomationError | null> {
	try {
		await poll();
	} catch (error) {
		if (error instanceof AutomationError && isServerFailure(error.kind)) return error;
		ctx.log.error({ err: error, execution: row.id, job: row.job_id }, "an automation job could not be polled");
		await postponePoll(ctx, row, error);
	}
	return null;
}

async function pollExecutions(
	ctx: Context,
	target: AutomationTarget,
	rows: readonly ExecutionRow[],
): Promise<AutomationError | null> {
	const states = await listStates(ctx, target, rows);
	// A request for one job may last until its timeout. The states of the others are known already.
	for (const row of rows) {
		const state = states.get(row.job_id ?? 0);
		if (state !== undefined) await pollAlone(ctx, row, () => saveListedState(ctx, row, state));
	}
	let next = 0;
	let trouble: AutomationError | null = null;
	const workers = await Promise.allSettled(
		Array.from({ length: Math.min(POLLS_AT_ONCE, rows.length) }, async () => {
			for (let row = rows[next++]; row !== undefined; row = rows[next++]) {
				const polled = row;
				const state = states.get(polled.job_id ?? 0);
				trouble = (await pollAlone(ctx, polled, () => pollExecution(ctx, target, polled, state))) ?? trouble;
			}
		}),
	);
	// The lease is held until no worker is at a job any more.
	for (const worker of workers) if (worker.status === "rejected") throw worker.reason;
	return trouble;
}

async function explainAll(ctx: Context, rows: readonly ExecutionRow[], message: string): Promise<void> {
	for (const row of rows) await pollAlone(ctx, row, () => saveExplanation(ctx, row, message));
}

async function pollConnection(ctx: Context, id: string, token: string, taken: Date, failures: number): Promise<void> {
	let trouble: AutomationError | null = null;
	// Unlike a lease of core/lease.ts, its loss aborts nothing: to poll a server twice is harmless.
	const renewing = ctx.clock.every(LEASE_MS / 3, () => {
		renewPollLease(ctx.store.db, id, token, getTimeIn(ctx, LEASE_MS)).catch((error: unknown) => {
			ctx.log.warn({ err: error, connectionId: id }, "the polling lease of a connection could not be renewed");
		});
	});
	try {
		const rows = await listDueExecutions(ctx.store.db, id, getNow(ctx), JOBS_AT_ONCE);
		const found = rows.length === 0 ? null : await findServer(ctx, id);
		if (found !== null && "target" in found) {
			trouble = await pollExecutions(ctx, found.target, rows).catch((error: unknown) => {
				if (error instanceof AutomationError) return error;
				throw error;
			});
			if (trouble !== null && failures + 1 >= EXPLAIN_AFTER_FAILURES) {
				const message = `The automation server does not answer: ${trouble.message} Check the connection.`;
				await explainAll(ctx, rows, message);
			}
		} else if (found?.problem === "deleted") {
			for (const row of rows) await pollAlone(ctx, row, () => endWithError(ctx, row, found.message));
		} else if (found !== null) {
			trouble = new AutomationError("credentials", found.message);
			await explainAll(ctx, rows, found.message);
		}
	} catch (error) {
		ctx.log.error({ err: error, connectionId: id }, "the jobs of a connection could not be polled");
		trouble = new AutomationError("bad_answer", "internal");
	} finally {
		renewing.stop();
		const failed = trouble === null ? 0 : failures + 1;
		if (trouble !== null)
			ctx.log.warn({ connectionId: id, reason: trouble.kind, failed }, "an automation server does not answer");
		const wait = trouble === null ? 0 : Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** Math.min(failures, 5));
		const notBefore = getTimeIn(ctx, Math.max(wait, Math.min(trouble?.retryAfterMs ?? 0, LONGEST_WAIT_MS)));
		await releasePoll(ctx.store.db, id, token, { now: getNow(ctx), notBefore, taken, failures: failed });
	}
}

export function createPoller(ctx: Context) {
	/** Connections that this process is at. */
	const busy = new Set<string>();
	let taking = false;

	/**
	 * Takes the connections that are due, and asks them. A slow server keeps none of the others
	 * waiting: the next call takes whatever is due by then.
	 */
	async function pollDueConnections(): Promise<void> {
		const free = CONNECTIONS_AT_ONCE - busy.size;
		if (free <= 0 || taking) return;
		taking = true;
		const token = ctx.ids.uuid();
		const taken = getTimeIn(ctx, LEASE_MS);
		const due = await claimDuePolls(ctx.store.db, getNow(ctx), taken, token, free).finally(() => {
			taking = false;
		});
		await Promise.all(
			due.map(async ({ id, failures }) => {
				busy.add(id);
				await pollConnection(ctx, id, token, taken, failures).finally(() => busy.delete(id));
			}),
		);
	}

	return { pollDueConnections };
}
