/** Requests, executions, and the receiver of the automation server's notifications. */
import {
	automationExecutionRoutes,
	automationRequestRoutes,
	automationWebhookRoutes,
	timestampInput,
} from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { buildFieldError } from "../../../core/errors.ts";
import { type BoundRoute, bindAll, buildReply, streamReply } from "../../../core/http/binder.ts";
import { cancelExecution, cancelRequest } from "./follow/cancel-job.ts";
import {
	listNodes,
	listVisibleExecutions,
	openOutputDownload,
	readExecution,
	readExecutionOutput,
	readNodeOutput,
	readRowResults,
} from "./follow/read-executions.ts";
import { receiveNotification, sendTestNotification } from "./follow/webhook.ts";
import { executeRequest, retryRequest } from "./launch/launch-request.ts";
import { relaunchExecution } from "./launch/relaunch-execution.ts";
import { changeRequest } from "./request/change-request.ts";
import { copyRequest } from "./request/copy-request.ts";
import { createRequest } from "./request/create-request.ts";
import { approveRequest, rejectRequest } from "./request/decide-request.ts";
import { listRequests, readRequest } from "./request/read-requests.ts";
import {
	addRequestComment,
	listRequestHistory,
	readRequestReview,
	readRequestVersion,
} from "./request/request-history.ts";
import { rollBackRequest } from "./request/roll-back-request.ts";

function bindRequestRoutes(ctx: Context): BoundRoute[] {
	return bindAll(automationRequestRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await listRequests(ctx, caller, query, url)),
		create: async ({ caller, body, signal }) => {
			const { isNew, request } = await createRequest(ctx, caller, body, signal);
			return isNew ? buildReply(201, request) : buildReply(200, request);
		},
		detail: async ({ caller, params }) => buildReply(200, await readRequest(ctx, caller, params.id)),
		update: async ({ caller, params, body, headers }) => {
			return buildReply(
				200,
				await changeRequest(ctx, caller, params.id, body, readExpectedUpdatedAt(body, headers["if-match"])),
			);
		},
		execute: async ({ caller, params, body }) =>
			buildReply(202, await executeRequest(ctx, caller, params.id, body.override_freeze)),
		retry: async ({ caller, params, body }) =>
			buildReply(202, await retryRequest(ctx, caller, params.id, body.override_freeze)),
		approve: async ({ caller, params, body, headers }) =>
			buildReply(
				200,
				await approveRequest(ctx, caller, params.id, body.comment, readExpectedUpdatedAt(body, headers["if-match"])),
			),
		reject: async ({ caller, params, body, headers }) =>
			buildReply(
				200,
				await rejectRequest(ctx, caller, params.id, body, readExpectedUpdatedAt(body, headers["if-match"])),
			),
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
function readExpectedUpdatedAt(
	body: { readonly updated_at?: string | undefined },
	ifMatch: string | string[] | undefined,
): Date | null {
	const given = body.updated_at ?? [ifMatch].flat()[0]?.replace(/^(W\/)?"(.*)"$/, "$2");
	if (given === undefined || given === "*") return null;
	const read = timestampInput.safeParse(given);
	if (!read.success) throw buildFieldError("updated_at", "If-Match must be the updated_at of the request, in quotes.");
	return new Date(read.data);
}

const getHeader = (value: string | string[] | undefined): string =>
	Array.isArray(value) ? (value[0] ?? "") : (value ?? "");

function bindExecutionRoutes(ctx: Context): BoundRoute[] {
	const receive = async (input: {
		readonly bytes: Buffer;
		readonly headers: Readonly<Record<string, string | string[] | undefined>>;
		readonly query: { readonly connection?: string | undefined };
	}) => {
		const signature = getHeader(input.headers["x-automation-webhook-signature"]);
		return buildReply(200, await receiveNotification(ctx, input.bytes, signature, input.query.connection));
	};
	return [
		...bindAll(automationExecutionRoutes, {
			list: async ({ caller, query, url }) => buildReply(200, await listVisibleExecutions(ctx, caller, query, url)),
			detail: async ({ caller, params }) => buildReply(200, await readExecution(ctx, caller, params.id)),
			cancel: async ({ caller, params }) => buildReply(202, await cancelExecution(ctx, caller, params.id)),
			relaunch: async ({ caller, params, body }) =>
				buildReply(201, await relaunchExecution(ctx, caller, params.id, body)),
			output: async ({ caller, params, query }) =>
				buildReply(200, await readExecutionOutput(ctx, caller, params.id, query)),
			download: async ({ caller, params }) => {
				const { name, pieces } = await openOutputDownload(ctx, caller, params.id);
				const answer = await streamReply(200, "text/plain; charset=utf-8", pieces);
				const disposition = `attachment; filename="${name}"`;
				return { ...answer, headers: { ...answer.headers, "content-disposition": disposition } };
			},
			nodes: async ({ caller, params }) => buildReply(200, await listNodes(ctx, caller, params.id)),
			nodeOutput: async ({ caller, params, query }) =>
				buildReply(200, await readNodeOutput(ctx, caller, params.id, params.automation_job_id, query)),
			rowResults: async ({ caller, params }) => buildReply(200, await readRowResults(ctx, caller, params.id)),
		}),
		...bindAll(automationWebhookRoutes, {
			receive,
			receivePut: receive,
			health: async () => buildReply(200, { status: "ok" as const }),
			test: async ({ caller, body }) => {
				const answer = await sendTestNotification(ctx, body.job_id, body.status);
				await ctx.store.transaction((tx) =>
					ctx.events.changed(tx, caller, {
						targetType: "automation_webhook",
						targetId: body.job_id,
						description: `${caller.username} sent a test event through the webhook receiver`,
						metadata: { job_id: body.job_id, matched: answer.matched },
					}),
				);
				return buildReply(200, answer);
			},
		}),
	];
}

export const createRoutes = (ctx: Context): BoundRoute[] => [...bindRequestRoutes(ctx), ...bindExecutionRoutes(ctx)];
