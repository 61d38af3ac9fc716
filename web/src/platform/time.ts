/** Times in the user's zone and format. Days are `YYYY-MM-DD` strings. */
import type { Preferences } from "@weft/contracts";

type TimeSettings = Pick<Preferences, "timezone" | "date_format" | "time_format">;

export interface Times {
	readonly zone: string;
	/** "2026-11-20". */
	getDay(time: string | number): string;
	/** In the format of the profile. */
	date(time: string | number): string;
	/** A `YYYY-MM-DD` day in the format of the profile. */
	day(day: string): string;
	time(time: string | number, seconds?: boolean): string;
	dateTime(time: string | number): string;
	/** "just now", "5 min ago", "in 3 h", else the date. */
	relative(time: string | number, now?: number): string;
	/** "Friday 20 November 2026". */
	longDay(day: string): string;
	/** Hours since midnight in the zone, with a fraction. */
	hours(time: string | number): number;
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

export function createTimes({ timezone, date_format, time_format }: TimeSettings): Times {
	const parts = new Intl.DateTimeFormat("en-GB", {
		timeZone: timezone,
		year: "numeric",
		month: "2-digit",
		day: "2-digit",
		hour: "2-digit",
		minute: "2-digit",
		second: "2-digit",
		hourCycle: "h23",
	});
	const long = new Intl.DateTimeFormat("en-GB", {
		timeZone: "UTC",
		weekday: "long",
		day: "numeric",
		month: "long",
		year: "numeric",
	});

	function splitTime(time: string | number): Record<string, string> {
		return Object.fromEntries(parts.formatToParts(new Date(time)).map(({ type, value }) => [type, value]));
	}
	const isoDay = ({ year = "", month = "", day = "" }: Record<string, string>) => `${year}-${month}-${day}`;

	function writeDay(day: string): string {
		const [y = "", m = "", d = ""] = day.split("-");
		if (date_format === "DD/MM/YYYY") return `${d}/${m}/${y}`;
		return date_format === "MM/DD/YYYY" ? `${m}/${d}/${y}` : day;
	}
	function writeTime({ hour = "", minute = "", second = "" }: Record<string, string>, seconds: boolean): string {
		const tail = seconds ? `:${second}` : "";
		if (time_format !== "12h") return `${hour}:${minute}${tail}`;
		const h = Number(hour);
		return `${h % 12 === 0 ? 12 : h % 12}:${minute}${tail} ${h < 12 ? "am" : "pm"}`;
	}
	const times: Times = {
		zone: timezone,
		getDay: (time) => isoDay(splitTime(time)),
		date: (time) => writeDay(isoDay(splitTime(time))),
		day: writeDay,
		time: (time, seconds = false) => writeTime(splitTime(time), seconds),
		dateTime(time) {
			const fields = splitTime(time);
			return `${writeDay(isoDay(fields))} ${writeTime(fields, false)}`;
		},
		relative(time, now = Date.now()) {
			const ms = new Date(time).getTime() - now;
			const minutes = Math.round(Math.abs(ms) / 60_000);
			const say = (text: string) => (ms < 0 ? `${text} ago` : `in ${text}`);
			if (minutes < 1) return ms < 0 ? "just now" : "in a moment";
			if (minutes < 60) return say(`${minutes} min`);
			const hours = Math.round(minutes / 60);
			if (hours < 24) return say(`${hours} h`);
			const days = Math.round(hours / 24);
			return days <= 7 ? say(`${days} d`) : times.date(time);
		},
		longDay: (day) => long.format(new Date(`${day}T12:00:00Z`)).replace(",", ""),
		hours(time) {
			const { hour = "0", minute = "0" } = splitTime(time);
			return Number(hour) + Number(minute) / 60;
		},
	};
	return times;
}

export const formatMonth = (month: number): string => MONTHS[month - 1] ?? "";

/** The day so many days later (or earlier). */
export function addDays(day: string, days: number): string {
	return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** 0 is Monday. */
export const getWeekday = (day: string): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
