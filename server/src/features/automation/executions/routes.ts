/** Executions, and the receiver of the automation server's notifications. */
import { automationExecutionRoutes, automationWebhookRoutes } from "@weft/contracts";
import type { Events } from "../../../platform/events.ts";
import { type BoundRoute, bindAll, buildReply, streamReply } from "../../../platform/http/binder.ts";
import type { Store } from "../../../ports/store.ts";
import type { Executions } from "./service.ts";
import type { Webhook } from "./webhook.ts";

interface Services {
	readonly executions: Executions;
	readonly webhook: Webhook;
	readonly store: Store;
	readonly events: Pick<Events, "changed">;
}

const getHeader = (value: string | string[] | undefined): string =>
	Array.isArray(value) ? (value[0] ?? "") : (value ?? "");

export function createRoutes({ executions, webhook, store, events }: Services): BoundRoute[] {
	const receive = async (input: {
		readonly bytes: Buffer;
		readonly headers: Readonly<Record<string, string | string[] | undefined>>;
		readonly query: { readonly connection?: string | undefined };
	}) => {
		const signature = getHeader(input.headers["x-automation-webhook-signature"]);
		return buildReply(200, await webhook.receive(input.bytes, signature, input.query.connection));
	};
	return [
		...bindAll(automationExecutionRoutes, {
			list: async ({ caller, query, url }) => buildReply(200, await executions.list(caller, query, url)),
			detail: async ({ caller, params }) => buildReply(200, await executions.detail(caller, params.id)),
			cancel: async ({ caller, params }) => buildReply(202, await executions.cancel(caller, params.id)),
			relaunch: async ({ caller, params, body }) =>
				buildReply(201, await executions.relaunch(caller, params.id, body.hosts)),
			output: async ({ caller, params, query }) => buildReply(200, await executions.output(caller, params.id, query)),
			download: async ({ caller, params }) => {
				const { name, pieces } = await executions.download(caller, params.id);
				const answer = await streamReply(200, "text/plain; charset=utf-8", pieces);
				const disposition = `attachment; filename="${name}"`;
				return { ...answer, headers: { ...answer.headers, "content-disposition": disposition } };
			},
			nodes: async ({ caller, params }) => buildReply(200, await executions.nodes(caller, params.id)),
			nodeOutput: async ({ caller, params, query }) =>
				buildReply(200, await executions.nodeOutput(caller, params.id, params.automation_job_id, query)),
			rowResults: async ({ caller, params }) => buildReply(200, await executions.rowResults(caller, params.id)),
		}),
		...bindAll(automationWebhookRoutes, {
			receive,
			receivePut: receive,
			health: async () => buildReply(200, { status: "ok" as const }),
			test: async ({ caller, body }) => {
				const answer = await webhook.test(body.job_id, body.status);
				await store.transaction((tx) =>
					events.changed(tx, caller, {
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
