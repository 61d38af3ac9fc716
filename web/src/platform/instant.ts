/** Converts between local times of a zone and instants. Pure. */

/**
 * Converts a local time of a zone to its instant. Returns an empty text for a wrong time or zone.
 * An ambiguous time means the first of its instants.
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

/** Converts an instant to the local time of a zone, by the minute, as fields for times have it. */
export function toLocal(instant: string, zone: string, { seconds = false } = {}): string {
	const options = { timeZone: zone, dateStyle: "short", timeStyle: seconds ? "medium" : "short" } as const;
	return new Intl.DateTimeFormat("sv-SE", options).format(new Date(instant)).replace(" ", "T");
}

/** Builds the clock of a zone. Returns null for an unknown zone, which the service refuses. */
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
