/** The tables of this area as the query builder sees them. */
import type { ExecutionStatus, Frequency, IntervalMinutes, RunOutcome, TaskStatus } from "@weft/contracts";
import type { ColumnType, Generated } from "kysely";
import type { Json, Time } from "../../core/ports/schema.ts";

declare module "../../core/ports/schema.ts" {
	interface Schema {
		scheduled_tasks: ScheduledTasksTable;
		scheduled_runs: ScheduledRunsTable;
		scheduled_executions: ScheduledExecutionsTable;
		scheduled_execution_counts: ScheduledExecutionCountsTable;
		task_settings: TaskSettingsTable;
	}
}

export interface ScheduledTasksTable {
	id: string;
	owner_id: number;
	name: string;
	description: string;
	saved_query_id: string;
	query_name: string;
	connection_ids: string[];
	/** In the order of the ids. */
	connection_names: string[];
	connection_group_id: string | null;
	/** As it was last known; empty without a group. */
	connection_group_name: Generated<string>;
	variable_values: Json<Record<string, string | number | null>>;
	frequency: Frequency;
	interval_minutes: IntervalMinutes | null;
	minute_of_hour: number | null;
	time_of_day: string | null;
	day_of_week: number | null;
	day_of_month: number | null;
	scheduled_datetime: Time | null;
	timezone: string;
	status: TaskStatus;
	email_on_success: boolean;
	email_on_failure: boolean;
	email_recipients: string[];
	retry_enabled: boolean;
	retry_count: number;
	retry_interval_minutes: number;
	log_retention_days: number;
	last_run_at: Time | null;
	last_run_status: RunOutcome | null;
	next_run_at: Time | null;
	execution_count: Generated<number>;
	skipped_count: Generated<number>;
	success_count: Generated<number>;
	failure_count: Generated<number>;
	created_at: Time;
	updated_at: Time;
}

export interface ScheduledRunsTable {
	id: string;
	task_id: string;
	due_at: Time | null;
	state: "running" | "waiting" | "finished";
	attempt: Generated<number>;
	retry_at: Time | null;
	outcome: RunOutcome | null;
	created_at: Time;
	finished_at: Time | null;
}

export interface ScheduledExecutionsTable {
	id: string;
	run_id: string;
	task_id: string;
	connection_id: string;
	connection_name: string;
	retry_attempt: number;
	status: ColumnType<ExecutionStatus, ExecutionStatus | undefined, ExecutionStatus>;
	result_count: number | null;
	error_type: string | null;
	error_message: string | null;
	pipeline_job_id: string | null;
	snapshot_id: string | null;
	created_at: Time;
	started_at: Time | null;
	completed_at: Time | null;
	watched_at: Time;
}

/** Of executions that have ended; kept by triggers; 0027_counts.sql. */
export interface ScheduledExecutionCountsTable {
	task_id: string;
	connection_id: string;
	status: string;
	shard: number;
	entries: number;
}

export interface TaskSettingsTable {
	id: Generated<1>;
	default_retry_count: number;
	default_retry_interval_minutes: number;
	default_log_retention_days: number;
	email_enabled: boolean;
	email_from_address: string;
}
