/** Routes of notifications. */
import * as z from "zod";
import { envelope, uuidParams } from "../core/common.ts";
import { raw, route } from "../core/route.ts";
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
const management = (action: string) => ({ category: "notification_management", action }) as const;

export const notificationRoutes = {
	list: route({
		...notificationPaths.list,
		...common,
		summary: "The caller's notifications, newest first",
		permission: "view_notification",
		audit: read,
		query: notificationList,
		answers: { 200: envelope(notification) },
	}),
	markRead: route({
		...notificationPaths.markRead,
		...common,
		summary: "Mark one as read; again changes nothing",
		permission: "change_notification",
		audit: management("notification_read"),
		params: uuidParams,
		answers: { 200: notification },
	}),
	markAllRead: route({
		...notificationPaths.markAllRead,
		...common,
		summary: "Mark all of the caller's as read",
		permission: "change_notification",
		audit: management("notifications_read_all"),
		answers: { 200: z.object({ updated: z.int() }) },
	}),
	unreadCount: route({
		...notificationPaths.unreadCount,
		...common,
		summary: "How many the caller has not read",
		permission: "view_notification",
		audit: read,
		answers: { 200: z.object({ count: z.int() }) },
	}),
	remove: route({
		...notificationPaths.remove,
		...common,
		summary: "Delete one; it is gone from the lists at once and from the store after 30 days",
		permission: "delete_notification",
		audit: management("notification_delete"),
		params: uuidParams,
		answers: { 204: raw("", "The notification is deleted") },
	}),
	preferences: route({
		...notificationPaths.preferences,
		...common,
		summary: "How the caller wants to be told",
		permission: "view_notificationpreference",
		audit: read,
		answers: { 200: notificationPreferences },
	}),
	changePreferences: route({
		...notificationPaths.changePreferences,
		...common,
		summary: "Change how the caller wants to be told; what is left out stays",
		permission: "change_notificationpreference",
		audit: management("preferences_update"),
		body: notificationPreferencesPatch,
		answers: { 200: notificationPreferences },
	}),
	announce: route({
		...notificationPaths.announce,
		...common,
		summary: "Tell every active user something, such as a maintenance window",
		permission: "admin",
		audit: management("announcement_create"),
		body: announcement,
		answers: { 201: z.object({ recipients: z.int() }) },
	}),
} as const;
