/** Routes of the audit log. */
import * as z from "zod";
import { envelope, intParams } from "../core/common.ts";
import { raw, route } from "../core/route.ts";
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
	list: route({
		...auditPaths.list,
		...read,
		summary: "Entries of the audit log, newest first",
		query: auditList,
		answers: { 200: envelope(auditEntry) },
	}),
	detail: route({
		...auditPaths.detail,
		...read,
		summary: "One entry with the document that belongs to it",
		params: intParams,
		answers: { 200: auditEntryDetail },
	}),
	stats: route({
		...auditPaths.stats,
		...read,
		summary: "Counts of a time window that ends now",
		query: z.object({ window: z.enum(AUDIT_WINDOWS).default("24h") }),
		answers: { 200: auditStats },
	}),
	export: route({
		...auditPaths.export,
		...read,
		summary: "The first 10,000 matching entries as CSV; is itself recorded",
		audit: { category: "admin_action", action: "audit_export" },
		query: auditFilter,
		answers: { 200: raw("text/csv", "The entries; X-Total-Count says how many match") },
	}),
	settings: route({
		...auditPaths.settings,
		...read,
		summary: "What is recorded, and for how long it is kept",
		answers: { 200: auditSettings },
	}),
	updateSettings: route({
		...auditPaths.updateSettings,
		...read,
		summary: "Change what is recorded, and for how long it is kept",
		audit: { category: "admin_action", action: "audit_settings_update" },
		body: auditSettingsPatch,
		answers: { 200: auditSettings },
	}),
	loginAttempts: route({
		...auditPaths.loginAttempts,
		...read,
		summary: "Attempts to sign in, newest first",
		query: attemptList,
		answers: { 200: envelope(loginAttempt) },
	}),
} as const;
