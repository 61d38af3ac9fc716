/** The audit log, its settings, and the attempts to sign in. */
import { auditRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, buildReply, streamReply } from "../../platform/http/binder.ts";
import type { AuditReads } from "./service.ts";
import type { AuditExport } from "./service-export.ts";
import type { AuditSettingsService } from "./service-settings.ts";

interface Services {
	readonly reads: AuditReads;
	readonly exports: AuditExport;
	readonly settings: AuditSettingsService;
}

export function createRoutes({ reads, exports, settings }: Services): BoundRoute[] {
	return bindAll(auditRoutes, {
		list: async ({ query, url }) => buildReply(200, await reads.list(query, url)),
		detail: async ({ params }) => streamReply(200, "application/json; charset=utf-8", reads.detail(params.id)),
		stats: async ({ query }) => buildReply(200, await reads.stats(query.window)),
		export: async ({ caller, query }) => {
			const { pieces, headers } = await exports.export(caller, query);
			const answer = await streamReply(200, "text/csv; charset=utf-8", pieces);
			return { ...answer, headers: { ...answer.headers, ...headers } };
		},
		settings: async () => buildReply(200, await settings.read()),
		updateSettings: async ({ caller, body }) => buildReply(200, await settings.update(caller, body)),
		loginAttempts: async ({ query, url }) => buildReply(200, await reads.loginAttempts(query, url)),
	});
}
