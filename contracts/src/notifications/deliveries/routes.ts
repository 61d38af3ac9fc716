/** Routes of deliveries. */
import { defineEnvelope, uuidParams } from "../../core/common.ts";
import { defineRoute } from "../../core/route.ts";
import { deliveryPaths } from "./paths.ts";
import { deliveryList, notificationDelivery } from "./shapes.ts";

const common = { throttle: "user" } as const;

export const deliveryRoutes = {
	list: defineRoute({
		...deliveryPaths.list,
		...common,
		summary: "What was sent to the caller by mail and webhook in the last 30 days, newest first",
		permission: "view_notification",
		audit: { none: "read" },
		query: deliveryList,
		answers: { 200: defineEnvelope(notificationDelivery) },
	}),
	resend: defineRoute({
		...deliveryPaths.resend,
		...common,
		summary:
			"Send a delivery to one of the caller's webhooks again, or for administrators to a shared one, without a wait",
		permission: "change_notificationpreference",
		audit: { category: "notification_management", action: "webhook_resend" },
		params: uuidParams,
		answers: { 202: notificationDelivery },
	}),
} as const;
