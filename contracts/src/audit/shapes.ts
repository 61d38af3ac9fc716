/**
 * The audit log, its settings, and login attempts. For administrators; only settings can be
 * written.
 */
import * as z from "zod";
import { boolParam, defineOrdering, intId, paging, timestamp, timestampInput } from "../core/common.ts";
import { AUDIT_CATEGORIES, AUDIT_GROUPS, AUDIT_WINDOWS, type AuditGroup } from "./values.ts";

const KB = 1024;
const MB = KB * KB;

export const auditEntry = z.object({
	id: z.int(),
	category: z.enum(AUDIT_CATEGORIES),
	action: z.string(),
	/** As it was at the time; kept when the user is gone. */
	username: z.string(),
	user_id: z.int().nullable(),
	/** Null where the client's address is unknown; empty for background work. */
	ip_address: z.string().nullable(),
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
	ordering: defineOrdering(["created_at"], "-created_at"),
};
export const auditFilter = z.object(filters);
export type AuditFilter = z.output<typeof auditFilter>;
export const auditList = z.object({ ...paging, ...filters });
export type AuditList = z.output<typeof auditList>;

export const auditStats = z.object({
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
const buildGroupFields = <Suffix extends string, Field>(suffix: Suffix, field: Field): Fields<Suffix, Field> =>
	Object.fromEntries(AUDIT_GROUPS.map((group) => [`${group}_${suffix}`, field])) as Fields<Suffix, Field>;

export const auditSettings = z.object({
	...buildGroupFields("enabled", z.boolean()),
	...buildGroupFields("retention_days", days),
	/** Larger documents are not kept with their entry. */
	content_max_bytes: bytes,
	/** Larger documents are kept compressed. */
	compress_threshold_bytes: bytes,
});
export type AuditSettings = z.infer<typeof auditSettings>;
export const auditSettingsPatch = auditSettings.partial();
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
	/** Null where the client's address is unknown. */
	ip_address: z.string().nullable(),
	user_agent: z.string(),
	attempted_at: timestamp,
});
export type LoginAttempt = z.infer<typeof loginAttempt>;

export const attemptList = z.object({
	...paging,
	username: z.string().max(150).optional(),
	success: boolParam.optional(),
	ip: z.string().trim().max(64).optional(),
	created_after: timestampInput.optional(),
	created_before: timestampInput.optional(),
	ordering: defineOrdering(["attempted_at"], "-attempted_at"),
});
export type AttemptList = z.output<typeof attemptList>;
