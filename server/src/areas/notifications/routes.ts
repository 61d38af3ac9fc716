/** Notifications, preferences, announcements, webhooks. */
import { deliveryRoutes, notificationRoutes, webhookRoutes } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type BoundRoute, bindAll, buildReply, noContent } from "../../core/http/binder.ts";
import { listCallerDeliveries, listDeliveriesOfHook, resendDelivery } from "./list-deliveries.ts";
import {
	createWebhook,
	listWebhooks,
	readWebhook,
	removeWebhook,
	testWebhook,
	updateWebhook,
} from "./manage-webhooks.ts";
import {
	announceToUsers,
	changePreferences,
	countUnread,
	deleteNotification,
	markAllRead,
	markRead,
	readNotificationPage,
	readPreferences,
} from "./read-notifications.ts";

export function createRoutes(ctx: Context): BoundRoute[] {
	const ofNotifications = bindAll(notificationRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await readNotificationPage(ctx, caller, query, url)),
		markRead: async ({ caller, params }) => buildReply(200, await markRead(ctx, caller, params.id)),
		markAllRead: async ({ caller }) => buildReply(200, { updated: await markAllRead(ctx, caller) }),
		unreadCount: async ({ caller }) => buildReply(200, { count: await countUnread(ctx, caller) }),
		remove: async ({ caller, params }) => {
			await deleteNotification(ctx, caller, params.id);
			return noContent;
		},
		preferences: async ({ caller }) => buildReply(200, await readPreferences(ctx, caller)),
		changePreferences: async ({ caller, body }) => buildReply(200, await changePreferences(ctx, caller, body)),
		announce: async ({ caller, body }) => buildReply(201, await announceToUsers(ctx, caller, body)),
	});
	const ofDeliveries = bindAll(deliveryRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await listCallerDeliveries(ctx, caller, query, url)),
		resend: async ({ caller, params }) => buildReply(202, await resendDelivery(ctx, caller, params.id)),
	});
	const ofWebhooks = bindAll(webhookRoutes, {
		list: async ({ caller, query, url }) => buildReply(200, await listWebhooks(ctx, caller, query, url)),
		create: async ({ caller, body }) => buildReply(201, await createWebhook(ctx, caller, body)),
		detail: async ({ caller, params }) => buildReply(200, await readWebhook(ctx, caller, params.id)),
		replace: async ({ caller, params, body }) => buildReply(200, await updateWebhook(ctx, caller, params.id, body)),
		update: async ({ caller, params, body }) => buildReply(200, await updateWebhook(ctx, caller, params.id, body)),
		remove: async ({ caller, params }) => {
			await removeWebhook(ctx, caller, params.id);
			return noContent;
		},
		test: async ({ caller, params, signal }) => {
			const outcome = await testWebhook(ctx, caller, params.id, signal);
			return outcome.success ? buildReply(200, outcome) : buildReply(400, outcome);
		},
		deliveries: async ({ caller, params, query, url }) =>
			buildReply(200, await listDeliveriesOfHook(ctx, caller, params.id, query, url)),
		resend: async ({ caller, params }) =>
			buildReply(202, await resendDelivery(ctx, caller, params.delivery_id, params.id)),
		resendDelivery: async ({ caller, params }) => buildReply(202, await resendDelivery(ctx, caller, params.id)),
	});
	return [...ofNotifications, ...ofDeliveries, ...ofWebhooks];
}
