/** A period of days as a filter: the address has days, the service gets instants. */
import { useTimes } from "../platform/profile.ts";
import { addDays, type Times } from "../platform/time.ts";
import { WhenField } from "./when-field.tsx";

interface Period {
	/** `YYYY-MM-DD`. */
	readonly from?: string | undefined;
	/** The last day, included. */
	readonly to?: string | undefined;
}

const isDay = (text: string | undefined): text is string => text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text);

/** The instants at which the days begin and end in the zone of `times`. */
export function toInstants({ from, to }: Period, times: Times) {
	return {
		...(isDay(from) ? { created_after: findStart(from, times) } : {}),
		...(isDay(to) ? { created_before: findStart(addDays(to, 1), times) } : {}),
	};
}

/** The first instant of a day in a zone; found by the zone's offset at UTC midnight. */
function findStart(day: string, times: Times): string {
	const utc = Date.parse(`${day}T00:00:00Z`);
	const local = times.hours(utc) + (times.getDay(utc) === day ? 0 : -24);
	return new Date(utc - Math.round(local * 60) * 60_000).toISOString();
}

export function PeriodFields({ from, to, onChange }: Period & { onChange(change: Period): void }) {
	const { zone } = useTimes();
	return (
		<>
			<WhenField
				onlyComplete
				hideLabel
				label="From day"
				prefix="From "
				title={`From this day on, ${zone}`}
				kind="date"
				value={from ?? ""}
				max={to}
				onChange={(value) => onChange({ from: value || undefined })}
			/>
			<WhenField
				onlyComplete
				hideLabel
				label="To day"
				prefix="To "
				title={`Up to this day, ${zone}`}
				kind="date"
				value={to ?? ""}
				min={from}
				onChange={(value) => onChange({ to: value || undefined })}
			/>
		</>
	);
}
