/** Background jobs on pg-boss: in the same PostgreSQL, enqueued in the transaction of the change, taken over by another process when their worker dies. */
import { CompiledQuery } from "kysely";
import type pg from "pg";
import { PgBoss } from "pg-boss";
import type { JobQueue, Jobs } from "../../ports/jobs.ts";
import type { Log } from "../../ports/log.ts";
import type { Tx } from "../../ports/store.ts";
import { clientClass } from "../postgres/client.ts";
import { linkSignals } from "../system/signals.ts";

export interface PgBossOptions {
	readonly connection: pg.ClientConfig;
	readonly log: Log;
}

const HEARTBEAT_SECONDS = 10;
const RETRIES = 10;

/** Installs or updates its tables at `start`. */
export async function startPgBoss({ connection, log }: PgBossOptions): Promise<Jobs> {
	const boss = new PgBoss({
		...(connection as object),
		// Passed on to the pool; pg-boss does not declare it.
		...({ Client: clientClass() } as object),
		max: 4,
		// What is put into a queue goes with its own transaction. Should the server itself crash, jobs that were taken or
		// completed in its last moment come once more, as they may at any time.
		options: "-c synchronous_commit=off",
		application_name: "weft-jobs",
		useListenNotify: true,
		schedule: false,
		// How soon the death of a worker is noticed is the heartbeat plus this.
		superviseIntervalSeconds: 2,
		monitorIntervalSeconds: 2,
		maintenanceIntervalSeconds: 600,
	});
	boss.on("error", (error) => log.warn({ err: error }, "jobs: error"));
	boss.on("warning", (warning) => log.debug({ warning }, "jobs: warning"));
	await boss.start();
	const stopping = new AbortController();
	const known = new Set<string>();
	let stopped: Promise<void> | null = null;

	async function ensure(queue: Pick<JobQueue, "name" | "heartbeatSeconds" | "retries">): Promise<void> {
		if (known.has(queue.name)) return;
		const options = {
			notify: true,
			heartbeatSeconds: queue.heartbeatSeconds ?? HEARTBEAT_SECONDS,
			// Liveness is the heartbeat's business; a long run is no dead one.
			expireInSeconds: 86_400,
			retryLimit: queue.retries ?? RETRIES,
			retryDelay: 1,
			retryBackoff: true,
			retryDelayMax: 60,
			deleteAfterSeconds: 3_600,
		};
		await boss.createQueue(queue.name, options);
		await boss.updateQueue(queue.name, options);
		known.add(queue.name);
	}

	/** After each job it looks for the next one at once: by itself it would wait for a notification, or seconds, with jobs at hand. */
	async function startWorker(queue: JobQueue): Promise<void> {
		let id: string | undefined;
		id = await boss.work(
			queue.name,
			{
				batchSize: 1,
				pollingIntervalSeconds: 2,
				notifyPollingIntervalSeconds: 5,
				heartbeatRefreshSeconds: (queue.heartbeatSeconds ?? HEARTBEAT_SECONDS) / 3,
			},
			async ([job]) => {
				if (job === undefined) return;
				const { signal, done } = linkSignals(job.signal, stopping.signal);
				try {
					await queue.handler(job.data, signal);
				} catch (error) {
					log.warn({ err: error, queue: queue.name, job: job.id }, "a job failed and will be tried again");
					throw error;
				} finally {
					done();
					if (id !== undefined) boss.notifyWorker(id);
				}
			},
		);
	}

	return {
		async enqueue(tx, queue, data, options = {}) {
			await boss.send(queue, data, {
				db: executor(tx),
				...(options.runAfter ? { startAfter: options.runAfter } : {}),
				...(options.key === undefined ? {} : { singletonKey: options.key }),
			});
		},
		async enqueueAll(tx, queue, all) {
			if (all.length === 0) return;
			await boss.insert(
				queue,
				all.map((data) => ({ data })),
				{ db: executor(tx) },
			);
		},
		async declare(queues) {
			for (const queue of queues) await ensure(queue);
		},
		async work(queues) {
			for (const queue of queues) {
				await ensure(queue);
				for (let i = 0; i < queue.concurrency; i++) await startWorker(queue);
			}
		},
		async stats() {
			const queues = await boss.getQueues();
			return queues.map(({ name, readyCount, activeCount }) => ({
				queue: name,
				waiting: readyCount,
				active: activeCount,
			}));
		},
		stop(graceMs) {
			stopped ??= stop(graceMs);
			return stopped;
		},
	};

	async function stop(graceMs: number): Promise<void> {
		const timer = setTimeout(() => stopping.abort(new Error("The service is stopping.")), Math.max(0, graceMs - 1_000));
		await boss.stop({ graceful: true, timeout: Math.max(1_000, graceMs) }).finally(() => clearTimeout(timer));
		stopping.abort(new Error("The service has stopped."));
	}
}

function executor(tx: Tx) {
	return {
		async executeSql(text: string, values: unknown[] = []) {
			const { rows } = await tx.db.executeQuery(CompiledQuery.raw(text, values));
			return { rows: rows as unknown[] };
		},
	};
}
