/** Reads the events of an iCalendar file (RFC 5545) as calendar entries. */
import { CALENDAR_LIMITS } from "@weft/contracts";
import ICAL from "ical.js";
import { createOffset, toInstant } from "../../../core/local-time.ts";
import { type EntryTimes, isOver, isTooLong } from "./occurrences.ts";
import { parseRule, RuleProblem } from "./recurrence-rule.ts";
import { resolveZone } from "./zone-names.ts";

/** An event as an entry. */
export interface IcsEntry extends EntryTimes {
	/** UID of the event; of a changed occurrence followed by the start that it replaces. */
	readonly uid: string;
	readonly title: string;
	readonly reason: string;
}

/** An event that makes no entry. */
interface SkippedEvent {
	readonly uid: string;
	readonly title: string;
	readonly reason: string;
}

export interface IcsContent {
	readonly entries: readonly IcsEntry[];
	readonly skipped: readonly SkippedEvent[];
	/** Number of events that are over. */
	readonly past: number;
}

/** A file that cannot be read. The message says why. */
export class IcsProblem extends Error {}

/** An event that cannot be read. The message says why. */
class EventProblem extends Error {}

const EVENTS_MAX = 1_000;
const UID_MAX = 500;
const DAY_MS = 86_400_000;
/** Control characters except line breaks and tabs, and marks of the direction of text. */
const UNWANTED = /[^\P{Cc}\n\r\t]|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

interface Moment {
	/** Time on the clock of the zone, in milliseconds as if it were UTC. */
	readonly local: number;
	/** IANA name. */
	readonly zone: string;
	/** Whether it is a day without a time. */
	readonly isDate: boolean;
	/** Milliseconds since 1970, UTC. */
	readonly instant: number;
}

const readText = (event: ICAL.Component, name: string, max: number): string =>
	String(event.getFirstPropertyValue(name) ?? "")
		.replace(UNWANTED, "")
		.trim()
		.slice(0, max)
		.toWellFormed();

const readTitle = (event: ICAL.Component): string => readText(event, "summary", CALENDAR_LIMITS.title);

function readMoment(property: ICAL.Property, time: ICAL.Time, ownZone: string): Moment {
	const { year, month, day, hour, minute, second, isDate } = time;
	const local = Date.UTC(year, month - 1, day, isDate ? 0 : hour, isDate ? 0 : minute, isDate ? 0 : second);
	if (!Number.isFinite(local) || year < 1970 || year > 2200)
		throw new EventProblem("It has a time outside of 1970 to 2200.");
	const tzid = property.getParameter("tzid");
	const name = isDate || (tzid === undefined && time.zone !== ICAL.Timezone.utcTimezone) ? ownZone : null;
	const given = time.zone === ICAL.Timezone.utcTimezone ? "UTC" : String(tzid ?? "");
	const zone = name ?? resolveZone(given);
	if (zone === null) throw new EventProblem(`The time zone "${given.slice(0, 100)}" is not known.`);
	return { local, zone, isDate, instant: toInstant(local, createOffset(zone)) };
}

function readMoments(event: ICAL.Component, name: string, ownZone: string): Moment[] {
	return event.getAllProperties(name).flatMap((property) =>
		property.getValues().map((value) => {
			if (!(value instanceof ICAL.Time)) throw new EventProblem(`${name.toUpperCase()} is no time.`);
			return readMoment(property, value, ownZone);
		}),
	);
}

/** Reads the end of an event. A whole day without one ends at the next midnight. */
function readEnd(event: ICAL.Component, start: Moment, ownZone: string): number {
	const [end] = readMoments(event, "dtend", ownZone);
	if (end !== undefined) return end.instant;
	const duration = event.getFirstPropertyValue("duration");
	if (duration instanceof ICAL.Duration) return start.instant + duration.toSeconds() * 1000;
	if (start.isDate) return toInstant(start.local + DAY_MS, createOffset(start.zone));
	throw new EventProblem("It has no end.");
}

function readRule(event: ICAL.Component): string | null {
	const rules = event.getAllProperties("rrule");
	if (event.getAllProperties("rdate").length > 0) throw new EventProblem("It has RDATE, which is not supported.");
	if (rules.length > 1) throw new EventProblem("It has several rules.");
	const [rule] = rules;
	if (rule === undefined) return null;
	const text = String(rule.getFirstValue());
	try {
		parseRule(text);
	} catch (error) {
		throw error instanceof RuleProblem ? new EventProblem(error.message) : error;
	}
	return text;
}

