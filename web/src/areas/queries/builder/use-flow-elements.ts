/** Nodes and edges of the document as React Flow draws them. */
import { type EdgeChange, type EdgeMarker, MarkerType, type NodeChange, useNodesState } from "@xyflow/react";
import { useCallback, useEffect, useMemo } from "react";
import { formatCount } from "../../../platform/format.ts";
import type { NodeRuns } from "../../runs/frames.ts";
import type { FlowEdge } from "./edge.tsx";
import { type CanvasEdge, type CanvasNode, getNodeWidth, isPipeline } from "./model/canvas.ts";
import { buildDrawing } from "./model/chips.ts";
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
	const drawing = useMemo(() => buildDrawing(doc), [doc]);
	const [nodes, setNodes, applyChanges] = useNodesState<FlowNode>([]);

	// Syncs nodes from the document and keeps their measured sizes.
	useEffect(() => {
		setNodes((before) => {
			const old = new Map(before.map((node) => [node.id, node]));
			return drawing.nodes.map((node): FlowNode => {
				const known = old.get(node.id);
				const selected = selection.has(node.id);
				const chips = drawing.chips.get(node.id) ?? NO_CHIPS;
				const isSame = known?.data.node === node && isEqualList(known.data.chips, chips);
				if (isSame && known?.selected === selected) return known;
				return { ...known, id: node.id, type: "weft", position: { ...node.position }, data: { node, chips }, selected };
			});
		});
	}, [drawing, selection, setNodes]);

	const problems = useBuilder((state) => state.problems);
	const boxes = useMemo(() => (nodes.length >= CROWDED ? NO_BOXES : nodes.map(getBox)), [nodes]);
	const edges = useMemo(
		() => drawing.edges.map((edge) => buildFlowEdge(edge, boxes, selection, runs, problems.byId.get(edge.id))),
		[drawing, boxes, selection, runs, problems],
	);

	const choose = useCallback(
		(changes: readonly (NodeChange<FlowNode> | EdgeChange)[]) => {
			const { history, selection: before, select } = store.getState();
			const { owners } = buildDrawing(history.now);
			// React Flow does not know filters in a class: another choice ends their selection.
			const isChosen = changes.some((change) => change.type === "select" && change.selected);
			const next = new Set(isChosen ? [...before].filter((id) => !owners.has(id)) : before);
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
const NO_CHIPS: readonly CanvasNode[] = [];

const isEqualList = (one: readonly CanvasNode[], other: readonly CanvasNode[]): boolean =>
	one.length === other.length && one.every((each, index) => each === other[index]);

const getBox = ({ position, measured, data }: FlowNode): Box => ({
	...position,
	width: measured?.width ?? getNodeWidth(data.node.type),
	height: measured?.height ?? 0,
});

/** The arrow head in the colour of its wire. */
const getMarker = (selected: boolean, isWrong: boolean, reading: boolean): EdgeMarker => ({
	type: MarkerType.ArrowClosed,
	width: 16,
	height: 16,
	color: isWrong ? "var(--bad)" : selected || reading ? "var(--accent)" : "var(--muted)",
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
	const field = [problem === undefined ? "" : "⚠", pipeline ? `${String(edge.data.extractField ?? "dn")} →` : ""];
	return {
		id: edge.id,
		source: edge.source,
		target: edge.target,
		type: "weft",
		data: { boxes, rows: rows === null ? "" : formatCount(rows), field: field.filter(Boolean).join(" ") },
		markerEnd: getMarker(selected, problem !== undefined, reading),
		selected,
		...(problem === undefined ? {} : { ariaLabel: problem }),
		className: [pipeline && "weft-pipeline", reading && "weft-reading", problem !== undefined && "weft-wrong"]
			.filter(Boolean)
			.join(" "),
	};
}
