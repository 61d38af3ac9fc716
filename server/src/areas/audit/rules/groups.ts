/**
 * Which categories are switched and kept together, and the defaults (interface decisions, section
 * 10).
 */
import {
	AUDIT_CATEGORIES,
	AUDIT_GROUPS,
	type AuditCategory,
	type AuditGroup,
	type AuditSettings,
} from "@weft/contracts";

/** `admin_action` has no switch: it is always recorded, and kept as long as the longest default. */
export type KeptGroup = AuditGroup | "admin_action";

export const KEPT_GROUPS: readonly KeptGroup[] = [...AUDIT_GROUPS, "admin_action"];

const GROUP_OF: Readonly<Record<AuditCategory, KeptGroup>> = {
	authentication: "authentication",
	user_management: "user_management",
	group_permission: "group_permission",
	controller_management: "controller_management",
	query_management: "query",
	query_execution: "query",
	category_management: "query",
	task_management: "task_management",
	time_machine: "time_machine",
	automation_management: "automation_management",
	validation_management: "automation_management",
	automation_execution: "automation_execution",
	automation_webhook: "automation_execution",
	notification_management: "settings",
	settings_change: "settings",
	system_settings: "settings",
	api_access: "api_access",
	mim_explorer: "mim",
	mim_registry: "mim",
	admin_action: "admin_action",
};

export const getGroup = (category: AuditCategory): KeptGroup => GROUP_OF[category];

export const getCategories = (group: KeptGroup): AuditCategory[] =>
	AUDIT_CATEGORIES.filter((category) => GROUP_OF[category] === group);

const ADMIN_ACTION_DAYS = 365;
const LONG = 365;
const USUAL = 180;
const RETENTION: Partial<Record<AuditGroup, number>> = {
	user_management: LONG,
	authentication: LONG,
	group_permission: LONG,
	api_access: 30,
};

const DEFAULTS = {
	...Object.fromEntries(AUDIT_GROUPS.map((group) => [`${group}_enabled`, group !== "api_access"])),
	...Object.fromEntries(AUDIT_GROUPS.map((group) => [`${group}_retention_days`, RETENTION[group] ?? USUAL])),
	content_max_bytes: 10 * 1024 * 1024,
	compress_threshold_bytes: 1024 * 1024,
} as AuditSettings;

export const completeAuditSettings = (stored: Readonly<Record<string, unknown>>): AuditSettings => ({
	...DEFAULTS,
	...stored,
});

export function isRecorded(settings: AuditSettings, category: AuditCategory): boolean {
	const group = getGroup(category);
	return group === "admin_action" || settings[`${group}_enabled`];
}

/**
 * The first day, as `2026-01-31`, whose entries of a group are still kept; those of earlier ones
 * may go.
 */
export function computeKeptSince(settings: AuditSettings, group: KeptGroup, now: number): string {
	const days = group === "admin_action" ? ADMIN_ACTION_DAYS : settings[`${group}_retention_days`];
	return getDay(now - days * 86_400_000);
}

/** The day of a moment, UTC. */
export const getDay = (at: number): string => new Date(at).toISOString().slice(0, 10);
