/** Notifications, their preferences, and the channel that delivers them at once. */
import * as z from "zod";
import { patterned } from "./bounded.ts";
import { channel } from "./channel.ts";
import { boolParam, envelope, ordering, paging, timestamp, uuidParams } from "./common.ts";
import { raw, route } from "./route.ts";

export const NOTIFICATION_CATEGORIES = ["scheduled_task", "automation_execution", "time_machine", "system"] as const;
export type NotificationCategory = (typeof NOTIFICATION_CATEGORIES)[number];
export const SEVERITIES = ["info", "warning", "error"] as const;
export type Severity = (typeof SEVERITIES)[number];

export const TITLE_MAX = 300;
export const BODY_MAX = 8_000;

export const notification = z.object({
	id: z.string(),
	category: z.enum(NOTIFICATION_CATEGORIES),
	severity: z.enum(SEVERITIES),
	title: z.string(),
	body: z.string(),
	/** A path of this service, or empty. */
	link: z.string(),
	/** Null: unread. */
	read_at: timestamp.nullable(),
	created_at: timestamp,
});
export type Notification = z.infer<typeof notification>;

const ways = { in_app: z.boolean(), email: z.boolean() };
const perCategory = <Way extends z.ZodType>(way: Way) =>
	z.object({ scheduled_task: way, automation_execution: way, time_machine: way, system: way });

export const notificationPreferences = z.object({
	in_app_enabled: z.boolean(),
	email_enabled: z.boolean(),
	categories: perCategory(z.object(ways)),
	/** Times of day in the user's zone, as `22:00`; both or none. They may span midnight. */
	quiet_hours_start: z.string().nullable(),
	quiet_hours_end: z.string().nullable(),
	/** One email a day, at 08:00 in the user's zone, instead of one for each. */
	digest_enabled: z.boolean(),
});
export type NotificationPreferences = z.infer<typeof notificationPreferences>;

const timeOfDay = patterned(/^([01]\d|2[0-3]):[0-5]\d$/, 5, "Must be a time of day as HH:MM.").nullable();

const preferencesInput = z
	.object({
		in_app_enabled: z.boolean(),
		email_enabled: z.boolean(),
		categories: perCategory(z.object(ways).partial()).partial(),
		quiet_hours_start: timeOfDay,
		quiet_hours_end: timeOfDay,
		digest_enabled: z.boolean(),
	})
	.partial();
export type NotificationPreferencesPatch = z.output<typeof preferencesInput>;

const list = z.object({
	...paging,
	unread: boolParam.optional(),
	category: z.enum(NOTIFICATION_CATEGORIES).optional(),
	severity: z.enum(SEVERITIES).optional(),
	ordering: ordering(["created_at"], "-created_at"),
});
export type NotificationList = z.output<typeof list>;

/** A path of this service; an address elsewhere would let an announcement lead people astray. */
const ownPath = z.union(
	[
		z.literal(""),
		z
			.string()
			.max(500)
			.regex(/^\/(?![/\\])\P{Cc}*$/u),
	],
	{
		error: "Must be a path of this service that begins with one slash, or empty.",
	},
);

const announcement = z.object({
	title: z
		.string()
		.trim()
		.min(1, "Must not be empty.")
		.max(TITLE_MAX, `Must be at most ${TITLE_MAX} characters.`)
		.regex(/^\P{Cc}*$/u, "Must be one line of text."),
	body: z.string().trim().max(BODY_MAX, `Must be at most ${BODY_MAX} characters.`).default(""),
	severity: z.enum(SEVERITIES).default("info"),
	link: ownPath.default(""),
});
export type Announcement = z.output<typeof announcement>;

const path = "/api/notifications/notifications/";
const one = `${path}:id/` as const;
const common = { auth: "bearer", throttle: "user" } as const;
const read = { none: "read" } as const;
const management = (action: string) => ({ category: "notification_management", action }) as const;

export const notificationRoutes = {
	list: route({
		...common,
		id: "notifications.list",
		method: "GET",
		path,
		summary: "The caller's notifications, newest first",
		permission: "view_notification",
		audit: read,
		query: list,
		answers: { 200: envelope(notification) },
	}),
	markRead: route({
		...common,
		id: "notifications.mark_read",
		method: "POST",
		path: `${one}mark_read/`,
		summary: "Mark one as read; again changes nothing",
		permission: "change_notification",
		audit: management("notification_read"),
		params: uuidParams,
		answers: { 200: notification },
	}),
	markAllRead: route({
		...common,
		id: "notifications.mark_all_read",
		method: "POST",
		path: `${path}mark_all_read/`,
		summary: "Mark all of the caller's as read",
		permission: "change_notification",
		audit: management("notifications_read_all"),
		answers: { 200: z.object({ updated: z.int() }) },
	}),
	unreadCount: route({
		...common,
		id: "notifications.unread_count",
		method: "GET",
		path: `${path}unread_count/`,
		summary: "How many the caller has not read",
		permission: "view_notification",
		audit: read,
		answers: { 200: z.object({ count: z.int() }) },
	}),
	remove: route({
		...common,
		id: "notifications.delete",
		method: "DELETE",
		path: one,
		summary: "Delete one; it is gone from the lists at once and from the store after 30 days",
		permission: "delete_notification",
		audit: management("notification_delete"),
		params: uuidParams,
		answers: { 204: raw("", "The notification is deleted") },
	}),
	preferences: route({
		...common,
		id: "notifications.preferences",
		method: "GET",
		path: "/api/notifications/preferences/",
		summary: "How the caller wants to be told",
		permission: "view_notificationpreference",
		audit: read,
		answers: { 200: notificationPreferences },
	}),
	changePreferences: route({
		...common,
		id: "notifications.change_preferences",
		method: "PATCH",
		path: "/api/notifications/preferences/",
		summary: "Change how the caller wants to be told; what is left out stays",
		permission: "change_notificationpreference",
		audit: management("preferences_update"),
		body: preferencesInput,
		answers: { 200: notificationPreferences },
	}),
	announce: route({
		...common,
		id: "notifications.announce",
		method: "POST",
		path: "/api/notifications/announcements/",
		summary: "Tell every active user something, such as a maintenance window",
		permission: "admin",
		audit: management("announcement_create"),
		body: announcement,
		answers: { 201: z.object({ recipients: z.int() }) },
	}),
} as const;

export const notificationsChannel = channel({
	path: "/ws/notifications/",
	summary: "Every notification of the connected user, as it comes; begins with the number of unread ones",
	params: z.object({}),
	frames: {
		notification_created: notification.pick({
			id: true,
			category: true,
			severity: true,
			title: true,
			body: true,
			link: true,
		}),
		notification_read: z.object({ id: z.string() }),
		notification_deleted: z.object({ id: z.string() }),
		unread_count: z.object({ count: z.int() }),
	},
	final: [],
});
