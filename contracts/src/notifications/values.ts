/** Constants of notifications. */

export const NOTIFICATION_CATEGORIES = ["scheduled_task", "automation_execution", "time_machine", "system"] as const;
export type NotificationCategory = (typeof NOTIFICATION_CATEGORIES)[number];
export const SEVERITIES = ["info", "warning", "error"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const TITLE_MAX = 300;
export const BODY_MAX = 8_000;
