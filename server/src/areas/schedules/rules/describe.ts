/** A task's schedule in words. */
import { DateTime } from "luxon";
import type { Cadence } from "./cadence.ts";

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
/** Every month has so many days. */
const SHORTEST_MONTH = 28;

/** Such as `Daily at 06:30 (Europe/Paris)`. Fields that are not there are shown as they count. */
export function describeSchedule(cadence: Cadence): string {
	return `${formatWords(cadence)} (${cadence.timezone})`;
}

function formatWords({ frequency, ...cadence }: Cadence): string {
	const at = `at ${cadence.time_of_day ?? "00:00"}`;
	switch (frequency) {
		case "once": {
			if (cadence.scheduled_datetime === null) return "Once";
			const local = DateTime.fromJSDate(cadence.scheduled_datetime, { zone: cadence.timezone });
			return `Once on ${local.toFormat("yyyy-MM-dd 'at' HH:mm")}`;
		}
		case "minutes":
			return `Every ${cadence.interval_minutes ?? 0} minutes`;
		case "hourly":
			return `Hourly at minute ${cadence.minute_of_hour ?? 0}`;
		case "daily":
			return `Daily ${at}`;
		case "weekly":
			return `Weekly on ${WEEKDAYS[cadence.day_of_week ?? 0]} ${at}`;
		case "monthly": {
			const day = cadence.day_of_month ?? 1;
			return `Monthly on day ${day}${day > SHORTEST_MONTH ? " or the month's last day" : ""} ${at}`;
		}
	}
}
