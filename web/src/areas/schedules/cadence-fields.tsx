/** Fields of each frequency, with the next five runs as computed by the service. */

import { useQuery } from "@tanstack/react-query";
import type { Frequency, IntervalMinutes } from "@weft/contracts";
import { FREQUENCIES, INTERVAL_MINUTES, scheduleRoutes } from "@weft/contracts/browser";
import { CalendarClock } from "lucide-react";
import { useEffect, useState } from "react";
import { callRoute } from "../../platform/call.ts";
import { toInstant } from "../../platform/instant.ts";
import { findProblem } from "../../platform/problem.ts";
import { useTimes } from "../../platform/profile.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { WhenField } from "../../ui/when-field.tsx";

export interface Cadence {
	readonly frequency: Frequency;
	readonly interval_minutes: IntervalMinutes;
	readonly minute_of_hour: number;
	readonly time_of_day: string;
	readonly day_of_week: number;
	readonly day_of_month: number;
	/** As the browser's field has it, in the zone: `YYYY-MM-DDTHH:MM`. */
	readonly moment: string;
	readonly timezone: string;
}

const FREQUENCY_NAMES: Readonly<Record<Frequency, string>> = {
	once: "Once",
	minutes: "Every few minutes",
	hourly: "Every hour",
	daily: "Every day",
	weekly: "Every week",
	monthly: "Every month",
};
const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const PAUSE_MS = 300;

/** As the service takes it: fields that the frequency does not need are null. */
export function buildCadenceBody(cadence: Cadence) {
	const { frequency, timezone } = cadence;
	const timed = frequency === "daily" || frequency === "weekly" || frequency === "monthly";
	return {
		frequency,
		timezone,
		interval_minutes: frequency === "minutes" ? cadence.interval_minutes : null,
		minute_of_hour: frequency === "hourly" ? cadence.minute_of_hour : null,
		time_of_day: timed ? cadence.time_of_day : null,
		day_of_week: frequency === "weekly" ? cadence.day_of_week : null,
		day_of_month: frequency === "monthly" ? cadence.day_of_month : null,
		scheduled_datetime: frequency === "once" ? toInstant(cadence.moment, timezone) || null : null,
	};
}

interface CadenceFieldsProps {
	readonly cadence: Cadence;
	readonly errors: Readonly<Record<string, string | undefined>>;
	onChange(change: Partial<Cadence>): void;
}

export function CadenceFields({ cadence, errors, onChange }: CadenceFieldsProps) {
	const { frequency } = cadence;
	const timed = frequency === "daily" || frequency === "weekly" || frequency === "monthly";
	return (
		<div className="flex flex-col gap-3">
			<div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
				<SelectField
					label="How often"
					value={frequency}
					options={FREQUENCIES.map((value) => ({ value, label: FREQUENCY_NAMES[value] }))}
					onChange={(event) => onChange({ frequency: event.target.value as Frequency })}
				/>
				{frequency === "weekly" && (
					<SelectField
						label="On"
						value={String(cadence.day_of_week)}
						options={WEEKDAYS.map((label, value) => ({ value: String(value), label }))}
						error={errors.day_of_week}
						onChange={(event) => onChange({ day_of_week: Number(event.target.value) })}
					/>
				)}
				{frequency === "monthly" && (
					<TextField
						label="On day"
						type="number"
						min={1}
						max={31}
						hint={cadence.day_of_month > 28 ? "In shorter months the last day." : undefined}
						value={cadence.day_of_month}
						error={errors.day_of_month}
						onChange={(event) => onChange({ day_of_month: Number(event.target.value) })}
					/>
				)}
				{frequency === "minutes" && (
					<SelectField
						label="Every"
						hint="On the clock, such as at :00, :15, :30 and :45."
						value={String(cadence.interval_minutes)}
						options={INTERVAL_MINUTES.map((value) => ({ value: String(value), label: `${value} minutes` }))}
						error={errors.interval_minutes}
						onChange={(event) => onChange({ interval_minutes: Number(event.target.value) as IntervalMinutes })}
					/>
				)}
				{frequency === "hourly" && (
					<TextField
						label="At minute"
						type="number"
						min={0}
						max={59}
						value={cadence.minute_of_hour}
						error={errors.minute_of_hour}
						onChange={(event) => onChange({ minute_of_hour: Number(event.target.value) })}
					/>
				)}
				{timed && (
					<WhenField
						label="At"
						kind="time"
						value={cadence.time_of_day}
						error={errors.time_of_day}
						onChange={(value) => onChange({ time_of_day: value })}
					/>
				)}
				{frequency === "once" && (
					<WhenField
						label="At"
						kind="datetime"
						value={cadence.moment}
						error={errors.scheduled_datetime}
						onChange={(value) => onChange({ moment: value })}
					/>
				)}
				<TextField
					label="Time zone"
					list="weft-zones"
					value={cadence.timezone}
					spellCheck={false}
					autoComplete="off"
					error={errors.timezone}
					onChange={(event) => onChange({ timezone: event.target.value })}
				/>
				<Zones />
			</div>
			<Coming cadence={cadence} />
		</div>
	);
}

export function Zones() {
	return (
		<datalist id="weft-zones">
			{["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => (
				<option key={zone} value={zone} />
			))}
		</datalist>
	);
}

/** The next runs, as the service would carry them out. */
export function Coming({ cadence }: { cadence: Cadence }) {
	const times = useTimes();
	const [settled, setSettled] = useState(cadence);
	useEffect(() => {
		const timer = setTimeout(() => setSettled(cadence), PAUSE_MS);
		return () => clearTimeout(timer);
	}, [cadence]);
	const { data, error } = useQuery({
		queryKey: [scheduleRoutes.preview.id, settled],
		queryFn: ({ signal }) => callRoute(scheduleRoutes.preview, { body: buildCadenceBody(settled) }, signal),
		placeholderData: (before) => before,
		retry: false,
	});
	const problem = error === null ? null : findProblem(error);
	return (
		<section aria-label="Next runs" aria-live="polite" className="rounded-card border border-line bg-sunken p-3">
			{problem ? (
				<p className="m-0 text-bad">{problem.detail}</p>
			) : (
				data && (
					<>
						<p className="m-0 flex items-center gap-2 font-medium">
							<CalendarClock size={14} aria-hidden="true" /> {data.description}
						</p>
						<ol className="num m-0 mt-1.5 list-none p-0 text-muted">
							{data.runs.map((run) => (
								<li key={run} className="flex justify-between gap-3">
									<span>
										{times.longDay(times.getDay(run))}, {times.time(run)}
									</span>
									<span>{times.relative(run)}</span>
								</li>
							))}
						</ol>
						<p className="m-0 mt-1 text-2xs text-muted">Shown in {times.zone}.</p>
					</>
				)
			)}
		</section>
	);
}
