/**
 * Two entries of the calendar in the days after the demo's start. Both are for the second fabric:
 * the changes of the story are made in the first one.
 */
import { calendarEntryRoutes } from "@weft/contracts";
import type { WeftClient } from "@weft/sdk";
import { FABRICS } from "./fabrics.ts";
import type { Known } from "./queries.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Days from Thursday, 1 January 1970, to the first Sunday after it. */
const FIRST_SUNDAY = 3;

const NAMES = { maintenance: "New power supplies in data centre 2", freeze: "Stocktaking of the stores" } as const;

/** Finds the first Sunday, UTC, at least a day after a moment, in milliseconds since 1970. */
function findNextSunday(moment: number): number {
	const days = Math.ceil(moment / DAY_MS) + 1;
	return (days + ((7 + FIRST_SUNDAY - (days % 7)) % 7)) * DAY_MS;
}

/** Makes a maintenance on the next Sunday, and a freeze over the weekend after it. */
export async function makeCalendar(admin: WeftClient, known: Known, now: number): Promise<void> {
	const sunday = findNextSunday(now);
	const connections = { controller_connection_ids: known.connections.slice(1, 2) };
	const formatTime = (hours: number) => new Date(sunday + hours * HOUR_MS).toISOString();
	await admin.call(calendarEntryRoutes.create, {
		body: {
			...connections,
			kind: "maintenance",
			title: NAMES.maintenance,
			reason: "The controllers and switches lose one of their supplies each. Alerts wait until the work is over.",
			ticket: { number: "CHG0031455", url: null },
			starts_at: formatTime(2),
			ends_at: formatTime(4),
		},
	});
	await admin.call(calendarEntryRoutes.create, {
		body: {
			...connections,
			kind: "freeze",
			title: NAMES.freeze,
			reason: "The tills must stay as they are while the stores count their stock.",
			starts_at: formatTime(5 * 24 + 18),
			ends_at: formatTime(8 * 24 + 6),
		},
	});
}

/** A line for each entry that the demo has made, the first one first. */
export async function describeCalendar(client: WeftClient): Promise<string[]> {
	const { results } = await client.call(calendarEntryRoutes.list, {
		query: { page_size: "200", ordering: "starts_at" },
	});
	const titles: readonly string[] = Object.values(NAMES);
	return results
		.filter(({ title }) => titles.includes(title))
		.map(({ kind, title, starts_at, ends_at }) => {
			const [start, end] = [starts_at, ends_at].map((time) => time.slice(0, 16).replace("T", " "));
			return `${kind} "${title}" on ${FABRICS[1]}: ${start} to ${end} UTC`;
		});
}
