/** Freezes and maintenance of fabrics, once or by a recurrence rule of iCalendar (RFC 5545). */
import * as z from "zod";
import { timeZone } from "../accounts/session/shapes.ts";
import { defineList } from "../core/bounded.ts";
import {
	boolParam,
	defineLongText,
	defineOrdering,
	defineTrimmedText,
	paging,
	timestamp,
	timestampInput,
	userRef,
	uuid,
} from "../core/common.ts";
import { CALENDAR_KINDS, CALENDAR_LIMITS, CALENDAR_SOURCES } from "./values.ts";

const isWebAddress = (value: string): boolean =>
	URL.canParse(value) && ["http:", "https:"].includes(new URL(value).protocol);

const ticketInput = z.object({
	number: defineTrimmedText(100),
	url: z.string().max(2_000).refine(isWebAddress, "Must be an address with http or https.").nullable().default(null),
});
const defineIds = (noun: string) =>
	defineList(uuid, {
		max: CALENDAR_LIMITS.connections,
		tooMany: `Must be at most ${CALENDAR_LIMITS.connections} ${noun}.`,
	}).transform((all) => [...new Set(all)]);

const fields = {
	kind: z.enum(CALENDAR_KINDS),
	title: defineTrimmedText(CALENDAR_LIMITS.title),
	reason: defineLongText(CALENDAR_LIMITS.reason),
	ticket: ticketInput.nullable(),
	/** An entry is for all connections if this and `connection_group_ids` are empty. */
	controller_connection_ids: defineIds("connections"),
	connection_group_ids: defineIds("groups"),
	starts_at: timestampInput,
	/** End of the first occurrence, exclusive. */
	ends_at: timestampInput,
	/**
	 * The recurrence rule: FREQ DAILY, WEEKLY, MONTHLY or YEARLY with INTERVAL, COUNT, UNTIL, BYDAY,
	 * BYMONTHDAY, BYMONTH, BYSETPOS and WKST, without DTSTART. Null: the entry occurs once.
	 * `starts_at` is an occurrence only if the rule has it.
	 */
	rrule: z.string().trim().min(1, "Must not be empty.").max(CALENDAR_LIMITS.rrule).nullable(),
	/** Starts of occurrences of the rule that the entry leaves out. */
	exdates: defineList(timestampInput, { max: CALENDAR_LIMITS.exdates }),
	/** The zone whose clock the rule follows. */
	time_zone: timeZone,
	is_active: z.boolean(),
};

export const calendarEntryInput = z.object({
	kind: fields.kind,
	title: fields.title,
	reason: fields.reason.default(""),
	ticket: fields.ticket.default(null),
	controller_connection_ids: fields.controller_connection_ids.default([]),
	connection_group_ids: fields.connection_group_ids.default([]),
	starts_at: fields.starts_at,
	ends_at: fields.ends_at,
	rrule: fields.rrule.default(null),
	exdates: fields.exdates.default([]),
	time_zone: fields.time_zone.default("UTC"),
	is_active: fields.is_active.default(true),
});
export type CalendarEntryInput = z.output<typeof calendarEntryInput>;

export const calendarEntryPatch = z.object(fields).partial();
export type CalendarEntryPatch = z.output<typeof calendarEntryPatch>;

const occurrenceTimes = z.object({ starts_at: timestamp, ends_at: timestamp });

export const calendarEntry = z.object({
	id: z.string(),
	kind: z.enum(CALENDAR_KINDS),
	title: z.string(),
	reason: z.string(),
	ticket: z.object({ number: z.string(), url: z.string().nullable() }).nullable(),
	/** Ids of the named connections that the caller sees. */
	controller_connection_ids: z.array(z.string()),
	/** Ids of the named groups that the caller sees. */
	connection_group_ids: z.array(z.string()),
	/** Whether the entry is for all connections. */
	is_for_all: z.boolean(),
	/** Number of named connections and groups that the caller does not see. */
	hidden_count: z.int(),
	starts_at: timestamp,
	ends_at: timestamp,
	rrule: z.string().nullable(),
	exdates: z.array(timestamp),
	time_zone: z.string(),
	is_active: z.boolean(),
	source: z.enum(CALENDAR_SOURCES),
	/** The occurrence that is on now; null if none is. */
	current: occurrenceTimes.nullable(),
	/** The next occurrence that begins; null if none does within ten years. */
	next: occurrenceTimes.nullable(),
	/** Null once the owner's account is deleted. */
	created_by: userRef.nullable(),
	created_at: timestamp,
	updated_at: timestamp,
	can_edit: z.boolean(),
	can_delete: z.boolean(),
});
export type CalendarEntry = z.infer<typeof calendarEntry>;

