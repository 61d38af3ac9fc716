/** The choice of a day, by date or to the next with changes, and of the shown period. */
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useCommands } from "../../platform/keys.ts";
import { IconButton } from "../../ui/button.tsx";
import { SelectField } from "../../ui/field.tsx";
import { WhenField } from "../../ui/when-field.tsx";
import { findNextChange, type HeatData } from "./calendar.ts";

const YEARS_BACK = 5;

interface DayFieldsProps {
	/** The shown days, or hours, that have snapshots. */
	readonly days: HeatData;
	/** A year, `hours`, or empty for the last twelve months. */
	readonly period: string;
	/** Undefined: no day is chosen. */
	readonly date: string | undefined;
	readonly today: string;
	onDay(date: string | undefined): void;
	onPeriod(period: string): void;
}

export function DayFields({ days, period, date, today, onDay, onPeriod }: DayFieldsProps) {
	const [before, after] = [findNextChange(days, date ?? today, -1), findNextChange(days, date ?? today, 1)];
	const thisYear = Number(today.slice(0, 4));
	const group = "Snapshots";
	const [labelBefore, labelAfter] = ["Previous day with changes", "Next day with changes"];
	useCommands([
		...(before ? [{ id: "tm.before", label: labelBefore, group, keys: "p", run: () => onDay(before) }] : []),
		...(after ? [{ id: "tm.after", label: labelAfter, group, keys: "n", run: () => onDay(after) }] : []),
	]);
	return (
		<>
			<IconButton
				label={labelBefore}
				keys="p"
				icon={ChevronLeft}
				disabled={before === null}
				onClick={() => before && onDay(before)}
			/>
			<IconButton
				label={labelAfter}
				keys="n"
				icon={ChevronRight}
				disabled={after === null}
				onClick={() => after && onDay(after)}
			/>
			<WhenField
				onlyComplete
				hideLabel
				label="Day"
				kind="date"
				value={date ?? ""}
				max={today}
				onChange={(value) => onDay(value || undefined)}
			/>
			<SelectField
				hideLabel
				label="Period"
				value={period}
				options={[
					{ value: "", label: "Last 12 months" },
					{ value: "hours", label: "Last 30 days by hour" },
					...Array.from({ length: YEARS_BACK }, (_, index) => String(thisYear - index)).map((value) => ({
						value,
						label: value,
					})),
				]}
				onChange={(event) => onPeriod(event.target.value)}
			/>
		</>
	);
}
