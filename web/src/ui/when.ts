/** Days, times of a day and both as texts, in the form of ISO 8601. Pure. */

export type WhenKind = "date" | "datetime" | "time";

/** Examples in the messages of fields. */
export const EXAMPLES: Readonly<Record<WhenKind, string>> = {
	date: "2026-11-29",
	datetime: "2026-11-29 18:00",
	time: "18:00",
};

const PATTERNS: Readonly<Record<WhenKind, RegExp>> = {
	date: /^(\d{4})-(\d{2})-(\d{2})$/,
	datetime: /^(\d{4})-(\d{2})-(\d{2})[ T]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/,
	time: /^([01]\d|2[0-3]):[0-5]\d$/,
};

/**
 * Parses a text to the value of a field for dates and times (`2026-11-29`, `2026-11-29T18:00`,
 * `18:00`). Returns null for any other text, also for a day that no calendar has.
 */
export function parseWhen(kind: WhenKind, text: string): string | null {
	const trimmed = text.trim();
	const match = PATTERNS[kind].exec(trimmed);
	if (match === null) return null;
	if (kind === "time") return trimmed;
	const [, year, month, day] = match.map(Number) as [number, number, number, number];
	const date = new Date(Date.UTC(year, month - 1, day));
	return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? trimmed.replace(" ", "T") : null;
}

/** Formats a value of such a field. */
export const formatWhen = (value: string): string => value.replace("T", " ");
