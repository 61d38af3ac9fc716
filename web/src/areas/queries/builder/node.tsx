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
	Table2,
	WandSparkles,
	X,
} from "lucide-react";
import { memo } from "react";
import { formatCount, formatDuration } from "../../../platform/format.ts";
import { joinClasses } from "../../../ui/classes.ts";
import type { NodeRun } from "../../runs/frames.ts";
import { type CanvasNode, type Kind, NODE_WIDTH } from "./model/canvas.ts";
import { formatLines, formatTitle, KIND_NAMES } from "./model/describe.ts";
import { useBuilder } from "./store.ts";

export type FlowNode = Node<{ readonly node: CanvasNode }, "weft">;

export const KIND_LOOKS: Readonly<Record<Kind, { readonly icon: LucideIcon; readonly look: string }>> = {
	startNode: { icon: CirclePlay, look: "bg-sunken text-muted" },
	classNode: { icon: Boxes, look: "bg-accent-soft text-accent-text" },
	filterNode: { icon: Filter, look: "bg-warn-soft text-warn" },
	postProcessorNode: { icon: WandSparkles, look: "bg-violet-soft text-violet" },
	outputNode: { icon: Table2, look: "bg-ok-soft text-ok" },
};

const HANDLE = "size-2.5! rounded-full! border-2! border-strong! bg-surface! hover:border-accent! hover:bg-accent!";

export const WeftNode = memo(function WeftNode({ id, data: { node }, selected }: NodeProps<FlowNode>) {
	const run = useBuilder((state) => state.runs[id]);
	const problem = useBuilder((state) => state.problems.byId.get(id));
	const { icon: Icon, look } = KIND_LOOKS[node.type];
	const lines = formatLines(node);
	return (
		<div
			className={joinClasses(
				"rounded-card border bg-surface shadow-[0_1px_2px_rgb(0_0_0/0.06)]",
				selected
					? "border-accent ring-2 ring-accent/35"
					: problem
						? "border-bad"
						: run?.state === "reading"
							? "border-accent"
							: "border-line",
				node.data.isPaused === true && "opacity-60",
			)}
			style={{ width: NODE_WIDTH }}
		>
			{node.type !== "startNode" && <Handle type="target" position={Position.Left} className={HANDLE} />}
			<div className="flex h-8 items-center gap-2 px-2.5">
				<span className={joinClasses("grid size-[18px] shrink-0 place-items-center rounded-cell", look)}>
					<Icon size={11} aria-hidden="true" />
				</span>
				<span className="mono min-w-0 flex-1 truncate font-semibold">{formatTitle(node)}</span>
				{problem ? (
					<CircleAlert size={14} className="shrink-0 text-bad" role="img" aria-label={problem} />
				) : (
					<span className="shrink-0 text-2xs text-muted">{KIND_NAMES[node.type]}</span>
				)}
			</div>
			{lines.length > 0 && (
				<div className="border-line border-t px-2.5 py-1.5">
					{lines.map((line) => (
						<div key={line} className="mono truncate text-2xs! text-muted leading-4" title={line}>
							{line}
						</div>
					))}
				</div>
			)}
			{run && <RunLine run={run} />}
			{node.type !== "outputNode" && <Handle type="source" position={Position.Right} className={HANDLE} />}
		</div>
	);
});

const STATES = {
	reading: ["Reading", LoaderCircle, "text-accent-text"],
	done: ["Done", Check, "text-ok"],
	failed: ["Failed", X, "text-bad"],
	stopped: ["Stopped", CircleMinus, "text-muted"],
} as const;

function RunLine({ run: { state, rows, ms } }: { run: NodeRun }) {
	const [word, Icon, tone] = STATES[state];
	const figures = [rows === null ? "" : `${formatCount(rows)} rows`, ms === null ? "" : formatDuration(ms)]
		.filter(Boolean)
		.join(", ");
	return (
		<div className="flex h-6 items-center gap-1.5 border-line border-t px-2.5 text-2xs">
			<Icon
				size={11}
				aria-hidden="true"
				className={joinClasses(tone, state === "reading" && "motion-safe:animate-spin")}
			/>
			<span className="flex-1">{word}</span>
			<span className="num text-muted">{figures}</span>
		</div>
	);
}
