/** Routes of the audit log. */
import * as z from "zod";
import { defineEnvelope, intParams } from "../core/common.ts";
import { defineRawAnswer, defineRoute } from "../core/route.ts";
import { auditPaths } from "./paths.ts";
import {
	attemptList,
	auditEntry,
	auditEntryDetail,
	auditFilter,
	auditList,
	auditSettings,
	auditSettingsPatch,
	auditStats,
	loginAttempt,
} from "./shapes.ts";
import { AUDIT_WINDOWS } from "./values.ts";

const read = {
	throttle: "user",
	permission: "admin",
	audit: { none: "read" },
} as const;

export const auditRoutes = {
	list: defineRoute({
		...auditPaths.list,
		...read,
		summary: "Entries of the audit log, newest first",
		query: auditList,
		answers: { 200: defineEnvelope(auditEntry) },
	}),
	detail: defineRoute({
		...auditPaths.detail,
		...read,
		summary: "One entry with the document that belongs to it",
		params: intParams,
		answers: { 200: auditEntryDetail },
	}),
	stats: defineRoute({
		...auditPaths.stats,
		...read,
		summary: "Counts of a time window that ends now",
		query: z.object({ window: z.enum(AUDIT_WINDOWS).default("24h") }),
		answers: { 200: auditStats },
	}),
	export: defineRoute({
		...auditPaths.export,
		...read,
		summary: "The first 10,000 matching entries as CSV; is itself recorded",
		audit: { category: "admin_action", action: "audit_export" },
		query: auditFilter,
		answers: { 200: defineRawAnswer("text/csv", "The entries; X-Total-Count says how many match") },
	}),
	settings: defineRoute({
		...auditPaths.settings,
		...read,
		summary: "What is recorded, and for how long it is kept",
		answers: { 200: auditSettings },
	}),
	updateSettings: defineRoute({
		...auditPaths.updateSettings,
		...read,
		summary: "Change what is recorded, and for how long it is kept",
		audit: { category: "admin_action", action: "audit_settings_update" },
		body: auditSettingsPatch,
		answers: { 200: auditSettings },
	}),
	loginAttempts: defineRoute({
		...auditPaths.loginAttempts,
		...read,
		summary: "Attempts to sign in, newest first",
		query: attemptList,
		answers: { 200: defineEnvelope(loginAttempt) },
	}),
} as const;
