/**
 * Next runs: a table of known days, and every zone around every change of its clock in thirty
 * years.
 */
import { INTERVAL_MINUTES } from "@weft/contracts";
import fc from "fast-check";
import { IANAZone } from "luxon";
import { describe, expect, it } from "vitest";
import type { Cadence } from "./cadence.ts";
import { findNextRun } from "./next-run.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const createCadence = (fields: Partial<Cadence>): Cadence => ({
	frequency: "daily",
	interval_minutes: null,
	minute_of_hour: null,
	time_of_day: null,
	day_of_week: null,
	day_of_month: null,
	scheduled_datetime: null,
	timezone: "UTC",
	...fields,
});
const computeNextRun = (fields: Partial<Cadence>, after: string): string | null => {
	const instant = findNextRun(createCadence(fields), Date.parse(after));
	return instant === null ? null : new Date(instant).toISOString();
};

describe("on known days", () => {
	const paris = { timezone: "Europe/Paris" };
	const lordHowe = { timezone: "Australia/Lord_Howe" };
	it.each<[string, Partial<Cadence>, string, string | null]>([
		["daily, later today", { ...paris, time_of_day: "06:30" }, "2026-01-15T05:00:00Z", "2026-01-15T05:30:00.000Z"],
		["strictly after", { ...paris, time_of_day: "06:30" }, "2026-01-15T05:30:00Z", "2026-01-16T05:30:00.000Z"],
		["daily, skipped", { ...paris, time_of_day: "02:30" }, "2026-03-28T12:00:00Z", "2026-03-29T01:00:00.000Z"],
		["after the skipped", { ...paris, time_of_day: "02:30" }, "2026-03-29T01:00:00Z", "2026-03-30T00:30:00.000Z"],
		["daily, doubled", { ...paris, time_of_day: "02:30" }, "2026-10-24T12:00:00Z", "2026-10-25T00:30:00.000Z"],
		["not the second", { ...paris, time_of_day: "02:30" }, "2026-10-25T00:30:00Z", "2026-10-26T01:30:00.000Z"],
		["from between both", { ...paris, time_of_day: "02:30" }, "2026-10-25T01:00:00Z", "2026-10-26T01:30:00.000Z"],
		[
			"hourly",
			{ ...paris, frequency: "hourly", minute_of_hour: 15 },
			"2026-01-15T05:15:00Z",
			"2026-01-15T06:15:00.000Z",
		],
		[
			"hourly, half-hour zone",
			{ timezone: "Asia/Kolkata", frequency: "hourly", minute_of_hour: 0 },
			"2026-01-15T05:15:00Z",
			"2026-01-15T05:30:00.000Z",
		],
		[
			"every 15 minutes, on the clock",
			{ ...paris, frequency: "minutes", interval_minutes: 15 },
			"2026-01-15T05:07:31Z",
			"2026-01-15T05:15:00.000Z",
		],
		[
			"every 30 minutes, strictly after",
			{ ...paris, frequency: "minutes", interval_minutes: 30 },
			"2026-01-15T05:30:00Z",
			"2026-01-15T06:00:00.000Z",
		],
		[
			"every 20 minutes, in a zone of half an hour",
			{ timezone: "Asia/Kolkata", frequency: "minutes", interval_minutes: 20 },
			"2026-01-15T05:00:00Z",
			"2026-01-15T05:10:00.000Z",
		],
		[
			"every 30 minutes, over a skipped hour",
			{ ...paris, frequency: "minutes", interval_minutes: 30 },
			"2026-03-29T00:30:00Z",
			"2026-03-29T01:00:00.000Z",
		],
		[
			"every 20 minutes, half an hour doubled",
			{ ...lordHowe, frequency: "minutes", interval_minutes: 20 },
			"2026-04-04T14:50:00Z",
			"2026-04-04T15:10:00.000Z",
		],
		[
			"hourly over a skipped hour",
			{ ...paris, frequency: "hourly", minute_of_hour: 30 },
			"2026-03-29T00:30:00Z",
			"2026-03-29T01:30:00.000Z",
		],
		[
			"hourly in a doubled hour",
			{ ...paris, frequency: "hourly", minute_of_hour: 30 },
			"2026-10-25T00:30:00Z",
			"2026-10-25T01:30:00.000Z",
		],
		[
			"hourly, half an hour skipped",
			{ ...lordHowe, frequency: "hourly", minute_of_hour: 15 },
			"2026-10-03T15:00:00Z",
			"2026-10-03T15:30:00.000Z",
		],
		[
			"hourly, half an hour doubled",
			{ ...lordHowe, frequency: "hourly", minute_of_hour: 45 },
			"2026-04-04T14:45:00Z",
			"2026-04-04T16:15:00.000Z",
		],
		[
			"weekly, today is over",
			{ frequency: "weekly", day_of_week: 3, time_of_day: "09:00" },
			"2026-01-15T09:00:00Z",
			"2026-01-22T09:00:00.000Z",
		],
		[
			"weekly, Monday is 0",
			{ frequency: "weekly", day_of_week: 0, time_of_day: "00:00" },
			"2026-01-15T09:00:00Z",
			"2026-01-19T00:00:00.000Z",
		],
		[
			"weekly, Sunday is 6",
			{ frequency: "weekly", day_of_week: 6, time_of_day: "23:59" },
			"2026-01-18T23:59:00Z",
			"2026-01-25T23:59:00.000Z",
		],
		[
			"monthly, clamped",
			{ frequency: "monthly", day_of_month: 31, time_of_day: "10:00" },
			"2026-01-31T10:00:00Z",
			"2026-02-28T10:00:00.000Z",
		],
		[
			"monthly, leap year",
			{ frequency: "monthly", day_of_month: 30, time_of_day: "10:00" },
			"2028-02-01T00:00:00Z",
			"2028-02-29T10:00:00.000Z",
		],
		[
			"monthly, over the year",
			{ frequency: "monthly", day_of_month: 1, time_of_day: "10:00" },
			"2026-12-15T00:00:00Z",
			"2027-01-01T10:00:00.000Z",
		],
		[
			"monthly, still this month there",
			{ timezone: "Pacific/Kiritimati", frequency: "monthly", day_of_month: 1, time_of_day: "00:00" },
			"2026-01-31T09:00:00Z",
			"2026-01-31T10:00:00.000Z",
		],
		[
			"a day that was skipped",
			{ timezone: "Pacific/Apia", time_of_day: "12:00" },
			"2011-12-29T23:00:00Z",
			"2011-12-30T10:00:00.000Z",
		],
		[
			"once",
			{ frequency: "once", scheduled_datetime: new Date("2026-02-01T00:00:00Z") },
			"2026-01-31T23:59:59Z",
			"2026-02-01T00:00:00.000Z",
		],
		[
			"once, over",
			{ frequency: "once", scheduled_datetime: new Date("2026-02-01T00:00:00Z") },
			"2026-02-01T00:00:00Z",
			null,
		],
	])("%s", (_what, fields, after, expected) => expect(computeNextRun(fields, after)).toBe(expected));

	it("refuses a zone that does not exist, and a schedule that lacks a field", () => {
		expect(() => computeNextRun({ timezone: "Mars/Base", time_of_day: "10:00" }, "2026-01-01T00:00:00Z")).toThrow(
			RangeError,
		);
		expect(() => computeNextRun({ frequency: "weekly", time_of_day: "10:00" }, "2026-01-01T00:00:00Z")).toThrow(
			RangeError,
		);
	});
});

