/** The output of a job: follows its end, is searched, and draws only visible lines. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown, ChevronDown, ChevronUp, Download, WrapText } from "lucide-react";
import { memo, useEffect, useMemo, useRef, useState } from "react";
import { formatCount, formatPlural } from "../../platform/format.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { joinClasses } from "../../ui/classes.ts";
import { Empty, ProblemBanner } from "../../ui/page.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { type Span, splitSpans } from "./ansi.ts";
import { getMatches } from "./log.ts";
import type { Output } from "./use-output.ts";

const LINE_PX = 18;
/** Distance from the end, in pixels, at which the view still follows it. */
const NEAR = 24;
const COLORS: Readonly<Record<string, string>> = {
	red: "text-bad",
	green: "text-ok",
	yellow: "text-warn",
	blue: "text-accent-text",
	cyan: "text-accent-text",
	magenta: "text-violet",
	black: "text-muted",
};

interface OutputViewProps {
	readonly output: Output;
	readonly isOver: boolean;
	onDownload(): void;
}

export function OutputView({ output: { log, isFilling, error, retry }, isOver, onDownload }: OutputViewProps) {
	const { lines, dropped } = log;
	const frame = useRef<HTMLDivElement>(null);
	const [isFollowing, setFollowing] = useState(true);
	/** Lines when following stopped. */
	const [pausedAt, setPausedAt] = useState(0);
	const [wrap, setWrap] = useState(false);
	const [text, setText] = useState("");
	const [at, setAt] = useState(0);
	const total = dropped + lines.length;
	const matches = useMemo(() => getMatches(lines, text), [lines, text]);
	const current = matches[Math.min(at, matches.length - 1)];
	const rows = useVirtualizer({
		count: lines.length,
		getScrollElement: () => frame.current,
		estimateSize: () => LINE_PX,
		overscan: 20,
	});
	// biome-ignore lint/correctness/useExhaustiveDependencies: whenever lines come
	useEffect(() => {
		if (isFollowing && lines.length > 0) rows.scrollToIndex(lines.length - 1, { align: "end" });
	}, [log, isFollowing]);
	const follow = () => setFollowing(true);
	const pause = () => {
		if (!isFollowing) return;
		setFollowing(false);
		setPausedAt(total);
	};
	const searchFor = (next: string) => {
		setText(next);
		setAt(0);
		const first = getMatches(lines, next)[0];
		if (first === undefined) return;
		pause();
		rows.scrollToIndex(first, { align: "center" });
	};
	const showMatch = (to: number) => {
		if (matches.length === 0) return;
		const next = (to + matches.length) % matches.length;
		setAt(next);
		pause();
		rows.scrollToIndex(matches[next] ?? 0, { align: "center" });
	};
	const onScroll = () => {
		const box = frame.current;
		if (box === null) return;
		const isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR;
		if (isAtEnd) follow();
	};
	return (
		<div className="flex h-full min-h-72 flex-col">
			<Toolbar
				search={{ text, at, matches, onChange: searchFor, onMove: showMatch }}
				lineCount={Math.max(0, total - (lines.at(-1) === "" ? 1 : 0))}
				wrap={wrap}
				onWrap={() => setWrap(!wrap)}
				onDownload={onDownload}
			/>
			{error !== null && (
				<div className="p-2">
					<ProblemBanner error={error} onRetry={retry} />
				</div>
			)}
			{(isFilling || dropped > 0) && (
				<p role="status" className="m-0 border-line border-b px-3 py-1 text-muted text-xs">
					{isFilling && "Loading missed lines. "}
					{dropped > 0 && `The first ${formatPlural(dropped, "line")} are in the download only.`}
				</p>
			)}
			<div className="relative min-h-0 flex-1">
				<section
					ref={frame}
					aria-label="Output"
					// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
					tabIndex={0}
					className="mono absolute inset-0 overflow-auto bg-sunken outline-offset-[-2px]"
					onScroll={onScroll}
					onWheel={(event) => event.deltaY < 0 && pause()}
					onKeyDown={(event) => ["PageUp", "ArrowUp", "Home"].includes(event.key) && pause()}
					onPointerDown={(event) => event.target === frame.current && pause()}
				>
					{total <= 1 && lines[0] === "" ? (
						<Empty>{isOver ? "The job wrote no output." : "The job has written nothing yet."}</Empty>
					) : (
						<div
							className={joinClasses("relative", !wrap && "w-max min-w-full")}
							style={{ height: rows.getTotalSize() }}
						>
							{rows.getVirtualItems().map(({ index, start }) => (
								<div
									key={index}
									data-index={index}
									ref={wrap ? rows.measureElement : undefined}
									className={joinClasses(
										"absolute left-0 flex min-w-full",
										wrap && "right-0",
										index === current && "bg-accent-soft",
									)}
									style={{ transform: `translateY(${start}px)`, minHeight: LINE_PX }}
								>
									<span aria-hidden="true" className="num w-14 shrink-0 select-none pr-2 text-right text-muted">
										{dropped + index + 1}
									</span>
									<Line text={lines[index] ?? ""} wrap={wrap} />
								</div>
							))}
						</div>
					)}
				</section>
				{!isFollowing && (
					<span className="absolute right-4 bottom-3">
						<Button icon={ArrowDown} onClick={follow}>
							{isOver ? "To the end" : `Paused, ${formatPlural(Math.max(0, total - pausedAt), "new line")}`}
						</Button>
					</span>
				)}
			</div>
		</div>
	);
}

interface ToolbarProps {
	readonly search: {
		readonly text: string;
		/** The place of the current match among all. */
		readonly at: number;
		readonly matches: readonly number[];
		onChange(text: string): void;
		onMove(to: number): void;
	};
	readonly lineCount: number;
	readonly wrap: boolean;
	onWrap(): void;
	onDownload(): void;
}

function Toolbar({ search, lineCount, wrap, onWrap, onDownload }: ToolbarProps) {
	const { text, at, matches, onChange, onMove } = search;
	return (
		<div className="flex flex-wrap items-center gap-2 border-line border-b bg-surface px-3 py-1.5">
			<SearchField value={text} label="Search the output" onChange={onChange} />
			{text !== "" && (
				<>
					<span className="num text-muted" role="status">
						{matches.length === 0
							? "No match"
							: `${formatCount(Math.min(at, matches.length - 1) + 1)} of ${formatCount(matches.length)}`}
					</span>
					<IconButton label="Previous match" icon={ChevronUp} onClick={() => onMove(at - 1)} />
					<IconButton label="Next match" icon={ChevronDown} onClick={() => onMove(at + 1)} />
				</>
			)}
			<span className="flex-1" />
			<span className="num text-muted">{formatPlural(lineCount, "line")}</span>
			<IconButton
				label={wrap ? "Do not wrap lines" : "Wrap lines"}
				aria-pressed={wrap}
				icon={WrapText}
				onClick={onWrap}
			/>
			<IconButton label="Download the output" icon={Download} onClick={onDownload} />
		</div>
	);
}

const Line = memo(function Line({ text, wrap }: { text: string; wrap: boolean }) {
	return (
		<span
			className={joinClasses(
				"leading-[18px]",
				wrap ? "min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]" : "whitespace-pre pr-4",
			)}
		>
			{splitSpans(text).map((span, index) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: a span is its place
				<Part key={index} span={span} />
			))}
		</span>
	);
});

function Part({ span: { text, color, bold } }: { span: Span }) {
	if (color === null && !bold) return text;
	return <span className={joinClasses(color && COLORS[color], bold && "font-semibold")}>{text}</span>;
}
