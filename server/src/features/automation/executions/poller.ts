/**
 * Polls automation jobs. Only one process polls a connection at a time, with one request for the
 * states of all due jobs. A server that does not answer is polled at growing intervals; its jobs do
 * not fail because of it.
 */
import {
	type AutomationDriver,
	AutomationError,
	type AutomationTarget,
	type JobState,
} from "../../../ports/automation-server.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Ids } from "../../../ports/ids.ts";
import type { Log } from "../../../ports/log.ts";
import type { Store } from "../../../ports/store.ts";
import type { ExecutionDependencies } from "./dependencies.ts";
import type { Follow } from "./follow.ts";
import type { ExecutionRow } from "./repo.ts";
import { claimDuePolls, listDueExecutions, releasePoll, renewPollLease } from "./repo-polls.ts";

export interface PollerDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly ids: Pick<Ids, "uuid">;
	readonly log: Log;
	readonly automation: AutomationDriver;
	readonly follow: Follow;
	readonly connection: ExecutionDependencies["connection"];
}

/**
 * Lease of a connection, in milliseconds; renewed while it is held. After the death of a process
 * its connections are not polled for this long.
 */
const LEASE_MS = 20_000;
const CONNECTIONS_AT_ONCE = 8;
const JOBS_AT_ONCE = 500;
/** Looks at the jobs of one connection at the same time; the driver has bounds of its own. */
const LOOKS_AT_ONCE = 6;
/** Bytes of job variables in one answer about many jobs. */
const ANSWER_BYTES = 8 * 1_048_576;
const LONGEST_WAIT_MS = 30_000;
/** Consecutive failures of a server after which its executions show an explanation. */
const EXPLAIN_AFTER_FAILURES = 3;

export function createPoller({ store, clock, ids, log, automation, follow, connection }: PollerDeps) {
	const inMs = (ms: number) => new Date(clock.now() + ms);
	/** Connections that this process is at. */
	const busy = new Set<string>();
	let taking = false;

	/** States of all, in as few requests as their size allows. */
	async function listStates(
		target: AutomationTarget,
		rows: readonly ExecutionRow[],
	): Promise<ReadonlyMap<number, JobState>> {
		const all = new Map<number, JobState>();
		let batch: number[] = [];
		let bytes = 0;
		const flushBatch = async () => {
			if (batch.length === 0) return;
			for (const [id, state] of await automation.states(target, batch)) all.set(id, state);
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

	async function lookAt(target: AutomationTarget, rows: readonly ExecutionRow[]): Promise<AutomationError | null> {
		const states = await listStates(target, rows);
		// A request for one job may last until its timeout. The states of the others are known already.
		for (const row of rows) {
			const state = states.get(row.job_id ?? 0);
			if (state !== undefined) await follow.saveState(row, state);
		}
		let next = 0;
		let trouble: AutomationError | null = null;
		await Promise.all(
			Array.from({ length: Math.min(LOOKS_AT_ONCE, rows.length) }, async () => {
				for (let row = rows[next++]; row !== undefined; row = rows[next++]) {
					try {
						await follow.look(target, row, states.get(row.job_id ?? 0));
					} catch (error) {
						if (!(error instanceof AutomationError)) throw error;
						trouble = error;
					}
				}
			}),
		);
		return trouble;
	}

	async function explainAll(rows: readonly ExecutionRow[], message: string): Promise<void> {
		for (const row of rows) await follow.saveExplanation(row, message);
	}

	async function pollConnection(id: string, token: string, taken: Date, failures: number): Promise<void> {
		let trouble: AutomationError | null = null;
		const renewing = clock.every(LEASE_MS / 3, () => {
			renewPollLease(store.db, id, token, inMs(LEASE_MS)).catch((error: unknown) => {
				log.warn({ err: error, connectionId: id }, "the polling lease of a connection could not be renewed");
			});
		});
		try {
			const rows = await listDueExecutions(store.db, id, new Date(clock.now()), JOBS_AT_ONCE);
			const found = rows.length === 0 ? null : await connection(id);
			if (found !== null && "target" in found) {
				trouble = await lookAt(found.target, rows).catch((error: unknown) => {
					if (error instanceof AutomationError) return error;
					throw error;
				});
				if (trouble !== null && failures + 1 >= EXPLAIN_AFTER_FAILURES) {
					await explainAll(rows, `The automation server cannot be asked: ${trouble.message}`);
				}
			} else if (found?.problem === "deleted") {
				for (const row of rows) await follow.giveUp(row, found.message);
			} else if (found !== null) {
				trouble = new AutomationError("credentials", found.message);
				await explainAll(rows, found.message);
			}
		} catch (error) {
			log.error({ err: error, connectionId: id }, "the jobs of a connection could not be polled");
			trouble = new AutomationError("bad_answer", "internal");
		} finally {
			renewing.stop();
			const failed = trouble === null ? 0 : failures + 1;
			if (trouble !== null)
				log.warn({ connectionId: id, reason: trouble.kind, failed }, "an automation server cannot be asked");
			const wait = trouble === null ? 0 : Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** Math.min(failures, 5));
			const notBefore = inMs(Math.max(wait, Math.min(trouble?.retryAfterMs ?? 0, LONGEST_WAIT_MS)));
			await releasePoll(store.db, id, token, { now: new Date(clock.now()), notBefore, taken, failures: failed });
		}
	}

	return {
		/**
		 * Takes the connections that are due, and asks them. A slow server keeps none of the others
		 * waiting: the next call takes whatever is due by then.
		 */
		async tick(): Promise<void> {
			const free = CONNECTIONS_AT_ONCE - busy.size;
			if (free <= 0 || taking) return;
			taking = true;
			const token = ids.uuid();
			const taken = inMs(LEASE_MS);
			const due = await claimDuePolls(store.db, new Date(clock.now()), taken, token, free).finally(() => {
				taking = false;
			});
			await Promise.all(
				due.map(async ({ id, failures }) => {
					busy.add(id);
					await pollConnection(id, token, taken, failures).finally(() => busy.delete(id));
				}),
			);
		},
	};
}
export type Poller = ReturnType<typeof createPoller>;
