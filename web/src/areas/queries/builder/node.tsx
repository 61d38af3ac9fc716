/** A node as it is drawn: what it is, what it asks, and how far its part of the run is. */
import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import {
	Boxes,
	Check,
	CircleAlert,
	CircleMinus,
	CirclePlay,
	Filter,
	LoaderCircle,
	type LucideIcon,
	Plus,
	Table2,
	WandSparkles,
	X,
} from "lucide-react";
import { memo } from "react";
import { formatCount } from "../../../platform/format.ts";
import { joinClasses } from "../../../ui/classes.ts";
import { type CanvasNode, getNodeWidth, type Kind } from "./model/canvas.ts";
import { COMMON_CLASSES } from "./model/common-classes.ts";
import { formatLines, formatTitle, KIND_NAMES } from "./model/describe.ts";
import { useBuilder, useBuilderStore } from "./store.ts";

export type FlowNode = Node<
	{
		readonly node: CanvasNode;
		/** Filters of a class. */
		readonly chips: readonly CanvasNode[];
	},
	"weft"
>;

export const KIND_LOOKS: Readonly<Record<Kind, { readonly icon: LucideIcon; readonly look: string }>> = {
	startNode: { icon: CirclePlay, look: "bg-sunken text-muted" },
	classNode: { icon: Boxes, look: "bg-accent-soft text-accent-text" },
	filterNode: { icon: Filter, look: "bg-warn-soft text-warn" },
	postProcessorNode: { icon: WandSparkles, look: "bg-violet-soft text-violet" },
	outputNode: { icon: Table2, look: "bg-ok-soft text-ok" },
};

const HANDLE = "rounded-full! border-strong! bg-surface! hover:border-accent!";

const LABELS = new Map(COMMON_CLASSES.map(({ name, label }) => [name, label]));

export const WeftNode = memo(function WeftNode({ id, data: { node, chips }, selected }: NodeProps<FlowNode>) {
	const reading = useBuilder((state) => state.runs[id]?.state === "reading");
	const problem = useBuilder((state) => state.problems.byId.get(id));
	const { icon: Icon, look } = KIND_LOOKS[node.type];
	const lines = formatLines(node);
	const isClass = node.type === "classNode";
	return (
		<div
			className={joinClasses(
				"rounded-card border bg-surface shadow-[0_1px_2px_rgb(0_0_0/0.06)]",
				selected
					? "border-accent ring-2 ring-accent/35"
					: problem
						? "border-bad"
						: reading
							? "border-accent"
							: "border-line",
				node.data.isPaused === true && "opacity-60",
			)}
			style={{ width: getNodeWidth(node.type) }}
		>
			{node.type !== "startNode" && (
				<Handle type="target" position={Position.Left} className={joinClasses(HANDLE, "size-2.5! border-2!")} />
			)}
			<div className="flex h-8 items-center gap-2 px-2.5">
				<span className={joinClasses("grid size-[18px] shrink-0 place-items-center rounded-cell", look)}>
					<Icon size={11} aria-hidden="true" />
				</span>
				<span className={joinClasses("mono truncate font-semibold", isClass ? "max-w-28" : "min-w-0 flex-1")}>
					{formatTitle(node)}
				</span>
				{isClass && (
					<span className="min-w-0 flex-1 truncate text-right text-muted text-xs">
						{LABELS.get(String(node.data.className)) ?? ""}
					</span>
				)}
				{problem && <CircleAlert size={14} className="shrink-0 text-bad" role="img" aria-label={problem} />}
				{!problem && node.type === "filterNode" && (
					<span className="shrink-0 text-muted text-xs">{KIND_NAMES[node.type]}</span>
				)}
			</div>
			{lines.length > 0 && (
				<div className="border-line border-t px-2.5 py-1.5">
					{lines.map((line) => (
						<div key={line} className="mono truncate text-muted leading-4" title={line}>
							{line}
						</div>
					))}
				</div>
			)}
			{chips.length > 0 && (
				<div className="flex flex-col gap-1 border-line border-t p-1.5">
					{chips.map((chip) => (
						<FilterChip key={chip.id} filter={chip} />
					))}
				</div>
			)}
			{isClass && <ClassLine id={id} className={String(node.data.className ?? "")} isFiltered={chips.length > 0} />}
			{node.type !== "outputNode" && <AddHandle id={id} name={formatTitle(node)} />}
		</div>
	);
});

