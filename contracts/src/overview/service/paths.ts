/** Addresses of the service's status and of its first setup: one entry per route. */

export const servicePaths = {
	status: { id: "service.status", method: "GET", path: "/api/service/status/", auth: "bearer" },
	setup: { id: "service.setup", method: "GET", path: "/api/service/setup/", auth: "bearer" },
	changeSetup: { id: "service.change_setup", method: "PATCH", path: "/api/service/setup/", auth: "bearer" },
	testMail: { id: "service.test_mail", method: "POST", path: "/api/service/test-mail/", auth: "bearer" },
} as const;
