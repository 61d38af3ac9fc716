/** SQL of the rounds of change windows, their captures, and the results of their items. */
import { type Insertable, type Selectable, sql } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { ChangeWindowCapturesTable, ChangeWindowResultsTable, ChangeWindowRoundsTable } from "../tables.ts";

export type RoundRow = Selectable<ChangeWindowRoundsTable>;
export type CaptureRow = Selectable<ChangeWindowCapturesTable>;
export type ResultRow = Selectable<ChangeWindowResultsTable>;

export async function insertRound(tx: Tx, row: Insertable<ChangeWindowRoundsTable>): Promise<void> {
	await tx.db.insertInto("change_window_rounds").values(row).execute();
}

export async function insertCaptures(tx: Tx, rows: readonly Insertable<ChangeWindowCapturesTable>[]): Promise<void> {
	if (rows.length > 0)
		await tx.db
			.insertInto("change_window_captures")
			.values([...rows])
			.execute();
}

export async function findRound(db: Db, windowId: string, round: number): Promise<RoundRow | undefined> {
	return db
		.selectFrom("change_window_rounds")
		.selectAll()
		.where("window_id", "=", windowId)
		.where("round", "=", round)
		.executeTakeFirst();
}

/**
 * The beginning of the first round from which on all items have settled; null if there is none.
 * @param items indexes of the items for which rounds wait
 */
export async function findSettlingTime(
	tx: Tx,
	{ id, phase_round: first }: { readonly id: string; readonly phase_round: number },
	items: readonly number[],
	stableRounds: number,
): Promise<Date | null> {
	const { rows } = await sql<{ started_at: Date | null }>`
		select min(started_at) as started_at from change_window_rounds
		where window_id = ${id} and round > (
			select coalesce(max(round), ${first}::integer - 1) from change_window_results
			where window_id = ${id} and round >= ${first} and item = any(${items}::integer[])
				and stable_rounds < ${stableRounds})`.execute(tx.db);
	return rows[0]?.started_at ?? null;
}

export async function listRounds(db: Db, windowId: string): Promise<RoundRow[]> {
	return db.selectFrom("change_window_rounds").selectAll().where("window_id", "=", windowId).orderBy("round").execute();
}

export async function listCaptures(db: Db, windowId: string, round: number): Promise<CaptureRow[]> {
	return db
		.selectFrom("change_window_captures")
		.selectAll()
		.where("window_id", "=", windowId)
		.where("round", "=", round)
		.execute();
}

/** The latest capture of each query and connection in the rounds `from` to `before` - 1. */
export async function listEarlierCaptures(
	db: Db,
	windowId: string,
	{ from, before }: { readonly from: number; readonly before: number },
): Promise<CaptureRow[]> {
	const { rows } = await sql<CaptureRow>`
		select distinct on (saved_query_id, connection_id) * from change_window_captures
		where window_id = ${windowId} and round >= ${from} and round < ${before}
		order by saved_query_id, connection_id, round desc`.execute(db);
	return rows;
}

/** The latest capture of each query and connection in the rounds of a phase. */
export async function listPhaseCaptures(db: Db, windowId: string, phase: RoundRow["phase"]): Promise<CaptureRow[]> {
	const { rows } = await sql<CaptureRow>`
		select distinct on (c.saved_query_id, c.connection_id) c.* from change_window_captures c
		join change_window_rounds r on r.window_id = c.window_id and r.round = c.round and r.phase = ${phase}
		where c.window_id = ${windowId}
		order by c.saved_query_id, c.connection_id, c.round desc`.execute(db);
	return rows;
}

/** Ends a capture of a locked window. Returns undefined if it has ended before. */
export async function endCapture(
	tx: Tx,
	of: { readonly windowId: string; readonly runId: string },
	end: Pick<CaptureRow, "snapshot_id" | "captured_at" | "is_complete" | "error">,
): Promise<CaptureRow | undefined> {
	return tx.db
		.updateTable("change_window_captures")
		.set(end)
		.where("window_id", "=", of.windowId)
		.where("run_id", "=", of.runId)
		.where("is_complete", "is", null)
		.returningAll()
		.executeTakeFirst();
}

/** Ends the captures of a round whose runs are not over. Their ends change nothing any more. */
export async function endOpenCaptures(tx: Tx, windowId: string, round: number, error: string): Promise<void> {
	await tx.db
		.updateTable("change_window_captures")
		.set({ is_complete: false, error })
		.where("window_id", "=", windowId)
		.where("round", "=", round)
		.where("is_complete", "is", null)
		.execute();
}

export async function countOpenCaptures(db: Db, windowId: string, round: number): Promise<number> {
	const { count } = await db
		.selectFrom("change_window_captures")
		.select(sql<number>`count(*)::integer`.as("count"))
		.where("window_id", "=", windowId)
		.where("round", "=", round)
		.where("is_complete", "is", null)
		.executeTakeFirstOrThrow();
	return count;
}

export async function endRound(tx: Tx, windowId: string, round: number, at: Date): Promise<void> {
	await tx.db
		.updateTable("change_window_rounds")
		.set({ ended_at: at })
		.where("window_id", "=", windowId)
		.where("round", "=", round)
		.execute();
}

/** Rounds that ended before a time and are not evaluated, because their queue task was lost. */
export async function listLostRounds(
	db: Db,
	before: Date,
	limit: number,
): Promise<{ window_id: string; round: number }[]> {
	const { rows } = await sql<{ window_id: string; round: number }>`
		select r.window_id, r.round from change_window_rounds r join change_windows w on w.id = r.window_id
		where w.state in ('checking_before', 'settling') and w.round = r.round and w.round_at is null
			and r.ended_at < ${before}
		limit ${limit}`.execute(db);
	return rows;
}

export async function insertResults(tx: Tx, rows: readonly Insertable<ChangeWindowResultsTable>[]): Promise<void> {
	if (rows.length > 0)
		await tx.db
			.insertInto("change_window_results")
			.values([...rows])
			.execute();
}

/** The latest result of each item and connection in the rounds `from` to `to`. */
export async function listLatestResults(
	db: Db,
	windowId: string,
	{ from, to }: { readonly from: number; readonly to: number },
): Promise<ResultRow[]> {
	const { rows } = await sql<ResultRow>`
		select distinct on (item, connection_id) * from change_window_results
		where window_id = ${windowId} and round >= ${from} and round <= ${to}
		order by item, connection_id, round desc`.execute(db);
	return rows;
}

/** Ends captures whose run was deleted before its end was recorded. Returns their rounds. */
export async function endGoneCaptures(db: Db, limit: number): Promise<{ window_id: string; round: number }[]> {
	const { rows } = await sql<{ window_id: string; round: number }>`
		update change_window_captures c set is_complete = false, error = 'The run was deleted before it ended.'
		where c.ctid in (select g.ctid from change_window_captures g
			where g.is_complete is null and not exists (select from pipeline_jobs j where j.id = g.run_id) limit ${limit})
		returning c.window_id, c.round`.execute(db);
	return rows;
}
