/** Paths of the calendar: one entry per route. */
import { defineCrudPaths } from "../core/paths.ts";

const { list, create, ...one } = defineCrudPaths("calendar_entries", "/api/calendar/entries/");

export const calendarEntryPaths = {
	list,
	create,
	occurrences: {
		id: "calendar_entries.occurrences",
		method: "GET",
		path: "/api/calendar/entries/occurrences/",
		auth: "bearer",
	},
	import: { id: "calendar_entries.import", method: "POST", path: "/api/calendar/entries/import/", auth: "bearer" },
	...one,
} as const;

/** Calendars of other systems that are read every hour. */
export const calendarSourcePaths = defineCrudPaths("calendar_sources", "/api/calendar/sources/", ["list", "remove"]);

const FEED = "/api/calendar/feed/";
export const calendarFeedPaths = {
	create: { id: "calendar_feed.create", method: "POST", path: FEED, auth: "bearer" },
	end: { id: "calendar_feed.end", method: "DELETE", path: FEED, auth: "bearer" },
	read: { id: "calendar_feed.read", method: "GET", path: "/api/calendar/feed/:secret/", auth: "anonymous" },
	endOne: { id: "calendar_feed.end_one", method: "DELETE", path: "/api/calendar/feed/:secret/", auth: "bearer" },
} as const;
