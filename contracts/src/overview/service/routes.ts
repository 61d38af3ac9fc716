/** Routes of the service's status and of its first setup. */
import { defineRoute } from "../../core/route.ts";
import { servicePaths } from "./paths.ts";
import { mailTest, serviceStatus, setup, setupPatch } from "./shapes.ts";

const common = { throttle: "user", permission: "admin" } as const;

export const serviceRoutes = {
	status: defineRoute({
		...servicePaths.status,
		...common,
		summary: "Processes, queues, store, cache, mail, directory, identity provider, and backups with their age",
		audit: { none: "read" },
		answers: { 200: serviceStatus },
	}),
	setup: defineRoute({
		...servicePaths.setup,
		...common,
		summary: "The steps of the first setup: done, open or left out",
		audit: { none: "read" },
		answers: { 200: setup },
	}),
	changeSetup: defineRoute({
		...servicePaths.changeSetup,
		...common,
		summary: "Leave steps of the first setup out, or take them up again",
		audit: { category: "system_settings", action: "setup_update" },
		body: setupPatch,
		answers: { 200: setup },
	}),
	testMail: defineRoute({
		...servicePaths.testMail,
		...common,
		summary: "Send a test mail to the caller's own address; the answer says whether the mail server took it",
		throttle: "email_send",
		audit: { category: "system_settings", action: "mail_test" },
		answers: { 200: mailTest },
	}),
} as const;
