/**
 * The classes around one class as a graph, with an equivalent list for narrow screens and screen
 * readers.
 */
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { formatCount, formatPlural } from "../../platform/format.ts";
import { TextButton } from "../../ui/button.tsx";
import { joinClasses } from "../../ui/classes.ts";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";
import { ClassLink } from "./finder.tsx";
import {
	type Around,
	buildSurroundings,
	drawGraph,
	GROUPS,
	type Group,
	type PlacedGroup,
	type PlacedNeighbour,
	SIZE,
} from "./graph.ts";
import { useRelations } from "./relations.tsx";

const FIRST = 12;
const MORE = 20;
const SOME: Readonly<Record<Group, number>> = {
	containers: FIRST,
	referrers: FIRST,
	contained: FIRST,
	referred: FIRST,
};
const NAMES: Readonly<Record<Group, string>> = {
	containers: "Contained by",
	referrers: "Referred to by",
	contained: "Contains",
	referred: "Refers to",
};

interface GraphProps {
	readonly name: string;
	readonly label: string;
	/** The list instead of the picture. */
	readonly asList: boolean;
	onAsList(list: boolean): void;
}

export function RelationGraph({ name, label, asList, onAsList }: GraphProps) {
	const { answer, more } = useRelations(name);
	const [most, setMost] = useState(SOME);
	return (
		<Loaded answer={answer} lines={8}>
			{(relations) => {
				const around = buildSurroundings(relations);
				const total = GROUPS.reduce((sum, group) => sum + around.groups[group].length, 0);
				const showMore = (group: Group) => {
					if (most[group] + MORE > around.groups[group].length && around.more[group]) more();
					setMost({ ...most, [group]: most[group] + MORE });
				};
				return (
					<Panel
						title={`Around ${name}`}
						aside={
							<>
								<span className="num text-muted">{formatPlural(total, "relationship")}</span>
								<TextButton className="max-md:hidden" aria-pressed={asList} onClick={() => onAsList(!asList)}>
									{asList ? "As a graph" : "As a list"}
								</TextButton>
							</>
						}
					>
						{total === 0 ? (
							<Empty>
								{name} stands alone: nothing contains it or is contained by it, and no relation leads to it.
							</Empty>
						) : (
							<>
								{!asList && (
									<div className="max-md:hidden">
										<Picture {...{ name, label, around, most }} onMore={showMore} />
									</div>
								)}
								<div className={asList ? "" : "md:hidden"}>
									<Lists {...{ name, around, most }} onMore={showMore} />
								</div>
							</>
						)}
					</Panel>
				);
			}}
		</Loaded>
	);
}

interface AroundProps {
	readonly name: string;
	readonly around: Around;
	readonly most: Readonly<Record<Group, number>>;
	onMore(group: Group): void;
}

const BOX = "absolute flex flex-col justify-center rounded-card border px-2.5 leading-4";

function Picture({ name, label, around, most, onMore }: AroundProps & { label: string }) {
	const { width, height, middle, groups } = drawGraph(around, most);
	return (
		<section
			aria-label={`Graph of ${name}`}
			// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
			tabIndex={0}
			className="overflow-auto p-5 outline-offset-[-2px]"
		>
			<div className="relative mx-auto" style={{ width, height }}>
				<svg width={width} height={height} className="absolute inset-0" aria-hidden="true">
					<defs>
						<marker id="graph-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
							<path d="M0 0L8 4L0 8Z" className="fill-muted" />
						</marker>
					</defs>
					{groups.flatMap(({ group, nodes }) =>
						nodes.map(({ name: other, via, line }) => (
							<path
								key={`${group} ${other} ${via}`}
								d={line}
								fill="none"
								strokeDasharray={via === null ? undefined : "5 4"}
								markerEnd="url(#graph-arrow)"
								className="stroke-(--line-strong)"
							/>
						)),
					)}
				</svg>
				<div
					className={joinClasses(BOX, "border-accent bg-accent-soft")}
					style={{ left: middle.x, top: middle.y, width: SIZE.width, height: SIZE.height }}
				>
					<b className="mono truncate font-semibold">{name}</b>
					<span className="truncate text-2xs text-muted">{label}</span>
				</div>
				{groups.map((group) => (
					<GroupView key={group.group} placed={group} more={around.more[group.group]} onMore={onMore} />
				))}
			</div>
		</section>
	);
}

interface GroupProps {
	readonly placed: PlacedGroup;
	readonly more: boolean;
	onMore(group: Group): void;
}

function GroupView({ placed: { group, x, y, nodes, hidden, moreY }, more, onMore }: GroupProps) {
	return (
		<>
			<h3
				className="absolute m-0 flex items-center gap-1.5 font-normal text-muted text-xs"
				style={{ left: x, top: y, height: SIZE.head, width: SIZE.width }}
			>
				{NAMES[group]}
				<span className="num">{formatCount(nodes.length + hidden)}</span>
			</h3>
			<ul aria-label={NAMES[group]} className="m-0 list-none p-0">
				{nodes.map((node) => (
					<li key={`${node.name} ${node.via}`}>
						<Neighbouring node={node} />
					</li>
				))}
			</ul>
			{(hidden > 0 || more) && (
				<TextButton
					className="absolute text-left text-xs"
					style={{ left: x, top: moreY, height: SIZE.head }}
					onClick={() => onMore(group)}
				>
					{hidden > 0 ? `${Math.min(MORE, hidden)} more` : "More"}
					<span className="sr-only"> of what is under {NAMES[group]}</span>
				</TextButton>
			)}
		</>
	);
}

function Neighbouring({ node: { name, label, via, x, y } }: { node: PlacedNeighbour }) {
	return (
		<Link
			to="/model/$name"
			params={{ name }}
			search={(before: Record<string, string | undefined>) => ({ ...before, p: undefined })}
			title={via === null ? label : `${label}, by ${via}`}
			className={joinClasses(BOX, "border-line bg-surface hover:border-accent")}
			style={{ left: x, top: y, width: SIZE.width, height: SIZE.height }}
		>
			<span className="mono truncate font-medium">{name}</span>
			<span className="truncate text-2xs text-muted">
				{via === null ? (
					label
				) : (
					<>
						by <span className="mono">{via}</span>
					</>
				)}
			</span>
		</Link>
	);
}

function Lists({ name, around: { groups, more }, most, onMore }: AroundProps) {
	return (
		<div className="grid gap-4 p-3 sm:grid-cols-2">
			{GROUPS.filter((group) => groups[group].length > 0).map((group) => (
				<section key={group} aria-label={`${name}: ${NAMES[group]}`}>
					<h3 className="m-0 mb-1 font-medium text-muted text-xs">
						{NAMES[group]} <span className="num">{formatCount(groups[group].length)}</span>
					</h3>
					<ul className="m-0 list-none p-0">
						{groups[group].slice(0, most[group]).map(({ name: other, label, via }) => (
							<li key={`${other} ${via}`} className="flex min-h-7 flex-wrap items-center gap-x-2">
								<ClassLink name={other} />
								<span className="text-muted">{label}</span>
								{via !== null && (
									<span className="text-muted">
										by <ClassLink name={via} />
									</span>
								)}
							</li>
						))}
					</ul>
					{(groups[group].length > most[group] || more[group]) && (
						<TextButton className="text-xs" onClick={() => onMore(group)}>
							More<span className="sr-only"> of what is under {NAMES[group]}</span>
						</TextButton>
					)}
				</section>
			))}
		</div>
	);
}
