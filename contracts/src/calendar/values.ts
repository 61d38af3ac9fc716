/** Constants of the calendar. */

/** `freeze` refuses changes of fabrics. `maintenance` holds alerts of fabrics until its end. */
export const CALENDAR_KINDS = ["freeze", "maintenance"] as const;
export type CalendarKind = (typeof CALENDAR_KINDS)[number];

/** Holds of alerts: a maintenance that is on, or a change window that is open. */
export const HOLD_KINDS = ["maintenance", "change_window"] as const;
export type HoldKind = (typeof HOLD_KINDS)[number];

/** Origin of an entry: a person, or an imported calendar. */
export const CALENDAR_SOURCES = ["manual", "ics"] as const;
export type CalendarSource = (typeof CALENDAR_SOURCES)[number];

export const CALENDAR_LIMITS = {
	/** Upper bound of the connections, and of the groups, that an entry names. */
	connections: 50,
	/** Characters of a recurrence rule. */
	rrule: 500,
	/** Occurrences that a recurrence leaves out. */
	exdates: 500,
	/** `COUNT` of a recurrence rule. */
	count: 1_000,
	/** `INTERVAL` of a recurrence rule. */
	interval: 400,
	/** Days from the start to the end of one occurrence. */
	days: 400,
	/** Days that one list of occurrences spans. */
	rangeDays: 400,
	/** Occurrences of one list. */
	occurrences: 10_000,
	/** Characters of an imported file, and bytes of a calendar at an address. */
	fileBytes: 512 * 1024,
	/** Characters of a title. */
	title: 200,
	/** Characters of a reason. */
	reason: 2_000,
} as const;
