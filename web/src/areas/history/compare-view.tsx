/** The comparison: objects with aligned attribute columns. Draws only visible rows. */
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { History, Minus, Pencil, Plus } from "lucide-react";
import { memo, type ReactNode, type Ref, useCallback, useImperativeHandle, useMemo, useRef, useState } from "react";
import { splitDn } from "../../platform/dn-text.ts";
import { formatCount, formatPlural } from "../../platform/format.ts";
import { joinClasses } from "../../ui/classes.ts";
import { CopyButton } from "../../ui/copy.tsx";
import { ObjectLink } from "../../ui/object-link.tsx";
import { Pill } from "../../ui/pill.tsx";
import { ChangedByView } from "./changed-by.tsx";
import {
	type Attribute,
	type Entry,
	getLine,
	getLines,
	type Kind,
	type Line,
	type Piece,
	splitPieces,
} from "./compare-model.ts";
import { NeverAlert } from "./never-alert.tsx";

export const SIGNS = {
	added: { word: "Added", sign: "+", icon: Plus, tone: "ok", look: "bg-ok-soft text-ok" },
	deleted: { word: "Deleted", sign: "−", icon: Minus, tone: "bad", look: "bg-bad-soft text-bad" },
	modified: { word: "Modified", sign: "~", icon: Pencil, tone: "warn", look: "bg-warn-soft text-warn" },
} as const satisfies Record<Kind, object>;

/** The word for each kind of change. */
export type KindWords = Readonly<Record<Kind, string>>;

const HEIGHTS = { head: 35, group: 35, attribute: 26, fold: 27 } as const;
const LIST_ROW = 45;

interface ObjectListProps {
	readonly entries: readonly Entry[];
	readonly words: KindWords;
	readonly current: number;
	onChoose(index: number): void;
}

export function ObjectList({ entries, words, current, onChoose }: ObjectListProps) {
	const frame = useRef<HTMLDivElement>(null);
	const rows = useVirtualizer({
		count: entries.length,
		getScrollElement: () => frame.current,
		estimateSize: () => LIST_ROW,
		overscan: 12,
	});
	return (
		<div ref={frame} className="min-h-0 flex-1 overflow-y-auto">
			<ol aria-label="Changed objects" className="relative m-0 list-none p-0" style={{ height: rows.getTotalSize() }}>
				{rows.getVirtualItems().map(({ index, start }) => {
					const entry = entries[index];
					if (entry === undefined) return null;
					const { icon: Icon, look } = SIGNS[entry.kind];
					const word = words[entry.kind];
					const { above, last } = splitDn(entry.dn);
					const parent = splitDn(above.slice(0, -1)).last;
					return (
						<li
							key={entry.id}
							className="absolute inset-x-0"
							style={{ transform: `translateY(${start}px)`, height: LIST_ROW }}
						>
							<button
								type="button"
								aria-current={index === current || undefined}
								title={entry.dn}
								className="flex h-full w-full items-start gap-2 border-line border-b px-2.5 py-1.5 text-left outline-offset-[-2px] hover:bg-sunken aria-[current]:bg-accent-soft"
								onClick={() => onChoose(index)}
							>
								<span className={joinClasses("mt-0.5 grid size-5 shrink-0 place-items-center rounded-cell", look)}>
									<Icon size={12} role="img" aria-label={word} />
								</span>
								<span className="min-w-0 flex-1">
									<span className="mono block truncate">{last}</span>
									<span className="block truncate text-2xs text-muted">
										{[
											parent,
											entry.kind === "modified"
												? entry.changed.map(({ key }) => key).join(", ")
												: `${word}, ${entry.className}`,
										]
											.filter(Boolean)
											.join(" · ")}
									</span>
								</span>
							</button>
						</li>
					);
				})}
			</ol>
		</div>
	);
}

export interface CompareHandle {
	show(index: number): void;
}

interface CompareViewProps {
	readonly entries: readonly Entry[];
	readonly current: number;
	readonly words: KindWords;
	readonly heads: readonly [string, string];
	readonly query: string | undefined;
	/** Where an object is followed. */
	readonly controller: string | undefined;
	readonly ref: Ref<CompareHandle>;
}

const SIDE_SIGNS = ["−", "+"] as const;

/** On a narrow screen one below the other. */
const COLUMNS = "grid max-sm:grid-cols-1 grid-cols-[minmax(120px,25%)_minmax(0,1fr)_minmax(0,1fr)]";

