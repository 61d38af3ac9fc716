/** Routes of a user's first webhook. */
import { defineEnvelope, uuidParams } from "../../core/common.ts";
import { defineRawAnswer, defineRoute } from "../../core/route.ts";
import { notificationWebhookPaths } from "./paths.ts";
import {
	deliveryList,
	notificationDelivery,
	notificationWebhook,
	notificationWebhookPatch,
	webhookTestAnswers,
} from "./shapes.ts";

const common = { throttle: "user" } as const;
const defineAudit = (action: string) => ({ category: "notification_management", action }) as const;

export const notificationWebhookRoutes = {
	detail: defineRoute({
		...notificationWebhookPaths.detail,
		...common,
		summary: "The caller's webhook, and how its last attempts went",
		permission: "view_notificationpreference",
		audit: { none: "read" },
		answers: { 200: notificationWebhook },
	}),
	update: defineRoute({
		...notificationWebhookPaths.update,
		...common,
		summary:
			"Set up or change the caller's webhook; what is left out stays. Another host, port or scheme needs the secret again",
		permission: "change_notificationpreference",
		audit: defineAudit("webhook_update"),
		body: notificationWebhookPatch,
		answers: { 200: notificationWebhook },
	}),
	remove: defineRoute({
		...notificationWebhookPaths.remove,
		...common,
		summary: "Remove the caller's webhook with its secret; what was still to be sent is not",
		permission: "change_notificationpreference",
		audit: defineAudit("webhook_delete"),
		answers: { 204: defineRawAnswer("", "There is no webhook any more") },
	}),
	test: defineRoute({
		...notificationWebhookPaths.test,
		...common,
		summary: "Send a signed test to the webhook's address now, whether or not it is enabled",
		throttle: "sensitive",
		permission: "change_notificationpreference",
		audit: defineAudit("webhook_test"),
		answers: webhookTestAnswers,
	}),
	deliveries: defineRoute({
		...notificationWebhookPaths.deliveries,
		...common,
		summary: "What was sent to the caller by mail and webhook in the last 30 days, newest first",
		permission: "view_notification",
		audit: { none: "read" },
		query: deliveryList,
		answers: { 200: defineEnvelope(notificationDelivery) },
	}),
	resend: defineRoute({
		...notificationWebhookPaths.resend,
		...common,
		summary:
			"Send a delivery to one of the caller's webhooks again, or for administrators to a shared one, without a wait",
		permission: "change_notificationpreference",
		audit: defineAudit("webhook_resend"),
		params: uuidParams,
		answers: { 202: notificationDelivery },
	}),
} as const;
