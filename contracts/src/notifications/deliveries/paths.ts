/** Addresses of deliveries: one entry per route. */

export const deliveryPaths = {
	list: { id: "notification_deliveries.list", method: "GET", path: "/api/notifications/deliveries/", auth: "bearer" },
	resend: {
		id: "notification_deliveries.resend",
		method: "POST",
		path: "/api/notifications/deliveries/:id/resend/",
		auth: "bearer",
	},
} as const;
