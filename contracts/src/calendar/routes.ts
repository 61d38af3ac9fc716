/** Routes of the calendar. */
import { defineEnvelope, errorDetail } from "../core/common.ts";
import { defineCrudRoutes } from "../core/crud.ts";
import { defineRawAnswer, defineRoute } from "../core/route.ts";
import { calendarEntryPaths, calendarFeedPaths, calendarSourcePaths } from "./paths.ts";
import {
	calendarEntry,
	calendarEntryInput,
	calendarEntryList,
	calendarEntryPatch,
	calendarFeed,
	calendarFeedParams,
	calendarImport,
	calendarImportResult,
	calendarOccurrence,
	calendarOccurrencesQuery,
	calendarSource,
} from "./shapes.ts";

const { list, create, ...one } = defineCrudRoutes({
	paths: calendarEntryPaths,
	noun: "calendar entry",
	permission: "calendarentry",
	audit: { category: "controller_management", action: "calendar_entry" },
	shapes: {
		item: calendarEntry,
		query: calendarEntryList,
		create: calendarEntryInput,
		update: calendarEntryPatch,
	},
	summary: {
		list: "The caller's own calendar entries, and those for all connections or for one that the caller sees",
		create:
			"Add a freeze or a maintenance; needs the right to edit each of its connections (for all connections: to be an " +
			"administrator), and for a freeze the permission override_freeze",
		update: "Change some fields of a calendar entry; an ends_at of now ends it early",
		remove: "Delete a calendar entry; a freeze stops refusing changes, held alerts of a maintenance are sent",
	},
});

export const calendarEntryRoutes = {
	list,
	create,
	occurrences: defineRoute({
		...calendarEntryPaths.occurrences,
		summary: "Occurrences of active entries between two times, the earliest first",
		throttle: "user",
		permission: "view_calendarentry",
		audit: { none: "read" },
		query: calendarOccurrencesQuery,
		answers: { 200: defineEnvelope(calendarOccurrence) },
	}),
	import: defineRoute({
		...calendarEntryPaths.import,
		summary:
			"Import an iCalendar file, or subscribe to one by its address, which is read every hour; needs the rights to " +
			"create each entry",
		throttle: "user",
		permission: "add_calendarentry",
		audit: { category: "controller_management", action: "calendar_import" },
		body: calendarImport,
		answers: { 201: calendarImportResult },
	}),
	...one,
} as const;

export const calendarSourceRoutes = defineCrudRoutes({
	paths: calendarSourcePaths,
	noun: "calendar source",
	permission: "calendarentry",
	audit: { category: "controller_management", action: "calendar_source" },
	shapes: { item: calendarSource },
	summary: {
		list: "The caller's calendars that are read every hour; all of them for administrators",
		remove: "Stop reading a calendar, and delete its entries",
	},
});

const own = { throttle: "user", permission: "view_calendarentry" } as const;
const ended = { 204: defineRawAnswer("", "The feed has ended") } as const;
const defineAudit = (action: string) => ({ category: "controller_management", action }) as const;

export const calendarFeedRoutes = {
	create: defineRoute({
		...calendarFeedPaths.create,
		...own,
		summary: "Make the caller's feed of freezes, maintenance and schedules; replaces an earlier address",
		audit: defineAudit("calendar_feed_create"),
		answers: { 201: calendarFeed },
	}),
	end: defineRoute({
		...calendarFeedPaths.end,
		...own,
		summary: "End the caller's feed",
		audit: defineAudit("calendar_feed_delete"),
		answers: ended,
	}),
	read: defineRoute({
		...calendarFeedPaths.read,
		summary: "The feed as iCalendar, by the secret in its address",
		throttle: "anon",
		permission: "any",
		audit: { none: "read" },
		params: calendarFeedParams,
		answers: { 200: defineRawAnswer("text/calendar", "Occurrences and runs as events"), 404: errorDetail },
	}),
	endOne: defineRoute({
		...calendarFeedPaths.endOne,
		...own,
		summary: "End the caller's feed by its own address",
		audit: defineAudit("calendar_feed_delete"),
		params: calendarFeedParams,
		answers: ended,
	}),
} as const;
