/** SQL of polling: which connection is polled next, by which process, for which executions. */
import { sql } from "kysely";
import { hasPassed } from "../../../../core/deadline-sql.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { ExecutionRow } from "./executions.ts";

/** Interval of polls of a connection without jobs, in milliseconds; each costs one statement. */
const IDLE_MS = 5 * 60_000;
/** Upper bound of the delay of a poll, in milliseconds. */
const LONGEST_MS = 2 * IDLE_MS;

/** Makes a connection due at `at` at the latest. */
export async function advancePolls(db: Db, connectionIds: readonly string[], at: Date): Promise<void> {
	if (connectionIds.length === 0) return;
	await sql`insert into automation_polls (connection_id, due_at)
		select id, ${at} from unnest(${[...new Set(connectionIds)].sort()}::uuid[]) as id
		on conflict (connection_id) do update set due_at = least(automation_polls.due_at, excluded.due_at)`.execute(db);
}

/**
 * Polls a connection and all its open executions at once, without the delay after failures. The
 * lease is revoked: its holder may wait for an answer to the credentials of before.
 */
export async function restartPolls(tx: Tx, connectionId: string, now: Date): Promise<void> {
	await tx.db
		.updateTable("automation_executions")
		.set({ poll_at: now })
		.where("connection_id", "=", connectionId)
		.where("launch_state", "=", "launched")
		.where("finished_at", "is", null)
		.execute();
	await tx.db
		.updateTable("automation_polls")
		.set({ due_at: now, failures: 0, lease_token: null, lease_until: null })
		.where("connection_id", "=", connectionId)
		.execute();
}

/** Takes due connections without a lease, and leases them until `until`. */
export async function claimDuePolls(
	db: Db,
	now: Date,
	until: Date,
	token: string,
	limit: number,
): Promise<{ id: string; failures: number }[]> {
	const { rows } = await sql<{ id: string; failures: number }>`update automation_polls p
		set lease_token = ${token}, lease_until = ${until}, due_at = ${until}
		where p.connection_id in (select connection_id from automation_polls
			where ${hasPassed("due_at", now, LONGEST_MS)} and (lease_until is null or ${hasPassed("lease_until", now, LONGEST_MS)})
			order by due_at limit ${limit} for update skip locked)
		returning p.connection_id as id, p.failures`.execute(db);
	return rows;
}

export async function renewPollLease(db: Db, connectionId: string, token: string, until: Date): Promise<boolean> {
	const { numUpdatedRows } = await db
		.updateTable("automation_polls")
		.set({ lease_until: until })
		.where("connection_id", "=", connectionId)
		.where("lease_token", "=", token)
		.executeTakeFirst();
	return numUpdatedRows > 0n;
}

/**
 * Releases a connection. It is due when its first execution is, but not before `notBefore`. If
 * another request made it due before `taken`, the end of this lease, that time is kept.
 */
export async function releasePoll(
	db: Db,
	connectionId: string,
	token: string,
	{ now, notBefore, taken, failures }: { now: Date; notBefore: Date; taken: Date; failures: number },
): Promise<void> {
	await sql`update automation_polls p set lease_token = null, lease_until = null, failures = ${failures},
			due_at = greatest(${notBefore}, least(case when p.due_at < ${taken} then p.due_at end, (select min(e.poll_at) from automation_executions e
				where e.connection_id = p.connection_id and e.launch_state = 'launched' and e.finished_at is null),
				${new Date(now.getTime() + IDLE_MS)}::timestamptz))
		where p.connection_id = ${connectionId} and p.lease_token = ${token}`.execute(db);
}

/** Executions of a connection whose time has come, the longest waiting first. */
export async function listDueExecutions(
	db: Db,
	connectionId: string,
	now: Date,
	limit: number,
): Promise<ExecutionRow[]> {
	return db
		.selectFrom("automation_executions")
		.selectAll()
		.where("connection_id", "=", connectionId)
		.where("launch_state", "=", "launched")
		.where("finished_at", "is", null)
		.where(hasPassed("poll_at", now, LONGEST_MS))
		.orderBy("poll_at")
		.limit(limit)
		.execute();
}

/**
 * Records a viewer. Returns the id of the connection if it must be polled sooner; else null.
 */
export async function markExecutionViewed(db: Db, executionId: string, now: Date, until: Date): Promise<string | null> {
	const row = await db
		.updateTable("automation_executions")
		.set({ watched_until: until, poll_at: sql`least(poll_at, ${now})` })
		.where("id", "=", executionId)
		.where("launch_state", "=", "launched")
		.where("finished_at", "is", null)
		.where((eb) => eb.or([eb("watched_until", "is", null), eb("watched_until", "<", now)]))
		.returning("connection_id")
		.executeTakeFirst();
	return row?.connection_id ?? null;
}

/** Extends the time of a viewer without an earlier poll. */
export async function extendExecutionViewed(db: Db, executionId: string, before: Date, until: Date): Promise<void> {
	await db
		.updateTable("automation_executions")
		.set({ watched_until: until })
		.where("id", "=", executionId)
		.where("finished_at", "is", null)
		.where("watched_until", "<", before)
		.execute();
}

/** Makes executions due at once, except those due between now and `soonest`. */
export async function makeExecutionsDue(
	db: Db,
	executionIds: readonly string[],
	now: Date,
	soonest: Date,
): Promise<void> {
	if (executionIds.length === 0) return;
	await db
		.updateTable("automation_executions")
		.set({ poll_at: now })
		.where("id", "in", [...executionIds])
		// A due execution may have been polled a moment ago, before the new data existed.
		.where((eb) => eb.or([eb("poll_at", ">", soonest), eb("poll_at", "<=", now)]))
		.execute();
}

/** Locks an execution that is not over. */
export async function lockOpenExecution(tx: Tx, id: string): Promise<ExecutionRow | undefined> {
	return tx.db
		.selectFrom("automation_executions")
		.selectAll()
		.where("id", "=", id)
		.where("finished_at", "is", null)
		.forUpdate()
		.executeTakeFirst();
}
