/** Queries and schedules as files. */
import { queryFileRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, buildReply, streamReply } from "../../platform/http/binder.ts";
import type { QueryExport } from "./service.ts";
import type { Apply } from "./service-apply.ts";

interface Services {
	readonly exports: QueryExport;
	readonly files: Apply;
}

export function createRoutes({ exports, files }: Services): BoundRoute[] {
	return bindAll(queryFileRoutes, {
		export: ({ caller }) => streamReply(200, "application/json; charset=utf-8", exports.export(caller)),
		validate: async ({ caller, body, signal }) =>
			buildReply(200, await files.apply(caller, { ...body, dry_run: true, prune: false }, signal)),
		read: async ({ body, signal }) => buildReply(200, await files.read(body, signal)),
		apply: async ({ caller, body, signal }) => buildReply(200, await files.apply(caller, body, signal)),
	});
}
