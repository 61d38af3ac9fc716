/** A month by day: occurrences of calendar entries, and change windows. */
import { useNavigate } from "@tanstack/react-router";
import { calendarEntryRoutes, changeWindowRoutes, findWindowSpan } from "@weft/contracts/browser";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useAnswer } from "../../platform/call.ts";
import { toInstant } from "../../platform/instant.ts";
import { useMay, useProfile, useTimes } from "../../platform/profile.ts";
import { formatMonth } from "../../platform/time.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { joinClasses } from "../../ui/classes.ts";
import { Banner, Loaded, Panel } from "../../ui/page.tsx";
import { addMonths, findMonthRange, listMonthDays, type MonthDay, type MonthOccurrence } from "./month-days.ts";
import { WEEKDAYS } from "./repetition.ts";
import { MONTH_KIND_NAMES } from "./words.ts";

/** Upper bound of the occurrences of one call. */
const SIZE = 200;

interface MonthProps {
	/** `YYYY-MM` */
	readonly month: string;
	onMonth(month: string): void;
	/** Opens a calendar entry; absent: only change windows are shown. */
	readonly onOpenEntry?: (entryId: string) => void;
}

/** Occurrences in a range; undefined while they are read for the first time. */
function useOccurrences(range: { readonly from: string; readonly to: string }, hasEntries: boolean) {
	const query = { ...range, page_size: String(SIZE) };
	// The zone of the days is that of the profile.
	const hasZone = useProfile() !== undefined;
	const may = useMay();
	const hasWindows = may("view_changewindow");
	const entries = useAnswer(
		calendarEntryRoutes.occurrences,
		{ query },
		{ keepPrevious: true, enabled: hasZone && hasEntries },
	);
	const windows = useAnswer(
		changeWindowRoutes.list,
		{ query: { ...query, ordering: "-starts_at" } },
		{ keepPrevious: true, enabled: hasZone && hasWindows },
	);
	const used = [...(hasEntries ? [entries] : []), ...(hasWindows ? [windows] : [])];
	const occurrences: MonthOccurrence[] = [
		...(entries.data?.results ?? []).map(({ entry_id: id, ...rest }) => ({ ...rest, id })),
		...(windows.data?.results ?? []).flatMap((window) => {
			const span = findWindowSpan(window);
			return span === null ? [] : [{ id: window.id, title: window.title, kind: "change_window" as const, ...span }];
		}),
	];
	return {
		data: used.every(({ data }) => data !== undefined)
			? {
					occurrences: occurrences.sort((a, b) => a.starts_at.localeCompare(b.starts_at)),
					isPartial: used.some(({ data }) => data !== undefined && data.count > data.results.length),
				}
			: undefined,
		isPending: used.some(({ isPending }) => isPending),
		error: used.find(({ error }) => error !== null)?.error ?? null,
		refetch: () => Promise.all(used.map(({ refetch }) => refetch())),
	};
}

export function Month({ month, onMonth, onOpenEntry }: MonthProps) {
	const navigate = useNavigate();
	const times = useTimes();
	const { first, end } = findMonthRange(month);
	const from = toInstant(`${first}T00:00`, times.zone);
	const to = toInstant(`${end}T00:00`, times.zone);
	const answer = useOccurrences({ from, to }, onOpenEntry !== undefined);
	const open = ({ id, kind }: MonthOccurrence) =>
		kind === "change_window" ? void navigate({ to: "/change-windows/$id", params: { id } }) : onOpenEntry?.(id);
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
				{({ occurrences, isPartial }) => (
					<>
						{isPartial && <Banner tone="warn" title={`Only ${SIZE} of each kind are shown.`} />}
						<div className="grid grid-cols-7 text-muted text-xs max-sm:hidden" aria-hidden="true">
							{WEEKDAYS.map(([code, name]) => (
								<span key={code} className="px-2 py-1">
									{name}
								</span>
							))}
						</div>
						<ol className="m-0 grid list-none grid-cols-7 p-0 max-sm:grid-cols-1">
							{listMonthDays(month, occurrences, times.getDay).map((day) => (
								<Day key={day.day} day={day} isToday={day.day === today} onOpen={open} />
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
	onOpen(occurrence: MonthOccurrence): void;
}

const LOOKS: Readonly<Record<MonthOccurrence["kind"], string>> = {
	freeze: "border-bad text-bad",
	maintenance: "border-accent text-accent-text",
	change_window: "border-violet text-violet",
};

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
				{occurrences.map((occurrence) => {
					const { id, title, kind, starts_at, ends_at } = occurrence;
					return (
						<li key={`${id} ${starts_at}`}>
							<button
								type="button"
								title={`${MONTH_KIND_NAMES[kind]}: ${title}, ${times.dateTime(starts_at)} to ${times.dateTime(ends_at)}`}
								className={joinClasses(
									"block w-full truncate rounded-cell border-l-2 px-1 text-left text-xs hover:underline",
									LOOKS[kind],
								)}
								onClick={() => onOpen(occurrence)}
							>
								{times.getDay(starts_at) === day && <span className="num">{times.time(starts_at)} </span>}
								{title}
							</button>
						</li>
					);
				})}
			</ul>
		</li>
	);
}
