/** Automation requests. */
import { automationRequestRoutes, timestampInput } from "@weft/contracts";
import { invalidField } from "../../../platform/errors.ts";
import { type BoundRoute, bindAll, buildReply } from "../../../platform/http/binder.ts";
import type { Requests } from "./service.ts";
import type { Copies } from "./service-copy.ts";
import type { Decisions } from "./service-decide.ts";
import type { History } from "./service-history.ts";
import type { Launches } from "./service-launch.ts";

interface Services {
	readonly requests: Requests;
	readonly decisions: Decisions;
	readonly launches: Launches;
	readonly copies: Copies;
	readonly history: History;
}

export function createRoutes({ requests, decisions, launches, copies, history }: Services): BoundRoute[] {
	return bindAll(automationRequestRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await requests.list(caller, query, url)),
		create: async ({ caller, body, signal }) => {
			const { made, request } = await requests.create(caller, body, signal);
			return made ? buildReply(201, request) : buildReply(200, request);
		},
		detail: async ({ caller, params }) => buildReply(200, await requests.detail(caller, params.id)),
		update: async ({ caller, params, body, headers }) => {
			return buildReply(200, await requests.update(caller, params.id, body, readAt(body, headers["if-match"])));
		},
		execute: async ({ caller, params }) => buildReply(202, await launches.execute(caller, params.id)),
		retry: async ({ caller, params }) => buildReply(202, await launches.retry(caller, params.id)),
		approve: async ({ caller, params, body, headers }) =>
			buildReply(200, await decisions.approve(caller, params.id, body.comment, readAt(body, headers["if-match"]))),
		reject: async ({ caller, params, body, headers }) =>
			buildReply(200, await decisions.reject(caller, params.id, body, readAt(body, headers["if-match"]))),
		rollback: async ({ caller, params, body }) => buildReply(201, await launches.rollback(caller, params.id, body)),
		copy: async ({ caller, params, body }) => buildReply(201, await copies.copy(caller, params.id, body.rows)),
		history: async ({ caller, params, query, url }) =>
			buildReply(200, await history.list(caller, params.id, query, url)),
		version: async ({ caller, params }) => buildReply(200, await history.version(caller, params.id, params.version)),
		comment: async ({ caller, params, body }) => buildReply(201, await history.comment(caller, params.id, body.text)),
		review: async ({ caller, params }) => buildReply(200, await history.review(caller, params.id)),
		cancel: async ({ caller, params }) => buildReply(202, await launches.cancel(caller, params.id)),
	});
}

/**
 * The `updated_at` that the caller read: from the body, else from If-Match, which holds it in
 * quotes (RFC 9110, section 13.1.1). Null without either, and for `*`.
 * @throws 400 for an If-Match that is no timestamp
 */
function readAt(
	body: { readonly updated_at?: string | undefined },
	ifMatch: string | string[] | undefined,
): Date | null {
	const given = body.updated_at ?? [ifMatch].flat()[0]?.replace(/^(W\/)?"(.*)"$/, "$2");
	if (given === undefined || given === "*") return null;
	const read = timestampInput.safeParse(given);
	if (!read.success) throw invalidField("updated_at", "If-Match must be the updated_at of the request, in quotes.");
	return new Date(read.data);
}