export const calendarEntryList = z.object({
	...paging,
	kind: z.enum(CALENDAR_KINDS).optional(),
	/** Entries that name this connection or one of its groups, and those for all connections. */
	connection: uuid.optional(),
	/** Part of the title, of the reason or of the ticket's number. */
	search: z.string().max(200).optional(),
	is_active: boolParam.optional(),
	ordering: defineOrdering(["starts_at", "ends_at", "title", "created_at"], "-starts_at"),
});
export type CalendarEntryList = z.output<typeof calendarEntryList>;

export const calendarOccurrencesQuery = z.object({
	...paging,
	/** Absent: now. */
	from: timestampInput.optional(),
	/** Exclusive, at most 400 days after `from`; absent: 30 days after it. */
	to: timestampInput.optional(),
	connection: uuid.optional(),
	kind: z.enum(CALENDAR_KINDS).optional(),
});
export type CalendarOccurrencesQuery = z.output<typeof calendarOccurrencesQuery>;

export const calendarOccurrence = z.object({
	entry_id: z.string(),
	title: z.string(),
	kind: z.enum(CALENDAR_KINDS),
	starts_at: timestamp,
	ends_at: timestamp,
});
export type CalendarOccurrence = z.infer<typeof calendarOccurrence>;

const webAddress = z
	.string()
	.trim()
	.max(2_000)
	.transform((value) => value.replace(/^webcal:/i, "https:"))
	.refine(isWebAddress, "Must be an address with http, https or webcal.");

export const calendarImport = z
	.object({
		/** The kind of all entries that the calendar makes. */
		kind: fields.kind,
		/** The text of an .ics file. */
		content: z
			.string()
			.max(CALENDAR_LIMITS.fileBytes, `Must have at most ${CALENDAR_LIMITS.fileBytes} characters.`)
			.optional(),
		/** An address that is read now and every hour. */
		url: webAddress.optional(),
		controller_connection_ids: fields.controller_connection_ids.default([]),
		connection_group_ids: fields.connection_group_ids.default([]),
		/** The zone of whole days and of times without a zone. */
		time_zone: fields.time_zone.default("UTC"),
	})
	.refine(({ content, url }) => (content === undefined) !== (url === undefined), "Give either content or url.");
export type CalendarImport = z.output<typeof calendarImport>;

export const calendarSource = z.object({
	id: z.string(),
	/** The host of the address; its path may be a secret. */
	url_host: z.string(),
	kind: z.enum(CALENDAR_KINDS),
	time_zone: z.string(),
	next_read_at: timestamp,
	/** Time of the last complete read; null before the first. */
	read_at: timestamp.nullable(),
	/** Reason why the last read failed; empty if it did not. */
	error: z.string(),
	created_at: timestamp,
});
export type CalendarSourceRecord = z.infer<typeof calendarSource>;

export const calendarImportResult = z.object({
	created: z.int(),
	updated: z.int(),
	unchanged: z.int(),
	/** Number of entries whose events the address no longer has. */
	removed: z.int(),
	/** Number of events that are over, which make no entries. */
	past: z.int(),
	/** Other events that make no entries, with the reason. */
	skipped: z.array(z.object({ uid: z.string(), title: z.string(), reason: z.string() })),
	/** The address that is read every hour; null for a file. */
	source: calendarSource.nullable(),
});
export type CalendarImportResult = z.infer<typeof calendarImportResult>;

export const calendarFeed = z.object({
	/** Address for calendar programs. Its secret is shown in this answer only. */
	url: z.string(),
});
export const calendarFeedParams = z.object({ secret: z.string().max(200) });
