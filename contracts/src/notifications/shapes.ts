/** Notifications, their preferences, and the channel that delivers them at once. */
import * as z from "zod";
import { definePatternText } from "../core/bounded.ts";
import { boolParam, defineOrdering, paging, timestamp } from "../core/common.ts";
import { defineLine, refuseTurning } from "../core/text.ts";
import { BODY_MAX, NOTIFICATION_CATEGORIES, NOTIFICATION_EVENTS, SEVERITIES, TITLE_MAX } from "./values.ts";

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

/** The facts of a notification, for programs that receive it. */
export const notificationFacts = z.object({
	/** Null in notifications of versions without facts. */
	event: z.enum(NOTIFICATION_EVENTS).nullable(),
	/** Username of the person who caused it; null for the service. */
	actor: z.string().nullable(),
	/** The most important one first. */
	objects: z.array(
		z.object({
			/** As the audit log names it: `check`, `automation_request`, … */
			kind: z.string(),
			id: z.string(),
			name: z.string(),
			/** Name of the connection that it is about; null for all, and where there is none. */
			connection: z.string().nullable(),
			/** Status before and after; null where the event changes none. */
			before: z.string().nullable(),
			after: z.string().nullable(),
		}),
	),
});
export type NotificationFacts = z.infer<typeof notificationFacts>;

const ways = { in_app: z.boolean(), email: z.boolean() };
const definePerCategory = <Way extends z.ZodType>(way: Way) =>
	z.object({ scheduled_task: way, automation_execution: way, time_machine: way, system: way });

export const notificationPreferences = z.object({
	in_app_enabled: z.boolean(),
	email_enabled: z.boolean(),
	categories: definePerCategory(z.object(ways)),
	/** Times of day in the user's zone, as `22:00`; both or none. They may span midnight. */
	quiet_hours_start: z.string().nullable(),
	quiet_hours_end: z.string().nullable(),
	/** One email a day, at 08:00 in the user's zone, instead of one for each. */
	digest_enabled: z.boolean(),
});
export type NotificationPreferences = z.infer<typeof notificationPreferences>;

const timeOfDay = definePatternText(/^([01]\d|2[0-3]):[0-5]\d$/, 5, "Must be a time of day as HH:MM.").nullable();

export const notificationPreferencesPatch = z
	.object({
		in_app_enabled: z.boolean(),
		email_enabled: z.boolean(),
		categories: definePerCategory(z.object(ways).partial()).partial(),
		quiet_hours_start: timeOfDay,
		quiet_hours_end: timeOfDay,
		digest_enabled: z.boolean(),
	})
	.partial();
export type NotificationPreferencesPatch = z.output<typeof notificationPreferencesPatch>;

export const notificationList = z.object({
	...paging,
	unread: boolParam.optional(),
	category: z.enum(NOTIFICATION_CATEGORIES).optional(),
	severity: z.enum(SEVERITIES).optional(),
	ordering: defineOrdering(["created_at"], "-created_at"),
});
export type NotificationList = z.output<typeof notificationList>;

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

export const announcement = z.object({
	title: defineLine(TITLE_MAX),
	body: refuseTurning(z.string().trim().max(BODY_MAX, `Must be at most ${BODY_MAX} characters.`)).default(""),
	severity: z.enum(SEVERITIES).default("info"),
	link: ownPath.default(""),
});
export type Announcement = z.output<typeof announcement>;
