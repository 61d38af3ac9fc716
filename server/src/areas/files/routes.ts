/** Objects as files. */
import { queryFileRoutes } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type BoundRoute, bindAll, buildReply, streamReply } from "../../core/http/binder.ts";
import { applyFiles } from "./apply-files.ts";
import { exportFiles } from "./export-files.ts";
import { readQueryFile } from "./read-files.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	return bindAll(queryFileRoutes, {
		export: ({ caller }) => streamReply(200, "application/json; charset=utf-8", exportFiles(ctx, caller)),
		validate: async ({ caller, body, signal }) =>
			buildReply(200, await applyFiles(ctx, caller, { ...body, dry_run: true, prune: false }, signal)),
		read: async ({ body, signal }) => buildReply(200, await readQueryFile(ctx, body, signal)),
		apply: async ({ caller, body, signal }) => buildReply(200, await applyFiles(ctx, caller, body, signal)),
	});
}
