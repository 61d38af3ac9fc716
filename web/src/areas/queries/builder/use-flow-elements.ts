/** Nodes and edges of the document as React Flow draws them. */
import { type EdgeChange, type NodeChange, useNodesState } from "@xyflow/react";
import { useCallback, useEffect, useMemo } from "react";
import { formatCount } from "../../../platform/format.ts";
import type { NodeRuns } from "../../runs/frames.ts";
import type { FlowEdge } from "./edge.tsx";
import { type CanvasEdge, isPipeline, NODE_WIDTH } from "./model/canvas.ts";
import type { Box } from "./model/route.ts";
import type { FlowNode } from "./node.tsx";
import { useBuilder, useBuilderStore, useDoc } from "./store.ts";

/** Above this many nodes only visible ones are drawn, and edges go straight. */
export const CROWDED = 60;

/** The store owns the selection; React Flow owns sizes, and positions while dragging. */
export function useFlowElements() {
	const store = useBuilderStore();
	const doc = useDoc();
	const selection = useBuilder((state) => state.selection);
	const runs = useBuilder((state) => state.runs);
	const [nodes, setNodes, applyChanges] = useNodesState<FlowNode>([]);

	// Syncs nodes from the document and keeps their measured sizes.
	useEffect(() => {
		setNodes((before) => {
			const old = new Map(before.map((node) => [node.id, node]));
			return doc.nodes.map((node): FlowNode => {
				const known = old.get(node.id);
				const selected = selection.has(node.id);
				if (known?.data.node === node && known.selected === selected) return known;
				return { ...known, id: node.id, type: "weft", position: { ...node.position }, data: { node }, selected };
			});
		});
	}, [doc, selection, setNodes]);

	const problems = useBuilder((state) => state.problems);
	const boxes = useMemo(() => (nodes.length >= CROWDED ? NO_BOXES : nodes.map(getBox)), [nodes]);
	const edges = useMemo(
		() => doc.edges.map((edge) => buildFlowEdge(edge, boxes, selection, runs, problems.byId.get(edge.id))),
		[doc.edges, boxes, selection, runs, problems],
	);

	const choose = useCallback(
		(changes: readonly (NodeChange<FlowNode> | EdgeChange)[]) => {
			const { selection: before, select } = store.getState();
			const next = new Set(before);
			for (const change of changes) {
				if (change.type !== "select") continue;
				if (change.selected) next.add(change.id);
				else next.delete(change.id);
			}
			if (next.size !== before.size || [...next].some((id) => !before.has(id))) select(next);
		},
		[store],
	);
	const onNodesChange = useCallback(
		(changes: NodeChange<FlowNode>[]) => {
			choose(changes);
			applyChanges(changes.filter(({ type }) => type === "dimensions" || type === "position"));
		},
		[applyChanges, choose],
	);
	return { nodes, edges, onNodesChange, onEdgesChange: choose };
}

const NO_BOXES: readonly Box[] = [];
const getBox = ({ position, measured }: FlowNode): Box => ({
	...position,
	width: measured?.width ?? NODE_WIDTH,
	height: measured?.height ?? 0,
});

/** An edge labelled with its rows so far, or marked as invalid. */
function buildFlowEdge(
	edge: CanvasEdge,
	boxes: readonly Box[],
	selection: ReadonlySet<string>,
	runs: NodeRuns,
	problem: string | undefined,
): FlowEdge {
	const selected = selection.has(edge.id);
	const reading = runs[edge.target]?.state === "reading";
	const rows = runs[edge.source]?.rows ?? null;
	const pipeline = isPipeline(edge);
	const label = [
		problem === undefined ? "" : "⚠",
		pipeline ? `${String(edge.data.extractField ?? "dn")} →` : "",
		rows === null ? "" : formatCount(rows),
	]
		.filter(Boolean)
		.join(" ");
	return {
		id: edge.id,
		source: edge.source,
		target: edge.target,
		type: "weft",
		data: { boxes },
		selected,
		...(label === "" ? {} : { label }),
		...(problem === undefined ? {} : { ariaLabel: problem }),
		className: [pipeline && "weft-pipeline", reading && "weft-reading", problem !== undefined && "weft-wrong"]
			.filter(Boolean)
			.join(" "),
	};
}
