/** Tasks, executions and settings as the wire shows them. */
import type { HoldRef, ScheduledExecution, ScheduledTask, TaskSettings } from "@weft/contracts";
import type { Identity } from "../../core/caller.ts";
import { canEdit } from "./policy.ts";
import { describeSchedule } from "./rules/describe.ts";
import { computeSuccessRate } from "./rules/outcome.ts";
import type { ShownExecution } from "./sql/runs.ts";
import type { SettingsRow, ShownTask, TaskStats } from "./sql/tasks.ts";

const formatIsoTime = (time: Date | null): string | null => time?.toISOString() ?? null;

export function presentTask(row: ShownTask, identity: Identity, held: HoldRef | null): ScheduledTask {
	const can_edit = canEdit(identity, row);
	return {
		id: row.id,
		name: row.name,
		description: row.description,
		saved_query: row.saved_query_id,
		query_name: row.query_name,
		controller_connection_ids: row.connection_ids,
		connection_group: row.connection_group_id,
		connection_group_name: row.connection_group_id === null ? null : row.connection_group_name,
		variable_values: row.variable_values,
		frequency: row.frequency,
		interval_minutes: row.interval_minutes,
		// What these are where the frequency has no use for them.
		minute_of_hour: row.minute_of_hour ?? 0,
		time_of_day: row.time_of_day ?? "00:00",
		day_of_week: row.day_of_week,
		day_of_month: row.day_of_month,
		scheduled_datetime: formatIsoTime(row.scheduled_datetime),
		timezone: row.timezone,
		status: row.status,
		email_on_success: row.email_on_success,
		email_on_failure: row.email_on_failure,
		email_recipients: can_edit || row.owner_id === identity.userId ? row.email_recipients : [],
		retry_enabled: row.retry_enabled,
		retry_count: row.retry_count,
		retry_interval_minutes: row.retry_interval_minutes,
		log_retention_days: row.log_retention_days,
		last_run_at: formatIsoTime(row.last_run_at),
		last_run_status: row.last_run_status,
		next_run_at: formatIsoTime(row.next_run_at),
		execution_count: row.execution_count,
		skipped_count: row.skipped_count,
		success_count: row.success_count,
		failure_count: row.failure_count,
		success_rate: computeSuccessRate(row.success_count, row.failure_count),
		schedule_description: describeSchedule(row),
		held_by: held,
		created_by: row.owner,
		can_edit,
		created_at: row.created_at.toISOString(),
		updated_at: row.updated_at.toISOString(),
	};
}

export function presentExecution(row: ShownExecution): ScheduledExecution {
	const took = row.started_at && row.completed_at ? row.completed_at.getTime() - row.started_at.getTime() : null;
	return {
		id: row.id,
		scheduled_task: row.task_id,
		task_name: row.task_name,
		run_id: row.run_id,
		controller_connection_id: row.connection_id,
		controller_connection_name: row.connection_name,
		status: row.status,
		result_count: row.result_count,
		error_type: row.error_type,
		error_message: row.error_message,
		retry_attempt: row.retry_attempt,
		is_retry: row.retry_attempt > 0,
		pipeline_job_id: row.pipeline_job_id,
		snapshot_id: row.snapshot_id,
		created_at: row.created_at.toISOString(),
		started_at: formatIsoTime(row.started_at),
		completed_at: formatIsoTime(row.completed_at),
		execution_time_ms: took === null ? null : Math.max(0, took),
	};
}

export const presentStats = (stats: TaskStats) => ({
	...stats,
	success_rate: computeSuccessRate(stats.successful, stats.failed),
});

export const presentSettings = (row: SettingsRow): TaskSettings => ({
	id: 1,
	default_retry_count: row.default_retry_count,
	default_retry_interval_minutes: row.default_retry_interval_minutes,
	default_log_retention_days: row.default_log_retention_days,
	email_enabled: row.email_enabled,
	email_from_address: row.email_from_address,
});
