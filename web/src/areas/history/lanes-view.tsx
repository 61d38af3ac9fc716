/** The lanes of an object, and its changes as a table that says the same in words. */
import { Link } from "@tanstack/react-router";
import type { timeMachineRoutes } from "@weft/contracts";
import { GitCompareArrows } from "lucide-react";
import { useMemo, useState } from "react";
import type { AnswerOf } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useTimes } from "../../platform/profile.ts";
import { TextButton } from "../../ui/button.tsx";
import { joinClasses } from "../../ui/classes.ts";
import { Empty } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { buildLane, buildPresenceSegments, type Change, getChanges, type LaneTick, type Segment } from "./lanes.ts";

type Answer = AnswerOf<typeof timeMachineRoutes.timeline>;
type Timeline = Extract<Answer, { points: unknown }>;

/** The timeline of a single object; answers for several have another shape. */
export function getOne(answer: Answer): Timeline {
	if ("points" in answer) return answer;
	throw new Error("the timelines of several objects were answered");
}

/** Shades on which text can be read in both themes. */
const SHADES = ["var(--heat-1)", "var(--heat-2)"];

interface LanesProps {
	readonly timeline: Timeline;
	/** Lanes that are shown at most; null: all. */
	readonly most: number | null;
	/** Names of those who made a change. */
	findPersons?(tick: LaneTick): readonly string[];
}

export function Lanes({ timeline, most, findPersons = () => [] }: LanesProps) {
	const times = useTimes();
	const [stable, setStable] = useState(false);
	const { points, attribute_evolution } = timeline;
	const moving = attribute_evolution.filter(({ is_stable }) => !is_stable);
	const still = attribute_evolution.filter(({ is_stable }) => is_stable);
	const shown = [...moving.slice(0, most ?? moving.length), ...(stable ? still : [])];
	const [first, last] = [points[0], points.at(-1)];
	if (first === undefined || last === undefined) return <Empty>There are no snapshots.</Empty>;
	if (!points.some(({ present }) => present))
		return <Empty>The DN is not in the latest {formatPlural(points.length, "snapshot")}.</Empty>;
	const listLanePersons = (attribute: string | null, segments: readonly Segment[]) =>
		segments.map(({ value: after, from }, index) => {
			const [point, before] = [points[from], segments[index - 1]];
			if (point === undefined || before === undefined) return [];
			return findPersons({ attribute, before: before.value, after, at: point.executed_at });
		});
	const presence = buildPresenceSegments(points);
	return (
		<div className="flex flex-col gap-1">
			<Lane
				name="Present"
				segments={presence}
				persons={listLanePersons(null, presence)}
				latest={last.present ? "present" : "deleted"}
				changes={presence.length - 1}
			/>
			{shown.map(({ attribute, change_count }) => {
				const segments = buildLane(points, attribute);
				return (
					<Lane
						key={attribute}
						name={attribute}
						segments={segments}
						persons={listLanePersons(attribute, segments)}
						latest={segments.at(-1)?.value ?? "(none)"}
						changes={change_count}
					/>
				);
			})}
			<div className="num flex justify-between pl-[30%] pr-[28%] text-2xs text-muted">
				<span>{times.dateTime(first.executed_at)}</span>
				<span>{times.dateTime(last.executed_at)}</span>
			</div>
			{still.length > 0 && most === null && (
				<TextButton className="self-start text-xs" onClick={() => setStable(!stable)}>
					{stable ? "Hide unchanged attributes" : `Show ${formatPlural(still.length, "attribute")} that never changed`}
				</TextButton>
			)}
		</div>
	);
}

interface LaneProps {
	readonly name: string;
	readonly segments: readonly Segment[];
	/** Those who made the change at the beginning of each segment. */
	readonly persons: readonly (readonly string[])[];
	readonly latest: string;
	readonly changes: number;
}

function Lane({ name, segments, persons, latest, changes }: LaneProps) {
	const all = [...new Set(persons.flat())];
	const by = all.length === 0 ? "" : `, by ${all.join(", ")}`;
	return (
		<div className="grid grid-cols-[28%_1fr_26%] items-center gap-[2%]">
			<span className="mono truncate" title={name}>
				{name}
			</span>
			<span
				role="img"
				aria-label={`${name}: ${formatPlural(changes, "change")}${by}, now ${latest}`}
				className="relative flex h-5 [forced-color-adjust:none]"
			>
				{segments.map(({ value, from, length }, index) => {
					const who = (persons[index] ?? []).join(", ");
					const text = value ?? "(absent)";
					return (
						<span
							key={from}
							title={who === "" ? text : `${text}, by ${who}`}
							className={joinClasses(
								"mono min-w-0 overflow-hidden whitespace-nowrap px-1 text-2xs leading-5",
								value === null && "border border-line border-dashed text-muted leading-[18px]",
								index > 0 && "border-change border-l-[3px]",
							)}
							style={{ flexGrow: length, flexBasis: 0, ...(value === null ? {} : { background: SHADES[index % 2] }) }}
						>
							{who !== "" && <b className="font-medium">{who} </b>}
							{value === "" ? '""' : text}
						</span>
					);
				})}
			</span>
			<span className="mono truncate text-muted" title={latest}>
				{latest === "" ? '""' : latest}
			</span>
		</div>
	);
}

export function ChangeTable({ timeline, queryId }: { timeline: Timeline; queryId: string }) {
	const times = useTimes();
	const changes = useMemo(
		() =>
			getChanges(
				timeline.points,
				timeline.attribute_evolution.map(({ attribute }) => attribute),
			),
		[timeline],
	);
	if (changes.length === 0) return <Empty>It did not change in these snapshots.</Empty>;
	const shown = (value: string | null) =>
		value === null ? <i className="text-muted">(absent)</i> : value === "" ? '""' : value;
	const columns: Column<Change>[] = [
		{
			key: "at",
			head: "Seen",
			cell: ({ at, toId }) => (
				<Link
					to="/time-machine/snapshots/$id"
					params={{ id: toId }}
					className="num whitespace-nowrap rounded-cell text-accent-text hover:underline"
				>
					{times.dateTime(at)}
				</Link>
			),
		},
		{
			key: "attribute",
			head: "Attribute",
			cell: ({ attribute }) => <span className="mono">{attribute ?? "(the object)"}</span>,
		},
		{
			key: "before",
			head: "Before",
			className: "w-1/4",
			cell: ({ before }) => (
				<span className="mono block truncate" title={before ?? ""}>
					{shown(before)}
				</span>
			),
		},
		{
			key: "after",
			head: "After",
			className: "w-1/4",
			cell: ({ after }) => (
				<span className="mono block truncate" title={after ?? ""}>
					{shown(after)}
				</span>
			),
		},
		{
			key: "compare",
			head: <span className="sr-only">Compare</span>,
			align: "right",
			cell: ({ fromId, toId }) => (
				<Link
					to="/time-machine/compare"
					search={{ from: fromId, to: toId, query: queryId, dn: timeline.dn }}
					className="inline-flex items-center gap-1 whitespace-nowrap rounded-cell font-medium text-accent-text hover:underline"
				>
					<GitCompareArrows size={13} aria-hidden="true" /> Compare
				</Link>
			),
		},
	];
	return (
		<Table label="Changes" columns={columns} rows={changes} getKey={({ toId, attribute }) => `${toId}:${attribute}`} />
	);
}
