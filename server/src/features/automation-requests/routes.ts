/** Automation requests. */
import { automationRequestRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, reply } from "../../platform/http/binder.ts";
import type { Requests } from "./service.ts";
import type { Decisions } from "./service-decide.ts";
import type { Launches } from "./service-launch.ts";

interface Services {
	readonly requests: Requests;
	readonly decisions: Decisions;
	readonly launches: Launches;
}

export function createRoutes({ requests, decisions, launches }: Services): BoundRoute[] {
	return bindAll(automationRequestRoutes, {
		list: async ({ caller, query, url }) => reply(200, await requests.list(caller, query, url)),
		create: async ({ caller, body, signal }) => {
			const { made, request } = await requests.create(caller, body, signal);
			return made ? reply(201, request) : reply(200, request);
		},
		detail: async ({ caller, params }) => reply(200, await requests.detail(caller, params.id)),
		update: async ({ caller, params, body }) => reply(200, await requests.update(caller, params.id, body)),
		execute: async ({ caller, params }) => reply(202, await launches.execute(caller, params.id)),
		retry: async ({ caller, params }) => reply(202, await launches.retry(caller, params.id)),
		approve: async ({ caller, params, body }) => reply(200, await decisions.approve(caller, params.id, body.comment)),
		reject: async ({ caller, params, body }) => reply(200, await decisions.reject(caller, params.id, body.reason)),
		rollback: async ({ caller, params, body }) => reply(201, await launches.rollback(caller, params.id, body)),
		cancel: async ({ caller, params }) => reply(202, await launches.cancel(caller, params.id)),
	});
}
