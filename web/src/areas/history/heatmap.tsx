/** Snapshots by day or hour, one cell each, with keys and labels for screen readers. */
import { type KeyboardEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import { formatPlural } from "../../platform/format.ts";
import { joinClasses } from "../../ui/classes.ts";
import {
	buildHours,
	buildWeeks,
	findCellByKey,
	findMostChanges,
	type HeatCell,
	type HeatData,
	type HeatRange,
	type HeatStep,
	listLabels,
	listRows,
} from "./calendar.ts";

const LEVELS = ["var(--heat-0)", "var(--heat-1)", "var(--heat-2)", "var(--heat-3)", "var(--heat-4)"];
/** Height of a row and width of a column. */
const SIZES = {
	day: { row: "h-[1.3rem]", cell: "h-[1.3rem] w-[1.3rem]", mark: "size-[1.05rem]" },
	hour: { row: "h-[0.8rem]", cell: "h-[0.8rem] w-[1.3rem]", mark: "h-[0.65rem] w-[1.15rem]" },
} as const;

interface Lane {
	/** The fabric's name; null for one lane of all. */
	readonly name: string | null;
	readonly data: HeatData;
}

interface HeatmapProps {
	/** Such as "the last 12 months". */
	readonly period: string;
	readonly range: HeatRange;
	readonly step: HeatStep;
	readonly lanes: readonly Lane[];
	/** As a day or an hour, like the cells. */
	readonly now: string;
	/** The chosen day. */
	readonly chosen: string | null;
	onChoose(day: string): void;
}

export function Heatmap({ lanes, ...props }: HeatmapProps) {
	const most = useMemo(() => findMostChanges(lanes.map(({ data }) => data)), [lanes]);
	return (
		<div className="flex flex-col gap-1 px-3 pt-3 pb-2">
			{lanes.map((lane) => (
				<LaneView key={lane.name ?? ""} lane={lane} most={most} {...props} />
			))}
			<div className="ml-10 flex flex-wrap items-center gap-1.5 text-2xs text-muted">
				No snapshot
				{LEVELS.map((color) => (
					<span
						key={color}
						aria-hidden="true"
						className="size-3 rounded-[3px] [forced-color-adjust:none]"
						style={{ background: color }}
					/>
				))}
				{most === 0 ? "Most changes" : `Most changes of ${props.step === "day" ? "a day" : "an hour"}: ${most}`}
				<span
					aria-hidden="true"
					className="ml-3 size-2 rounded-full bg-change ring-2 ring-surface [forced-color-adjust:none]"
				/>
				Changes found
			</div>
		</div>
	);
}

interface LaneProps extends Omit<HeatmapProps, "lanes"> {
	readonly lane: Lane;
	readonly most: number;
}

function LaneView({ lane: { name, data }, most, period, range, step, now, chosen, onChoose }: LaneProps) {
	const build = step === "day" ? buildWeeks : buildHours;
	const columns = useMemo(() => build(range, data, most), [build, range, data, most]);
	const labels = useMemo(() => listLabels(range, step), [range, step]);
	const frame = useRef<HTMLDivElement>(null);
	const grid = useRef<HTMLDivElement>(null);
	const has = (at: string | null): at is string =>
		at !== null && at.slice(0, 10) >= range.first && at.slice(0, 10) <= range.last;
	const ofChosen = chosen !== null && step === "hour" ? `${chosen}T00` : chosen;
	const first = has(ofChosen) ? ofChosen : has(now) ? now : step === "day" ? range.first : `${range.first}T00`;
	const [focused, setFocused] = useState<string | null>(null);
	const stop = has(focused) && focused.length === first.length ? focused : first;
	// On a narrow screen not all fits: the cell that counts is shown first.
	useLayoutEffect(() => {
		const [box, cell] = [frame.current, grid.current?.querySelector(`[data-at="${first}"]`)];
		if (!box || !cell) return;
		const { left, right } = cell.getBoundingClientRect();
		box.scrollLeft += (left + right) / 2 - box.getBoundingClientRect().left - box.clientWidth / 2;
	}, [first]);
	const onKeyDown = (event: KeyboardEvent) => {
		const to = findCellByKey(range, step, { at: stop, key: event.key, ctrl: event.ctrlKey || event.metaKey });
		if (event.key === "Enter" || event.key === " ") {
			event.preventDefault();
			onChoose(stop.slice(0, 10));
		} else if (to !== null) {
			event.preventDefault();
			setFocused(to);
			grid.current?.querySelector<HTMLElement>(`[data-at="${to}"]`)?.focus();
		}
	};
	return (
		<div>
			{name !== null && <h2 className="m-0 font-medium text-base">{name}</h2>}
			<div ref={frame} className="overflow-x-auto pb-1">
				<div className="w-max min-w-full">
					<div className="relative ml-10 h-4 text-2xs text-muted" aria-hidden="true">
						{labels.map(({ text, column }) => (
							<span key={`${text} ${column}`} className="absolute" style={{ left: `calc(${column} * 1.3rem)` }}>
								{text}
							</span>
						))}
					</div>
					{/* biome-ignore lint/a11y/useSemanticElements: a calendar is no table of data */}
					<div
						ref={grid}
						role="grid"
						aria-label={`Snapshots in ${period}${name === null ? "" : ` of ${name}`}`}
						tabIndex={-1}
						onKeyDown={onKeyDown}
					>
						{listRows(step).map(([row, shown], at) => (
							// biome-ignore lint/a11y/useSemanticElements: see above
							<div key={row} role="row" tabIndex={-1} className={joinClasses("flex items-center", SIZES[step].row)}>
								{/* biome-ignore lint/a11y/useSemanticElements: see above */}
								<span role="rowheader" tabIndex={-1} className="w-10 shrink-0 text-2xs text-muted">
									{shown === "" ? <span className="sr-only">{row}</span> : shown}
								</span>
								{columns.map((column) => {
									const cell = column[at] ?? null;
									return cell === null ? (
										// biome-ignore lint/a11y/useSemanticElements: see above
										<span
											key={column.find((each) => each)?.at}
											role="gridcell"
											tabIndex={-1}
											className={joinClasses("shrink-0", SIZES[step].cell)}
										/>
									) : (
										<Cell
											key={cell.at}
											cell={cell}
											step={step}
											isStop={cell.at === stop}
											isChosen={cell.at.slice(0, 10) === chosen}
											isFuture={cell.at > now}
											onChoose={() => {
												setFocused(cell.at);
												onChoose(cell.at.slice(0, 10));
											}}
										/>
									);
								})}
							</div>
						))}
					</div>
				</div>
			</div>
		</div>
	);
}

interface CellProps {
	readonly cell: HeatCell;
	readonly step: HeatStep;
	readonly isStop: boolean;
	readonly isChosen: boolean;
	readonly isFuture: boolean;
	onChoose(): void;
}

function Cell({ cell, step, isStop, isChosen, isFuture, onChoose }: CellProps) {
	const { at, count, changes, hasChanges, level } = cell;
	const found = hasChanges ? `, changes found${changes > 0 ? `: ${formatPlural(changes, "object")}` : ""}` : "";
	const when = step === "day" ? at : `${at.replace("T", " ")}:00`;
	const label = `${when}: ${count === 0 ? "no snapshot" : formatPlural(count, "snapshot")}${found}`;
	return (
		// biome-ignore lint/a11y/useSemanticElements: see the grid
		// biome-ignore lint/a11y/useKeyWithClickEvents: the grid hears the keys
		<span
			role="gridcell"
			aria-label={label}
			aria-selected={isChosen}
			tabIndex={isStop ? 0 : -1}
			data-at={at}
			title={label}
			className={joinClasses(
				"group relative grid shrink-0 cursor-pointer place-items-center rounded-cell outline-offset-[-1px]",
				SIZES[step].cell,
				isFuture && "opacity-50",
			)}
			onClick={onChoose}
		>
			<span
				aria-hidden="true"
				className={joinClasses(
					"rounded-[3px] [forced-color-adjust:none]",
					SIZES[step].mark,
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
