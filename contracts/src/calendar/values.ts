/** Constants of the calendar. */

/**
 * `freeze`: changes of fabrics are refused. `maintenance`: alerts of fabrics are held until its
 * end.
 */
export const CALENDAR_KINDS = ["freeze", "maintenance"] as const;
export type CalendarKind = (typeof CALENDAR_KINDS)[number];

/** Where an entry comes from: a person, or a calendar that was imported. */
export const CALENDAR_SOURCES = ["manual", "ics"] as const;
export type CalendarSource = (typeof CALENDAR_SOURCES)[number];

export const CALENDAR_LIMITS = {
	/** Connections, and groups, that an entry names. */
	connections: 50,
	/** Characters of a recurrence rule. */
	rrule: 500,
	/** Occurrences that are left out of a recurrence. */
	exdates: 500,
	/** `COUNT` and `INTERVAL` of a recurrence rule. */
	count: 1_000,
	interval: 400,
	/** Days from the start to the end of one occurrence. */
	days: 400,
	/** Days of one list of occurrences, and its occurrences. */
	rangeDays: 400,
	occurrences: 10_000,
	/** Bytes, and about as many characters, of an imported file. */
	fileBytes: 512 * 1024,
} as const;
