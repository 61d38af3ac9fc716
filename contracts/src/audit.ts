/**
 * The audit log, its settings, and login attempts. For administrators; only settings can be
 * written.
 */
import * as z from "zod";
import { boolParam, envelope, intId, intParams, ordering, paging, timestamp, timestampInput } from "./common.ts";
import { type AuditCategory, raw, route } from "./route.ts";

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
] as const satisfies readonly AuditCategory[];

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

const KB = 1024;
const MB = KB * KB;

export const auditEntry = z.object({
	id: z.int(),
	category: z.enum(AUDIT_CATEGORIES),
	action: z.string(),
	/** As it was at the time; kept when the user is gone. */
	username: z.string(),
	user_id: z.int().nullable(),
	ip_address: z.string(),
	user_agent: z.string(),
	description: z.string(),
	target_type: z.string(),
	target_id: z.string(),
	metadata: z.record(z.string(), z.unknown()),
	content_compressed: z.boolean(),
	content_size_bytes: z.int(),
	/** The request that made the change; empty for background work. */
	request_id: z.string(),
	created_at: timestamp,
});
export type AuditEntry = z.infer<typeof auditEntry>;

/** `content`: the document of the entry; null if there is none or it exceeded the limit. */
export const auditEntryDetail = auditEntry.extend({ content: z.unknown() });

const filters = {
	category: z.enum(AUDIT_CATEGORIES).optional(),
	action: z.string().max(100).optional(),
	user: intId.optional(),
	username: z.string().max(150).optional(),
	ip: z.string().trim().max(64).optional(),
	/** Entries that one request made. */
	request_id: z.string().max(128).optional(),
	created_after: timestampInput.optional(),
	created_before: timestampInput.optional(),
	/** Words that the description must contain. Words of three or more letters match as prefixes. */
	search: z.string().max(200).optional(),
	ordering: ordering(["created_at"], "-created_at"),
};
const auditFilter = z.object(filters);
export type AuditFilter = z.output<typeof auditFilter>;
const auditList = z.object({ ...paging, ...filters });
export type AuditList = z.output<typeof auditList>;

const auditStats = z.object({
	window: z.enum(AUDIT_WINDOWS),
	total: z.int(),
	/** Categories that occur. */
	by_category: z.record(z.string(), z.int()),
	failed_logins: z.int(),
	/** Users who made an entry. */
	unique_actors: z.int(),
});
export type AuditStats = z.infer<typeof auditStats>;

const days = z.int().min(1, "Must be 1 to 3650 days.").max(3650, "Must be 1 to 3650 days.");
const bytes = z
	.int()
	.min(KB, "Must be 1024 to 52428800 bytes.")
	.max(50 * MB, "Must be 1024 to 52428800 bytes.");

type Fields<Suffix extends string, Field> = { [Group in AuditGroup as `${Group}_${Suffix}`]: Field };
const fields = <Suffix extends string, Field>(suffix: Suffix, field: Field): Fields<Suffix, Field> =>
	Object.fromEntries(AUDIT_GROUPS.map((group) => [`${group}_${suffix}`, field])) as Fields<Suffix, Field>;

export const auditSettings = z.object({
	...fields("enabled", z.boolean()),
	...fields("retention_days", days),
	/** Larger documents are not kept with their entry. */
	content_max_bytes: bytes,
	/** Larger documents are kept compressed. */
	compress_threshold_bytes: bytes,
});
export type AuditSettings = z.infer<typeof auditSettings>;
const auditSettingsPatch = auditSettings.partial();
export type AuditSettingsPatch = z.output<typeof auditSettingsPatch>;

const failureReason = z.enum([
	"invalid_password",
	"unknown_user",
	"inactive_user",
	"locked",
	"mfa_failed",
	"directory_failed",
	"directory_unavailable",
	"oidc_taken",
]);
export type FailureReason = z.infer<typeof failureReason>;

export const loginAttempt = z.object({
	id: z.string(),
	username: z.string(),
	success: z.boolean(),
	failure_reason: failureReason.nullable(),
	ip_address: z.string(),
	user_agent: z.string(),
	attempted_at: timestamp,
});
export type LoginAttempt = z.infer<typeof loginAttempt>;

const attemptList = z.object({
	...paging,
	username: z.string().max(150).optional(),
	success: boolParam.optional(),
	ip: z.string().trim().max(64).optional(),
	created_after: timestampInput.optional(),
	created_before: timestampInput.optional(),
	ordering: ordering(["attempted_at"], "-attempted_at"),
});
export type AttemptList = z.output<typeof attemptList>;

const read = {
	method: "GET",
	auth: "bearer",
	throttle: "user",
	permission: "admin",
	audit: { none: "read" },
} as const;

export const auditRoutes = {
	list: route({
		...read,
		id: "audit.list",
		path: "/api/audit/logs/",
		summary: "Entries of the audit log, newest first",
		query: auditList,
		answers: { 200: envelope(auditEntry) },
	}),
	detail: route({
		...read,
		id: "audit.detail",
		path: "/api/audit/logs/:id/",
		summary: "One entry with the document that belongs to it",
		params: intParams,
		answers: { 200: auditEntryDetail },
	}),
	stats: route({
		...read,
		id: "audit.stats",
		path: "/api/audit/logs/stats/",
		summary: "Counts of a time window that ends now",
		query: z.object({ window: z.enum(AUDIT_WINDOWS).default("24h") }),
		answers: { 200: auditStats },
	}),
	export: route({
		...read,
		id: "audit.export",
		path: "/api/audit/logs/export/",
		summary: "The first 10,000 matching entries as CSV; is itself recorded",
		audit: { category: "admin_action", action: "audit_export" },
		query: auditFilter,
		answers: { 200: raw("text/csv", "The entries; X-Total-Count says how many match") },
	}),
	settings: route({
		...read,
		id: "audit.settings",
		path: "/api/audit/settings/",
		summary: "What is recorded, and for how long it is kept",
		answers: { 200: auditSettings },
	}),
	updateSettings: route({
		...read,
		id: "audit.update_settings",
		method: "PATCH",
		path: "/api/audit/settings/",
		summary: "Change what is recorded, and for how long it is kept",
		audit: { category: "admin_action", action: "audit_settings_update" },
		body: auditSettingsPatch,
		answers: { 200: auditSettings },
	}),
	loginAttempts: route({
		...read,
		id: "audit.login_attempts",
		path: "/api/audit/login-attempts/",
		summary: "Attempts to sign in, newest first",
		query: attemptList,
		answers: { 200: envelope(loginAttempt) },
	}),
} as const;
