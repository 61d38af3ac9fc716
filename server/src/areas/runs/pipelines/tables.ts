/** The tables of this area as the query builder sees them. */
import type { InjectMode, PipelineStatus, StageStatus } from "@weft/contracts";
import type { ColumnType, Generated } from "kysely";
import type { Json, JsonDefault, Time } from "../../../core/ports/schema.ts";

declare module "../../../core/ports/schema.ts" {
	interface Schema {
		pipeline_jobs: PipelineJobsTable;
		pipeline_stages: PipelineStagesTable;
		pipeline_result_chunks: PipelineResultChunksTable;
		pipeline_frames: PipelineFramesTable;
	}
}

export interface PipelineJobsTable {
	id: string;
	owner_id: number;
	status: PipelineStatus;
	controller_connection_id: string;
	controller_connection_name: string;
	saved_query_id: string | null;
	query_name: string | null;
	query_version: string | null;
	/**
	 * Hash of the canvas that runs; null without a saved query, and for runs older than the column.
	 */
	query_version_hash: string | null;
	program: Json<unknown> | null;
	result_stages: number[];
	total_stages: number;
	completed_stages: Generated<number>;
	failed_stages: Generated<number>;
	current_stage_index: Generated<number>;
	/** Percent. */
	progress: Generated<number>;
	errors: JsonDefault<{ stage_index: number | null; node_id: string | null; message: string }[]>;
	total_rows: number | null;
	created_at: Time;
	started_at: Time | null;
	completed_at: Time | null;
	results_purged_at: Time | null;
	lease_token: string | null;
	lease_expires_at: Time | null;
	/** Attempts since the latest progress, with the present one. */
	attempts: Generated<number>;
	best_progress: Generated<number>;
	paused_until: ColumnType<Date | null, undefined, Date | null>;
	enqueued_at: Time;
	last_frame: Generated<number>;
	digest_due_at: Time | null;
	/** Whether an area waits for the event of its end. */
	awaited: Generated<boolean>;
	/** The run failed because the controller's release does not have a class of the query. */
	class_unknown: Generated<boolean>;
	/** Has the rows of this run; may be deleted since. */
	snapshot_id: Generated<string | null>;
}

export interface PipelineStagesTable {
	job_id: string;
	index: number;
	node_ids: string[];
	class_name: string;
	status: Generated<StageStatus>;
	inject_mode: InjectMode | null;
	source_stages: number[];
	value_count: Generated<number>;
	value_sample: JsonDefault<string[]>;
	result_count: Generated<number>;
	result_sample: JsonDefault<Record<string, unknown>[]>;
	request_count: Generated<number>;
	queries: JsonDefault<string[]>;
	feeds: Json<Record<string, string[]>> | null;
	/** Address of the member of the cluster that answered last. */
	member_url: string | null;
	started_at: Time | null;
	completed_at: Time | null;
	error: string | null;
}

export interface PipelineResultChunksTable {
	job_id: string;
	stage_index: number;
	first_row: number;
	row_count: number;
	payload: Buffer;
}

export interface PipelineFramesTable {
	job_id: string;
	seq: number;
	type: string;
	data: Json<Record<string, unknown>>;
	created_at: Time;
}
