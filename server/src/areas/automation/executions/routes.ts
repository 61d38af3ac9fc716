/** Executions, and the receiver of the automation server's notifications. */
import { automationExecutionRoutes, automationWebhookRoutes } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { type BoundRoute, bindAll, buildReply, streamReply } from "../../../core/http/binder.ts";
import {
	cancelExecution,
	listNodes,
	listVisibleExecutions,
	openOutputDownload,
	readExecution,
	readExecutionOutput,
	readNodeOutput,
	readRowResults,
	relaunchExecution,
} from "./service.ts";
import { receiveNotification, sendTestNotification } from "./webhook.ts";

const getHeader = (value: string | string[] | undefined): string =>
	Array.isArray(value) ? (value[0] ?? "") : (value ?? "");

export function createRoutes(ctx: Context): BoundRoute[] {
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
				buildReply(201, await relaunchExecution(ctx, caller, params.id, body.hosts)),
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
