/** Constants of notifications. */

export const NOTIFICATION_CATEGORIES = ["scheduled_task", "automation_execution", "time_machine", "system"] as const;
export type NotificationCategory = (typeof NOTIFICATION_CATEGORIES)[number];
export const SEVERITIES = ["info", "warning", "error"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Kinds of events, as bodies of webhooks name them. */
export const NOTIFICATION_EVENTS = [
	"account_changed",
	"account_gone",
	"announcement",
	"api_token_created",
	"api_token_expiring",
	"api_token_used_elsewhere",
	"approval_not_required",
	"change_window_awaiting_approval",
	"change_window_blocked",
	"change_window_closed",
	"change_window_expired",
	"change_window_judged",
	"check_changed",
	"drift_found",
	"groups_unknown",
	"maintenance_ended",
	"model_import_ended",
	"request_awaiting_approval",
	"request_changes_requested",
	"request_commented",
	"request_decided",
	"request_ended",
	"request_held",
	"request_not_relaunched",
	"rights_differ",
	"schedule_run_ended",
	"snapshot_damaged",
	"snapshots_deleted",
	"webhook_switched_off",
] as const;
export type NotificationEvent = (typeof NOTIFICATION_EVENTS)[number];

export const TITLE_MAX = 300;
export const BODY_MAX = 8_000;
