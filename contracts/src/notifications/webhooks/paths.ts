/** Addresses of webhooks: one entry per route. */
import { defineCrudPaths, REPLACE_FIRST } from "../../core/paths.ts";

const crud = defineCrudPaths("notification_webhooks", "/api/notifications/webhooks/", REPLACE_FIRST);

export const webhookPaths = {
	...crud,
	remove: { ...crud.remove, id: "notification_webhooks.delete" },
	test: {
		id: "notification_webhooks.test",
		method: "POST",
		path: "/api/notifications/webhooks/:id/test/",
		auth: "bearer",
	},
	deliveries: {
		id: "notification_webhooks.deliveries",
		method: "GET",
		path: "/api/notifications/webhooks/:id/deliveries/",
		auth: "bearer",
	},
	resend: {
		id: "notification_webhooks.resend",
		method: "POST",
		path: "/api/notifications/webhooks/:id/deliveries/:delivery_id/resend/",
		auth: "bearer",
	},
	resendDelivery: {
		id: "notification_webhooks.resend_delivery",
		method: "POST",
		path: "/api/notifications/webhooks/deliveries/:id/resend/",
		auth: "bearer",
	},
} as const;
