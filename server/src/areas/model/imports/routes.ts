/** Installed versions and imports. */
import { mimRegistryRoutes } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { type BoundRoute, bindAll, buildReply } from "../../../core/http/binder.ts";
import {
	activateVersion,
	cancelImport,
	installModel,
	listRegistryVersions,
	readImportRun,
	readRegistryStatus,
	resumeImport,
} from "./manage-imports.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	return bindAll(mimRegistryRoutes, {
		status: async () => buildReply(200, await readRegistryStatus(ctx)),
		versions: async () => buildReply(200, listRegistryVersions(ctx)),
		install: async ({ caller, body }) => buildReply(202, await installModel(ctx, caller, body)),
		run: async ({ params }) => buildReply(200, await readImportRun(ctx, params.run_id)),
		cancel: async ({ caller, params }) => buildReply(200, await cancelImport(ctx, caller, params.run_id)),
		resume: async ({ caller, params }) => buildReply(202, await resumeImport(ctx, caller, params.run_id)),
		activate: async ({ caller, params }) => buildReply(200, await activateVersion(ctx, caller, params.run_id)),
	});
}
