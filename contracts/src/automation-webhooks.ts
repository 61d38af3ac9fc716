/** Notifications of the automation server. The body is only a hint: Weft reads the job itself. */
import * as z from "zod";
import { jsonObject } from "./automation-common.ts";
import { uuid } from "./common.ts";
import { route } from "./route.ts";

const received = z.object({
	status: z.literal("received"),
	/** Executions that will be looked at; 0 for jobs that are not this service's. */
	matched: z.int(),
});

const receiver = {
	path: "/api/automation/webhooks/receiver/",
	auth: "signature",
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
	receive: route({
		...receiver,
		id: "automation_webhooks.receive",
		method: "POST",
		summary: "Hear that a job changed; needs the header X-Automation-Webhook-Signature",
	}),
	receivePut: route({
		...receiver,
		id: "automation_webhooks.receive_put",
		method: "PUT",
		summary: "The same, for servers that are set to PUT",
	}),
	health: route({
		id: "automation_webhooks.health",
		method: "GET",
		path: "/api/automation/webhooks/health/",
		summary: "Whether webhooks can be sent here",
		auth: "anonymous",
		throttle: "anon",
		permission: "any",
		audit: { none: "read" },
		answers: { 200: z.object({ status: z.literal("ok") }) },
	}),
	test: route({
		id: "automation_webhooks.test",
		method: "POST",
		path: "/api/automation/webhooks/test/",
		summary: "Send a made-up event through the receiver",
		auth: "bearer",
		throttle: "user",
		permission: "admin",
		audit: { category: "automation_webhook", action: "webhook_test" },
		body: z.object({ job_id: z.int("Must be the id of a job.").min(1), status: z.string().max(50).optional() }),
		answers: { 200: received },
	}),
} as const;