export function CompareView({ entries, current, words, heads, query, controller, ref }: CompareViewProps) {
	const frame = useRef<HTMLDivElement>(null);
	const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
	const lines = useMemo(() => getLines(entries, open), [entries, open]);
	const rows = useVirtualizer({
		count: lines.length,
		getScrollElement: () => frame.current,
		estimateSize: (index) => HEIGHTS[lines[index]?.kind ?? "attribute"],
		overscan: 16,
		getItemKey: (index) => getKey(lines[index]),
	});
	useImperativeHandle(
		ref,
		() => ({
			show: (index) => rows.scrollToIndex(getLine(lines, entries, index), { align: "start" }),
		}),
		[rows, lines, entries],
	);
	const toggle = useCallback(
		(id: string) =>
			setOpen((before) => {
				const next = new Set(before);
				if (!next.delete(id)) next.add(id);
				return next;
			}),
		[],
	);
	return (
		<section
			ref={frame}
			aria-label="Differences"
			// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
			tabIndex={0}
			className="min-w-0 flex-1 overflow-auto bg-surface outline-offset-[-2px]"
		>
			<div className="sm:min-w-[560px]">
				<div
					className={joinClasses(
						COLUMNS,
						"sticky top-0 z-[1] min-h-8 items-center border-line border-b bg-sunken text-muted max-sm:py-1",
					)}
				>
					<span className="px-4 max-sm:hidden">Attribute</span>
					{heads.map((head, side) => (
						<span key={SIDE_SIGNS[side]} className="flex gap-2 px-3">
							{/* The sign distinguishes sides that stand one below the other. */}
							<span className="w-2 shrink-0 sm:hidden" aria-hidden="true">
								{SIDE_SIGNS[side]}
							</span>
							<span className="min-w-0 [overflow-wrap:anywhere]">{head}</span>
						</span>
					))}
				</div>
				<div className="relative" style={{ height: rows.getTotalSize() }}>
					{rows.getVirtualItems().map(({ index, start, key }) => {
						const line = lines[index];
						if (line === undefined) return null;
						return (
							<div
								key={key}
								ref={rows.measureElement}
								data-index={index}
								className="absolute inset-x-0"
								style={{ transform: `translateY(${start}px)` }}
							>
								<LineView
									line={line}
									isCurrent={
										line.kind === "group"
											? line.entry.group === entries[current]?.group
											: line.kind === "head" && line.index === current
									}
									{...{ words, query, controller }}
									onToggle={toggle}
								/>
							</div>
						);
					})}
				</div>
			</div>
		</section>
	);
}

function getKey(line: Line | undefined): string {
	if (line === undefined) return "";
	return line.kind === "attribute" ? `${line.entry.id} ${line.attribute.key}` : `${line.kind} ${line.entry.id}`;
}

function KindPill({ kind, words }: { kind: Kind; words: KindWords }) {
	const { icon, tone } = SIGNS[kind];
	return (
		<Pill tone={tone} icon={icon}>
			{words[kind]}
		</Pill>
	);
}

interface LineViewProps {
	readonly line: Line;
	readonly isCurrent: boolean;
	readonly words: KindWords;
	readonly query: string | undefined;
	readonly controller: string | undefined;
	onToggle(id: string): void;
}

