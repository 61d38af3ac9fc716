/** Notifications, preferences, announcements, webhooks. */
import { notificationRoutes, notificationWebhookRoutes, webhookRoutes } from "@weft/contracts";
import { type BoundRoute, bindAll, buildReply, noContent } from "../../platform/http/binder.ts";
import type { NotificationService } from "./service.ts";
import type { ResendService } from "./service-resend.ts";
import type { WebhookService } from "./service-webhook.ts";
import type { WebhooksService } from "./service-webhooks.ts";

interface Services {
	readonly notifications: NotificationService;
	readonly webhook: WebhookService;
	readonly webhooks: WebhooksService;
	readonly resends: ResendService;
}

export function createRoutes({ notifications, webhook, webhooks, resends }: Services): BoundRoute[] {
	const ofNotifications = bindAll(notificationRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await notifications.list(caller, query, url)),
		markRead: async ({ caller, params }) => buildReply(200, await notifications.markRead(caller, params.id)),
		markAllRead: async ({ caller }) => buildReply(200, { updated: await notifications.markAllRead(caller) }),
		unreadCount: async ({ caller }) => buildReply(200, { count: await notifications.unreadCount(caller) }),
		remove: async ({ caller, params }) => {
			await notifications.remove(caller, params.id);
			return noContent;
		},
		preferences: async ({ caller }) => buildReply(200, await notifications.preferences(caller)),
		changePreferences: async ({ caller, body }) => buildReply(200, await notifications.changePreferences(caller, body)),
		announce: async ({ caller, body }) => buildReply(201, await notifications.announce(caller, body)),
	});
	const ofFirstWebhook = bindAll(notificationWebhookRoutes, {
		detail: async ({ caller }) => buildReply(200, await webhook.detail(caller)),
		update: async ({ caller, body }) => buildReply(200, await webhook.update(caller, body)),
		remove: async ({ caller }) => {
			await webhook.remove(caller);
			return noContent;
		},
		test: async ({ caller, signal }) => {
			const outcome = await webhook.test(caller, signal);
			return outcome.success ? buildReply(200, outcome) : buildReply(400, outcome);
		},
		deliveries: async ({ caller, query, url }) => buildReply(200, await webhook.deliveries(caller, query, url)),
		resend: async ({ caller, params }) => buildReply(202, await resends.resend(caller, params.id)),
	});
	const ofWebhooks = bindAll(webhookRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await webhooks.list(caller, query, url)),
		create: async ({ caller, body }) => buildReply(201, await webhooks.create(caller, body)),
		detail: async ({ caller, params }) => buildReply(200, await webhooks.detail(caller, params.id)),
		replace: async ({ caller, params, body }) => buildReply(200, await webhooks.update(caller, params.id, body)),
		update: async ({ caller, params, body }) => buildReply(200, await webhooks.update(caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await webhooks.remove(caller, params.id);
			return noContent;
		},
		test: async ({ caller, params, signal }) => {
			const outcome = await webhooks.test(caller, params.id, signal);
			return outcome.success ? buildReply(200, outcome) : buildReply(400, outcome);
		},
		deliveries: async ({ caller, params, query, url }) =>
			buildReply(200, await resends.list(caller, params.id, query, url)),
		resend: async ({ caller, params }) => buildReply(202, await resends.resend(caller, params.delivery_id, params.id)),
		resendDelivery: async ({ caller, params }) => buildReply(202, await resends.resend(caller, params.id)),
	});
	return [...ofNotifications, ...ofFirstWebhook, ...ofWebhooks];
}