/** The output of a node. A click offers nodes that can follow, a drag draws a wire. */
function AddHandle({ id, name }: { readonly id: string; readonly name: string }) {
	const store = useBuilderStore();
	return (
		<Handle
			type="source"
			position={Position.Right}
			className={joinClasses(HANDLE, "grid! size-5! place-items-center border! hover:bg-accent-soft!")}
		>
			<button
				type="button"
				tabIndex={-1}
				aria-label={`Add after ${name}`}
				title={`Add after ${name}, or drag to another node`}
				className="grid size-full cursor-pointer place-items-center rounded-full text-muted hover:text-accent-text"
				onClick={(event) => {
					event.stopPropagation();
					store.setState({ adding: { after: id, at: null } });
				}}
			>
				<Plus size={12} aria-hidden="true" className="pointer-events-none" />
			</button>
		</Handle>
	);
}

/** A filter inside its class; the inspector edits it. */
function FilterChip({ filter }: { readonly filter: CanvasNode }) {
	const store = useBuilderStore();
	const selected = useBuilder((state) => state.selection.has(filter.id));
	const problem = useBuilder((state) => state.problems.byId.get(filter.id));
	const label = typeof filter.data.label === "string" ? filter.data.label : "";
	const text = label || formatLines(filter).join(" ");
	return (
		<button
			type="button"
			tabIndex={-1}
			aria-pressed={selected}
			aria-label={problem ? `Filter ${text}: ${problem}` : `Filter ${text}`}
			title={text}
			className={joinClasses(
				"nodrag nopan flex h-[22px] w-full cursor-pointer items-center gap-1.5 rounded-cell border px-1.5 text-left",
				"bg-warn-soft text-text",
				selected ? "border-accent ring-2 ring-accent/35" : problem ? "border-bad" : "border-transparent",
			)}
			onClick={(event) => {
				event.stopPropagation();
				store.getState().select([filter.id]);
			}}
		>
			{problem ? (
				<CircleAlert size={12} className="shrink-0 text-bad" aria-hidden="true" />
			) : (
				<Filter size={11} className="shrink-0 text-warn" aria-hidden="true" />
			)}
			<span className="mono min-w-0 flex-1 truncate">{text}</span>
		</button>
	);
}

const STATES = {
	reading: ["Reading", LoaderCircle, "text-accent-text"],
	done: ["Done", Check, "text-ok"],
	failed: ["Failed", X, "text-bad"],
	stopped: ["Stopped", CircleMinus, "text-muted"],
} as const;

interface ClassLineProps {
	readonly id: string;
	readonly className: string;
	readonly isFiltered: boolean;
}

/** The last line of a class: its run, or the number of objects. Its height is always the same. */
function ClassLine({ id, className, isFiltered }: ClassLineProps) {
	const run = useBuilder((state) => state.runs[id]);
	const counts = useBuilder((state) => state.counts);
	const count = counts?.byClass[className];
	const [word, Icon, tone] = run ? STATES[run.state] : ["", null, ""];
	return (
		<div className="flex h-6 items-center gap-1.5 border-line border-t px-2.5 text-xs">
			{Icon && (
				<Icon
					size={11}
					aria-hidden="true"
					className={joinClasses(tone, run?.state === "reading" && "motion-safe:animate-spin")}
				/>
			)}
			{run ? (
				<>
					<span className="flex-1">{word}</span>
					<span className="num text-muted">{run.rows === null ? "" : `${formatCount(run.rows)} rows`}</span>
				</>
			) : (
				<span className="num min-w-0 truncate text-muted">
					{count === undefined ? "" : `${isFiltered ? "of " : ""}${formatCount(count)} in ${counts?.fabric}`}
				</span>
			)}
		</div>
	);
}
