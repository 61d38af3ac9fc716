/** Calendars as Outlook, Google and others write them, and hostile ones. */
import { describe, expect, it } from "vitest";
import { IcsProblem, readCalendar } from "./ics-events.ts";
import { resolveZone } from "./zone-names.ts";

const NOW = Date.parse("2026-01-15T10:00:00Z");
const buildCalendar = (...lines: string[]): string =>
	["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test//", ...lines, "END:VCALENDAR", ""].join("\r\n");
const buildEvent = (...lines: string[]): string =>
	buildCalendar("BEGIN:VEVENT", "UID:1@example.com", "SUMMARY:Upgrade", ...lines, "END:VEVENT");
const readAll = (text: string, zone = "Europe/Paris") => readCalendar(text, zone, NOW);

const OUTLOOK = buildCalendar(
	"BEGIN:VTIMEZONE",
	"TZID:W. Europe Standard Time",
	"BEGIN:STANDARD",
	"DTSTART:16010101T030000",
	"TZOFFSETFROM:+0200",
	"TZOFFSETTO:+0100",
	"RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10",
	"END:STANDARD",
	"BEGIN:DAYLIGHT",
	"DTSTART:16010101T020000",
	"TZOFFSETFROM:+0100",
	"TZOFFSETTO:+0200",
	"RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3",
	"END:DAYLIGHT",
	"END:VTIMEZONE",
	"BEGIN:VEVENT",
	"RRULE:FREQ=WEEKLY;UNTIL=20261231T210000Z;INTERVAL=1;BYDAY=SA;WKST=MO",
	"EXDATE;TZID=W. Europe Standard Time:20260321T220000,20260328T220000",
	"UID:040000008200E00074C5B7101A82E008",
	"SUMMARY;LANGUAGE=en-us:Maintenance of the fabric with a title that is lon",
	" ger than a line\\, folded",
	"DTSTART;TZID=W. Europe Standard Time:20260314T220000",
	"DTEND;TZID=W. Europe Standard Time:20260315T040000",
	"CLASS:PUBLIC",
	"TRANSP:OPAQUE",
	"X-MICROSOFT-CDO-BUSYSTATUS:BUSY",
	"BEGIN:VALARM",
	"DESCRIPTION:REMINDER",
	"TRIGGER;RELATED=START:-PT15M",
	"ACTION:DISPLAY",
	"END:VALARM",
	"END:VEVENT",
);
const GOOGLE = buildCalendar(
	"METHOD:PUBLISH",
	"X-WR-TIMEZONE:America/New_York",
	"BEGIN:VEVENT",
	"DTSTART;VALUE=DATE:20261224",
	"DTEND;VALUE=DATE:20270102",
	"DTSTAMP:20260101T000000Z",
	"UID:7kukuqrfedlm2f9t@google.com",
	"DESCRIPTION:No changes\\nat the end of the year",
	"SUMMARY:Change freeze",
	"END:VEVENT",
	"BEGIN:VEVENT",
	"DTSTART;TZID=America/New_York:20260203T180000",
	"DTEND;TZID=America/New_York:20260203T200000",
	"RRULE:FREQ=MONTHLY;BYDAY=1TU",
	"UID:abc@google.com",
	"SUMMARY:Patch night",
	"END:VEVENT",
	"BEGIN:VEVENT",
	"DTSTART;TZID=America/New_York:20260304T180000",
	"DTEND;TZID=America/New_York:20260304T200000",
	"RECURRENCE-ID;TZID=America/New_York:20260303T180000",
	"UID:abc@google.com",
	"SUMMARY:Patch night, a day later",
	"END:VEVENT",
	"BEGIN:VEVENT",
	"DTSTART;TZID=America/New_York:20260407T180000",
	"DTEND;TZID=America/New_York:20260407T200000",
	"RECURRENCE-ID;TZID=America/New_York:20260407T180000",
	"STATUS:CANCELLED",
	"UID:abc@google.com",
	"SUMMARY:Patch night",
	"END:VEVENT",
);

