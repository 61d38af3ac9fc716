/**
 * SQL of launches: every step has the states before it as a condition, so that of two processes at
 * one launch only one goes on.
 */

import type { LaunchState } from "@weft/contracts";
import { sql } from "kysely";
import { hasPassed } from "../../../../core/deadline-sql.ts";
import { type Db, findBrokenUnique, type Tx } from "../../../../core/ports/store.ts";
import { type JobCauses, listSources, STEP_STATES } from "../rules/states.ts";

/** The index that keeps one job from belonging to two executions. */
const JOB_INDEX = "automation_executions_job";

/** Upper bound of the delay of a step, in milliseconds. */
const LONGEST_MS = 10 * 60_000;

export interface Sending {
	readonly token: string;
	readonly sentAt: Date;
	readonly since: Date;
	readonly referenceSent: boolean;
	readonly lookupAt: Date;
	readonly varsBytes: number;
	readonly tasksExpected: number | null;
}

export interface Adopted {
	readonly jobId: number;
	readonly jobType: string;
	readonly jobCreated: Date;
}

/** The update of a launch that is still in a state from which the cause leads to the new one. */
const updateLaunch = (tx: Tx, id: string, cause: JobCauses["launch"], state: LaunchState) =>
	tx.db
		.updateTable("automation_executions")
		.set({ launch_state: state })
		.where("id", "=", id)
		.where("launch_state", "in", listSources("launch", cause, state));

/** Marks a launch as being sent. Returns false if it must not be sent (any more). */
export async function markLaunchSending(tx: Tx, id: string, sending: Sending): Promise<boolean> {
	const { numUpdatedRows } = await updateLaunch(tx, id, "send", "sending")
		.set((eb) => ({
			launch_token: sending.token,
			launch_attempt: eb("launch_attempt", "+", 1),
			sent_at: sending.sentAt,
			// The first attempt's: a job of an earlier one counts as well.
			server_since: sql`coalesce(server_since, ${sending.since})`,
			reference_sent: sending.referenceSent,
			lookup_at: sending.lookupAt,
			vars_bytes: sending.varsBytes,
			tasks_expected: sending.tasksExpected,
		}))
		.where("cancel_requested_at", "is", null)
		.executeTakeFirst();
	return numUpdatedRows > 0n;
}

/**
 * Nothing was launched: allows another attempt at `at`. Returns false if another process has
 * taken the execution.
 */
export async function markLaunchUnsent(tx: Tx, id: string, token: string, at: Date): Promise<boolean> {
	const { numUpdatedRows } = await updateLaunch(tx, id, "unsend", "intent")
		.set({ launch_token: null, lookup_at: at })
		.where("launch_token", "=", token)
		.executeTakeFirst();
	return numUpdatedRows > 0n;
}

/**
 * Gives the job to the execution. `taken`: the execution has a job already, or is over;
 * `other`: the job is another's. Runs in a savepoint, so that the transaction goes on.
 */
export async function assignJob(tx: Tx, id: string, job: Adopted): Promise<"done" | "taken" | "other"> {
	await sql`savepoint adopt`.execute(tx.db);
	try {
		const { numUpdatedRows } = await updateLaunch(tx, id, "adopt", "launched")
			.set({
				launch_token: null,
				lookup_at: null,
				job_id: job.jobId,
				job_type: job.jobType,
				job_created: job.jobCreated,
			})
			.executeTakeFirst();
		return numUpdatedRows > 0n ? "done" : "taken";
	} catch (error) {
		if (findBrokenUnique(error) !== JOB_INDEX) throw error;
		await sql`rollback to savepoint adopt`.execute(tx.db);
		return "other";
	}
}

/**
 * A launch that was sent in the future was sent under a clock that was wrong: it counts from
 * now on.
 */
export async function rescheduleFutureLaunches(db: Db, id: string, now: Date, at: Date): Promise<void> {
	await db
		.updateTable("automation_executions")
		.set({ lookup_at: at, sent_at: sql`least(sent_at, ${now}::timestamptz)` })
		.where("id", "=", id)
		.where("launch_state", "in", STEP_STATES)
		.execute();
}

/** Launches that wait for their next step. */
export async function listDueLaunches(db: Db, now: Date, limit: number): Promise<string[]> {
	const rows = await db
		.selectFrom("automation_executions")
		.select("id")
		.where("launch_state", "in", STEP_STATES)
		.where(hasPassed("lookup_at", now, LONGEST_MS))
		.orderBy("lookup_at")
		.limit(limit)
		.execute();
	return rows.map(({ id }) => id);
}

/**
 * Postpones the next step, so that no other process takes it at the same time. Returns false if
 * one has.
 */
export async function claimLaunchStep(db: Db, id: string, now: Date, until: Date): Promise<boolean> {
	const { numUpdatedRows } = await db
		.updateTable("automation_executions")
		.set({ lookup_at: until })
		.where("id", "=", id)
		.where("launch_state", "in", STEP_STATES)
		.where(hasPassed("lookup_at", now, LONGEST_MS))
		.executeTakeFirst();
	return numUpdatedRows > 0n;
}

/** Jobs of a connection that belong to executions. */
export async function listClaimedJobs(
	db: Db,
	connectionId: string,
	jobIds: readonly number[],
): Promise<ReadonlySet<number>> {
	if (jobIds.length === 0) return new Set();
	const rows = await db
		.selectFrom("automation_executions")
		.select("job_id")
		.where("connection_id", "=", connectionId)
		.where("job_id", "in", [...jobIds])
		.execute();
	return new Set(rows.map(({ job_id }) => job_id as number));
}

/** Schedules the search for lost launches at once, since the server has reported a change. */
export async function scheduleLaunchSearch(db: Db, now: Date, connectionIds: readonly string[] | null): Promise<void> {
	const base = db
		.updateTable("automation_executions")
		.set({ lookup_at: now })
		.where("launch_state", "in", listSources("launch", "adopt"))
		.where("lookup_at", ">", now)
		.where("sent_at", "<", new Date(now.getTime() - 2_000));
	await (connectionIds === null || connectionIds.length === 0
		? base
		: base.where("connection_id", "in", [...connectionIds])
	).execute();
}
