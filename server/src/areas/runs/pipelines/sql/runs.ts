/** SQL of runs as their owners see them: runs, stages and frames. */
import type { PipelineStatus, RunList } from "@weft/contracts";
import { type Insertable, type QueryCreator, type Selectable, sql } from "kysely";
import type { Page } from "../../../../core/http/paging.ts";
import { buildContainsPattern } from "../../../../core/like.ts";
import type { Schema } from "../../../../core/ports/schema.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import type { PipelineFramesTable, PipelineJobsTable, PipelineStagesTable } from "../tables.ts";

/** All columns but the program, which may be large. */
export const RUN_COLUMNS = [
	"id",
	"owner_id",
	"status",
	"controller_connection_id",
	"controller_connection_name",
	"saved_query_id",
	"query_name",
	"query_version",
	"query_version_hash",
	"result_stages",
	"total_stages",
	"completed_stages",
	"failed_stages",
	"current_stage_index",
	"progress",
	"errors",
	"total_rows",
	"created_at",
	"started_at",
	"completed_at",
	"results_purged_at",
	"attempts",
	"last_frame",
	"awaited",
	"snapshot_id",
] as const;
const STAGE_COLUMNS = [
	"index",
	"node_ids",
	"class_name",
	"status",
	"inject_mode",
	"source_stages",
	"value_count",
	"value_sample",
	"result_count",
	"result_sample",
	"request_count",
	"queries",
	"started_at",
	"completed_at",
	"error",
	"member_url",
] as const;

export type RunRow = Pick<Selectable<PipelineJobsTable>, (typeof RUN_COLUMNS)[number]>;
/** A run with what decides whether its end is shown. */
export interface FoundRun extends RunRow {
	/** Whether the run has ended and its end is not recorded yet: it is shown as running. */
	readonly is_recording: boolean;
}
/** Which of a user's runs are listed. */
export type RunFilter = Pick<
	RunList,
	"status" | "search" | "saved_query_id" | "controller_connection_id" | "created_after" | "created_before"
>;
export type StageRow = Pick<Selectable<PipelineStagesTable>, (typeof STAGE_COLUMNS)[number]>;
export type FrameRow = Selectable<PipelineFramesTable>;

/** A statement of several parts, each of which sees the tables as they were before it. */
export type Parts = QueryCreator<Schema>;

/** A frame to be written. */
export interface NewFrame {
	readonly type: string;
	readonly data: Record<string, unknown>;
}

const TERMINAL_FRAMES = ["execution_complete", "execution_failed"] as const;

/**
 * Whether a run has ended and its end is not recorded yet. A cancelled run ends with the request
 * that cancels it. `table` is the name or alias of `pipeline_jobs` in the statement.
 */
export const isRecording = (table: string) => sql<boolean>`(
	${sql.ref(`${table}.status`)} in ('completed', 'failed') and exists (
		select from query_runs where query_runs.job_id = ${sql.ref(`${table}.id`)} and query_runs.finished_at is null))`;
/** The status that is shown. */
const shownStatus = sql<PipelineStatus>`(case when ${isRecording("pipeline_jobs")} then 'running' else pipeline_jobs.status end)`;

export async function insertRuns(
	tx: Tx,
	jobs: readonly Insertable<PipelineJobsTable>[],
	stages: readonly Insertable<PipelineStagesTable>[],
): Promise<ReadonlyMap<string, RunRow>> {
	// One statement: the foreign key of the stages is checked at its end.
	const rows = await tx.db
		.with("jobs", (db) =>
			db
				.insertInto("pipeline_jobs")
				.values([...jobs])
				.returning(RUN_COLUMNS),
		)
		.with("stages", (db) => db.insertInto("pipeline_stages").values([...stages]))
		.selectFrom("jobs")
		.selectAll()
		.execute();
	return new Map(rows.map((row) => [row.id, row]));
}

export async function findRun(db: Db, id: string): Promise<FoundRun | undefined> {
	return db
		.selectFrom("pipeline_jobs")
		.select(RUN_COLUMNS)
		.select(isRecording("pipeline_jobs").as("is_recording"))
		.where("id", "=", id)
		.executeTakeFirst();
}

