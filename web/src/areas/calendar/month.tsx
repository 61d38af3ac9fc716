/** Occurrences of a month, by day. */
import { calendarEntryRoutes } from "@weft/contracts/browser";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useAnswer } from "../../platform/call.ts";
import { toInstant } from "../../platform/instant.ts";
import { useProfile, useTimes } from "../../platform/profile.ts";
import { formatMonth } from "../../platform/time.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { joinClasses } from "../../ui/classes.ts";
import { Banner, Loaded, Panel } from "../../ui/page.tsx";
import { addMonths, findMonthRange, listMonthDays, type MonthDay } from "./month-days.ts";
import { WEEKDAYS } from "./repetition.ts";
import { KIND_NAMES } from "./words.ts";

/** Upper bound of the occurrences of one call. */
const SIZE = 200;

interface MonthProps {
	/** `YYYY-MM` */
	readonly month: string;
	onMonth(month: string): void;
	onOpen(entryId: string): void;
}

export function Month({ month, onMonth, onOpen }: MonthProps) {
	const times = useTimes();
	const { first, end } = findMonthRange(month);
	const from = toInstant(`${first}T00:00`, times.zone);
	const to = toInstant(`${end}T00:00`, times.zone);
	const query = { from, to, page_size: String(SIZE) };
	// The days depend on the zone of the profile.
	const enabled = useProfile() !== undefined;
	const answer = useAnswer(calendarEntryRoutes.occurrences, { query }, { keepPrevious: true, enabled });
	const [year = "", number = "1"] = month.split("-");
	const today = times.getDay(Date.now());
	return (
		<Panel
			title={`${formatMonth(Number(number))} ${year}`}
			aside={
				<span className="flex items-center gap-1">
					<span className="text-muted">{times.zone}</span>
					<IconButton label="Earlier month" icon={ChevronLeft} onClick={() => onMonth(addMonths(month, -1))} />
					<Button onClick={() => onMonth(today.slice(0, 7))}>Today</Button>
					<IconButton label="Later month" icon={ChevronRight} onClick={() => onMonth(addMonths(month, 1))} />
				</span>
			}
		>
			<Loaded answer={answer} lines={6}>
				{({ count, results }) => (
					<>
						{count > results.length && (
							<Banner tone="warn" title={`Only the first ${results.length} of ${count} occurrences are shown.`} />
						)}
						<div className="grid grid-cols-7 text-muted text-xs max-sm:hidden" aria-hidden="true">
							{WEEKDAYS.map(([code, name]) => (
								<span key={code} className="px-2 py-1">
									{name}
								</span>
							))}
						</div>
						<ol className="m-0 grid list-none grid-cols-7 p-0 max-sm:grid-cols-1">
							{listMonthDays(month, results, times.getDay).map((day) => (
								<Day key={day.day} day={day} isToday={day.day === today} onOpen={onOpen} />
							))}
						</ol>
					</>
				)}
			</Loaded>
		</Panel>
	);
}

interface DayProps {
	readonly day: MonthDay;
	readonly isToday: boolean;
	onOpen(entryId: string): void;
}

function Day({ day: { day, isInMonth, occurrences }, isToday, onOpen }: DayProps) {
	const times = useTimes();
	return (
		<li
			className={joinClasses(
				"min-h-20 min-w-0 border-line border-t border-r p-1.5 max-sm:min-h-0",
				!isInMonth && "bg-sunken text-muted",
				occurrences.length === 0 && "max-sm:hidden",
			)}
		>
			<h3
				className={joinClasses("m-0 mb-1 font-medium text-xs", isToday ? "text-accent-text" : "text-muted")}
				aria-label={times.longDay(day)}
			>
				{Number(day.slice(8))}
			</h3>
			<ul className="m-0 flex list-none flex-col gap-0.5 p-0">
				{occurrences.map(({ entry_id, title, kind, starts_at, ends_at }) => (
					<li key={`${entry_id} ${starts_at}`}>
						<button
							type="button"
							title={`${KIND_NAMES[kind]}: ${title}, ${times.dateTime(starts_at)} to ${times.dateTime(ends_at)}`}
							className={joinClasses(
								"block w-full truncate rounded-cell border-l-2 px-1 text-left text-xs hover:underline",
								kind === "freeze" ? "border-bad text-bad" : "border-accent text-accent-text",
							)}
							onClick={() => onOpen(entry_id)}
						>
							{times.getDay(starts_at) === day && <span className="num">{times.time(starts_at)} </span>}
							{title}
						</button>
					</li>
				))}
			</ul>
		</li>
	);
}