const LineView = memo(function LineView({ line, isCurrent, words, query, controller, onToggle }: LineViewProps) {
	const { entry } = line;
	if (line.kind === "head") {
		return (
			<div
				className={joinClasses(
					"flex h-[35px] items-center gap-2 border-line border-b px-3",
					isCurrent && "bg-accent-soft",
				)}
			>
				<KindPill kind={entry.kind} words={words} />
				<h2 className="m-0 min-w-0 font-medium text-base">
					<ObjectLink dn={entry.dn} connection={controller} />
				</h2>
				<CopyButton text={entry.dn} label={`Copy ${entry.dn}`} />
				<span className="mono shrink-0 text-muted">{entry.className}</span>
				{entry.movedFrom && (
					<span className="flex min-w-0 gap-1 text-muted">
						was <ObjectLink dn={entry.movedFrom} connection={controller} />
					</span>
				)}
				<span className="flex-1" />
				<ChangedByView entry={entry} />
				{query && (
					<Link
						to="/time-machine/track"
						search={{ query, dn: entry.dn, controller }}
						className="inline-flex h-6 shrink-0 items-center gap-1.5 rounded-control px-2 font-medium hover:bg-sunken"
					>
						<History size={13} aria-hidden="true" /> Track
					</Link>
				)}
			</div>
		);
	}
	if (line.kind === "group") {
		return (
			<div
				className={joinClasses(
					"flex h-[35px] items-center gap-2 border-line border-b px-3",
					isCurrent && "bg-accent-soft",
				)}
			>
				<KindPill kind={entry.kind} words={words} />
				<h2 className="m-0 min-w-0 truncate font-medium text-base">
					The same on {formatCount(line.count)} <span className="mono">{entry.className}</span> objects
				</h2>
				<button
					type="button"
					className="rounded-cell text-accent-text text-xs hover:underline"
					aria-expanded={line.open}
					onClick={() => onToggle(entry.group ?? "")}
				>
					{line.open ? "Hide the objects" : "Show the objects"}
				</button>
			</div>
		);
	}
	if (line.kind === "fold") {
		const what = entry.kind === "modified" ? "unchanged attribute" : "more attribute";
		return (
			<div className="flex h-[27px] items-center border-line border-b px-4">
				<button
					type="button"
					className="rounded-cell text-accent-text text-xs hover:underline"
					aria-expanded={line.open}
					onClick={() => onToggle(entry.id)}
				>
					{line.open ? "Show less" : `Show ${formatPlural(line.count, what)}`}
				</button>
			</div>
		);
	}
	const { attribute, changed } = line;
	const isRule = query !== undefined && changed && entry.kind === "modified" && entry.className !== "";
	return (
		<AttributeLine attribute={attribute} kind={entry.kind} changed={changed}>
			{isRule && <NeverAlert query={query} attribute={`${entry.className}.${attribute.key}`} />}
		</AttributeLine>
	);
});

function AttributeLine({
	attribute: { key, old, now },
	kind,
	changed,
	children,
}: {
	attribute: Attribute;
	kind: Kind;
	changed: boolean;
	/** Beside the attribute's name. */
	children: ReactNode;
}) {
	const pieces = kind === "modified" && changed && old !== null && now !== null ? splitPieces(old, now) : null;
	return (
		<div className={joinClasses(COLUMNS, "group min-h-[26px] border-line border-b")}>
			<span className="flex items-start gap-1 px-4 py-[3px]">
				<span className="mono min-w-0 flex-1 truncate py-0.5" title={key}>
					{key}
				</span>
				{children}
			</span>
			<Side
				sign="−"
				value={old}
				pieces={pieces?.old}
				changed={changed && kind !== "added"}
				look="bg-(--diff-old)"
				mark="bg-(--diff-old-word)"
				missing={kind === "added"}
			/>
			<Side
				sign="+"
				value={now}
				pieces={pieces?.now}
				changed={changed && kind !== "deleted"}
				look="bg-(--diff-new)"
				mark="bg-(--diff-new-word)"
				missing={kind === "deleted"}
			/>
		</div>
	);
}

interface SideProps {
	readonly sign: string;
	readonly value: string | null;
	readonly pieces: readonly Piece[] | undefined;
	readonly changed: boolean;
	readonly missing: boolean;
	readonly look: string;
	readonly mark: string;
}

function Side({ sign, value, pieces, changed, missing, look, mark }: SideProps) {
	if (missing) return <span className="border-line border-l max-sm:hidden" />;
	return (
		<span
			className={joinClasses(
				"mono flex gap-2 border-line border-l px-3 py-[5px] max-sm:border-l-0 [overflow-wrap:anywhere]",
				changed ? look : "text-muted",
				// An unchanged value is shown once.
				!changed && sign === "+" && "max-sm:hidden",
			)}
		>
			{changed && <span className="w-2 shrink-0 select-none text-muted">{sign}</span>}
			<span className="min-w-0">
				{value === null ? (
					<i className="text-muted">(absent)</i>
				) : value === "" ? (
					<i className="text-muted">(empty)</i>
				) : pieces ? (
					pieces.map(({ text, differs }, index) =>
						differs ? (
							// biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place
							<mark key={index} className={joinClasses("rounded-[3px] text-inherit", mark)}>
								{text}
							</mark>
						) : (
							text
						),
					)
				) : (
					value
				)}
			</span>
		</span>
	);
}
