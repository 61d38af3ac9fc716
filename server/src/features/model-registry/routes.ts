/** Installed versions and imports. */
import { mimRegistryRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, buildReply } from "../../platform/http/binder.ts";
import type { Registry } from "./service.ts";

export function createRoutes(registry: Registry): BoundRoute[] {
	return bindAll(mimRegistryRoutes, {
		status: async () => buildReply(200, await registry.status()),
		versions: async () => buildReply(200, registry.versions()),
		install: async ({ caller, body }) => buildReply(202, await registry.install(caller, body)),
		run: async ({ params }) => buildReply(200, await registry.run(params.run_id)),
		cancel: async ({ caller, params }) => buildReply(200, await registry.cancel(caller, params.run_id)),
		resume: async ({ caller, params }) => buildReply(202, await registry.resume(caller, params.run_id)),
		activate: async ({ caller, params }) => buildReply(200, await registry.activate(caller, params.run_id)),
	});
}