/** Reads the left out starts. A day leaves out the occurrence that begins on it. */
function readExceptions(event: ICAL.Component, start: Moment, ownZone: string): Date[] {
	const time = start.local - Math.floor(start.local / DAY_MS) * DAY_MS;
	return readMoments(event, "exdate", ownZone).map(({ isDate, local, instant }) =>
		isDate && !start.isDate ? new Date(toInstant(local + time, createOffset(start.zone))) : new Date(instant),
	);
}

function readEvent(event: ICAL.Component, ownZone: string): IcsEntry {
	const [start] = readMoments(event, "dtstart", ownZone);
	if (start === undefined) throw new EventProblem("It has no start.");
	const times = {
		starts_at: new Date(start.instant),
		ends_at: new Date(readEnd(event, start, ownZone)),
		rrule: readRule(event),
		exdates: readExceptions(event, start, ownZone),
		time_zone: start.zone,
	};
	if (times.ends_at <= times.starts_at) throw new EventProblem("It ends before it begins, or at the same time.");
	if (isTooLong(times)) throw new EventProblem(`It is longer than ${CALENDAR_LIMITS.days} days.`);
	return {
		...times,
		uid: readText(event, "uid", UID_MAX),
		title: readTitle(event) || "(no title)",
		reason: readText(event, "description", CALENDAR_LIMITS.reason),
	};
}

/** Returns the start of the occurrence that an event replaces; null if it replaces none. */
function readReplaced(event: ICAL.Component, ownZone: string): Moment | null {
	const property = event.getFirstProperty("recurrence-id");
	if (property === null || property === undefined) return null;
	if (property.getParameter("range") !== undefined) {
		throw new EventProblem("It changes all occurrences from one on, which is not supported.");
	}
	return readMoments(event, "recurrence-id", ownZone)[0] ?? null;
}

function listEvents(text: string): ICAL.Component[] {
	let parsed: unknown;
	try {
		parsed = ICAL.parse(text);
	} catch (error) {
		throw new IcsProblem(`This is no iCalendar file: ${String((error as Error).message).slice(0, 200)}`);
	}
	const calendars = (Array.isArray(parsed) && typeof parsed[0] === "string" ? [parsed] : parsed) as unknown[][];
	const found = calendars.filter(([name]) => name === "vcalendar");
	if (found.length === 0) throw new IcsProblem("This is no iCalendar file: it has no VCALENDAR.");
	const events = found.flatMap((calendar) => new ICAL.Component(calendar).getAllSubcomponents("vevent"));
	if (events.length > EVENTS_MAX) {
		throw new IcsProblem(`It has ${events.length} events; at most ${EVENTS_MAX} can be imported.`);
	}
	return events;
}

/**
 * @param ownZone the zone of whole days and of times without a zone
 * @throws IcsProblem
 */
export function readCalendar(text: string, ownZone: string, now: number): IcsContent {
	const entries = new Map<string, IcsEntry>();
	const replaced = new Map<string, Date[]>();
	const skipped: SkippedEvent[] = [];
	for (const event of listEvents(text)) {
		const uid = readText(event, "uid", UID_MAX);
		try {
			if (uid === "") throw new EventProblem("It has no UID.");
			const moment = readReplaced(event, ownZone);
			const isCancelled = String(event.getFirstPropertyValue("status") ?? "").toUpperCase() === "CANCELLED";
			if (moment !== null) {
				replaced.set(uid, [...(replaced.get(uid) ?? []), new Date(moment.instant)]);
			}
			if (isCancelled) continue;
			const key = moment === null ? uid : `${uid} ${new Date(moment.instant).toISOString()}`;
			entries.set(key, { ...readEvent(event, ownZone), uid: key });
		} catch (error) {
			if (!(error instanceof EventProblem)) throw error;
			skipped.push({ uid, title: readTitle(event), reason: error.message });
		}
	}
	for (const [uid, dates] of replaced) {
		const master = entries.get(uid);
		if (master === undefined) continue;
		entries.set(uid, { ...master, exdates: [...master.exdates, ...dates] });
	}
	const all = [...entries.values()];
	for (const { uid, title, exdates } of all) {
		if (exdates.length <= CALENDAR_LIMITS.exdates) continue;
		entries.delete(uid);
		skipped.push({ uid, title, reason: `It has more than ${CALENDAR_LIMITS.exdates} exceptions.` });
	}
	const kept = [...entries.values()].filter((entry) => !isOver(entry, now));
	return { entries: kept, skipped, past: entries.size - kept.length };
}