describe("the reader of calendars", () => {
	it("reads zones of Windows, folded titles and exceptions of Outlook", () => {
		expect(readAll(OUTLOOK)).toEqual({
			entries: [
				{
					uid: "040000008200E00074C5B7101A82E008",
					title: "Maintenance of the fabric with a title that is longer than a line, folded",
					reason: "",
					starts_at: new Date("2026-03-14T21:00:00Z"),
					ends_at: new Date("2026-03-15T03:00:00Z"),
					rrule: "FREQ=WEEKLY;BYDAY=SA;UNTIL=20261231T210000Z",
					exdates: [new Date("2026-03-21T21:00:00Z"), new Date("2026-03-28T21:00:00Z")],
					time_zone: "Europe/Berlin",
				},
			],
			skipped: [],
			past: 0,
		});
	});

	it("reads whole days of Google in the given zone, and changed occurrences as entries of their own", () => {
		const { entries, skipped } = readAll(GOOGLE);
		expect(skipped).toEqual([]);
		expect(entries.map(({ uid, starts_at, ends_at }) => [uid, starts_at.toISOString(), ends_at.toISOString()])).toEqual(
			[
				["7kukuqrfedlm2f9t@google.com", "2026-12-23T23:00:00.000Z", "2027-01-01T23:00:00.000Z"],
				["abc@google.com", "2026-02-03T23:00:00.000Z", "2026-02-04T01:00:00.000Z"],
				["abc@google.com 2026-03-03T23:00:00.000Z", "2026-03-04T23:00:00.000Z", "2026-03-05T01:00:00.000Z"],
			],
		);
		expect(entries[0]?.reason).toBe("No changes\nat the end of the year");
		expect(entries[1]?.exdates.map((date) => date.toISOString())).toEqual([
			"2026-03-03T23:00:00.000Z",
			"2026-04-07T22:00:00.000Z",
		]);
	});

	it("reads times without a zone in the given one, times with Z in UTC, and durations", () => {
		const [floating] = readAll(buildEvent("DTSTART:20260601T220000", "DURATION:PT2H")).entries;
		expect([floating?.starts_at, floating?.ends_at, floating?.time_zone]).toEqual([
			new Date("2026-06-01T20:00:00Z"),
			new Date("2026-06-01T22:00:00Z"),
			"Europe/Paris",
		]);
		const [utc] = readAll(buildEvent("DTSTART:20260601T220000Z", "DTEND:20260602T000000Z")).entries;
		expect([utc?.starts_at, utc?.time_zone]).toEqual([new Date("2026-06-01T22:00:00Z"), "UTC"]);
		const [day] = readAll(buildEvent("DTSTART;VALUE=DATE:20260601")).entries;
		expect([day?.starts_at, day?.ends_at]).toEqual([
			new Date("2026-05-31T22:00:00Z"),
			new Date("2026-06-01T22:00:00Z"),
		]);
	});

	it("leaves out the occurrence that begins on the day of an exception", () => {
		const lines = ["DTSTART;TZID=Europe/Berlin:20260601T220000", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=5"];
		const [entry] = readAll(buildEvent(...lines, "EXDATE;VALUE=DATE:20260603")).entries;
		expect(entry?.exdates).toEqual([new Date("2026-06-03T20:00:00Z")]);
	});

	it("counts events that are over", () => {
		const { entries, past } = readAll(buildEvent("DTSTART:20250601T220000Z", "DTEND:20250602T000000Z"));
		expect([entries, past]).toEqual([[], 1]);
	});

	it("keeps an event that occurs again in more than a year", () => {
		const lines = ["DTSTART:20250601T220000Z", "DURATION:PT1H", "RRULE:FREQ=YEARLY;INTERVAL=2"];
		const { entries, past } = readAll(buildEvent(...lines));
		expect([entries.length, past]).toEqual([1, 0]);
	});

	it.each([
		["It has no end.", ["DTSTART:20260601T220000Z"]],
		["It has no start.", ["DTEND:20260601T220000Z"]],
		["It ends before it begins, or at the same time.", ["DTSTART:20260601T220000Z", "DTEND:20260601T220000Z"]],
		["It is longer than 400 days.", ["DTSTART:20260601T220000Z", "DURATION:P9999D"]],
		['The time zone "Mars/Base" is not known.', ["DTSTART;TZID=Mars/Base:20260601T220000", "DURATION:PT1H"]],
		["It has RDATE, which is not supported.", ["DTSTART:20260601T220000Z", "DURATION:PT1H", "RDATE:20260602T220000Z"]],
		["It has several rules.", ["DTSTART:20260601T220000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY", "RRULE:FREQ=WEEKLY"]],
		[
			"FREQ must be one of DAILY, WEEKLY, MONTHLY, YEARLY.",
			["DTSTART:20260601T220000Z", "DURATION:PT1H", "RRULE:FREQ=SECONDLY"],
		],
		[
			"It changes all occurrences from one on, which is not supported.",
			["DTSTART:20260601T220000Z", "DURATION:PT1H", "RECURRENCE-ID;RANGE=THISANDFUTURE:20260601T220000Z"],
		],
	])("leaves out an event with the reason: %s", (reason, lines) => {
		expect(readAll(buildEvent(...lines))).toEqual({
			entries: [],
			skipped: [{ uid: "1@example.com", title: "Upgrade", reason }],
			past: 0,
		});
	});
});

describe("a hostile calendar file", () => {
	it.each([
		["no calendar", "hello"],
		["empty", ""],
		["cut off", "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:x"],
		["HTML", "<!doctype html><html><body>Sign in</body></html>"],
		["too many events", buildCalendar(...Array.from({ length: 1_001 }, () => "BEGIN:VEVENT\r\nUID:x\r\nEND:VEVENT"))],
	])("refuses a calendar file: %s", (_, text) => {
		expect(() => readAll(text)).toThrow(IcsProblem);
	});

	it("makes no entries of wrong times, rules that no day meets and deep nests", () => {
		const texts = [
			buildEvent("DTSTART:99999999T999999Z", "DURATION:PT1H"),
			buildEvent("DTSTART:20260601T220000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;INTERVAL=999999999"),
			buildEvent("DTSTART:20260101T220000Z", "DURATION:PT1H", "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"),
			buildCalendar(...Array.from({ length: 5_000 }, () => "BEGIN:X"), ...Array.from({ length: 5_000 }, () => "END:X")),
		];
		for (const text of texts) expect(readAll(text).entries).toEqual([]);
	});

	it("removes control characters and marks of the direction of text from titles", () => {
		const text = buildEvent("DTSTART:20260601T220000Z", "DURATION:PT1H").replace("Upgrade", "A\u202eB\u0007C");
		expect(readAll(text).entries[0]?.title).toBe("ABC");
	});
});

describe("a zone of a calendar", () => {
	it.each([
		["Europe/Berlin", "Europe/Berlin"],
		["/mozilla.org/20050126_1/Europe/Berlin", "Europe/Berlin"],
		["/freeassociation.sourceforge.net/America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"],
		['"Pacific Standard Time"', "America/Los_Angeles"],
		["Customized Time Zone", null],
		["", null],
	])("resolves the zone %j to %j", (name, zone) => {
		expect(resolveZone(name)).toBe(zone);
	});
});
