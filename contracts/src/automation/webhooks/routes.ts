/** Notifications of the automation server. The body is only a hint: Weft reads the job itself. */
import * as z from "zod";
import { uuid } from "../../core/common.ts";
import { defineRoute } from "../../core/route.ts";
import { jsonObject } from "../common.ts";
import { automationWebhookPaths } from "./paths.ts";

const received = z.object({
	status: z.literal("received"),
	/** Executions that will be looked at; 0 for jobs that are not this service's. */
	matched: z.int(),
});

const receiver = {
	throttle: "webhook",
	permission: "any",
	audit: { none: "only a hint: what it leads to is recorded as the execution's" },
	/** Which connection the server is known by, where its address does not tell. */
	query: z.object({ connection: uuid.optional() }),
	body: jsonObject,
	rawBody: true,
	bodyLimit: 5 * 1024 * 1024,
	answers: { 200: received },
} as const;

export const automationWebhookRoutes = {
	receive: defineRoute({
		...automationWebhookPaths.receive,
		...receiver,
		summary: "Hear that a job changed; needs the header X-Automation-Webhook-Signature",
	}),
	receivePut: defineRoute({
		...automationWebhookPaths.receivePut,
		...receiver,
		summary: "The same, for servers that are set to PUT",
	}),
	health: defineRoute({
		...automationWebhookPaths.health,
		summary: "Whether webhooks can be sent here",
		throttle: "anon",
		permission: "any",
		audit: { none: "read" },
		answers: { 200: z.object({ status: z.literal("ok") }) },
	}),
	test: defineRoute({
		...automationWebhookPaths.test,
		summary: "Send a made-up event through the receiver",
		throttle: "user",
		permission: "admin",
		audit: { category: "automation_webhook", action: "webhook_test" },
		body: z.object({ job_id: z.int("Must be the id of a job.").min(1), status: z.string().max(50).optional() }),
		answers: { 200: received },
	}),
} as const;
