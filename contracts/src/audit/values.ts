/** Constants of the audit log. */

export const AUDIT_CATEGORIES = [
	"authentication",
	"user_management",
	"group_permission",
	"controller_management",
	"query_management",
	"query_execution",
	"category_management",
	"task_management",
	"time_machine",
	"automation_management",
	"automation_execution",
	"automation_webhook",
	"validation_management",
	"notification_management",
	"settings_change",
	"system_settings",
	"api_access",
	"mim_explorer",
	"mim_registry",
	"admin_action",
] as const;
export type AuditCategory = (typeof AUDIT_CATEGORIES)[number];

/**
 * Groups that settings enable and retain together. `admin_action` is in none: it is always
 * recorded.
 */
export const AUDIT_GROUPS = [
	"user_management",
	"authentication",
	"group_permission",
	"controller_management",
	"query",
	"task_management",
	"time_machine",
	"automation_management",
	"automation_execution",
	"settings",
	"mim",
	"api_access",
] as const;
export type AuditGroup = (typeof AUDIT_GROUPS)[number];

export const AUDIT_EXPORT_ROWS = 10_000;
export const AUDIT_WINDOWS = ["24h", "7d", "30d"] as const;
export type AuditWindow = (typeof AUDIT_WINDOWS)[number];