interface Change {
	readonly zone: string;
	/** The first instant of the new offset. */
	readonly at: number;
	/** Milliseconds ahead of UTC. */
	readonly before: number;
	readonly after: number;
}

const STEP = 21 * DAY;

/** Every change of every zone's offset in thirty years. */
function getChanges(zone: string): Change[] {
	const offset = (at: number) => IANAZone.create(zone).offset(at) * MINUTE;
	const found: Change[] = [];
	let known = offset(Date.UTC(1996, 0, 1));
	for (let at = Date.UTC(1996, 0, 1); at < Date.UTC(2026, 11, 31); at += STEP) {
		const now = offset(at + STEP);
		if (now === known) continue;
		let [low, high] = [at, at + STEP];
		while (high - low > MINUTE) {
			const middle = Math.floor((low + high) / 2 / MINUTE) * MINUTE;
			if (offset(middle) === now) high = middle;
			else low = middle;
		}
		found.push({ zone, at: high, before: known, after: now });
		known = now;
	}
	return found;
}

const ZONES = Intl.supportedValuesOf("timeZone");
const BY_ZONE = new Map(ZONES.map((zone) => [zone, getChanges(zone)]));
/** One of each: what the clock does around a change depends on nothing else. */
const ALL = [
	...new Map(
		[...BY_ZONE.values()].flat().map((change) => [`${change.at}:${change.before}:${change.after}`, change]),
	).values(),
];
/** The same as the library's, but quick. */
function toLocalTime(zone: string, at: number): number {
	const changes = BY_ZONE.get(zone) ?? [];
	const last = changes.findLast((change) => change.at <= at);
	return at + (last?.after ?? changes[0]?.before ?? 0);
}
const formatClockTime = (local: number) => new Date(local).toISOString().slice(11, 16);