export async function listRunPage(
	db: Db,
	ownerId: number,
	filter: RunFilter & { offset: number; limit: number },
): Promise<Page<FoundRun>> {
	const query = db
		.selectFrom("pipeline_jobs")
		.where("owner_id", "=", ownerId)
		.where(({ eb, and }) => {
			const { status, search, saved_query_id, controller_connection_id, created_after, created_before } = filter;
			return and([
				...(status === undefined ? [] : [eb(shownStatus, "=", status)]),
				...(search === undefined ? [] : [eb("query_name", "ilike", buildContainsPattern(search))]),
				...(saved_query_id === undefined ? [] : [eb("saved_query_id", "=", saved_query_id)]),
				...(controller_connection_id === undefined
					? []
					: [eb("controller_connection_id", "=", controller_connection_id)]),
				...(created_after === undefined ? [] : [eb("created_at", ">=", new Date(created_after))]),
				...(created_before === undefined ? [] : [eb("created_at", "<", new Date(created_before))]),
			]);
		});
	const [{ count }, rows] = await Promise.all([
		query.select((eb) => eb.fn.countAll<number>().as("count")).executeTakeFirstOrThrow(),
		query
			.select(RUN_COLUMNS)
			.select(isRecording("pipeline_jobs").as("is_recording"))
			.orderBy("created_at", "desc")
			.orderBy("id", "desc")
			.offset(filter.offset)
			.limit(filter.limit)
			.execute(),
	]);
	return { count, rows };
}

/** What the run was made from; null once it is removed. */
export async function findProgram(db: Db, id: string): Promise<unknown> {
	const row = await db.selectFrom("pipeline_jobs").select("program").where("id", "=", id).executeTakeFirst();
	return row?.program ?? null;
}

/** Names the snapshot that has the rows of a run. */
export async function linkRunSnapshot(tx: Tx, id: string, snapshotId: string): Promise<void> {
	await tx.db.updateTable("pipeline_jobs").set({ snapshot_id: snapshotId }).where("id", "=", id).execute();
}

export async function listStages(db: Db, jobId: string): Promise<StageRow[]> {
	return db.selectFrom("pipeline_stages").select(STAGE_COLUMNS).where("job_id", "=", jobId).orderBy("index").execute();
}

/**
 * Cancels a run that has not ended, and takes it from its worker. Undefined when it had ended.
 */
export async function cancelRunRow(tx: Tx, id: string, now: Date): Promise<RunRow | undefined> {
	const frame = { type: "execution_failed", data: { error: "cancelled", failed_node: null } };
	const held = tx.db.with("held", (query) =>
		query
			.updateTable("pipeline_jobs")
			.set((eb) => ({
				status: "cancelled",
				completed_at: now,
				lease_token: null,
				lease_expires_at: null,
				last_frame: eb("last_frame", "+", 1),
			}))
			.where("id", "=", id)
			.where("status", "in", ["pending", "running"])
			.returning(RUN_COLUMNS),
	);
	return held
		.with("stages", (query) =>
			query
				.updateTable("pipeline_stages")
				.set({ status: "cancelled", completed_at: now })
				.where(sql<boolean>`job_id = (select id from held)`)
				.where("status", "in", ["pending", "running"]),
		)
		.with("frames", (query) => buildFrames(query as unknown as Parts, [frame], now))
		.selectFrom("held")
		.selectAll()
		.executeTakeFirst();
}

/** The latest row count of each node that has answered, by node id. */
export async function listNodeResults(db: Db, jobId: string): Promise<NodeResult[]> {
	const { rows } = await sql<NodeResult>`
		select distinct on (data->>'node_id') data->>'node_id' as node_id, (data->>'row_count')::integer as row_count
		from pipeline_frames where job_id = ${jobId} and type = 'node_result'
		order by data->>'node_id', seq desc`.execute(db);
	return rows;
}

/** Frames after a number. The last one of a run follows once the end is recorded. */
export async function listRunFrames(db: Db, jobId: string, after: number): Promise<FrameRow[]> {
	const recording = db
		.selectFrom("pipeline_jobs")
		.select("id")
		.where("id", "=", jobId)
		.where(isRecording("pipeline_jobs"));
	return db
		.selectFrom("pipeline_frames")
		.selectAll()
		.where("job_id", "=", jobId)
		.where("seq", ">", after)
		.where(({ eb, or, not, exists }) => or([eb("type", "not in", TERMINAL_FRAMES), not(exists(recording))]))
		.orderBy("seq")
		.execute();
}

export interface NodeResult {
	readonly node_id: string;
	readonly row_count: number;
}

/**
 * Inserts frames, numbered after the run's earlier ones; `held` is the run's row after the update.
 */
export function buildFrames(db: Parts, frames: readonly NewFrame[], now: Date) {
	const rows = frames.map(
		({ type, data }, i) => sql`(${frames.length - 1 - i}::integer, ${type}::text, ${JSON.stringify(data)}::json)`,
	);
	return db
		.insertInto("pipeline_frames")
		.columns(["job_id", "seq", "type", "data", "created_at"])
		.expression(
			sql`select held.id, held.last_frame - f.back, f.type, f.data, ${now}::timestamptz
				from held, (values ${sql.join(rows)}) as f (back, type, data)` as never,
		);
}
