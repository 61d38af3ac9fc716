/** Routes of webhooks. */
import * as z from "zod";
import { defineEnvelope, uuid, uuidParams } from "../../core/common.ts";
import { defineCrudRoutes } from "../../core/crud.ts";
import { defineRoute } from "../../core/route.ts";
import { deliveryFilter, notificationDelivery } from "../deliveries/shapes.ts";
import { webhookPaths } from "./paths.ts";
import { webhook, webhookInput, webhookPatch, webhookTestAnswers } from "./shapes.ts";
import { WEBHOOKS_MAX } from "./values.ts";

const common = { throttle: "user" } as const;
const read = { permission: "view_notificationpreference", audit: { none: "read" } } as const;
const defineChangeAccess = <const Action extends string>(action: Action) =>
	({
		permission: "change_notificationpreference",
		audit: { category: "notification_management", action },
	}) as const;

export const webhookRoutes = {
	...defineCrudRoutes({
		paths: webhookPaths,
		noun: "webhook",
		permission: { read: "view_notificationpreference", write: "change_notificationpreference" },
		audit: { category: "notification_management", action: "webhook" },
		shapes: { item: webhook, create: webhookInput, update: webhookPatch },
		summary: {
			list: "The caller's webhooks, oldest first, then for administrators the shared ones",
			create:
				`Add a webhook: as many as the quota webhooks_max allows, and ${WEBHOOKS_MAX} shared ones, ` +
				"which only administrators may add",
			detail: "One webhook, and how its last attempts went",
			replace: "Replace a webhook's settings; the secret stays if it is left out",
			update:
				"Change a webhook; what is left out stays. Another host, port or scheme needs the secret again if there is one",
			remove: "Remove a webhook with its secret; what was still to be sent is not",
		},
		removed: "The webhook is removed",
	}),
	test: defineRoute({
		...webhookPaths.test,
		...common,
		...defineChangeAccess("webhook_test"),
		summary: "Send a test in the webhook's format now, whether or not it is enabled",
		throttle: "sensitive",
		params: uuidParams,
		answers: webhookTestAnswers,
	}),
	deliveries: defineRoute({
		...webhookPaths.deliveries,
		...common,
		...read,
		summary: "Notifications to the webhook of the last 30 days, newest first, with failure and next attempt",
		params: uuidParams,
		query: deliveryFilter,
		answers: { 200: defineEnvelope(notificationDelivery) },
	}),
	resend: defineRoute({
		...webhookPaths.resend,
		...common,
		...defineChangeAccess("webhook_resend"),
		summary: "Send a delivery to the webhook again, without a wait. One that has ended is sent as a new delivery",
		params: z.object({ ...uuidParams.shape, delivery_id: uuid }),
		answers: { 202: notificationDelivery },
	}),
	resendDelivery: defineRoute({
		...webhookPaths.resendDelivery,
		...common,
		...defineChangeAccess("webhook_resend"),
		summary: "Send a delivery to a webhook again, by the delivery's id alone",
		params: uuidParams,
		answers: { 202: notificationDelivery },
	}),
} as const;
