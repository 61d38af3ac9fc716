/** Checks, their states and events. */
import { checkRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, buildReply, noContent } from "../../platform/http/binder.ts";
import type { Checks } from "./service.ts";
import type { Actions } from "./service-actions.ts";
import type { Preview } from "./service-preview.ts";
import type { Templates } from "./service-templates.ts";

interface Services {
	readonly checks: Checks;
	readonly actions: Actions;
	readonly preview: Preview;
	readonly templates: Templates;
}

export function createRoutes({ checks, actions, preview, templates }: Services): BoundRoute[] {
	return bindAll(checkRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await checks.list(caller, query, url)),
		create: async ({ caller, body }) => buildReply(201, await checks.create(caller, body)),
		preview: async ({ caller, body, signal }) => buildReply(200, await preview.preview(caller, body, signal)),
		templates: async ({ query, url }) => buildReply(200, templates.list(query, url)),
		install: async ({ caller, params, body }) => buildReply(201, await templates.install(caller, params.key, body)),
		detail: async ({ caller, params }) => buildReply(200, await checks.detail(caller, params.id)),
		update: async ({ caller, params, body }) => buildReply(200, await checks.update(caller, params.id, body)),
		replace: async ({ caller, params, body }) => buildReply(200, await checks.replace(caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await checks.remove(caller, params.id);
			return noContent;
		},
		evaluate: async ({ caller, params, body }) => buildReply(202, await actions.evaluate(caller, params.id, body)),
		acknowledge: async ({ caller, params, body }) =>
			buildReply(200, await actions.acknowledge(caller, params.id, body)),
		mute: async ({ caller, params, body }) => buildReply(200, await actions.mute(caller, params.id, body)),
		events: async ({ caller, params, query, url }) =>
			buildReply(200, await actions.events(caller, params.id, query, url)),
		evidence: async ({ caller, params }) =>
			buildReply(200, await actions.evidence(caller, params.id, params.connection_id)),
	});
}
