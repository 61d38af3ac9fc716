/** Addresses of notifications of the automation server: one entry per route. */

export const automationWebhookPaths = {
	receive: {
		id: "automation_webhooks.receive",
		method: "POST",
		path: "/api/automation/webhooks/receiver/",
		auth: "signature",
	},
	receivePut: {
		id: "automation_webhooks.receive_put",
		method: "PUT",
		path: "/api/automation/webhooks/receiver/",
		auth: "signature",
	},
	health: {
		id: "automation_webhooks.health",
		method: "GET",
		path: "/api/automation/webhooks/health/",
		auth: "anonymous",
	},
	test: { id: "automation_webhooks.test", method: "POST", path: "/api/automation/webhooks/test/", auth: "bearer" },
} as const;
