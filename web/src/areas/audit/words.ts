/** Names of audit categories and of the reasons of failed sign-ins. */
import type { AUDIT_CATEGORIES, AuditGroup, FailureReason } from "@weft/contracts";

export const CATEGORY_NAMES: Readonly<Record<(typeof AUDIT_CATEGORIES)[number], string>> = {
	authentication: "Authentication",
	user_management: "Users",
	group_permission: "Groups and permissions",
	controller_management: "Controller connections",
	query_management: "Queries",
	query_execution: "Runs",
	category_management: "Categories",
	task_management: "Schedules",
	time_machine: "Snapshots",
	automation_management: "Automation setup",
	automation_execution: "Automation requests",
	automation_webhook: "Automation webhooks",
	validation_management: "Reference data",
	notification_management: "Notifications",
	settings_change: "Own settings",
	system_settings: "System settings",
	api_access: "API access",
	mim_explorer: "Class model",
	mim_registry: "Model versions",
	admin_action: "Administration",
};

export const GROUP_NAMES: Readonly<Record<AuditGroup, string>> = {
	user_management: "Users",
	authentication: "Authentication",
	group_permission: "Groups and permissions",
	controller_management: "Controller connections",
	query: "Queries and runs",
	task_management: "Schedules",
	time_machine: "Snapshots",
	automation_management: "Automation setup",
	automation_execution: "Automation requests and webhooks",
	settings: "Settings",
	mim: "Class model",
	api_access: "API access",
};

export const REASONS: Readonly<Record<FailureReason, string>> = {
	invalid_password: "Wrong password",
	unknown_user: "Unknown user",
	inactive_user: "Deactivated user",
	locked: "Locked after too many wrong passwords",
	mfa_failed: "Wrong second factor",
	directory_failed: "Refused by the directory",
	directory_unavailable: "Directory unreachable",
	oidc_taken: "Name of another account",
};
