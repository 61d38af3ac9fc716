/** Addresses of webhooks: one entry per route. */

export const webhookPaths = {
	list: { id: "notification_webhooks.list", method: "GET", path: "/api/notifications/webhooks/", auth: "bearer" },
	create: { id: "notification_webhooks.create", method: "POST", path: "/api/notifications/webhooks/", auth: "bearer" },
	detail: {
		id: "notification_webhooks.detail",
		method: "GET",
		path: "/api/notifications/webhooks/:id/",
		auth: "bearer",
	},
	replace: {
		id: "notification_webhooks.replace",
		method: "PUT",
		path: "/api/notifications/webhooks/:id/",
		auth: "bearer",
	},
	update: {
		id: "notification_webhooks.update",
		method: "PATCH",
		path: "/api/notifications/webhooks/:id/",
		auth: "bearer",
	},
	remove: {
		id: "notification_webhooks.delete",
		method: "DELETE",
		path: "/api/notifications/webhooks/:id/",
		auth: "bearer",
	},
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
