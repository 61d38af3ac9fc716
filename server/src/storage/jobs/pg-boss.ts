/**
 * Queue tasks on pg-boss: in the same PostgreSQL, enqueued in the transaction of the change,
 * redelivered when their worker dies.
 */
import { isDeepStrictEqual } from "node:util";
import { CompiledQuery } from "kysely";
import type pg from "pg";
import { type ConstructorOptions, PgBoss, type QueueResult } from "pg-boss";
import type { JobQueue, Jobs } from "../../core/ports/jobs.ts";
import type { Log } from "../../core/ports/log.ts";
import type { Tx } from "../../core/ports/store.ts";
import { linkSignals } from "../../core/system/signals.ts";
import { runInShare, SERVICE_SHARE } from "../../core/work-share.ts";

interface PgBossOptions {
	readonly connection: pg.ClientConfig;
	readonly log: Log;
}

type ClockOption = NonNullable<ConstructorOptions["clock"]>;

const HEARTBEAT_SECONDS = 10;
const RETRIES = 10;
/** The queue's own statements are short. A connection that does not answer in time is replaced. */
const STATEMENT_MS = 20_000;

/**
 * A worker waits for the rest of its polling interval. Measured by the wall clock, that would be an
 * hour after the clock was put back by an hour. This clock starts at the wall clock and only goes
 * on.
 */
const steadyClock: ClockOption = {
	now: () => performance.timeOrigin + performance.now(),
	setTimeout: (work, ms) => setTimeout(work, ms),
	clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
	setInterval: (work, ms) => setInterval(work, ms),
	clearInterval: (timer) => clearInterval(timer as NodeJS.Timeout),
};

/** The client of the queues, and the signal of its end. */
interface ClientState {
	readonly log: PgBossOptions["log"];
	readonly boss: PgBoss;
	readonly stopping: AbortController;
	stopped: Promise<void> | null;
}

const buildQueueOptions = (queue: JobQueue) =>
	({
		notify: true,
		heartbeatSeconds: queue.heartbeatSeconds ?? HEARTBEAT_SECONDS,
		// The heartbeat detects dead workers; a long task is no dead one.
		expireInSeconds: 86_400,
		retryLimit: queue.retries ?? RETRIES,
		retryDelay: 1,
		retryBackoff: true,
		retryDelayMax: 60,
		deleteAfterSeconds: 3_600,
	}) satisfies Partial<QueueResult>;

/** Creates the queues that are absent, and updates those with other options. */
async function ensureQueues(client: ClientState, queues: readonly JobQueue[]): Promise<void> {
	const stored = new Map((await client.boss.getQueues()).map((queue) => [queue.name, queue]));
	for (const queue of queues) {
		const options = buildQueueOptions(queue);
		const existing = stored.get(queue.name);
		if (existing === undefined) await client.boss.createQueue(queue.name, options);
		else if (!isDeepStrictEqual({ ...existing, ...options }, existing)) {
			await client.boss.updateQueue(queue.name, options);
		}
	}
}

/**
 * Fetches the next task right after each one; pg-boss itself would wait for a notification or the
 * polling interval.
 */
async function startWorker(client: ClientState, queue: JobQueue): Promise<void> {
	let id: string | undefined;
	id = await client.boss.work(
		queue.name,
		{
			batchSize: 1,
			pollingIntervalSeconds: 2,
			notifyPollingIntervalSeconds: 5,
			heartbeatRefreshSeconds: (queue.heartbeatSeconds ?? HEARTBEAT_SECONDS) / 3,
		},
		async ([job]) => {
			if (job === undefined) return;
			const { signal, done } = linkSignals(job.signal, client.stopping.signal);
			try {
				await runInShare(SERVICE_SHARE, () => queue.handler(job.data, signal));
			} catch (error) {
				client.log.warn({ err: error, queue: queue.name, job: job.id }, "a queue task failed and will be retried");
				throw error;
			} finally {
				done();
				if (id !== undefined) client.boss.notifyWorker(id);
			}
		},
	);
}

async function stopBoss(client: ClientState, graceMs: number): Promise<void> {
	const timer = setTimeout(
		() => client.stopping.abort(new Error("The service is stopping.")),
		Math.max(0, graceMs - 1_000),
	);
	await client.boss.stop({ graceful: true, timeout: Math.max(1_000, graceMs) }).finally(() => clearTimeout(timer));
	client.stopping.abort(new Error("The service has stopped."));
}

async function enqueueTask(
	client: ClientState,
	tx: Tx,
	queue: string,
	data: object,
	options: { runAfter?: Date; key?: string } = {},
): Promise<void> {
	await client.boss.send(queue, data, {
		db: createExecutor(tx),
		...(options.runAfter ? { startAfter: options.runAfter } : {}),
		...(options.key === undefined ? {} : { singletonKey: options.key }),
	});
}

async function enqueueTasks(client: ClientState, tx: Tx, queue: string, all: readonly object[]): Promise<void> {
	if (all.length === 0) return;
	await client.boss.insert(
		queue,
		all.map((data) => ({ data })),
		{ db: createExecutor(tx) },
	);
}

async function startWork(client: ClientState, queues: readonly JobQueue[]): Promise<void> {
	await ensureQueues(client, queues);
	for (const queue of queues) {
		for (let i = 0; i < queue.concurrency; i++) await startWorker(client, queue);
	}
}

async function readQueueStats(
	client: ClientState,
): Promise<readonly { readonly queue: string; readonly waiting: number; readonly active: number }[]> {
	const queues = await client.boss.getQueues();
	return queues.map(({ name, readyCount, activeCount }) => ({
		queue: name,
		waiting: readyCount,
		active: activeCount,
	}));
}

function stopClient(client: ClientState, graceMs: number): Promise<void> {
	client.stopped ??= stopBoss(client, graceMs);
	return client.stopped;
}

/** Installs or updates its tables at `start`. */
export async function startPgBoss({ connection, log }: PgBossOptions): Promise<Jobs> {
	const boss = new PgBoss({
		...({ ...connection, query_timeout: STATEMENT_MS } satisfies pg.ClientConfig as object),
		max: 4,
		// Enqueueing uses the caller's transaction. If the server crashes, tasks that were fetched or
		// completed just before are delivered again, as they may be at any time.
		options: "-c synchronous_commit=off",
		application_name: "weft-jobs",
		connectionTimeoutMillis: 6_000,
		clock: steadyClock,
		useListenNotify: true,
		schedule: false,
		// A dead worker is noticed after the heartbeat plus this.
		superviseIntervalSeconds: 2,
		monitorIntervalSeconds: 2,
		maintenanceIntervalSeconds: 600,
	});
	const client: ClientState = { log, boss, stopping: new AbortController(), stopped: null };

	boss.on("error", (error) => log.warn({ err: error }, "queue error"));
	boss.on("warning", (warning) => log.debug({ warning }, "queue warning"));
	await boss.start();

	return {
		enqueue: (tx, queue, data, options) => enqueueTask(client, tx, queue, data, options),
		enqueueAll: (tx, queue, all) => enqueueTasks(client, tx, queue, all),
		declare: (queues) => ensureQueues(client, queues),
		work: (queues) => startWork(client, queues),
		stats: () => readQueueStats(client),
		stop: (graceMs) => stopClient(client, graceMs),
	};
}

function createExecutor(tx: Tx) {
	return {
		async executeSql(text: string, values: unknown[] = []) {
			const { rows } = await tx.db.executeQuery(CompiledQuery.raw(text, values));
			return { rows: rows as unknown[] };
		},
	};
}
