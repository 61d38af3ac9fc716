/** Automation requests. */
import { automationRequestRoutes, timestampInput } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { invalidField } from "../../../core/errors.ts";
import { type BoundRoute, bindAll, buildReply } from "../../../core/http/binder.ts";
import { listRequests, readRequest } from "./service.ts";
import { changeRequest } from "./service-change.ts";
import { copyRequest } from "./service-copy.ts";
import { createRequest } from "./service-create.ts";
import { approveRequest, rejectRequest } from "./service-decide.ts";
import { addRequestComment, listRequestHistory, readRequestReview, readRequestVersion } from "./service-history.ts";
import { cancelRequest, executeRequest, retryRequest, rollBackRequest } from "./service-launch.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	return bindAll(automationRequestRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await listRequests(ctx, caller, query, url)),
		create: async ({ caller, body, signal }) => {
			const { made, request } = await createRequest(ctx, caller, body, signal);
			return made ? buildReply(201, request) : buildReply(200, request);
		},
		detail: async ({ caller, params }) => buildReply(200, await readRequest(ctx, caller, params.id)),
		update: async ({ caller, params, body, headers }) => {
			return buildReply(200, await changeRequest(ctx, caller, params.id, body, readAt(body, headers["if-match"])));
		},
		execute: async ({ caller, params }) => buildReply(202, await executeRequest(ctx, caller, params.id)),
		retry: async ({ caller, params }) => buildReply(202, await retryRequest(ctx, caller, params.id)),
		approve: async ({ caller, params, body, headers }) =>
			buildReply(200, await approveRequest(ctx, caller, params.id, body.comment, readAt(body, headers["if-match"]))),
		reject: async ({ caller, params, body, headers }) =>
			buildReply(200, await rejectRequest(ctx, caller, params.id, body, readAt(body, headers["if-match"]))),
		rollback: async ({ caller, params, body }) => buildReply(201, await rollBackRequest(ctx, caller, params.id, body)),
		copy: async ({ caller, params, body }) => buildReply(201, await copyRequest(ctx, caller, params.id, body.rows)),
		history: async ({ caller, params, query, url }) =>
			buildReply(200, await listRequestHistory(ctx, caller, params.id, query, url)),
		version: async ({ caller, params }) =>
			buildReply(200, await readRequestVersion(ctx, caller, params.id, params.version)),
		comment: async ({ caller, params, body }) =>
			buildReply(201, await addRequestComment(ctx, caller, params.id, body.text)),
		review: async ({ caller, params }) => buildReply(200, await readRequestReview(ctx, caller, params.id)),
		cancel: async ({ caller, params }) => buildReply(202, await cancelRequest(ctx, caller, params.id)),
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