/** The definition, minute by minute: which instants of (from, to] a daily time runs at. */
function walkMinutes(zone: string, time: string, from: number, to: number): number[] {
	const local = (at: number) => toLocalTime(zone, at);
	const runs: number[] = [];
	const served = new Set<number>();
	const [hours, minutes] = time.split(":").map(Number);
	const wanted = ((hours ?? 0) * 60 + (minutes ?? 0)) * MINUTE;
	// Two days more, so that what already ran before `from` is known.
	let shown = local(from - 2 * DAY) - MINUTE;
	for (let at = from - 2 * DAY; at <= to; at += MINUTE) {
		const now = local(at);
		// Every wall-clock minute that has come up or was jumped over since the last look.
		for (let minute = shown + MINUTE <= now ? shown + MINUTE : now; minute <= now; minute += MINUTE) {
			if (minute % DAY !== wanted || served.has(minute)) continue;
			served.add(minute);
			if (at > from && runs.at(-1) !== at) runs.push(at);
		}
		shown = now;
	}
	return runs;
}

describe("around every change of a clock in thirty years", () => {
	it("sees them", () => {
		expect(ALL.length).toBeGreaterThan(1000);
		expect([...BY_ZONE.values()].filter(({ length }) => length > 0).length).toBeGreaterThan(200);
		for (const timezone of ZONES)
			expect(findNextRun(createCadence({ timezone, time_of_day: "00:00" }), 0)).toBeGreaterThan(0);
	});

	it("runs a skipped time at the change and a doubled one the first time, once each, and others when they show", () => {
		const wrong: unknown[] = [];
		for (const [index, { zone, at, before, after }] of ALL.entries()) {
			const [low, high] = [at + Math.min(before, after), at + Math.max(before, after)];
			const middle = Math.floor((low + high) / 2 / MINUTE) * MINUTE;
			const edges = index % 6 === 0 ? [low, high - MINUTE, high] : [];
			for (const local of [middle, ...edges]) {
				const daily = createCadence({ timezone: zone, time_of_day: formatClockTime(local) });
				const skipped = after > before && local >= low && local < high;
				const right = skipped ? at : local - (local < at + before ? before : after);
				const got = findNextRun(daily, right - 6 * HOUR);
				const following = findNextRun(daily, right);
				const gap = (following ?? 0) - right;
				// After a skipped time the next day's comes up to a day less the jump later; never the same
				// time again.
				const soon = DAY - Math.abs(after - before) - (skipped ? Math.abs(after - before) : 0);
				if (Math.abs(after - before) < 20 * HOUR && (got !== right || gap < soon || gap > DAY + HOUR * 3)) {
					wrong.push({
						zone,
						at: new Date(at).toISOString(),
						time: formatClockTime(local),
						got: got && new Date(got).toISOString(),
						gap: gap / HOUR,
					});
				}
			}
		}
		expect(wrong).toEqual([]);
	});

	it("is what a walk minute by minute finds", () => {
		const daily = fc.tuple(fc.nat(ALL.length - 1), fc.nat(24 * 60 - 1), fc.integer({ min: -30, max: 6 }));
		fc.assert(
			fc.property(daily, ([index, minute, hours]) => {
				const { zone, at } = ALL[index] as Change;
				const time = formatClockTime(minute * MINUTE);
				const after = at + hours * HOUR;
				const walked = walkMinutes(zone, time, after, after + 3 * DAY);
				const found: number[] = [];
				for (let instant = after; found.length < walked.length; found.push(instant)) {
					instant = findNextRun(createCadence({ timezone: zone, time_of_day: time }), instant) ?? Number.NaN;
				}
				expect(found).toEqual(walked);
			}),
			{ numRuns: 60, seed: 7, examples: listNotableZones() },
		);
	});

	it("minutes: at every instant whose minute on the zone's clock is a multiple, and at no other", () => {
		fc.assert(
			fc.property(fc.nat(ALL.length - 1), fc.constantFrom(...INTERVAL_MINUTES), (index, interval_minutes) => {
				const { zone, at } = ALL[index] as Change;
				const cadence = createCadence({ frequency: "minutes", timezone: zone, interval_minutes });
				const found: number[] = [];
				const [from, to] = [at - 2 * HOUR, at + 2 * HOUR];
				for (let next = findNextRun(cadence, from); next !== null && next <= to; next = findNextRun(cadence, next)) {
					found.push(next);
				}
				const expected: number[] = [];
				for (let instant = Math.floor(from / MINUTE + 1) * MINUTE; instant <= to; instant += MINUTE) {
					if (Math.floor(toLocalTime(zone, instant) / MINUTE) % interval_minutes === 0) expected.push(instant);
				}
				expect(found).toEqual(expected);
			}),
		);
	});

	it("hourly: never more than an hour and a half apart, never less than half an hour, always the minute or the jump", () => {
		const wrong: unknown[] = [];
		const uneven = ALL.filter(({ before, after }, index) => index % 8 === 0 || (after - before) % HOUR !== 0);
		for (const { zone, at } of uneven) {
			for (const minute of [0, 29, 45]) {
				const hourly = createCadence({ frequency: "hourly", timezone: zone, minute_of_hour: minute });
				let last = findNextRun(hourly, at - 3 * HOUR) ?? 0;
				for (let i = 0; i < 5; i++) {
					const instant = findNextRun(hourly, last) ?? 0;
					const shown = Math.floor(toLocalTime(zone, instant) / MINUTE) % 60;
					const gap = (instant - last) / MINUTE;
					if (gap < 30 || gap > 90 || (shown !== minute && instant !== at))
						wrong.push({ zone, at, minute, gap, shown });
					last = instant;
				}
			}
		}
		expect(wrong).toEqual([]);
	});

	it("weekly and monthly agree with daily on the days that are theirs", () => {
		const any = fc.tuple(fc.nat(ALL.length - 1), fc.nat(24 * 60 - 1), fc.nat(6), fc.integer({ min: 1, max: 31 }));
		fc.assert(
			fc.property(any, ([index, minute, day_of_week, day_of_month]) => {
				const { zone: timezone, at } = ALL[index] as Change;
				fc.pre(timezone !== "Pacific/Apia" && timezone !== "Pacific/Fakaofo" && timezone !== "Pacific/Kwajalein");
				const time_of_day = formatClockTime(minute * MINUTE);
				for (const frequency of ["weekly", "monthly"] as const) {
					const instant =
						findNextRun(createCadence({ frequency, timezone, time_of_day, day_of_week, day_of_month }), at - DAY) ?? 0;
					const daily = createCadence({ timezone, time_of_day });
					expect(findNextRun(daily, instant - 1)).toBe(instant);
					const local = new Date(toLocalTime(timezone, instant));
					if (frequency === "weekly") expect((local.getUTCDay() + 6) % 7).toBe(day_of_week);
					else if (local.getUTCDate() !== day_of_month) {
						const tomorrow = new Date(local.getTime() + DAY);
						expect(tomorrow.getUTCDate()).toBe(1);
						expect(local.getUTCDate()).toBeLessThan(day_of_month);
					}
				}
			}),
			{ numRuns: 300, seed: 11 },
		);
	});
});

/** Changes that are unlike the rest: half an hour, a whole day, at midnight. */
function listNotableZones(): [[number, number, number]][] {
	return ["Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo", "Africa/Casablanca", "Asia/Beirut"].flatMap(
		(zone) => {
			const index = ALL.findLastIndex((change) => change.zone === zone);
			return index === -1 ? [] : [0, 15, 105, 135].map((minute): [[number, number, number]] => [[index, minute, -20]]);
		},
	);
}
