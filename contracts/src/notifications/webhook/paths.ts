/** Addresses of a user's first webhook: one entry per route. */

export const notificationWebhookPaths = {
	detail: { id: "notification_webhook.detail", method: "GET", path: "/api/notifications/webhook/", auth: "bearer" },
	update: { id: "notification_webhook.update", method: "PATCH", path: "/api/notifications/webhook/", auth: "bearer" },
	remove: { id: "notification_webhook.delete", method: "DELETE", path: "/api/notifications/webhook/", auth: "bearer" },
	test: { id: "notification_webhook.test", method: "POST", path: "/api/notifications/webhook/test/", auth: "bearer" },
	deliveries: {
		id: "notification_webhook.deliveries",
		method: "GET",
		path: "/api/notifications/deliveries/",
		auth: "bearer",
	},
	resend: {
		id: "notification_webhook.resend",
		method: "POST",
		path: "/api/notifications/deliveries/:id/resend/",
		auth: "bearer",
	},
} as const;
