/** Routes of notifications. */
import * as z from "zod";
import { defineEnvelope, uuidParams } from "../core/common.ts";
import { defineRawAnswer, defineRoute } from "../core/route.ts";
import { notificationPaths } from "./paths.ts";
import {
	announcement,
	notification,
	notificationList,
	notificationPreferences,
	notificationPreferencesPatch,
} from "./shapes.ts";

const common = { throttle: "user" } as const;
const read = { none: "read" } as const;
const defineAudit = (action: string) => ({ category: "notification_management", action }) as const;

export const notificationRoutes = {
	list: defineRoute({
		...notificationPaths.list,
		...common,
		summary: "The caller's notifications, newest first",
		permission: "view_notification",
		audit: read,
		query: notificationList,
		answers: { 200: defineEnvelope(notification) },
	}),
	markRead: defineRoute({
		...notificationPaths.markRead,
		...common,
		summary: "Mark one as read; again changes nothing",
		permission: "change_notification",
		audit: defineAudit("notification_read"),
		params: uuidParams,
		answers: { 200: notification },
	}),
	markAllRead: defineRoute({
		...notificationPaths.markAllRead,
		...common,
		summary: "Mark all of the caller's as read",
		permission: "change_notification",
		audit: defineAudit("notifications_read_all"),
		answers: { 200: z.object({ updated: z.int() }) },
	}),
	unreadCount: defineRoute({
		...notificationPaths.unreadCount,
		...common,
		summary: "How many the caller has not read",
		permission: "view_notification",
		audit: read,
		answers: { 200: z.object({ count: z.int() }) },
	}),
	remove: defineRoute({
		...notificationPaths.remove,
		...common,
		summary: "Delete one; it is gone from the lists at once and from the store after 30 days",
		permission: "delete_notification",
		audit: defineAudit("notification_delete"),
		params: uuidParams,
		answers: { 204: defineRawAnswer("", "The notification is deleted") },
	}),
	preferences: defineRoute({
		...notificationPaths.preferences,
		...common,
		summary: "How the caller wants to be told",
		permission: "view_notificationpreference",
		audit: read,
		answers: { 200: notificationPreferences },
	}),
	changePreferences: defineRoute({
		...notificationPaths.changePreferences,
		...common,
		summary: "Change how the caller wants to be told; what is left out stays",
		permission: "change_notificationpreference",
		audit: defineAudit("preferences_update"),
		body: notificationPreferencesPatch,
		answers: { 200: notificationPreferences },
	}),
	announce: defineRoute({
		...notificationPaths.announce,
		...common,
		summary: "Tell every active user something, such as a maintenance window",
		permission: "admin",
		audit: defineAudit("announcement_create"),
		body: announcement,
		answers: { 201: z.object({ recipients: z.int() }) },
	}),
} as const;
