/** Between what a clock on the wall shows and the instant that is meant. Pure. */

/**
 * The instant of a local time in a zone; empty if either is empty. Ambiguous times mean the first.
 */
export function toInstant(local: string, zone: string): string {
	const asUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(local) ? Date.parse(`${local}Z`) : Number.NaN;
	const clock = buildClock(zone);
	if (Number.isNaN(asUtc) || clock === null) return "";
	const offset = (at: number): number => {
		const parts = clock.formatToParts(at);
		const read = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
		const shown = Date.parse(
			`${read("year")}-${read("month")}-${read("day")}T${read("hour")}:${read("minute")}:${read("second")}Z`,
		);
		return shown - at;
	};
	const first = asUtc - offset(asUtc - 12 * 3_600_000);
	const instant = first + offset(first) === asUtc ? first : asUtc - offset(asUtc + 12 * 3_600_000);
	return new Date(instant).toISOString();
}

/** The local time of an instant in a zone, as fields for dates and times have it; by the minute. */
export function toLocal(instant: string, zone: string, { seconds = false } = {}): string {
	const options = { timeZone: zone, dateStyle: "short", timeStyle: seconds ? "medium" : "short" } as const;
	return new Intl.DateTimeFormat("sv-SE", options).format(new Date(instant)).replace(" ", "T");
}

/** Null: there is no such zone; which the service says in its own words. */
function buildClock(zone: string): Intl.DateTimeFormat | null {
	try {
		return new Intl.DateTimeFormat("en-GB", {
			timeZone: zone,
			year: "numeric",
			month: "2-digit",
			day: "2-digit",
			hour: "2-digit",
			minute: "2-digit",
			second: "2-digit",
			hourCycle: "h23",
		});
	} catch {
		return null;
	}
}
