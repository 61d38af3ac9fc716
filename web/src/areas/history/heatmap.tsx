/** A year of snapshots, one cell per day, with keys and labels for screen readers. */
import { type KeyboardEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import { formatPlural } from "../../platform/format.ts";
import { formatMonth } from "../../platform/time.ts";
import { joinClasses } from "../../ui/classes.ts";
import { buildMonths, buildWeeks, type Day, findDayByKey, type HeatData } from "./calendar.ts";

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const LEVELS = ["var(--heat-0)", "var(--heat-1)", "var(--heat-2)", "var(--heat-3)", "var(--heat-4)"];

interface HeatmapProps {
	readonly year: number;
	readonly data: HeatData;
	readonly today: string;
	readonly chosen: string | null;
	onChoose(day: string): void;
}

export function Heatmap({ year, data, today, chosen, onChoose }: HeatmapProps) {
	const weeks = useMemo(() => buildWeeks(year, data), [year, data]);
	const months = useMemo(() => buildMonths(year), [year]);
	const frame = useRef<HTMLDivElement>(null);
	const grid = useRef<HTMLDivElement>(null);
	const first = chosen?.startsWith(`${year}-`) ? chosen : today.startsWith(`${year}-`) ? today : `${year}-01-01`;
	const [focused, setFocused] = useState<string | null>(null);
	const stop = focused?.startsWith(`${year}-`) ? focused : first;
	// On a narrow screen the year does not fit: the day that counts is shown first.
	useLayoutEffect(() => {
		const [box, cell] = [frame.current, grid.current?.querySelector(`[data-day="${first}"]`)];
		if (!box || !cell) return;
		const { left, right } = cell.getBoundingClientRect();
		box.scrollLeft += (left + right) / 2 - box.getBoundingClientRect().left - box.clientWidth / 2;
	}, [first]);
	const onKeyDown = (event: KeyboardEvent) => {
		const to = findDayByKey(stop, event.key, event.ctrlKey || event.metaKey);
		if (event.key === "Enter" || event.key === " ") {
			event.preventDefault();
			onChoose(stop);
		} else if (to !== null) {
			event.preventDefault();
			setFocused(to);
			grid.current?.querySelector<HTMLElement>(`[data-day="${to}"]`)?.focus();
		}
	};
	return (
		<div ref={frame} className="overflow-x-auto px-3 pt-3 pb-2">
			<div className="w-max min-w-full">
				<div className="relative ml-10 h-4 text-2xs text-muted" aria-hidden="true">
					{months.map(({ month, week }) => (
						<span key={month} className="absolute" style={{ left: `calc(${week} * 1.3rem)` }}>
							{formatMonth(month)}
						</span>
					))}
				</div>
				{/* biome-ignore lint/a11y/useSemanticElements: a calendar is no table of data */}
				<div ref={grid} role="grid" aria-label={`Snapshots in ${year}`} tabIndex={-1} onKeyDown={onKeyDown}>
					{WEEKDAYS.map((name, row) => (
						// biome-ignore lint/a11y/useSemanticElements: see above
						<div key={name} role="row" tabIndex={-1} className="flex h-[1.3rem] items-center">
							{/* biome-ignore lint/a11y/useSemanticElements: see above */}
							<span role="rowheader" tabIndex={-1} className="w-10 shrink-0 text-2xs text-muted">
								<span className={row % 2 === 0 ? "" : "sr-only"}>{name.slice(0, 3)}</span>
							</span>
							{weeks.map((week) => {
								const day = week[row] ?? null;
								return day === null ? (
									// biome-ignore lint/a11y/useSemanticElements: see above
									<span
										key={week.find((each) => each)?.day}
										role="gridcell"
										tabIndex={-1}
										className="size-[1.3rem] shrink-0"
									/>
								) : (
									<Cell
										key={day.day}
										day={day}
										isStop={day.day === stop}
										isChosen={day.day === chosen}
										isFuture={day.day > today}
										onChoose={() => {
											setFocused(day.day);
											onChoose(day.day);
										}}
									/>
								);
							})}
						</div>
					))}
				</div>
				<div className="mt-2 ml-10 flex items-center gap-1.5 text-2xs text-muted">
					No snapshot
					{LEVELS.map((color) => (
						<span
							key={color}
							aria-hidden="true"
							className="size-3 rounded-[3px] [forced-color-adjust:none]"
							style={{ background: color }}
						/>
					))}
					Most changes
					<span
						aria-hidden="true"
						className="ml-3 size-2 rounded-full bg-change ring-2 ring-surface [forced-color-adjust:none]"
					/>
					Changes found
				</div>
			</div>
		</div>
	);
}

interface CellProps {
	readonly day: Day;
	readonly isStop: boolean;
	readonly isChosen: boolean;
	readonly isFuture: boolean;
	onChoose(): void;
}

function Cell({ day: { day, count, changes, hasChanges, level }, isStop, isChosen, isFuture, onChoose }: CellProps) {
	const found = hasChanges ? `, changes found${changes > 0 ? `: ${formatPlural(changes, "object")}` : ""}` : "";
	const label = `${day}: ${count === 0 ? "no snapshot" : formatPlural(count, "snapshot")}${found}`;
	return (
		// biome-ignore lint/a11y/useSemanticElements: see the grid
		// biome-ignore lint/a11y/useKeyWithClickEvents: the grid hears the keys
		<span
			role="gridcell"
			aria-label={label}
			aria-selected={isChosen}
			tabIndex={isStop ? 0 : -1}
			data-day={day}
			title={label}
			className={joinClasses(
				"group relative grid size-[1.3rem] shrink-0 cursor-pointer place-items-center rounded-cell outline-offset-[-1px]",
				isFuture && "opacity-50",
			)}
			onClick={onChoose}
		>
			<span
				aria-hidden="true"
				className={joinClasses(
					"size-[1.05rem] rounded-[3px] [forced-color-adjust:none]",
					isChosen && "outline-2 outline-accent-text outline-offset-1",
				)}
				style={{ background: LEVELS[level] }}
			/>
			{hasChanges && (
				<span
					aria-hidden="true"
					className="absolute right-0.5 bottom-0.5 size-[7px] rounded-full bg-change ring-[1.5px] ring-surface [forced-color-adjust:none]"
				/>
			)}
		</span>
	);
}
