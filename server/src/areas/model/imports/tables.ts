/** The tables of this area as the query builder sees them. */
import type { JobState, ModelSourceName, RunPhase, RunState } from "@weft/contracts";
import type { Generated } from "kysely";
import type { Time } from "../../../core/ports/schema.ts";

declare module "../../../core/ports/schema.ts" {
	interface Schema {
		model_import_runs: ModelImportRunsTable;
		model_import_jobs: ModelImportJobsTable;
	}
}

export interface ModelImportRunsTable {
	id: string;
	version_key: string;
	label: string;
	controller_version: string;
	source: ModelSourceName;
	controller_connection_id: string | null;
	state: RunState;
	phase: RunPhase;
	concurrency: number;
	total_classes: Generated<number>;
	completed_count: Generated<number>;
	fallback_count: Generated<number>;
	not_found_count: Generated<number>;
	failed_count: Generated<number>;
	property_count: Generated<number>;
	error_summary: Generated<string>;
	cancel_requested: Generated<boolean>;
	started_by: number | null;
	started_by_username: string;
	created_at: Time;
	started_at: Time | null;
	finished_at: Time | null;
	core_ready_at: Time | null;
	taken_up_at: Time | null;
	taken_up_count: Generated<number>;
	lease_token: string | null;
	lease_expires_at: Time | null;
	attempts: Generated<number>;
	enqueued_at: Time;
}

export interface ModelImportJobsTable {
	id: Generated<number>;
	run_id: string;
	class_name: string;
	state: Generated<JobState>;
	source_version: string | null;
	attempted_versions: Generated<string[]>;
	http_status_last: number | null;
	last_error: Generated<string>;
	retry_count: Generated<number>;
	updated_at: Time;
}
