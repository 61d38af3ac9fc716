/** Fields of a calendar entry's repetition, with the resulting rule. */
import { CALENDAR_LIMITS } from "@weft/contracts/browser";
import { SelectField, TextField } from "../../ui/field.tsx";
import { WhenField } from "../../ui/when-field.tsx";
import { buildRule, describeRule, REPEATS, type Repeat, type Repetition, WEEKDAYS } from "./repetition.ts";

const NAMES: Readonly<Record<Repeat, string>> = {
	once: "Does not repeat",
	daily: "Every day",
	weekly: "Every week",
	monthly: "Every month",
	yearly: "Every year",
	rule: "By an iCalendar rule",
};
const UNITS: Readonly<Record<string, string>> = { daily: "days", weekly: "weeks", monthly: "months", yearly: "years" };

interface RepetitionFieldsProps {
	readonly repetition: Repetition;
	readonly error: string | undefined;
	onChange(change: Partial<Repetition>): void;
}

export function RepetitionFields({ repetition, error, onChange }: RepetitionFieldsProps) {
	const { repeat, every, days, until } = repetition;
	const rule = buildRule(repetition);
	const unit = UNITS[repeat];
	const choose = (next: Repeat) =>
		onChange(next === "rule" ? { repeat: next, rule: rule ?? "FREQ=WEEKLY;BYDAY=SA" } : { repeat: next });
	return (
		<fieldset className="m-0 flex min-w-0 flex-col gap-3 border-0 p-0">
			<legend className="sr-only">Repetition</legend>
			<div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
				<SelectField
					label="Repeats"
					value={repeat}
					options={REPEATS.map((value) => ({ value, label: NAMES[value] }))}
					error={repeat === "rule" ? undefined : error}
					onChange={({ target }) => choose(REPEATS.find((one) => one === target.value) ?? "once")}
				/>
				{unit !== undefined && (
					<TextField
						label={`Interval in ${unit}`}
						type="number"
						min={1}
						max={CALENDAR_LIMITS.interval}
						required
						value={every}
						onChange={({ target }) => onChange({ every: Number(target.value) })}
					/>
				)}
			</div>
			{repeat === "weekly" && <DaysField days={days} onChange={(next) => onChange({ days: next })} />}
			{unit !== undefined && (
				<WhenField
					label="Until (optional)"
					kind="date"
					className="w-52"
					hint="The last day on which it may begin."
					value={until}
					onChange={(value) => onChange({ until: value })}
				/>
			)}
			{repeat === "rule" && (
				<TextField
					label="Rule"
					mono
					required
					maxLength={CALENDAR_LIMITS.rrule}
					value={repetition.rule}
					hint="RRULE of RFC 5545, such as FREQ=MONTHLY;BYDAY=2TU"
					error={error}
					onChange={({ target }) => onChange({ rule: target.value })}
				/>
			)}
			{rule !== null && (
				<p className="m-0 text-muted" data-testid="repetition">
					Repeats {describeRule(rule)}. {repeat !== "rule" && <code className="mono text-xs">RRULE:{rule}</code>}
				</p>
			)}
		</fieldset>
	);
}

interface DaysFieldProps {
	readonly days: readonly string[];
	onChange(days: string[]): void;
}

function DaysField({ days, onChange }: DaysFieldProps) {
	return (
		<fieldset className="m-0 flex min-w-0 flex-wrap gap-x-4 gap-y-1 border-0 p-0">
			<legend className="mb-1 p-0 font-medium">On</legend>
			{WEEKDAYS.map(([code, name]) => (
				<label key={code} className="flex items-center gap-1.5">
					<input
						type="checkbox"
						checked={days.includes(code)}
						onChange={({ target }) =>
							onChange(target.checked ? [...days, code] : days.filter((other) => other !== code))
						}
					/>
					{name}
				</label>
			))}
		</fieldset>
	);
}
