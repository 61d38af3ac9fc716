/** Repetition of a calendar entry as choices of a form, as a rule, and in words. Pure. */

export const REPEATS = ["once", "daily", "weekly", "monthly", "yearly", "rule"] as const;
export type Repeat = (typeof REPEATS)[number];

export interface Repetition {
	readonly repeat: Repeat;
	/** Interval in days, weeks, months or years. */
	readonly every: number;
	/** Days of the week, `MO` to `SU`. */
	readonly days: readonly string[];
	/** Last day on which an occurrence may begin, `YYYY-MM-DD`; empty if there is no end. */
	readonly until: string;
	/** The rule of the choice `rule`. */
	readonly rule: string;
}

export const WEEKDAYS: readonly (readonly [string, string])[] = [
	["MO", "Monday"],
	["TU", "Tuesday"],
	["WE", "Wednesday"],
	["TH", "Thursday"],
	["FR", "Friday"],
	["SA", "Saturday"],
	["SU", "Sunday"],
];
const MONTHS = "January February March April May June July August September October November December".split(" ");
const UNITS: Readonly<Record<string, readonly [string, string]>> = {
	DAILY: ["day", "days"],
	WEEKLY: ["week", "weeks"],
	MONTHLY: ["month", "months"],
	YEARLY: ["year", "years"],
};
const NTH: Readonly<Record<string, string>> = {
	1: "first",
	2: "second",
	3: "third",
	4: "fourth",
	5: "fifth",
	"-1": "last",
};

export const NO_REPETITION: Repetition = { repeat: "once", every: 1, days: [], until: "", rule: "" };

const listParts = (rule: string): Map<string, string> =>
	new Map(
		rule
			.replace(/^RRULE:/i, "")
			.split(";")
			.filter((part) => part !== "")
			.map((part) => {
				const [name = "", value = ""] = part.toUpperCase().split("=");
				return [name, value] as const;
			}),
	);

const readUntil = (text: string): string =>
	/^\d{8}/.test(text) ? `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}` : "";

/** Returns the choices that express a rule; `rule` if none do. */
export function readRepetition(rule: string | null): Repetition {
	if (rule === null) return NO_REPETITION;
	const parts = listParts(rule);
	const repeat = { DAILY: "daily", WEEKLY: "weekly", MONTHLY: "monthly", YEARLY: "yearly" }[parts.get("FREQ") ?? ""];
	const others = [...parts.keys()].filter((name) => !["FREQ", "INTERVAL", "BYDAY", "UNTIL"].includes(name));
	const days = parts.get("BYDAY")?.split(",") ?? [];
	const isPlain = days.length === 0 || (repeat === "weekly" && days.every((day) => day.length === 2));
	// The form cannot express a time of day.
	const hasDayEnd = !parts.has("UNTIL") || /^\d{8}$/.test(parts.get("UNTIL") ?? "");
	if (repeat === undefined || others.length > 0 || !isPlain || !hasDayEnd) {
		return { ...NO_REPETITION, repeat: "rule", rule };
	}
	return {
		repeat: repeat as Repeat,
		every: Number(parts.get("INTERVAL") ?? 1),
		days,
		until: readUntil(parts.get("UNTIL") ?? ""),
		rule: "",
	};
}

/** Builds the rule of the choices; null for an entry that occurs once. */
export function buildRule({ repeat, every, days, until, rule }: Repetition): string | null {
	if (repeat === "once") return null;
	if (repeat === "rule") return rule.trim();
	return [
		`FREQ=${repeat.toUpperCase()}`,
		...(every > 1 ? [`INTERVAL=${every}`] : []),
		...(repeat === "weekly" && days.length > 0
			? [`BYDAY=${WEEKDAYS.map(([code]) => code).filter((code) => days.includes(code))}`]
			: []),
		...(until === "" ? [] : [`UNTIL=${until.replaceAll("-", "")}`]),
	].join(";");
}

const LIST = new Intl.ListFormat("en-GB");
const joinWords = (words: readonly string[]): string => LIST.format(words);

function describeDay(code: string): string {
	const day = WEEKDAYS.find(([short]) => short === code.slice(-2))?.[1] ?? code;
	const nth = code.slice(0, -2).replace("+", "");
	return nth === "" ? day : `the ${NTH[nth] ?? nth} ${day}`;
}

/**
 * Describes a rule in words, such as "every 2 weeks on Monday, until 2026-12-31". Returns the rule
 * if there are no words for it.
 */
export function describeRule(rule: string | null): string {
	if (rule === null) return "once";
	const parts = listParts(rule);
	const unit = UNITS[parts.get("FREQ") ?? ""];
	if (unit === undefined || parts.has("BYSETPOS")) return rule;
	const every = Number(parts.get("INTERVAL") ?? 1);
	const days = parts.get("BYDAY")?.split(",").map(describeDay) ?? [];
	const dates = parts.get("BYMONTHDAY")?.split(",") ?? [];
	const months =
		parts
			.get("BYMONTH")
			?.split(",")
			.map((month) => MONTHS[Number(month) - 1] ?? month) ?? [];
	const until = readUntil(parts.get("UNTIL") ?? "");
	return [
		every === 1 ? `every ${unit[0]}` : `every ${every} ${unit[1]}`,
		...(days.length > 0 ? [`on ${joinWords(days)}`] : []),
		...(dates.length > 0
			? [`on ${joinWords(dates.map((date) => (date === "-1" ? "the last day" : `day ${date}`)))}`]
			: []),
		...(months.length > 0 ? [`in ${joinWords(months)}`] : []),
	]
		.join(" ")
		.concat(until === "" ? "" : `, until ${until}`)
		.concat(parts.has("COUNT") ? `, ${parts.get("COUNT")} times` : "");
}
