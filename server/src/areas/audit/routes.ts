/** The audit log, its settings, and the attempts to sign in. */
import { auditRoutes } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type BoundRoute, bindAll, buildReply, streamReply } from "../../core/http/binder.ts";
import { readAuditSettings, updateAuditSettings } from "./change-audit-settings.ts";
import { exportAuditEntries } from "./export-entries.ts";
import { listAuditEntries, loginAttempts, readAuditEntry, readAuditStats } from "./read-audit-log.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	return bindAll(auditRoutes, {
		list: async ({ query, url }) => buildReply(200, await listAuditEntries(ctx, query, url)),
		detail: async ({ params }) => streamReply(200, "application/json; charset=utf-8", readAuditEntry(ctx, params.id)),
		stats: async ({ query }) => buildReply(200, await readAuditStats(ctx, query.window)),
		export: async ({ caller, query }) => {
			const { pieces, headers } = await exportAuditEntries(ctx, caller, query);
			const answer = await streamReply(200, "text/csv; charset=utf-8", pieces);
			return { ...answer, headers: { ...answer.headers, ...headers } };
		},
		settings: async () => buildReply(200, await readAuditSettings(ctx)),
		updateSettings: async ({ caller, body }) => buildReply(200, await updateAuditSettings(ctx, caller, body)),
		loginAttempts: async ({ query, url }) => buildReply(200, await loginAttempts(ctx, query, url)),
	});
}
