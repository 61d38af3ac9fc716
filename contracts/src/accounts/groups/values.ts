/** Constants of groups and their permissions. */

/** Numbers of a quota; 0 is unlimited. */
export const QUOTA_NUMBERS = [
	"queries_max",
	"scheduled_tasks_max",
	"connections_max",
	"automation_requests_daily",
	"automation_concurrent",
	"result_rows_max",
	"export_rows_max",
	"executions_daily",
	"ai_analysis_daily",
	"checks_max",
	"connection_groups_max",
	"calendar_entries_max",
	"categories_max",
	"sockets_max",
	"webhooks_max",
	"tokens_max",
	"automation_connections_max",
	"automation_templates_max",
	"automation_references_max",
	"change_plans_max",
] as const;

/** The numbers of a user without a quota, and of a quota that leaves them out; others are 0. */
export const QUOTA_DEFAULTS: Readonly<Partial<Record<QuotaNumber, number>>> = {
	checks_max: 500,
	connection_groups_max: 100,
	calendar_entries_max: 200,
	categories_max: 50,
	sockets_max: 20,
	webhooks_max: 20,
	tokens_max: 100,
	automation_connections_max: 50,
	automation_templates_max: 500,
	automation_references_max: 500,
	change_plans_max: 100,
};

/** Rights of a quota. */
export const QUOTA_RIGHTS = [
	"can_create_queries",
	"can_execute_queries",
	"can_schedule",
	"can_use_automation",
	"can_use_time_machine",
	"can_export",
	"can_share",
	"can_use_ai_builder",
] as const;

export type QuotaNumber = (typeof QUOTA_NUMBERS)[number];
export type QuotaRight = (typeof QUOTA_RIGHTS)[number];
